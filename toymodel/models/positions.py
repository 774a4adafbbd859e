"""Rows for the places of a text that nobody has to learn."""

from numbers import Integral

import numpy as np

from ..language import _


def sinusoids(n_ctx, d_model):
    """A row of waves for each place (Vaswani et al. 2017): (n_ctx, d_model).

    Columns 2i and 2i + 1 are the sine and the cosine of place / 10000^(2i / d_model): each pair a slower wave.
    Raises ValueError for sizes that are no whole numbers from 1 up.
    """
    for size in (n_ctx, d_model):
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise ValueError(_("sinusoids needs two whole numbers from 1 up, not {it!r}.", it=size))
    place, column = np.arange(n_ctx)[:, None], np.arange(d_model)
    angle = place / 10_000 ** (2 * (column // 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
