"""Six encoder blocks with random weights, many times, in numpy alone: how often do numbers leave float64, and why?"""

from typing import NamedTuple

import numpy as np

from ..core.arguments import checked_count, checked_positive
from ..language import _
from .worked_example import X

N_BLOCKS, N_HEADS, D_HEAD, D_MLP = 6, 2, 3, 8
MOST_SEEDS = 10_000  # some ten seconds' work


def plain_softmax(scores):
    """As the formula has it: e^710 is already infinite, and infinite over infinite is no number."""
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


def stable_softmax(scores):
    """The same weights, from scores of which the row's largest was subtracted: no power is above 1."""
    return plain_softmax(scores - scores.max(axis=1, keepdims=True))


def alone(x, out):
    """What a part makes takes the place of what it read."""
    return out


def added_and_normed(x, out):
    """What a part makes is added to what it read (a residual connection), then LayerNorm."""
    x = x + out
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)


def six_blocks(x, seed, softmax, joined, spread=1.0):
    """What six encoder blocks make of x, (pos, d_model), every weight and bias drawn from N(0, spread^2)."""
    random, d_model = np.random.RandomState(seed), x.shape[1]

    def draw(*shape):
        return spread * random.standard_normal(shape)

    for _block in range(N_BLOCKS):
        heads = []
        for _head in range(N_HEADS):
            q, k, v = (x @ draw(d_model, D_HEAD) for _name in "qkv")
            heads.append(softmax(q @ k.T / np.sqrt(D_HEAD)) @ v)
        x = joined(x, np.hstack(heads) @ draw(N_HEADS * D_HEAD, d_model))
        hidden = np.maximum(x @ draw(d_model, D_MLP) + draw(D_MLP), 0)
        x = joined(x, hidden @ draw(D_MLP, d_model) + draw(d_model))
    return x


class Growth(NamedTuple):
    """Of `n` towers of six blocks: how many lost their numbers to NaN, and the median of the others' largest output."""

    n: int
    lost: int
    largest: float  # NaN where none is left


def growth(softmax=stable_softmax, joined=alone, n_seeds=1000, spread=1.0):
    """Six blocks on the worked example's two rows, for each seed from 0 to n_seeds - 1: a Growth.

    Raises ValueError for an n_seeds that is no whole number from 1 to 10,000, for a spread that is not above 0, and
    for a softmax or joined that is none of this file's functions.
    """
    if softmax not in (plain_softmax, stable_softmax):
        raise ValueError(_("softmax must be plain_softmax or stable_softmax, not {it!r}.", it=softmax))
    if joined not in (alone, added_and_normed):
        raise ValueError(_("joined must be alone or added_and_normed, not {it!r}.", it=joined))
    spread = checked_positive("spread", spread)
    seeds = range(checked_count("n_seeds", n_seeds, MOST_SEEDS))
    with np.errstate(over="ignore", invalid="ignore"):  # that it overflows is what is counted
        largest = np.array([np.abs(six_blocks(X, seed, softmax, joined, spread)).max() for seed in seeds])
    left = largest[np.isfinite(largest)]
    return Growth(len(largest), len(largest) - len(left), float(np.median(left)) if len(left) else np.nan)
