"""Learning: one step against the gradient, Adam's step, and as many of them as it takes, from random weights."""

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple

import numpy as np

from ..core.arguments import TooLarge, checked_numbers, dice, finite, within_float64
from ..language import _
from ..models.toy import decode, encode, run_ids
from ..models.toy_weights import TOY_WEIGHTS
from .backprop import Gradients, gradients, loss_of


def sgd_step(weights, gradients, learning_rate=0.1):
    """Move weights a little against their derivatives: a new dict, weight - learning_rate * gradient.

    One step of gradient descent (Cauchy 1847), on one sentence the stochastic kind (Robbins & Monro 1951). `weights`
    may be some of the weights only. Raises ValueError for a weight of another shape, and a rate that is not finite.
    """
    now, rate = _checked("sgd_step", weights, gradients, learning_rate)
    with within_float64():
        return {name: w - rate * gradients[name] for name, w in now.items()}


class Adam(NamedTuple):
    """What one step of Adam did: all dicts of arrays under the weights' names, but for n, which counts the steps."""

    n: int
    m: dict  # the mean of the derivatives so far, older ones fading
    v: dict  # the mean of their squares
    m_hat: dict  # the same without the zeros they began with
    v_hat: dict
    weights: dict


BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # as Kingma & Ba recommend


def adam_step(weights, gradients, before=None, learning_rate=0.01, beta1=BETA1, beta2=BETA2, epsilon=EPSILON):
    """One step of Adam (Kingma & Ba 2015): an Adam, whose `.weights` are the new ones; the next step needs it, too.

    The mean derivative over the root of the mean square: so a first step moves each weight by nearly `learning_rate`,
    unless its derivative is hardly larger than epsilon, or 0. `before` is the Adam of the step before. Raises
    ValueError as `sgd_step` does.
    """
    now, rate = _checked("adam_step", weights, gradients, learning_rate)
    if not isinstance(before, (Adam, type(None))):
        raise ValueError(_("before must be what the last adam_step gave, or None, not {it!r}.", it=before))
    if before and (others := ", ".join(sorted(now.keys() - before.m.keys()))):
        raise ValueError(_("before knows nothing of {names!s}: begin again, with None.", names=others))
    for name, it in {"beta1": beta1, "beta2": beta2}.items():
        if not 0 <= (-1 if finite(it) is None else it) < 1:
            raise ValueError(_("{name} must be a number from 0 up and below 1, not {it!r}.", name=name, it=it))
    if (finite(epsilon) or 0) <= 0:
        raise ValueError(_("epsilon must be a number above 0, not {it!r}.", it=epsilon))
    n, m, v, m_hat, v_hat, new = 1 if before is None else before.n + 1, {}, {}, {}, {}, {}
    with within_float64():
        for name, w in now.items():
            g = gradients[name]
            m[name] = beta1 * (before.m[name] if before else 0) + (1 - beta1) * g
            v[name] = beta2 * (before.v[name] if before else 0) + (1 - beta2) * g**2
            m_hat[name], v_hat[name] = m[name] / (1 - beta1**n), v[name] / (1 - beta2**n)
            new[name] = w - rate * m_hat[name] / (np.sqrt(v_hat[name]) + epsilon)
    return Adam(n, m, v, m_hat, v_hat, new)


def _checked(call, weights, gradients, learning_rate):
    """The weights as fresh arrays, and the rate."""
    if not isinstance(weights, Mapping):
        raise ValueError(_("weights must be a dict of named arrays, like t.weights, not {it!r}.", it=weights))
    if not isinstance(gradients, Gradients):
        raise ValueError(
            _("{call}(weights, gradients) needs what tm.gradients(t) gives, not {it!r}.", call=call, it=gradients)
        )
    rate = checked_rate(learning_rate)
    return {name: checked_numbers(w, f"weights[{name!r}]", gradients[name].shape) for name, w in weights.items()}, rate


def checked_rate(learning_rate):
    """The rate as a float. Raises ValueError for what is no finite number."""
    rate = finite(learning_rate)
    if rate is None:
        raise ValueError(_("learning_rate must be a finite number, not {it!r}.", it=learning_rate))
    return rate


OPTIMIZERS = ("sgd", "adam")


def one_step(weights, gradients, learning_rate, optimizer, before=None):
    """A step of one of `OPTIMIZERS`: the new weights, and what the next step needs (an Adam; for SGD, nothing)."""
    if optimizer == "sgd":
        return sgd_step(weights, gradients, learning_rate), None
    after = adam_step(weights, gradients, before, learning_rate)
    return after.weights, after


@contextmanager
def in_step(n):
    """Say in which step of learning the numbers have grown past what float64 can hold, and what helps."""
    try:
        yield
    except TooLarge:
        raise TooLarge(
            _("in step {n} the numbers grow larger than float64 can hold: try a smaller learning rate.", n=n)
        ) from None


SPREAD = 0.3  # so wide that eight small tables after each other do not make everything 0


def fresh_weights(seed=0):
    """The toy's nine tables as training finds them: drawn around 0, the same for a seed with every version of numpy.

    Raises ValueError for a seed that is no whole number from 0 up.
    """
    draw = dice(seed).standard_normal
    return {name: SPREAD * draw(w.shape) for name, w in TOY_WEIGHTS.items()}


class Progress(NamedTuple):
    """Where training stands after n steps: the mean loss over all texts, and the weights."""

    n: int
    loss: float
    weights: dict


def train(texts, learning_rate=0.01, optimizer="adam", seed=0, n_heads=2):
    """Learn to write `texts`, from random weights: yields a Progress before the first step, and one after each.

    A step reads one text, each in its turn. It goes on for as long as it is asked: itertools.islice takes some.
    `optimizer` is "adam" or "sgd". Raises ValueError for what cannot be learned from, before the first step; and later,
    where a rate is so large that float64 ends.
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ValueError(_("texts must be a list of sentences, not {it!r}.", it=texts))
    ids = [encode(text) for text in texts]
    if not ids:
        raise ValueError(_("there must be at least one text to learn from."))
    for it in ids:
        if len(it) == 1:
            raise ValueError(
                _("`{text}` is one token: without a next one, there is nothing to learn.", text=decode(it))
            )
    if not isinstance(optimizer, str) or optimizer not in OPTIMIZERS:
        raise ValueError(_("optimizer must be 'sgd' or 'adam', not {it!r}.", it=optimizer))
    checked_rate(learning_rate)
    weights = fresh_weights(seed)
    for it in ids:
        run_ids(it, n_heads, weights=weights)  # refuses a text that is too long, and other n_heads
    return _learn(ids, learning_rate, optimizer, weights, n_heads)


def _learn(ids, learning_rate, optimizer, weights, n_heads):
    before = None
    for n in count():
        with in_step(n):
            traces = [run_ids(it, n_heads, weights=weights) for it in ids]
            loss = float(np.mean([loss_of(t).value for t in traces]))
        yield Progress(n, loss, weights)
        with in_step(n + 1):
            weights, before = one_step(weights, gradients(traces[n % len(ids)]), learning_rate, optimizer, before)
