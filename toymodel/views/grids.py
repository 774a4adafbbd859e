"""What views draw: grids of cells. A cell is a token, a number as it is shown, or "".

How a cell stands out ("picked", "used", "changed") is a list of columns in its row: few bytes go to the browser. A name
or caption is made of parts: words (str), and tokens (`token`), which are read as Portuguese.
"""

from itertools import zip_longest

import numpy as np

from ..language import _
from ..shown import shown
from ..steps import about


def grid(name, caption, columns, labels, rows, full=1.0, **more):
    """A table to draw; `name` stays when the caption changes. A number is shaded by its share of `full`."""
    rows = [{"label": label, "cells": list(cells)} for label, cells in zip(labels, rows, strict=True)]
    return {"name": name, "caption": caption, "columns": columns, "rows": rows, "full": full, **more}


def token(text):
    """A cell, or a part of a caption, that is a token."""
    return {"token": text}


def names(trace, axis, n):
    """What the n places along an axis are called, as parts."""
    return [token(it) if trace.vocab and isinstance(it, str) else str(it) for it in trace.labels(axis, n)]


def step_grid(trace, key, head=None, name=None, caption=(), corner="", transposed=False, **more):
    """A step or weight as a grid, with its shape in the caption; one head of it where it has heads.

    `at` says which element of which step a cell is: its index, with "row" and "column" where those of the cell go.
    """
    array, axes, index = trace[key], about(key).axes, ["row", "column"]
    if head is not None:
        array, axes, index = array[head], axes[1:], [head, *index]
    if array.ndim == 1:  # one number for each row
        array, axes, columns, index = array[:, None], (axes[0], None), [about(key).symbol], index[:-1]
    else:
        columns = names(trace, axes[1], array.shape[1])
    rows = names(trace, axes[0], array.shape[0])
    if transposed:
        array, rows, columns = array.T, columns, rows
        index = [{"row": "column", "column": "row"}.get(it, it) for it in index]
    more["at"] = {"key": key, "index": index}
    caption = [*(caption or [about(key).symbol]), f"({array.shape[0]} × {array.shape[1]})"]
    cells = (map(shown, row) for row in array)
    return grid(name or key, caption, [corner, *columns], rows, cells, full=largest(array), **more)


def largest(array):
    """The largest finite size in an array, for shading: 1 where all is 0."""
    sizes = np.abs(array[np.isfinite(array)])
    return float(sizes.max(initial=0)) or 1.0


def mark(grids, flag, key, index):
    """Set a flag on every cell that is this element of this step."""
    for grid in grids:
        at = grid.get("at", {"key": None})
        if at["key"] == key:
            place = dict(zip(at["index"], index, strict=True))
            if all(place[it] == it for it in at["index"] if not isinstance(it, str)):
                mark_cell(grid, flag, place["row"], place.get("column", 0))


def mark_cell(grid, flag, row, column):
    grid["rows"][row].setdefault(flag, []).append(column)


def mark_changes(tables, before):
    """Mark the cells that show something else than before; the sentence that counts the rows with such a cell."""
    old = {table["name"]: table["rows"] for table in before}
    changes = []
    for new in tables:
        pairs = zip_longest(new["rows"], old.get(new["name"], [])[: len(new["rows"])])
        marked = [mark_row(row, was) for row, was in pairs]
        if any(marked):
            caption, n, of = new["caption"][0], sum(marked), len(marked)
            changes.append(_("{caption}: {n} of {of} rows changed", caption=caption, n=n, of=of))
    return "; ".join(changes) + "." if changes else _("Nothing changed.")


def mark_row(row, before):
    """Mark what changed in a row since `before`, the row that stood there, or None; whether anything did."""
    same_label = before and before["label"] == row["label"]
    old = before["cells"] if same_label else [""] * len(row["cells"])
    changed = [k for k, (new, was) in enumerate(zip(row["cells"], old, strict=False)) if new != was]
    if changed:  # a new column changes no old row
        row["changed"] = changed
    return bool(changed)


def written_out(sum_):
    """A written-out sum, to draw: where it stands, its lines, and what else there is to say."""
    return {"place": sum_.place, "math": sum_.mathml, "note": sum_.note}
