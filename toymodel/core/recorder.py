"""The recorder that a model is handed: it gives weights, writes down steps, and sets steps by hand."""

import numpy as np

from ..language import _
from .arguments import checked_numbers
from .array import Aside
from .moves import append, given, identity


class Recorder:
    """Writes the steps of one run into its Trace, in order.

    `step("q", array)` records a step, `step.weight("W_Q")` gives a weight, and `step.within("blocks.0.attn")` is a
    recorder for a part of the path, where names are relative to it. `step.start` is how many tokens were read before
    this run, by one whose rows were kept.
    """

    __slots__ = ("prefix", "trace")

    def __init__(self, trace, prefix=""):
        self.trace, self.prefix = trace, prefix

    @property
    def start(self):
        return len(self.trace.earlier)

    def within(self, place):
        """A recorder for the steps and weights whose names begin with `place` and a dot."""
        return Recorder(self.trace, f"{self.prefix}{place}.")

    def weight(self, name):
        """The weight `name` of this part of the path, an Array."""
        return self.trace.leaves[self.prefix + name]

    def label(self, tokens, *axes):
        """Call the places along some axes by the tokens of a text that is read besides, such as one to translate."""
        self.trace.texts |= dict.fromkeys(axes, tuple(tokens))

    def __call__(self, name, array):
        """Record an Array, or what stands in its place by hand, under a new name, and return what was recorded.

        Raises ValueError for a name that was taken, and for a replacement that does not fit.
        """
        key, trace = self.prefix + name, self.trace
        if key in trace.steps:
            raise ValueError(f"the model recorded the step {key} twice")
        if key in trace.kept:
            array = append(given(numbers=trace.kept[key]), array)
        if key in trace.replaced:
            array = self._by_hand(key, array)
        elif array.name:
            array = identity(array)
        array.name = key
        trace.steps[key] = array
        return array

    def _by_hand(self, key, array):
        """What `replace` puts in the place of a step: numbers, or an earlier step by its name."""
        if issubclass(array.op, Aside):
            raise ValueError(_("`{key}` is an aside: it only shows part of a later sum. Replace that step.", key=key))
        new, shape, may_be_masked = self.trace.replaced[key], array.value.shape, key.endswith("masked_scores")
        if not isinstance(new, str):
            new = self.trace.replaced[key] = checked_numbers(new, f"replace[{key!r}]", shape, may_be_masked)  # a copy
            array = given(numbers=new)
            array.note = _("set by hand")
            return array
        steps = self.trace.steps
        fitting = [name for name, earlier in steps.items() if can_stand_in(earlier, shape, may_be_masked)]
        if new not in fitting:
            these = ", ".join(fitting) or _("none")
            raise ValueError(_("`{new!s}` cannot stand in for `{key}`. Fit: {these}.", new=new, key=key, these=these))
        array = identity(steps[new])
        array.note = _("set by hand: an earlier step in its place")
        return array


def can_stand_in(step, shape, may_be_masked):
    """Whether an earlier step can take the place of one of this shape: no aside, and -inf in masked scores only."""
    fits = step.value.shape == shape and not issubclass(step.op, Aside)
    return fits and (may_be_masked or np.isfinite(step.value).all())
