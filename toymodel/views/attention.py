"""The toy's attention: every head's dots, scores, masked scores and weights, and one of them followed to its sum."""

import numpy as np

from ..language import _
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import shown_rows
from .shared.grids import choices, grid, largest, mark, mark_cell, mark_changes, names, step_grid, token, written_out
from .shared.product import ATTN, product_grid
from .shared.runs import Heads
from .shared.traits import Choice, Switch, Whole
from .shared.view import esm, nearest, placed, within

STAGES = {  # what a button says, and the row of a table
    "dots": (_("dots q·k"), _("dots q·k")),
    "scores": (_("scores"), _("scores: ÷ √d_head")),
    "masked_scores": (_("masked scores"), _("masked scores")),
    "exp_scores": (_("e^score"), _("e^score")),
    "pattern": (_("weights"), _("weights: ÷ their sum")),
}


class Attention(Heads):
    """Who reads whom, live: Attention(text="o gato subiu no", stage="pattern"). What the last move changed is marked.

    Traits: text, n_heads (1, 2 or 4), causal, as in `run`; stage ("dots", "scores", "masked_scores", "exp_scores" or
    "pattern"); head, query and key pick one number of it, counted from 0 (query -1 is the last; else the nearest).
    """

    _esm = esm("shared/grids.js", "attention.js")
    controls = ("text", "n_heads", "causal", "stage", "head", "query", "key")
    causal = Switch(True)
    stage = Choice(list(STAGES), "pattern")
    head = Whole(0)
    query = Whole(-1)
    key = Whole(0)
    _model = _before = None  # the settings that are shown, and the tables before them

    def words(self):
        controls = {"text": _("Sentence"), "n_heads": _("Heads"), "causal": _("Causal mask"), "stage": _("Show")}
        return controls | {"query": _("Query")}

    def picture(self):
        """Grids of cells, the sum of the picked number, the sentence of changes; keeps the run as `trace`."""
        t = self.trace = self.run()
        n = len(t.tokens)
        query = placed(self.query, n)
        self.settle(head=within(self.head, self.n_heads), query=nearest(self.query, n), key=within(self.key, n))
        tables = [self.stage_grid(t, head, query) for head in range(self.n_heads)]
        changes = self.changes(tables)
        place = (self.head, query, self.key)
        rows, product = [row_grid(t, head, query) for head in range(self.n_heads)], product_grid(t, *place)
        sum_ = explain(t, ATTN + self.stage, place)
        mark(tables, "picked", ATTN + self.stage, place)
        mark_cell(rows[self.head], "picked", list(STAGES).index(self.stage), self.key)
        for key, (head, _i, j), _value in sum_.inputs:  # what it was computed from, where that is shown
            name = key.removeprefix(ATTN)
            if name in STAGES:
                mark_cell(rows[head], "used", list(STAGES).index(name), j)
            elif name in ("q", "k"):
                mark_cell(product, "used", "qk".index(name), j)
        if self.stage == "pattern":
            for column in (self.key, n):  # its e^score, and their sum
                mark_cell(rows[self.head], "used", list(STAGES).index("exp_scores"), column)
        return {
            "tables": tables,
            "sum": written_out(t, sum_),
            "product": product,
            "rows": rows,
            "out": [*(values_grid(t, head) for head in range(self.n_heads)), out_grid(t, query)],
            "changes": changes,
            **self.choices(),
            "stages": [[stage, button] for stage, (button, _row) in STAGES.items()],
            "query": query,
            "queries": choices(t.tokens),
        }

    def changes(self, tables):
        """Mark what the last change of sentence, heads or mask has changed, and say it; to pick leaves the marks."""
        model = (self.text, self.n_heads, self.causal, self.stage)
        if model != self._model:
            same_stage = self._model and self._model[-1] == self.stage
            self._before, self._model = self.state["tables"] if same_stage else None, model
        if self._before is None:
            return _("Change the sentence, the heads or the mask: a dot then marks each number that is another one.")
        return mark_changes(tables, self._before)

    def stage_grid(self, t, head, query):
        """One head's numbers at the stage that is shown: (query, key)."""
        caption = [_("Head {head}: {stage}", head=head, stage=STAGES[self.stage][0])]
        corner, more = _("query\u00a0↓ key\u00a0→"), {"full": 1.0} if self.stage == "pattern" else {}
        made = step_grid(t, ATTN + self.stage, head, f"head {head}", caption, corner, pickable=True, **more)
        made["rows"][query]["chosen"] = True
        return made

    def fallback(self):
        return table(self.trace, ATTN + self.stage)._repr_html_()


def row_grid(t, head, query):
    """All that happens to one row of one head, from the dots to the weights; and the sums of the last two."""
    numbers = np.array([t[ATTN + stage][head, query] for stage in STAGES])
    sums = [[""], [""], [""], *shown_rows(numbers[-2:].sum(axis=1, keepdims=True))]
    rows = [[*row, *last] for row, last in zip(shown_rows(numbers), sums, strict=True)]
    columns = [_("key\u00a0→"), *names(t, "key", len(t.tokens)), _("sum")]
    caption = [_("Head {head}, the row of", head=head), token(t.tokens[query])]
    labels = [words for _button, words in STAGES.values()]
    return grid(f"row {head}", caption, columns, labels, rows, full=None, pickable=True, head=head)


def values_grid(t, head):
    return step_grid(t, ATTN + "v", head, f"values {head}", [_("Head {head}: values", head=head)])


def out_grid(t, query):
    """What each head reads for one query; the heads side by side; and that through W_O."""
    z, concat, out = t[ATTN + "z"][:, query], t[ATTN + "concat"][query], t[ATTN + "out"][query]
    n_heads, d_head = z.shape
    parts = shown_rows(z)
    rows = [[""] * d_head * h + part + [""] * d_head * (n_heads - 1 - h) for h, part in enumerate(parts)]
    labels = [_("head {head}: weights × values", head=h) for h in range(n_heads)]
    labels += [_("side by side"), _("times W_O: what attention adds")]
    caption = [_("What"), token(t.tokens[query]), _("receives")]
    columns = ["", *map(str, range(len(out)))]
    both = np.array([concat, out])
    return grid("out", caption, columns, labels, [*rows, *shown_rows(both)], full=largest(both))
