"""The formula of attention on matrices that the reader types, one step at a time."""

import numpy as np
import traitlets

from ..language import _
from ..models.head import attend
from ..shown import shown
from ..sums import explain
from ..tables import table
from ..typed import matrix, written
from .grids import grid, mark, names, step_grid, written_out
from .view import View, esm, within

ROOM = 8  # more rows or columns would not fit beside each other

# For each step: its name, what it does, and the arrays it makes (the first one is picked to begin with).
STEPS = [
    (_("1 Input"), _("X has a row of numbers for each token."), ["x"]),
    (
        _("2 Projections"),
        _("Three products make queries, keys and values. The widths of W_Q and W_K must agree; W_V is free."),
        ["q", "k", "v"],
    ),
    (_("3 Transpose"), _("The rows of K become columns, so that queries and keys can be multiplied."), ["k"]),
    (_("4 Dots"), _("Each query times each key. Read along a row: how well does each key fit this query?"), ["dots"]),
    (_("5 Scale"), _("Divided by the square root of d_k, the numbers in a query: the scores."), ["scores"]),
    (_("6 Mask"), _("With the causal mask, a key that comes after its query gets minus infinity."), ["masked_scores"]),
    (
        _("7 Softmax"),
        _("e to each score, over the sum of its row: weights, which sum to 1 along each row."),
        ["pattern", "exp_scores", "exp_scores_sum"],
    ),
    (_("8 Weighted sum"), _("Each row of weights mixes the rows of V: what this token reads."), ["z"]),
]
TRANSPOSE = 3
FORMULA = [
    *[("softmax(", {7}), ("Q", {2, 4}), ("K", {2, 3, 4}), ("ᵀ", {3, 4}), (" / √d_k", {5}), (" + M", {6})],
    *[(")", {7}), (" V", {2, 8})],
]
CAPTIONS = {
    **{"x": "X", "q": "Q", "k": "K", "v": "V", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V"},
    **{"dots": "D = QKᵀ", "scores": "S = D / √d_k", "masked_scores": "Ŝ = S + M", "exp_scores": "E = e^Ŝ"},
    **{"exp_scores_sum": "ΣE", "pattern": "A = E / ΣE", "z": "A V"},
}


class Matrix(traitlets.Unicode):
    """A matrix as text, with a line for each row; a cell may also give it as a list or an array."""

    def validate(self, obj, value):
        if not isinstance(value, str):
            try:
                value = written(value)
            except (TypeError, ValueError):
                self.error(obj, value)
        return super().validate(obj, value)


class Formula(View):
    """softmax(QKᵀ / √d_k + M) V, live, in eight steps: Formula(X=..., W_Q=..., W_K=..., W_V=..., causal=False).

    Traits: X, W_Q, W_K, W_V, as lists, arrays or text ("1 0\\n0 1"), at most 8 × 8; causal; step, from 1 to 8;
    result, row and column pick one number that the step makes. What is out of range is taken back.
    """

    _esm = esm("formula.js")
    controls = ("X", "W_Q", "W_K", "W_V", "causal", "step", "result", "row", "column")
    X = Matrix("1 0 2 0\n0 1 0 1\n1 1 0 0\n0 0 1 2").tag(sync=True)
    W_Q = Matrix("1 0\n0 1\n1 0\n0 1").tag(sync=True)
    W_K = Matrix("1 1\n0 2\n0 0\n1 0").tag(sync=True)
    W_V = Matrix("1 0 0\n0 2 0\n0 0 1\n1 0 1").tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    step = traitlets.Int(1, min=1, max=len(STEPS)).tag(sync=True)
    result = traitlets.Unicode("").tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    column = traitlets.Int(0).tag(sync=True)

    def words(self):
        matrices = {name: name for name in ("X", "W_Q", "W_K", "W_V")}
        return matrices | {"causal": _("Causal mask"), "step": _("Step"), "help": HELP}

    def picture(self):
        """The step's matrices in lines, the sum of the picked number with its inputs marked; the run as `trace`."""
        t = self.trace = attend(**self.matrices(), causal=self.causal)
        _name, gloss, results = STEPS[self.step - 1]
        result = self.result if self.result in results else results[0]
        rows, columns = np.atleast_2d(t[result].T).T.shape
        self.settle(result=result, row=within(self.row, rows), column=within(self.column, columns))
        lines = LINES[self.step - 1](t)
        return {
            "formula": [[text, self.step in steps] for text, steps in FORMULA],
            "gloss": gloss,
            "lines": lines,
            "sum": self.sum(t, [part for line in lines for part in line if isinstance(part, dict)]),
            "steps": [name for name, _gloss, _results in STEPS],
        }

    def matrices(self):
        """What was typed, as arrays by name. Raises ValueError for text that is none, and for too large ones."""
        arrays = {name: matrix(getattr(self, name), name) for name in ("X", "W_Q", "W_K", "W_V")}
        for name, array in arrays.items():
            if max(array.shape) > ROOM:
                n, m = array.shape
                raise ValueError(
                    _("{name} is {n} × {m}; there is room for {room} × {room}.", name=name, n=n, m=m, room=ROOM)
                )
        return arrays

    def sum(self, t, grids):
        """The picked number written out; in the grids, it and what it was computed from are marked."""
        index = (self.row, self.column)[: t[self.result].ndim]
        made = [grid for grid in grids if grid.get("pickable")]
        mark(made, "picked", self.result, index)
        if self.step == TRANSPOSE:
            mark([grid for grid in grids if grid not in made], "used", self.result, index)
            place = _("Kᵀ[{j},{i}] is K[{i},{j}]: the same number, in its new place.", i=self.row, j=self.column)
            return {"place": place, "math": "", "note": ""}
        sum_ = explain(t, self.result, index)
        for key, index, _value in sum_.inputs:
            mark(grids, "used", key, index)
        return written_out(sum_)

    def fallback(self):
        return "".join(table(self.trace, key)._repr_html_() for key in ("scores", "pattern", "z"))


HELP = _("Change a matrix: a line for each row, spaces between numbers. To see it, leave the box or press Ctrl+Enter.")


def drawn(t, key, **more):
    """A matrix, with its shape in the caption."""
    return step_grid(t, key, caption=[CAPTIONS[key]], **more)


def made(t, key):
    """A matrix of the step that is shown, whose numbers can be picked."""
    return drawn(t, key, pickable=True)


def transposed(t, **more):
    return step_grid(t, "k", name="k_T", caption=["Kᵀ"], transposed=True, **more)


def mask(t):
    """M: what the mask adds to the scores."""
    hidden = np.isneginf(t["masked_scores"])
    tokens = names(t, "pos", len(t.tokens))
    rows = (map(shown, row) for row in np.where(hidden, -np.inf, 0.0))
    return grid("mask", ["M", f"({len(hidden)} × {len(hidden)})"], ["", *tokens], tokens, rows)


def root(t):
    return f"÷ √{t['q'].shape[1]}"


LINES = [
    lambda t: [[made(t, "x")]],
    lambda t: [
        [drawn(t, "x"), "·", drawn(t, "W_Q"), "=", made(t, "q")],
        ["X ·", drawn(t, "W_K"), "=", made(t, "k")],
        ["X ·", drawn(t, "W_V"), "=", made(t, "v")],
    ],
    lambda t: [[drawn(t, "k"), "→", transposed(t, pickable=True)]],
    lambda t: [[drawn(t, "q"), "·", transposed(t), "=", made(t, "dots")]],
    lambda t: [[drawn(t, "dots"), root(t), "=", made(t, "scores")]],
    lambda t: [[drawn(t, "scores"), "+", mask(t), "=", made(t, "masked_scores")]],
    lambda t: [
        [drawn(t, "masked_scores"), "→", made(t, "exp_scores")],
        [made(t, "exp_scores_sum"), "→", made(t, "pattern")],
    ],
    lambda t: [[drawn(t, "pattern"), "·", drawn(t, "v"), "=", made(t, "z")]],
]
