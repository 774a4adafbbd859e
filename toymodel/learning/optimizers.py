"""One step of learning: against the gradient, or Adam's way."""

from collections.abc import Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..core.arguments import TooLarge, checked_numbers, checked_positive, finite, within_float64
from ..language import _
from .backprop import Gradients


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
    if before and (others := ", ".join(name for name, w in now.items() if before.m[name].shape != w.shape)):
        raise ValueError(_("before is of another shape in {names!s}: begin again, with None.", names=others))
    beta1, beta2, epsilon = (
        _checked_beta("beta1", beta1),
        _checked_beta("beta2", beta2),
        checked_positive("epsilon", epsilon),
    )
    n, steps = before.n + 1 if before else 1, {}
    with within_float64():
        for name, w in now.items():
            m, v = (before.m[name], before.v[name]) if before else (0.0, 0.0)
            steps[name] = adapted(w, gradients[name], m, v, n, rate, beta1, beta2, epsilon)
    return Adam(n, *({name: step[k] for name, step in steps.items()} for k in range(5)))


def adapted(w, g, m, v, n, rate, beta1=BETA1, beta2=BETA2, epsilon=EPSILON):
    """The arithmetic of Adam's step n, on arrays of any shape: the new m, v, m_hat, v_hat and w."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    m_hat, v_hat = m / (1 - beta1**n), v / (1 - beta2**n)
    return m, v, m_hat, v_hat, w - rate * m_hat / (np.sqrt(v_hat) + epsilon)


def _checked_beta(name, it):
    number = finite(it)
    if number is None or not 0 <= number < 1:
        raise ValueError(_("{name} must be a number from 0 up and below 1, not {it!r}.", name=name, it=it))
    return number


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


def one_step(weights, gradients, learning_rate, optimizer, before=None):
    """A step of one of `OPTIMIZERS`: the new weights, and what the next step needs (an Adam; for SGD, nothing)."""
    if optimizer == "sgd":
        return sgd_step(weights, gradients, learning_rate), None
    after = adam_step(weights, gradients, before, learning_rate)
    return after.weights, after


# ---- the same steps for training, which has all weights in one row: (row, gradient, n, rate) -> the next row


def sgd():
    return lambda row, gradient, n, rate: row - rate * gradient


def adam(beta1=BETA1, beta2=BETA2, decay=0.0):
    """Adam; with a decay AdamW (Loshchilov & Hutter 2019), where each number loses rate * decay of itself besides.

    `decay` is one for all numbers, or has one for each.
    """
    m = v = 0.0

    def step(row, gradient, n, rate):
        nonlocal m, v
        lost = rate * decay * row
        m, v, _m_hat, _v_hat, row = adapted(row, gradient, m, v, n, rate, beta1, beta2)
        return row - lost

    return step


OPTIMIZERS = {"sgd": sgd, "adam": adam}


SMALLER_RATE = _("try a smaller learning rate")


@contextmanager
def in_step(n, remedy=SMALLER_RATE):
    """Say in which step of learning the numbers have grown past what float64 can hold, and what helps."""
    try:
        with within_float64():
            yield
    except TooLarge:
        raise TooLarge(
            _("in step {n} the numbers grow larger than float64 can hold: {remedy}.", n=n, remedy=remedy)
        ) from None
