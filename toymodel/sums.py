"""One number of a run, written out: which inputs it was computed from, and how."""

from operator import index as whole

from .expression import Element, Node, Number
from .language import _
from .shown import shown
from .steps import about
from .trace import Trace, require_trace
from .training import Gradients


def explain(source, key, index=()):
    """How the element `index` of a step came about: a Sum. `source` is a Trace, or Gradients for the key "loss".

    explain(t, "blocks.0.attn.scores", (0, 4, 2)) is head 0, query 4, key 2. A weight is its own explanation.
    Raises UnknownStep for the key, ValueError for an index outside the step.
    """
    require_trace(source, (Trace, Gradients))
    array = source.array(key)
    index = checked_index(index, about(key).axes, array.value.shape)
    return Sum(source, key, index, array)


class Sum:
    """An element written out: `value`, the `expression` tree, its `inputs` [(key, index, value)], `text` and `latex`.

    The leaves of the expression are the named elements that the number was computed from; `note` says what else there
    is to know ("set by hand"). In a notebook it shows itself as a formula.
    """

    def __init__(self, source, key, index, array):
        self.key, self.index, self.value = key, index, float(array.value[index])
        self.expression = _down_to_names(array.op.sentence(index, *array.inputs, **array.settings))
        self.note = array.note or array.op.note(index, *array.inputs, **array.settings)
        self.place = _in_words(source, key, index)

    @property
    def inputs(self):
        return [(e.array.name, e.index, e.value) for e in _elements(self.expression)]

    @property
    def text(self):
        name = _element_in_text(self.key, self.index)
        first, *rest = self._lines(TEXT, name, _element_in_text, shown)
        indent = "\n" + " " * len(name)
        lines = f"{name} = {first}" + "".join(f"{indent} = {line}" for line in rest)
        return "\n".join(filter(None, [self.place, lines, self.note]))

    @property
    def latex(self):
        name = _element_in_latex(self.key, self.index)
        first, *rest = self._lines(LATEX, name, _element_in_latex, _number_in_latex)
        lines = [rf"{name} &= {first}", *(f"&= {line}" for line in rest)]
        heading = [rf"&\textsf{{{self.place.replace('_', chr(92) + '_')}}}"]
        note = [rf"&\textsf{{({self.note})}}"] if self.note else []
        return "\\begin{aligned}\n" + " \\\\[3pt]\n".join(heading + lines + note) + "\n\\end{aligned}"

    def _lines(self, notation, name, element, number):
        """The same sum with names, with numbers, one step worked out, and as its value; none that says nothing new."""

        def numeric(leaf):
            return getattr(leaf, "text", None) or number(leaf.value)

        def named(leaf):
            return element(leaf.array.name, leaf.index) if isinstance(leaf, Element) else numeric(leaf)

        top = self.expression
        lines = [_write(top, notation, named), _write(top, notation, numeric)]
        if isinstance(top, Node):
            worked = [a if isinstance(a, Number) else Number(a.value) for a in top.args]
            lines += [_write(Node(top.op, *worked), notation, numeric), number(self.value)]
        return [line for line in dict.fromkeys(lines) if line != name]

    def __repr__(self):
        return self.text

    def _repr_latex_(self):
        return f"$\\displaystyle {self.latex}$"


def _down_to_names(expression):
    """Elements of arrays without a name give way to their own arithmetic: every leaf becomes a named step or weight."""
    if isinstance(expression, Node):
        return Node(expression.op, *map(_down_to_names, expression.args))
    if isinstance(expression, Element) and not expression.array.name:
        array = expression.array
        return _down_to_names(array.op.sentence(expression.index, *array.inputs, **array.settings))
    return expression


def _elements(expression):
    """The distinct elements in an expression, from left to right."""
    if isinstance(expression, Node):
        found = [e for a in expression.args for e in _elements(a)]
    else:
        found = [expression] if isinstance(expression, Element) else []
    return list({(e.array.name, e.index): e for e in found}.values())


def checked_index(index, axes, shape):
    """The index as a tuple of whole numbers, -1 being the last. Raises ValueError for a place that is not there."""
    index = tuple(index) if isinstance(index, (tuple, list)) else (index,)
    try:
        if len(index) != len(shape):
            raise IndexError
        return tuple(range(n)[whole(i)] for i, n in zip(index, shape, strict=True))
    except (IndexError, TypeError):
        allowed = ", ".join(_("{axis} from 0 to {last}", axis=a, last=n - 1) for a, n in zip(axes, shape, strict=True))
        given = ", ".join(map(repr, index))
        raise ValueError(
            _("({given}) is no such place. Needed: {allowed}.", given=given, allowed=allowed or _("none"))
        ) from None


def _in_words(source, key, index):
    """blocks.0.attn.scores: head 0, query ␣no, key ␣sub"""
    axes, shape = about(key).axes, source.array(key).value.shape
    places = [f"{axis} {source.labels(axis, n)[i]}" for axis, n, i in zip(axes, shape, index, strict=True)]
    return f"{key}: {', '.join(places)}" if places else key


# Notation: for each operator, how tightly it binds, how tightly each argument must bind, and how it is written.
_ANY, _SUM, _SIGNED, _PRODUCT, _POWER, _ATOM = range(6)


def _long_sum(*terms):
    """A sum that wraps before it is wider than a narrow window."""
    a_row = 4 if max(map(len, terms)) < 16 else 2
    rows = [" + ".join(terms[i : i + a_row]) for i in range(0, len(terms), a_row)]
    return rows[0] if len(rows) == 1 else "\\begin{aligned}&" + "\\\\ &+ ".join(rows) + "\\end{aligned}"


TEXT = {
    "+": (_SUM, (_SUM, _PRODUCT), lambda *terms: " + ".join(terms)),
    "-": (_SUM, (_SUM, _PRODUCT), "{} - {}".format),
    "*": (_PRODUCT, (_PRODUCT, _PRODUCT), lambda *factors: "·".join(factors)),
    "/": (_PRODUCT, (_PRODUCT, _POWER), "{} / {}".format),
    "^": (_POWER, (_ATOM, _ATOM), "{}^{}".format),
    "sqrt": (_ATOM, (_ATOM,), "√{}".format),
    "exp": (_POWER, (_ATOM,), "e^{}".format),
    "ln": (_ATOM, (_ANY,), "ln({})".format),
    "-ln": (_SIGNED, (_ANY,), "-ln({})".format),
    "tanh": (_ATOM, (_ANY,), "tanh({})".format),
    "=": (_ATOM, (_ANY, _ANY), "[{} = {}]".format),
}
LATEX = {
    "+": (_SUM, (_SUM, _PRODUCT), _long_sum),
    "-": (_SUM, (_SUM, _PRODUCT), "{} - {}".format),
    "*": (_PRODUCT, (_PRODUCT, _PRODUCT), lambda *factors: r" \cdot ".join(factors)),
    "/": (_ATOM, (_ANY, _ANY), r"\frac{{{}}}{{{}}}".format),
    "^": (_POWER, (_ATOM, _ANY), "{}^{{{}}}".format),
    "sqrt": (_ATOM, (_ANY,), r"\sqrt{{{}}}".format),
    "exp": (_POWER, (_ANY,), "e^{{{}}}".format),
    "ln": (_ATOM, (_ANY,), r"\ln\left({}\right)".format),
    "-ln": (_SIGNED, (_ANY,), r"-\ln\left({}\right)".format),
    "tanh": (_ATOM, (_ANY,), r"\tanh\left({}\right)".format),
    "=": (_ATOM, (_ANY, _ANY), "[{} = {}]".format),
}


def _write(expression, notation, leaf):
    """The expression in one notation, with brackets where an argument binds less tightly than its place needs."""
    if not isinstance(expression, Node):
        return leaf(expression)
    _binds, (first, *later), template = notation[expression.op]
    needs = [first, *(later or [first]) * len(expression.args)]
    args = []
    for argument, need in zip(expression.args, needs, strict=False):
        text = _write(argument, notation, leaf)
        binds = notation[argument.op][0] if isinstance(argument, Node) else _SIGNED if text.startswith("-") else _ATOM
        args.append(text if binds >= need else f"({text})")
    return template(*args)


def _element_in_text(key, index):
    where = f"[{','.join(map(str, index))}]" if index else ""
    return about(key).symbol + where


def _element_in_latex(key, index):
    symbol = about(key).symbol.replace("′", "'").replace("″", "''").replace("ŝ", r"\hat{s}")
    name, _underscore, below = symbol.partition("_")
    if name.isascii() and name.isalpha() and len(name) > 1:
        name = rf"\mathrm{{{name}}}"
    where = f"[{','.join(map(str, index))}]" if index else ""
    return name + (f"_{{\\mathrm{{{below}}}}}" if below else "") + where


def _number_in_latex(value):
    return shown(value).replace("inf", r"\infty")
