"""The formula of attention on matrices that the reader types, one step at a time."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core.arguments import checked_numbers
from ..language import _
from ..models.head import attend
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import shown_rows
from ..typed import matrix, written
from .shared.grids import grid, mark, mark_inputs, names, step_grid, written_out
from .shared.traits import Switch, Text, Whole
from .shared.view import View, esm, within

MATRIX_ROOM = 8  # more rows or columns would not fit beside each other
MATRICES = ("X", "W_Q", "W_K", "W_V")
FORMULA = ["softmax(", "Q", "K", "ᵀ", " / √d_k", " + M", ")", " V"]
HELP = _(
    "Your matrices: a line for each row, spaces between numbers. To see a change, leave the box or press Ctrl+Enter."
)


class Matrix(Text):
    """A matrix as text, with a line for each row; a cell may also give it as a list or an array."""

    def validate(self, obj, value):
        if not isinstance(value, str):
            value = written(checked_numbers(value, self.name, (None, None)))
        return super().validate(obj, value)


class Formula(View):
    """softmax(QKᵀ / √d_k + M) V, live, in eight steps: Formula(X=..., W_Q=..., W_K=..., W_V=..., causal=False).

    Traits: X, W_Q, W_K, W_V, as lists, arrays or text ("1 0\\n0 1"), at most 8 × 8; causal; step, from 1 to 8;
    result, row and column: the number that is written out, one of those that the step shows. Row and column stay when
    another step has fewer: there the nearest is written out.
    """

    _esm = esm("shared/grids.js", "formula.js")
    controls = (*MATRICES, "causal", "step", "result", "row", "column")
    X = Matrix("1 0 2 0\n0 1 0 1\n1 1 0 0\n0 0 1 2")
    W_Q = Matrix("1 0\n0 1\n1 0\n0 1")
    W_K = Matrix("1 1\n0 2\n0 0\n1 0")
    W_V = Matrix("1 0 0\n0 2 0\n0 0 1\n1 0 1")
    causal = Switch(False)
    step = Whole(1, min=1, max=8)
    result = Text("")
    row = Whole(0)
    column = Whole(0)

    def words(self):
        return {name: name for name in MATRICES} | {"causal": _("Causal mask"), "step": _("Step"), "matrices": HELP}

    def picture(self):
        """The step's matrices in lines, the sum of the picked number with its inputs marked; the run as `trace`."""
        t = self.trace = attend(**self.matrices(), causal=self.causal)
        step = FORMULA_STEPS[self.step - 1]
        lines = step.lines(t)
        grids = [part for line in lines for part in line if isinstance(part, dict)]
        made = {it["key"]: it for it in grids if it.get("pickable")}
        result = self.result if self.result in made else step.result
        self.settle(result=result)
        return {
            "formula": [[text, k in step.lit] for k, text in enumerate(FORMULA)],
            "gloss": step.gloss,
            "lines": lines,
            "sum": self.written_out(t, grids),
            "steps": [f"{k} {step.name}" for k, step in enumerate(FORMULA_STEPS, start=1)],
            "matrices": list(MATRICES),
        }

    def matrices(self):
        """What was typed, as arrays by name. Raises ValueError for text that is none, and for too large ones."""
        arrays = {name: matrix(getattr(self, name), name) for name in MATRICES}
        for name, array in arrays.items():
            if max(array.shape) > MATRIX_ROOM:
                n, m = array.shape
                raise ValueError(
                    _("{name} is {n} × {m}; there is room for {room} × {room}.", name=name, n=n, m=m, room=MATRIX_ROOM)
                )
        return arrays

    def written_out(self, t, grids):
        """The picked number's sum; in the grids, the number and what it was computed from are marked."""
        made = [it for it in grids if it.get("pickable")]
        array = t[self.result]
        if made[0]["transposed"]:
            j, i = (within(it, n) for it, n in zip((self.row, self.column), array.T.shape, strict=True))
            mark(made, "picked", self.result, (i, j))
            mark([it for it in grids if not it.get("pickable")], "used", self.result, (i, j))
            place = _("Kᵀ[{j},{i}] is K[{i},{j}]: the same number, in its new place.", i=i, j=j)
            return {"place": [place], "math": ["", []], "note": ""}
        index = tuple(within(it, n) for it, n in zip((self.row, self.column), array.shape, strict=False))
        mark(made, "picked", self.result, index)
        sum_ = explain(t, self.result, index)
        mark_inputs(grids, sum_)
        mark(grids, "used", "M", index)
        return written_out(t, sum_)

    def fallback(self):
        keys = ("scores", "pattern", "z")
        return "".join(f"<p>{self.trace.about(key).gloss}</p>{table(self.trace, key)._repr_html_()}" for key in keys)


class FormulaStep(NamedTuple):
    """A step: the array it is about, which parts of FORMULA it carries out, and its matrices in lines, with signs."""

    name: str
    result: str
    gloss: str
    lit: tuple
    lines: Callable


def grid_of(t, key, caption, **more):
    return step_grid(t, key, caption=[caption], **more)


def made(t, key, caption, **more):
    """A matrix that the step makes, whose numbers can be picked."""
    return grid_of(t, key, caption, pickable=True, **more)


def transposed(t, **more):
    return grid_of(t, "k", "Kᵀ", name="k_T", transposed=True, **more)


def mask(t):
    """M: what the mask adds to the scores."""
    tokens = names(t, "pos", len(t.tokens))
    M = np.where(np.isneginf(t["masked_scores"]), -np.inf, 0.0)
    which = {"key": "M", "head": None, "transposed": False}
    return grid("M", ["M", f"({len(M)} × {len(M)})"], ["", *tokens], tokens, shown_rows(M), **which)


FORMULA_STEPS = [
    FormulaStep(_("Input"), "x", _("X has a row of numbers for each token."), (), lambda t: [[made(t, "x", "X")]]),
    FormulaStep(
        _("Projections"),
        "q",
        _("Three products make queries, keys and values. The widths of W_Q and W_K must agree; W_V is free."),
        (1, 2, 7),
        lambda t: [
            [grid_of(t, "x", "X"), "·", grid_of(t, "W_Q", "W_Q"), "=", made(t, "q", "Q")],
            ["X ·", grid_of(t, "W_K", "W_K"), "=", made(t, "k", "K")],
            ["X ·", grid_of(t, "W_V", "W_V"), "=", made(t, "v", "V")],
        ],
    ),
    FormulaStep(
        _("Transpose"),
        "k",
        _("The rows of K become columns, so that queries and keys can be multiplied."),
        (3,),
        lambda t: [[grid_of(t, "k", "K"), "→", transposed(t, pickable=True)]],
    ),
    FormulaStep(
        _("Dots"),
        "dots",
        _("Each query times each key. Read along a row: how well does each key fit this query?"),
        (1, 2, 3),
        lambda t: [[grid_of(t, "q", "Q"), "·", transposed(t), "=", made(t, "dots", "D = QKᵀ")]],
    ),
    FormulaStep(
        _("Scale"),
        "scores",
        _("Divided by the square root of d_k, the width of a query: the scores."),
        (4,),
        lambda t: [[grid_of(t, "dots", "D"), f"÷ √{t['q'].shape[1]}", "=", made(t, "scores", "S = D / √d_k")]],
    ),
    FormulaStep(
        _("Mask"),
        "masked_scores",
        _("With the causal mask, a key that comes after its query gets minus infinity."),
        (5,),
        lambda t: [[grid_of(t, "scores", "S"), "+", mask(t), "=", made(t, "masked_scores", "Ŝ = S + M")]],
    ),
    FormulaStep(
        _("Softmax"),
        "pattern",
        _("e to the power of each score, divided by the sum of these powers in its row: weights, which sum to 1."),
        (0, 6),
        lambda t: [
            [grid_of(t, "masked_scores", "Ŝ"), "→", made(t, "exp_scores", "E = e^Ŝ")],
            ["÷", made(t, "exp_scores_sum", "ΣE"), "=", made(t, "pattern", "A = softmax(Ŝ)")],
        ],
    ),
    FormulaStep(
        _("Weighted sum"),
        "z",
        _("Each row of weights mixes the rows of V: what this token reads."),
        (7,),
        lambda t: [[grid_of(t, "pattern", "A"), "·", grid_of(t, "v", "V"), "=", made(t, "z", "A V")]],
    ),
]
