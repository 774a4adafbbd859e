"""Operations that only move numbers: each that comes out has stood somewhere before. (`ops.py` says what one is.)"""

from functools import cache

import numpy as np

from ..language import _
from .array import Array, Op
from .expression import Number


class given(Op):
    """Numbers that were not computed, of any shape: a weight, or a step set by hand."""

    def value(numbers):
        return numbers

    def sentence(index, numbers):
        return Number(numbers[index])


class identity(Op):
    """The same numbers under a second name, of any shape."""

    def value(x):
        return x

    def vjp(g, out, x):
        return (g,)

    def sentence(index, x):
        return x[index]


class gather(Op):
    """Rows of a table: (d_vocab, d_model) -> (pos, d_model), row ids[pos] at pos."""

    def value(table, ids):
        return table.take(ids, axis=0)

    def vjp(g, out, table, ids):
        d_table = np.zeros(table.shape)
        np.add.at(d_table, ids, g)  # a row read twice collects twice
        return (d_table,)

    def sentence(index, table, ids):
        pos, i = index
        return table[ids[pos], i]


class transpose(Op):
    """(..., n, m) -> (..., m, n)."""

    def value(x):
        return x.mT

    def vjp(g, out, x):
        return (g.mT,)

    def sentence(index, x):
        *batch, i, j = index
        return x[*batch, j, i]


Array.T = property(transpose)  # x.T


class split_heads(Op):
    """(pos, n_heads * d_head) -> (head, pos, d_head): each head takes its own columns."""

    def value(x, n_heads):
        return x.reshape(len(x), n_heads, x.shape[1] // n_heads).swapaxes(0, 1)

    def vjp(g, out, x, n_heads):
        return (g.swapaxes(0, 1).reshape(x.shape),)

    def sentence(index, x, n_heads):
        head, pos, i = index
        return x[pos, head * (x.value.shape[1] // n_heads) + i]


class merge_heads(Op):
    """(head, pos, d_head) -> (pos, n_heads * d_head): the heads side by side."""

    def value(x):
        return x.swapaxes(0, 1).reshape(x.shape[1], -1)

    def vjp(g, out, x):
        return (g.reshape(x.shape[1], x.shape[0], -1).swapaxes(0, 1),)

    def sentence(index, x):
        (pos, i), d_head = index, x.value.shape[2]
        return x[i // d_head, pos, i % d_head]


class append(Op):
    """The rows of an earlier run, then those of this one: (..., n, k), (..., m, k) -> (..., n + m, k)."""

    def value(earlier, x):
        return np.concatenate([earlier, x], axis=-2)

    def vjp(g, out, earlier, x):
        n = earlier.shape[-2]
        return g[..., :n, :], g[..., n:, :]

    def sentence(index, earlier, x):
        (*batch, pos, i), n = index, earlier.value.shape[-2]
        return earlier[index] if pos < n else x[*batch, pos - n, i]

    def note(index, earlier, x):
        return _("kept from an earlier run") if index[-2] < earlier.value.shape[-2] else ""


class causal_mask(Op):
    """(..., query, key): -inf wherever the key comes after the query."""

    def value(scores):
        return np.where(_future(*scores.shape[-2:]), -np.inf, scores)

    def vjp(g, out, scores):
        return (np.where(_future(*scores.shape[-2:]), 0.0, g),)

    def sentence(index, scores):
        return Number(-np.inf) if _hidden(index, scores) else scores[index]

    def note(index, scores):
        return _("hidden: the key comes after the query") if _hidden(index, scores) else ""


@cache
def _future(n_query, n_key):
    """True where the key comes after the query: (query, key). The last query stands where the last key does."""
    return np.arange(n_key - n_query, n_key)[:, None] < np.arange(n_key)


def _hidden(index, scores):
    """Whether the mask hides one score, at (..., query, key), of an Array of them."""
    return _future(*scores.value.shape[-2:])[index[-2:]]
