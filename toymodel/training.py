"""The loss, its derivative for every weight and every step, and one step of learning."""

from collections.abc import Mapping

import numpy as np

from .language import _
from .models.arguments import finite
from .ops import Aside, cross_entropy
from .shown import shown
from .tokenizer import token_id
from .trace import checked_numbers, read_only, require_trace, within_float64


def gradients(trace, target=None):
    """d loss / d everything the loss was computed from: `g["W_E"]`, `g["blocks.0.attn.pattern"]`, `g.loss`.

    The loss is -ln p(target) at the last position; without a target, the mean of -ln p(next token) over all positions
    whose next token the text itself tells. Always at temperature 1, whatever the trace's.
    Raises ValueError for a target that is no token, or where the text has no next token.
    """
    require_trace(trace)
    logits = trace.array("logits")
    if target is not None:
        rows, targets = [len(trace.ids) - 1], [token_id(target, trace.vocab)]
    elif len(trace.ids) > 1:
        rows, targets = range(len(trace.ids) - 1), trace.ids[1:]
    else:
        raise ValueError(_("a text of one token has no next token to learn from: give a target."))
    with within_float64():
        loss = cross_entropy(logits, rows=np.array(rows), targets=np.array(targets))
        loss.name = "loss"
        return Gradients(trace, loss)


class Gradients:
    """The derivative of one loss: under each step's and each weight's own name, an array of the same shape."""

    def __init__(self, trace, loss):
        self.labels = trace.labels
        self.loss = float(loss.value)
        self._trace, self._loss, self._by_array = trace, loss, walk_back(loss)

    def keys(self):
        """The weights, then the steps on the way to the loss (asides are not: nothing reads them)."""
        steps = self._trace.keys()
        upstream = steps[: steps.index("logits") + 1]
        return [*self._trace.weights, *(k for k in upstream if not issubclass(self._trace.array(k).op, Aside))]

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
        """The loss as an Array, for `explain(g, "loss")`."""
        if key != "loss":
            raise ValueError(_("explain(g, 'loss') writes out the loss; tm.table(g, name) shows a derivative."))
        return self._loss

    def __repr__(self):
        return f"<Gradients of the loss {shown(self.loss)}: {len(self.keys())} arrays>"


def walk_back(result):
    """d result / d each Array behind it, as Array -> numbers: the chain rule from the result to the weights."""
    gradients = {result: np.ones(result.value.shape)}
    for array in reversed(path_to(result)):
        if array not in gradients or not array.inputs:
            continue  # an aside, or a weight
        values = [x.value for x in array.inputs]
        shares = array.op.vjp(gradients[array], array.value, *values, **array.settings)
        for x, share in zip(array.inputs, shares, strict=True):
            if share is not None:
                gradients[x] = gradients[x] + share if x in gradients else share
    return gradients


def path_to(array, found=None):
    """Every Array behind this one, and itself: inputs before what is computed from them."""
    found = {} if found is None else found  # a dict, because it keeps the order
    for x in array.inputs:
        if x not in found:
            path_to(x, found)
    found[array] = True
    return found


def sgd_step(weights, gradients, learning_rate=0.1):
    """Move weights a little against their derivatives: a new dict, weight - learning_rate * gradient.

    One step of gradient descent (Cauchy 1847), on one sentence the stochastic kind (Robbins & Monro 1951). `weights`
    may be some of the weights only. Raises ValueError for a weight of another shape, and a rate that is not finite.
    """
    if not isinstance(weights, Mapping):
        raise ValueError(_("weights must be a dict of named arrays, like t.weights, not {it!r}.", it=weights))
    if not isinstance(gradients, Gradients):
        raise ValueError(_("sgd_step(weights, gradients) needs what tm.gradients(t) gives, not {it!r}.", it=gradients))
    rate = finite(learning_rate)
    if rate is None:
        raise ValueError(_("learning_rate must be a finite number, not {it!r}.", it=learning_rate))
    now = {name: checked_numbers(w, f"weights[{name!r}]", gradients[name].shape) for name, w in weights.items()}
    with within_float64():
        return {name: w - rate * gradients[name] for name, w in now.items()}
