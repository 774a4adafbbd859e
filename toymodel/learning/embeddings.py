"""What the rows of a table of embeddings are like: how they begin, how training moves them, which are alike."""

from collections.abc import Mapping

import numpy as np

from ..core.arguments import checked_count, checked_numbers, dice, within_float64
from ..core.asides import cosine
from ..core.moves import given
from ..core.recorder import Recorder
from ..core.steps import Step
from ..core.trace import Trace
from ..language import _
from ..models.sizes import TOY_SIZES
from ..models.toy import TOY
from ..models.toy_weights import toy_weights
from .backprop import gradients
from .optimizers import sgd_step
from .training import to_learn

MOST_STEPS = 1_000  # a few seconds' work


def fresh_table(seed=0):
    """A table W_E as training finds it, (d_vocab, d_model): drawn around 0 with a spread of 0.02 (Radford et al. 2018).

    The draws of a seed are the same with every version of numpy. Raises ValueError for what is no seed.
    """
    return dice(seed).normal(0, 0.02, (TOY_SIZES.d_vocab, TOY_SIZES.d_model))


def learned_tables(texts, n_steps=30, learning_rate=0.1):
    """A fresh W_E and what it becomes, step by step: a list of n_steps + 1 arrays (d_vocab, d_model).

    A step is gradient descent on each text in turn; the toy's other weights stay as they are. (From some forty steps
    on, the last bits in which processors differ grow into digits that are shown.) Raises ValueError for
    texts that cannot be learned from, and for a number of steps that is no whole number from 0 to 1,000.
    """
    n_steps = checked_count("n_steps", n_steps, MOST_STEPS, least=0)
    texts = to_learn(TOY, texts)
    weights = toy_weights() | {"W_E": fresh_table()}
    tables = [weights["W_E"]]
    for _step in range(n_steps):
        for ids in texts:
            g = gradients(TOY.run(ids, weights=weights))
            weights |= sgd_step({"W_E": weights["W_E"]}, g, learning_rate)
        tables.append(weights["W_E"])
    return tables


COSINES = {
    "vectors": Step("v", ("vector", "d"), _("Each vector, in a row."), "rows"),
    "cosines": Step("cos", ("vector", "other"), _("The dot product of two vectors over the product of their lengths.")),
}


def cosines(vectors):
    """The cosine of each vector with each other: a Trace with the steps vectors (vector, d), cosines (vector, other).

    `vectors` maps names to rows of one length. 1: they point the same way, 0: at right angles, -1: opposite ways.
    Raises ValueError for rows that do not fit, for a row of zeros, which points nowhere, and for too large numbers.
    """
    if not isinstance(vectors, Mapping) or not vectors:
        raise ValueError(_("vectors must be a dict: names, each with a row of numbers."))
    names = tuple(map(str, vectors))
    rows = checked_numbers(list(vectors.values()), "vectors", (None, None))
    with within_float64():
        squares = np.vecdot(rows, rows)
    for name, square in zip(names, squares, strict=True):
        if square < np.finfo(float).tiny:
            raise ValueError(_("`{name!s}` has no number other than 0, or hardly: it points nowhere.", name=name))
    trace = Trace(range(len(names)), names, COSINES)
    trace.vocab = names  # what is compared are words of somebody's vocabulary
    step = Recorder(trace)
    step("cosines", cosine(step("vectors", given(numbers=rows))))
    return trace
