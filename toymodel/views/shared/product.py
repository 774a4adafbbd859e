"""A query and a key, dimension by dimension."""

import numpy as np

from ...language import _
from ...shown import shown_rows
from .grids import grid, largest, token

ATTN = "blocks.0.attn."


def product_grid(t, head, query, key):
    """A query and a key, dimension by dimension, with their products and what these add up to."""
    q, k, dot = t[ATTN + "q"][head, query], t[ATTN + "k"][head, key], t[ATTN + "dots"][head, query, key]
    numbers = np.array([q, k, q * k])
    sums = ["", "", *shown_rows(np.array([[dot]]))[0]]
    rows = [[*row, last] for row, last in zip(shown_rows(numbers), sums, strict=True)]
    labels = [_("q of the query"), _("k of the key"), _("q × k")]
    columns = [_("d_head"), *map(str, range(len(q))), _("sum")]
    caption = [_("Query"), token(t.tokens[query]), _("and key"), token(t.tokens[key]), _("by dimension")]
    return grid("product", caption, columns, labels, rows, full=largest(np.append(numbers, dot)))
