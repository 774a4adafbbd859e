"""What views draw: grids of cells: tokens, words, numbers as they are shown, signs that are said as words, or "".

How a cell stands out ("picked", "used", "likeliest", "changed") is a list of columns in its row: few bytes go to the
browser. A name or caption is made of parts: words (str), and tokens (`token`), which are read as Portuguese.
"""

from itertools import zip_longest

import numpy as np

from ...language import _, plural
from ...shown import shown, shown_rows


def grid(name, caption, columns, labels, rows, full=1.0, **more):
    """A table to draw; `name` stays when the caption changes. A number is shaded by its share of `full`."""
    rows = [{"label": label, "cells": list(cells)} for label, cells in zip(labels, rows, strict=True)]
    return {"name": name, "caption": caption, "columns": columns, "rows": rows, "full": full, **more}


def token(text, **more):
    """A cell, or a part of a caption, that is a token; `lang=""` where it is not always Portuguese."""
    return {"token": text, **more}


def sign(text, said):
    """A cell that is a sign to the eye, and words to the ear."""
    return {"sign": text, "said": said}


def names(trace, axis, n):
    """What the n places along an axis are called, as parts. (The rows of `attend`, without a vocabulary, are words.)"""
    return [token(it) if trace.vocab and isinstance(it, str) else str(it) for it in trace.labels(axis, n)]


def named(t, place, shown=shown):
    """A number by its symbol and value: u[4,3] = 1.732."""
    key, *index = place
    return f"{t.about(key).symbol}[{','.join(map(str, index))}] = {shown(t[key][tuple(index)])}"


def choices(tokens):
    """What a select offers, of tokens: each with its place."""
    return [f"{i}: {it}" for i, it in enumerate(tokens)]


def step_grid(
    trace, key, head=None, name=None, caption=(), corner="", transposed=False, exact=False, only=slice(None), **more
):
    """A step or weight as a grid, with its shape in the caption; one head of it where it has heads.

    `exact` adds all digits of each number; `only` some columns are shown. The grid keeps key, head, how many axes it
    has besides, its first column, and whether it is transposed: that tells which element a cell is.
    """
    array, axes = trace[key], trace.about(key).axes
    if head is not None:
        array, axes = array[head], axes[1:]
    n_axes = array.ndim
    columns = names(trace, axes[1], array.shape[1])[only] if n_axes == 2 else [trace.about(key).symbol]
    array, rows = array.reshape(len(array), -1)[:, only], names(trace, axes[0], len(array))
    if transposed:
        array, rows, columns = array.T, columns, rows
    caption = [*(caption or [trace.about(key).symbol]), f"({array.shape[0]} × {array.shape[1]})"]
    more = {"full": largest(array), "key": key, "head": head, "axes": n_axes, "transposed": transposed} | more
    more |= {"first": only.start} if only.start else {}
    made = grid(name or key, caption, [corner, *columns], rows, shown_rows(array), **more)
    if exact:
        for row, numbers in zip(made["rows"], array.tolist(), strict=True):
            row["exact"] = list(map(repr, numbers))
    return made


def largest(array):
    """The largest finite size in an array, for shading: 1 where all is 0."""
    sizes = np.abs(array[np.isfinite(array)])
    return float(sizes.max(initial=0)) or 1.0


def mark(grids, flag, key, index):
    """Set a flag on every cell that is this element of this step."""
    for it in grids:
        if it.get("key") == key and it["head"] in (None, index[0]):
            row, column = (*(index if it["head"] is None else index[1:]), 0)[:2]
            column -= it.get("first", 0)
            mark_cell(it, flag, *((column, row) if it["transposed"] else (row, column)))


def mark_inputs(grids, sum_):
    """Mark what a number was computed from, as its sum says; for a weight also its e^score, and the sum of these."""
    for key, index, _value in sum_.inputs:
        mark(grids, "used", key, index)
    if sum_.key.endswith("pattern"):
        powers = sum_.key.removesuffix("pattern") + "exp_scores"
        mark(grids, "used", powers, sum_.index)
        mark(grids, "used", f"{powers}_sum", sum_.index[:-1])


def mark_cell(grid, flag, row, column):
    grid["rows"][row].setdefault(flag, []).append(column)


def mark_move(tables, before):
    """`mark_changes`, since the picture before; where there is none, the sentence says what will be marked."""
    if not before:
        return _("A dot will mark what your last move has changed.")
    return mark_changes(tables, before["tables"])


def mark_changes(tables, before):
    """Mark the cells that show something else than before; the sentence that says of each table what changed."""
    old = {table["name"]: table for table in before}
    changes = [[new["caption"][0], change(new, old.get(new["name"]))] for new in tables]
    changes = [f"{caption}: {words}" for caption, words in changes if words]
    return "; ".join(changes) + "." if changes else _("Nothing changed.")


def change(new, old):
    """Mark a table's changes since `old`, or None; say them: rows that are others, or else new, or gone, or columns."""
    rows, was = new["rows"], old["rows"] if old else []
    marked = [mark_row(row, before) for row, before in zip_longest(rows, was[: len(rows)])]
    if not old or any(marked[: len(was)]):
        return _("{n} of {of} rows changed", n=sum(marked), of=len(rows))
    more, wider = len(rows) - len(was), len(new["columns"]) - len(old["columns"])
    if more > 0:
        return plural("{n} row is new, the others stayed", "{n} rows are new, the others stayed", more)
    if more < 0:
        return plural("{n} row fewer, the others stayed", "{n} rows fewer, the others stayed", -more)
    if wider > 0:
        return plural("{n} column is new, the others stayed", "{n} columns are new, the others stayed", wider)
    if wider < 0:
        return plural("{n} column fewer, the others stayed", "{n} columns fewer, the others stayed", -wider)
    return ""


def mark_row(row, before):
    """Mark what changed in a row since `before`, the row that stood there, or None; whether anything did."""
    same_label = before and before["label"] == row["label"]
    old = before["cells"] if same_label else [""] * len(row["cells"])
    changed = [k for k, (new, was) in enumerate(zip(row["cells"], old, strict=False)) if new != was]
    if changed:  # a new column changes no old row
        row["changed"] = changed
    return bool(changed)


def written_out(trace, sum_):
    """A written-out sum, to draw: where it stands, in parts, with its value; its lines; what else there is to say."""
    axes, place = trace.about(sum_.key).axes, [f"{sum_.key}:"]
    shape = trace[sum_.key.removeprefix("∂")].shape
    for axis, n, i in zip(axes, shape, sum_.index, strict=True):
        name = names(trace, axis, n)[i]
        place += [f"{axis} {name}", "·"] if isinstance(name, str) else [axis, name, "·"]
    return {"place": [*place[:-1], f"= {sum_.shown(sum_.value)}"], "math": sum_.mathml, "note": sum_.note}
