"""The logit lens: what one position would say next if the path ended after each part of it."""

import numpy as np

from ..language import _
from ..reading.stream import lens, read_off, stages
from ..shown import shown, shown_rows
from ..writing.generation import all_likeliest
from .shared.grids import choices, grid, largest, mark_cell, mark_changes, token
from .shared.runs import RunView
from .shared.traits import Whole
from .shared.view import esm, nearest, placed

SAID = {  # how the sentence calls the stages of a block; others by their heading
    "embed": _("After the token alone:"),
    "blocks.0.resid_pre": _("with its position:"),
    "blocks.0.resid_mid": _("after attention:"),
    "blocks.0.resid_post": _("after the MLP:"),
}


class Lens(RunView):
    """A logit lens, live: Lens(text="o gato subiu no", row=-1). What another text changed is marked.

    Traits: text, as in `run`; row, the position (-1 is the last; else the nearest). The likeliest token of each stage
    is framed, on ties all of them. Of another row, or another token, nothing is marked: there all is new.
    """

    _esm = esm("shared/grids.js", "lens.js")
    controls = ("text", "row")
    row = Whole(-1)

    def words(self):
        return {"text": _("Sentence"), "row": _("Row")}

    def picture(self):
        """The grid of all stages, the sentence of what each would say, and that of changes; the run as `trace`."""
        t = self.trace = self.run()
        row = placed(self.row, len(t.tokens))
        self.settle(row=nearest(self.row, len(t.tokens)))
        p = np.array([read_off(t, key)[row] for key in stages(t)])
        best = [all_likeliest(stage) for stage in p]
        tables = [stages_grid(t, row, p, best)]
        return {
            "tables": tables,
            "sentence": stages_sentence(t, p, best),
            "changes": self.changes(tables, row),
            "row": row,
            "rows": choices(t.tokens),
        }

    def changes(self, tables, row):
        """Mark what is another number after the same token in the same row."""
        same = self.before and self.before["row"] == row and self.before["tables"][0]["caption"] == tables[0]["caption"]
        if not same:
            return _("A dot will mark what another text changes here.")
        return mark_changes(tables, self.before["tables"])

    def fallback(self):
        return lens(self.trace, self.state["row"]).T._repr_html_()


def stages_grid(t, row, p, best):
    """A line for each token that could come next, a column for each stage: how probable it is there."""
    caption = [_("What would be said"), _("after"), token(t.tokens[row])]
    columns = [_("next"), *stages(t).values()]
    made = grid("stages", caption, columns, map(token, t.vocab), shown_rows(p.T), full=largest(p))
    for stage, ids in enumerate(best):
        for i in ids:
            mark_cell(made, "likeliest", i, stage)
    return made


def stages_sentence(t, p, best):
    """Each stage's likeliest tokens and their probability, in parts."""
    said = []
    for (key, name), row, (first, *others) in zip(stages(t).items(), p, best, strict=True):
        words = SAID.get(key) or f"{name}:"
        said += [f"{words} ", token(t.vocab[first])]
        for i in others:
            said += [_(" and "), token(t.vocab[i])]
        p_shown = shown(row[first])
        said += [_(", each {p}", p=p_shown) if others else f" {p_shown}", "; "]
    return [*said[:-1], "."]
