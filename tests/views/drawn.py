"""What a live view sends to be drawn, read back; and its controls, moved as the front end or as a cell does it."""

import plain_model


def send(view, **moved):
    """Move controls as the front end does: one message, whatever it holds."""
    data = {"method": "update", "state": moved, "buffer_paths": []}
    view._handle_msg({"content": {"data": data}, "buffers": []})


def assign(view, **moved):
    """Move controls as a cell does: one after the other."""
    for name, value in moved.items():
        setattr(view, name, value)


def by_name(grids):
    return {grid["name"]: grid for grid in grids}


def tables(view):
    return by_name(view.state["tables"])


def part(it):
    """A word, a token or a sign, as text."""
    return it.get("token", it.get("sign")) if isinstance(it, dict) else it


def labels(grid):
    return [part(row["label"]) for row in grid["rows"]]


def columns(grid):
    return [part(column) for column in grid["columns"][1:]]


def texts(grid):
    """What the cells show: rows of tokens and numbers, "" where nothing is drawn."""
    return [[part(cell) for cell in row["cells"]] for row in grid["rows"]]


def written(numbers):
    """Rows of numbers as they should be shown."""
    return [[plain_model.three_decimals(x) for x in row] for row in numbers]


def marked(grids, flag):
    """The cells that stand out, as (grid, row, column)."""
    rows = [(grid["name"], i, row) for grid in grids for i, row in enumerate(grid["rows"])]
    return {(name, i, k) for name, i, row in rows for k in row.get(flag, [])}


def expected_changes(before, after):
    """Cells that show something else than in their place before; in a row of another token, all that show something."""
    for name, table in by_name(after).items():
        old = by_name(before).get(name, {"rows": []})
        for j, (label, row) in enumerate(zip(labels(table), texts(table), strict=True)):
            was = texts(old)[j] if labels(old)[j : j + 1] == [label] else None
            for k, text in enumerate(row):
                if text if was is None else k < len(was) and text != was[k]:
                    yield name, j, k


def counted(grids, flag):
    """Grids with marked cells: (caption, how many rows have one, of how many)."""
    rows = {(name, j) for name, j, _k in marked(grids, flag)}
    counts = {name: len([j for where, j in rows if where == name]) for name in by_name(grids)}
    return [(it["caption"][0], counts[it["name"]], len(it["rows"])) for it in grids if counts[it["name"]]]
