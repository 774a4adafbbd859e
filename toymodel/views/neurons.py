"""The MLP at one position: LayerNorm, the neurons, what each hands on, and any of these numbers followed to its sum."""

import numpy as np

from ..language import _
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import shown_rows
from .shared.grids import choices, grid, largest, mark_cell, mark_inputs, step_grid, token, written_out
from .shared.runs import RunView
from .shared.traits import Choice, Whole
from .shared.view import esm, nearest, placed, within

W_OUT = "blocks.0.mlp.W_out"
LINES = {  # what can be picked, and how its line is called
    "resid_mid": _("h, the stream"),
    "ln2.mean": _("mean μ′"),
    "ln2.std": _("std σ′"),
    "ln2.out": _("u′ = (h − μ′) / σ′"),
    "mlp.pre": _("before"),
    "mlp.post": _("after GELU"),
    "mlp.out": _("m, their sum"),
    "resid_post": _("y = h + m"),
}


class Neurons(RunView):
    """One row on its way through the MLP, live: Neurons(text="o gato subiu no", row=-1, result="mlp.out", column=1).

    Traits: text, as in `run`; row, the position (-1 is the last; else the nearest); result (one of `LINES`) and column,
    the number that is written out.
    """

    _esm = esm("shared/grids.js", "neurons.js")
    controls = ("text", "row", "result", "column")
    toy_alone = True
    row = Whole(-1)
    result = Choice(list(LINES), "mlp.out")
    column = Whole(1)

    def words(self):
        return {"text": _("Sentence"), "row": _("Row")}

    def picture(self):
        """Grids of cells, the sum of the picked number with its inputs marked; keeps the run as `trace`."""
        t = self.trace = self.run()
        n = len(t.tokens)
        row = placed(self.row, n)
        width = np.size(number(t, self.result, row))
        self.settle(row=nearest(self.row, n), column=within(self.column, width))
        W_out = step_grid(t, W_OUT, caption=[_("W_out: what each hands on")])
        norm, spread, neurons, handed = grids = [*norm_grids(t, row), neurons_grid(t, row), handed_grid(t, row)]
        sum_ = explain(t, "blocks.0." + self.result, (row, self.column)[: 1 + (width > 1)])
        mark_number(grids, "picked", self.result, self.column)
        mark_inputs([W_out], sum_)
        for key, (_pos, *column), _value in sum_.inputs:
            mark_number(grids, "used", key.removeprefix("blocks.0."), *column or [0])
        if self.result == "mlp.out":  # its terms
            for neuron in range(t["blocks.0.mlp.post"].shape[1]):
                mark_cell(handed, "used", neuron, self.column)
        lines = [[norm, spread], [neurons, W_out, handed]]
        return {"lines": lines, "sum": written_out(t, sum_), "row": row, "rows": choices(t.tokens)}

    def fallback(self):
        keys = [f"blocks.0.{name}" for name in ("ln2.out", "mlp.pre", "mlp.post", "mlp.out")]
        rows = [(self.trace.about(key).gloss, table(self.trace, key).iloc[[self.state["row"]]]) for key in keys]
        return "".join(f"<p>{gloss}</p>{row._repr_html_()}" for gloss, row in rows)


def number(t, key, row):
    """What a step has at one position: a row of numbers, or one number."""
    return t["blocks.0." + key][row]


def lines_grid(name, caption, columns, labels, numbers, keys, **more):
    """A pickable grid with a line for each of `keys`: which steps they are is kept, so that a pick knows what it is."""
    more = {"full": largest(np.array(numbers)), "keys": keys, "pickable": True} | more
    return grid(name, caption, columns, labels, shown_rows(np.array(numbers)), **more)


def norm_grids(t, row):
    """The row as it enters LayerNorm and as it leaves; its mean and standard deviation."""
    ends, spread = ["resid_mid", "ln2.out"], ["ln2.mean", "ln2.std"]
    columns = ["", *map(str, range(t["blocks.0.resid_mid"].shape[1]))]
    caption, labels = [_("LayerNorm of"), token(t.tokens[row])], [LINES[key] for key in ends]
    yield lines_grid("norm", caption, columns, labels, [number(t, key, row) for key in ends], ends)
    caption, labels = [_("Its mean and spread")], [LINES[key] for key in spread]
    numbers = [[number(t, key, row)] for key in spread]
    yield lines_grid("spread", caption, ["", ""], labels, numbers, spread, full=None)


def neurons_grid(t, row):
    """A line for each neuron: its number before and after the bend, and whether it is on."""
    keys = ["mlp.pre", "mlp.post"]
    numbers = np.array([number(t, key, row) for key in keys]).T
    labels = [_("{n}: on", n=n) if pre > 0 else _("{n}: off", n=n) for n, (pre, _post) in enumerate(numbers)]
    columns = [_("neuron"), *(LINES[key] for key in keys)]
    return lines_grid("neurons", [_("The neurons")], columns, labels, numbers, keys, transposed=True)


def handed_grid(t, row):
    """What each neuron hands on through its row of W_out; their sum; and the stream with it."""
    ends = ["mlp.out", "resid_mid", "resid_post"]
    handed = number(t, "mlp.post", row)[:, None] * t[W_OUT]
    numbers = [*handed, *(number(t, key, row) for key in ends)]
    labels = [_("neuron {n}", n=n) for n in range(len(handed))] + [LINES[key] for key in ends]
    columns, keys = ["", *map(str, range(handed.shape[1]))], ["mlp.out"] * len(handed) + ends
    return lines_grid("handed", [_("What they hand on")], columns, labels, numbers, keys)


def mark_number(grids, flag, key, column):
    """Set a flag on a number of a step, wherever it stands by itself."""
    for it in grids:
        last = {name: k for k, name in enumerate(it["keys"])}  # where a sum has its terms above it, the sum
        if key in last:
            mark_cell(it, flag, *((column, last[key]) if it.get("transposed") else (last[key], column)))
