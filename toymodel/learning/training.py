"""As many steps as learning takes, from random weights. `learn` is given losses, and knows no text and no model."""

from itertools import count, pairwise
from typing import NamedTuple

import numpy as np

from ..core.arguments import checked_settings, checked_texts
from ..core.ops import cross_entropy
from ..language import _
from ..models.model import leaf
from ..text.tokenizer import text_of
from .backprop import walk_back
from .optimizers import OPTIMIZERS, SMALLER_RATE, checked_rate, in_step

SPREAD = 0.3  # so wide that the toy's eight small tables after each other do not make everything 0


def random_weights(model, draw, spread=SPREAD):
    """Weights of a model's shapes, drawn around 0 from a RandomState: name -> array."""
    return {name: spread * draw.standard_normal(w.shape) for name, w in model.weights.items()}


class Progress(NamedTuple):
    """Where training stands after n steps: the loss, of what each training says, and the weights."""

    n: int
    loss: float
    weights: dict


def trained(losses, weights, learning_rate, optimizer):
    """Learn from these losses, in turn: yields a Progress before the first step and after each.

    Its loss is the mean over all texts. Raises ValueError for what cannot be learned from, and, once it goes on, where
    float64 ends.
    """
    if not isinstance(optimizer, str) or optimizer not in OPTIMIZERS:
        raise ValueError(_("optimizer must be 'sgd' or 'adam', not {it!r}.", it=optimizer))
    rate = checked_rate(learning_rate)
    return _with_means(losses, learn(losses, weights, OPTIMIZERS[optimizer](), lambda n: rate))


def _with_means(losses, steps):
    for n, loss, leaves in steps:
        with in_step(n):
            of_all = [loss if i == n % len(losses) else at(leaves) for i, at in enumerate(losses)]
        mean = float(np.mean([it.value for it in of_all]))
        yield Progress(n, mean, {name: it.value.copy() for name, it in leaves.items()})


def to_learn(model, texts):
    """The ids of some texts. Raises ValueError for what is no list of texts, and for a text without a next token."""
    encoded = [model.encode(text) for text in checked_texts(texts)]
    for ids in encoded:
        if not model.next_ids(ids):
            text = text_of(ids, model.vocab)
            raise ValueError(_("`{text}` is one token: without a next one, there is nothing to learn.", text=text))
    return encoded


def loss_for(model, ids, **settings):
    """What is to be learned from a text, as a function from weights to the loss: {name: Array} -> Array of one number.

    Only what the loss reads is worked out.
    """
    settings, targets = checked_settings(model.choices, settings), np.array(model.next_ids(ids))
    rows = np.arange(len(targets))
    return lambda leaves: cross_entropy(model.logits(ids, leaves, settings), rows=rows, targets=targets)


def learn(losses, weights, step, rate, remedy=SMALLER_RATE):
    """Go against the gradient of one loss after the other, in turn: yields (n, loss, leaves) before each step.

    `losses` are functions from leaves {name: Array} to an Array of one number; `step` one of the `OPTIMIZERS`, begun;
    rate(n) is how large step n is; `remedy`, what to try where float64 ends. The loss that is yielded is the one that
    step n + 1 goes against. The leaves are the same all along, and their numbers move: copy what is to be kept.
    """
    row = np.concatenate([w.ravel() for w in weights.values()])
    ends = np.cumsum([0, *(w.size for w in weights.values())])
    places = zip(weights.items(), pairwise(ends), strict=True)
    leaves = {name: leaf(name, row[slice(*place)].reshape(w.shape)) for (name, w), place in places}  # parts of the row
    for n in count():
        with in_step(n, remedy):
            loss = losses[n % len(losses)](leaves)
        yield n, loss, leaves
        with in_step(n + 1, remedy):
            gradients = walk_back(loss)
            parts = [gradients[it] if it in gradients else np.zeros_like(it.value) for it in leaves.values()]
            row[:] = step(row, np.concatenate([part.ravel() for part in parts]), n + 1, rate(n + 1))
