"""Rows for the places of a text that nobody has to learn."""

from functools import cache

import numpy as np

from ..core.arguments import checked_count, read_only
from ..core.array import Op
from ..core.expression import Number, cos, sin

MOST = 10_000  # places, and columns: more would fill the memory


def sinusoids(n_ctx, d_model):
    """A row of waves for each place (Vaswani et al. 2017): (n_ctx, d_model).

    Columns 2i and 2i + 1 are the sine and the cosine of place / 10000^(2i / d_model): each pair a slower wave.
    Raises ValueError for sizes that are no whole numbers from 1 to 10,000.
    """
    n_ctx, d_model = checked_count("n_ctx", n_ctx, MOST), checked_count("d_model", d_model, MOST)
    place, column = np.arange(n_ctx)[:, None], np.arange(d_model)
    angle = place / 10_000 ** (2 * (column // 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


class waves(Op):
    """The rows of `sinusoids` for the places from `start` to before `end`: (pos, d_model). Nothing is read for them."""

    def value(start, end, d_model):
        return _rows(end, d_model)[start:]

    def sentence(index, start, end, d_model):
        (pos, column), wave = index, (sin, cos)
        place, pair = Number(start + pos, str(start + pos)), Number(column // 2 * 2, str(column // 2 * 2))
        return wave[column % 2](place / Number(10_000, "10000") ** (pair / d_model))


@cache
def _rows(n, d_model):
    return read_only(sinusoids(n, d_model))
