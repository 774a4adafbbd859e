"""One number of a run, written out: which inputs it was computed from, and how."""

from functools import cached_property

from ..core.arguments import checked_index
from ..core.expression import Element, Node, Number, down_to_names
from ..core.trace import Trace, require_trace
from ..learning.backprop import Gradients
from ..learning.chain import derivative
from ..quoted import in_latex
from ..shown import shown, shown_small
from .digits import enough_digits, leaf_text
from .notation import BREAK, LATEX, LONG, MATHML, NARROW, TEXT, element, signs_in, write


def explain(source, key, index=()):
    """How the element `index` of a step came about: a Sum. `source` is a Trace, or Gradients.

    explain(t, "blocks.0.attn.scores", (0, 4, 2)) is head 0, query 4, key 2. A weight is its own explanation.
    explain(g, "loss") is the loss, explain(g, "W_E", (5, 1)) a derivative: the chain rule, ∂ standing for "d loss / d".
    Raises UnknownStep for the key, ValueError for an index outside the step, and for what has no derivative.
    """
    require_trace(source, (Trace, Gradients))
    if isinstance(source, Trace) or key == "loss":
        array = source.array(key)
    else:
        array = derivative(source, key.removeprefix("∂") if isinstance(key, str) else key)
    index = checked_index(index, source.about(array.name).axes, array.value.shape)
    return Sum(source, index, array)


class Sum:
    """An element written out: `value`, the `expression` tree, its `inputs` [(key, index, value)], `text` and `latex`.

    The leaves of the expression are the named elements that the number was computed from; `note` says what else there
    is to know ("set by hand"). In a notebook it shows itself as a formula.
    """

    def __init__(self, source, index, array):
        self._about = source.about
        self.key, self.index, self.value = array.name, index, float(array.value[index])
        self.expression = down_to_names(array.op.sentence(index, *array.inputs, **array.settings))
        self.note = array.note or array.op.note(index, *array.inputs, **array.settings)
        self.place = _place_of(source, array, index)

    def shown(self, value):
        """A number as it is shown where three decimals do; in a derivative as `shown_small`."""
        return shown_small(value) if self.key.startswith("∂") else shown(value)

    @cached_property
    def digits(self):
        """How many digits that count its lines are printed with: enough to come to the value that is shown."""
        return enough_digits(self._worked(), self.shown(self.value), self.shown)

    @property
    def inputs(self):
        return [(e.array.name, e.index, e.value) for e in _elements(self.expression)]

    @property
    def text(self):
        name, lines = self._lines(TEXT)
        indent = "\n" + " " * len(name) + " = "
        return "\n".join(filter(None, [self.place, f"{name} = {indent.join(lines)}", self.note]))

    @property
    def latex(self):
        name, (first, *rest) = self._lines(LATEX)
        lines = [rf"{name} &= {first}", *(f"&= {line}" for line in rest)]
        heading = [rf"&\textsf{{{in_latex(self.place)}}}"]
        note = [rf"&\textsf{{({in_latex(self.note)})}}"] if self.note else []
        return "\\begin{aligned}\n" + " \\\\[3pt]\n".join(heading + lines + note) + "\n\\end{aligned}"

    @property
    def mathml(self):
        """For a view, which sets `place` and `note` as text: the name, and the lines, each in its unbroken parts."""
        name, lines = self._lines(MATHML)
        if signs_in(name) > LONG:
            name, lines = self._lines(NARROW)
        return [name, [line.split(BREAK) for line in lines]]

    def _worked(self):
        """The sum, and the same one step worked out."""
        top = self.expression
        if not isinstance(top, Node):
            return [top]
        return [top, Node(top.op, *(it if isinstance(it, Number) else Number(it.value) for it in top.args))]

    def _lines(self, notation):
        """The element's name, and its sum: with names, with numbers, one step worked out, and as its value.

        A line that says nothing new is left out.
        """

        def numeric(leaf):
            return notation.number(leaf_text(leaf, self.digits, self.shown))

        def named(leaf):
            is_element = isinstance(leaf, Element)
            return element(self._about(leaf.array.name), leaf.index, notation) if is_element else numeric(leaf)

        name = element(self._about(self.key), self.index, notation)
        lines = [write(self.expression, notation, named)]
        lines += [write(line, notation, numeric) for line in self._worked()]
        if isinstance(self.expression, Node):
            lines.append(notation.number(self.shown(self.value)))
        return name, [line for line in dict.fromkeys(lines) if line != name]

    def __float__(self):
        return self.value

    def __repr__(self):
        return self.text

    def _repr_latex_(self):
        return f"$\\displaystyle {self.latex}$"


def _elements(expression):
    """The distinct elements in an expression, from left to right."""
    if isinstance(expression, Node):
        found = [e for a in expression.args for e in _elements(a)]
    else:
        found = [expression] if isinstance(expression, Element) else []
    return list({(e.array.name, e.index): e for e in found}.values())


def _place_of(source, array, index):
    """blocks.0.attn.scores: head 0, query ␣no, key ␣sub"""
    axes, shape = source.about(array.name).axes, array.value.shape
    places = [f"{axis} {source.labels(axis, n)[i]}" for axis, n, i in zip(axes, shape, index, strict=True)]
    return f"{array.name}: {', '.join(places)}" if places else array.name
