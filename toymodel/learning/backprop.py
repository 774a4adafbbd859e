"""The loss, and its derivative for every weight and every step: by the chain rule, and by nudging."""

from typing import NamedTuple

import numpy as np

from ..core.arguments import checked_index, checked_positive, read_only, within_float64
from ..core.array import Aside, path_to
from ..core.ops import cross_entropy
from ..core.trace import require_model, require_trace
from ..language import _
from ..shown import shown
from ..text.tokenizer import token_id


def gradients(trace, target=None):
    """d loss / d everything the loss was computed from: `g["W_E"]`, `g["blocks.0.attn.pattern"]`, `g.loss`.

    The loss is -ln p(target) at the last position; without a target, the mean of -ln p(next token) over all positions
    whose next token the text itself tells. Always at temperature 1, whatever the trace's.
    Raises ValueError for a target that is no token, where the text has no next token, and for a run of `extend`.
    """
    require_trace(trace)
    loss = loss_of(trace, target)
    with within_float64():
        return Gradients(trace, loss)


def loss_of(trace, target=None):
    """The loss that `gradients` takes the derivative of: an Array of one number."""
    require_model(trace)
    if trace.earlier:
        raise ValueError(_("a run that `extend` made has kept keys and values, behind which the weights are hidden."))
    if target is None:
        targets = trace.next_ids
        rows = np.arange(len(targets))
        if not targets:
            raise ValueError(_("a text of one token has no next token to learn from: give a target."))
    else:
        rows, targets = np.array([trace.length - 1]), [token_id(target, trace.vocab)]
    with within_float64():
        loss = cross_entropy(trace.array("logits"), rows=rows, targets=np.array(targets))
    loss.name = "loss"
    return loss


class Gradients:
    """The derivative of one loss: under each step's and each weight's own name, an array of the same shape."""

    def __init__(self, trace, loss):
        self.labels, self.about, self.vocab, self.weights = trace.labels, trace.about, trace.vocab, list(trace.leaves)
        self.loss = float(loss.value)
        self._trace, self._loss, self._by_array = trace, loss, walk_back(loss)

    def keys(self):
        """The weights, then the steps on the way to the loss (asides are not: nothing reads them)."""
        steps = self._trace.keys()
        upstream = steps[: steps.index("logits") + 1]
        return [*self.weights, *(k for k in upstream if not issubclass(self._trace.array(k).op, Aside))]

    def __iter__(self):
        return iter(self.keys())

    def __getitem__(self, key):
        array = self._trace.array(key)
        if array in self._by_array:
            return read_only(self._by_array[array])
        if issubclass(array.op, Aside):
            raise ValueError(_("`{key}` is an aside: the loss does not read it, so it has no gradient.", key=key))
        if key not in self.keys():
            raise ValueError(_("`{key}` has no gradient: the loss is computed from the logits.", key=key))
        return read_only(np.zeros(array.value.shape))  # a step set by hand has cut it off from the loss

    def array(self, key):
        """The loss, or a step or weight, as an Array: what the derivative is taken of, and by."""
        return self._loss if key == "loss" else self._trace.array(key)

    @property
    def temperature(self):
        """That of the run. The loss is always at 1."""
        return self._trace.settings["temperature"]

    def __repr__(self):
        return f"<Gradients of the loss {shown(self.loss)}: {len(self.keys())} arrays>"


def walk_back(result):
    """d result / d each Array behind it, by the chain rule."""
    gradients = {result: np.ones(result.value.shape)}
    for array in reversed(path_to(result)):
        if not array.inputs or (g := gradients.get(array)) is None:
            continue  # a weight, or an aside
        shares = array.op.vjp(g, array.value, *[x.value for x in array.inputs], **array.settings)
        for x, share in zip(array.inputs, shares, strict=True):
            if share is not None:
                so_far = gradients.get(x)
                gradients[x] = share if so_far is None else so_far + share
    return gradients


class CentralDifference(NamedTuple):
    """The loss with one number smaller by h, with it larger by h, and the slope between: (above - below) / 2h."""

    below: float
    above: float
    slope: float


def central_difference(trace, key, index, target=None, h=1e-5):
    """The derivative of the loss by one number of a weight or step, without the chain rule: nudge it, and run twice.

    In float64 it agrees with `gradients` to some nine digits; with a much smaller h the difference drowns in rounding,
    with a larger one the slope changes on the way. Raises ValueError for what cannot be nudged, and for an h that is
    not above 0.
    """
    require_trace(trace)
    shape = gradients(trace, target)[key].shape  # what has no derivative cannot be nudged
    index, h = checked_index(index, trace.about(key).axes, shape), checked_positive("h", h)
    below, above = (_nudged(trace, key, index, nudge, target) for nudge in (-h, h))
    return CentralDifference(below, above, (above - below) / (2 * h))


def _nudged(trace, key, index, nudge, target):
    """The loss of the same run, but for one number."""
    numbers = trace[key].copy()
    numbers[index] += nudge
    changed = "weights" if key in trace.leaves else "replace"
    return float(loss_of(trace.again(**{changed: {key: numbers}}), target).value)
