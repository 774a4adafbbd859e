"""The logit lens: what one position would say next if the path ended after each part of it."""

import numpy as np
import traitlets

from ..generation import likeliest
from ..language import _
from ..models.toy import run
from ..shown import shown, shown_rows
from ..stream import STAGES, lens, read_off
from .grids import choices, grid, largest, mark_cell, mark_move, token
from .view import View, esm, placed

SAID = {  # how the sentence calls each of `STAGES`
    "embed": _("After the token alone:"),
    "blocks.0.resid_pre": _("with its position:"),
    "blocks.0.resid_mid": _("after attention:"),
    "blocks.0.resid_post": _("after the MLP:"),
}


class Lens(View):
    """A logit lens, live: Lens(text="o gato subiu no", row=-1). What the last move changed is marked.

    Traits: text, as in `run`; row, the position (-1 is the last; else the nearest). The likeliest token of each stage
    is framed, the lowest id on ties.
    """

    _esm = esm("grids.js", "lens.js")
    controls = ("text", "row")
    text = traitlets.Unicode("o gato subiu no").tag(sync=True)
    row = traitlets.Int(-1).tag(sync=True)

    def words(self):
        return {"text": _("Sentence"), "row": _("Row")}

    def picture(self):
        """The grid of all stages, the sentence of what each would say, and that of changes; the run as `trace`."""
        t = self.trace = run(self.text)
        row = placed(self.row, len(t.tokens))
        self.settle(row=self.row if self.row == -1 else row)
        p = np.array([read_off(t, key)[row] for key in STAGES])
        best = likeliest(p)
        tables = [stages_grid(t, row, p, best)]
        return {
            "tables": tables,
            "sentence": sentence(t, p, best),
            "changes": mark_move(tables, self.state),
            "row": row,
            "rows": choices(t.tokens),
        }

    def fallback(self):
        return lens(self.trace, self.state["row"]).T._repr_html_()


def stages_grid(t, row, p, best):
    """A line for each token that could come next, a column for each stage: how probable it is there."""
    caption = [_("What would be said"), _("after"), token(t.tokens[row])]
    columns = [_("next"), *STAGES.values()]
    made = grid("stages", caption, columns, map(token, t.vocab), shown_rows(p.T), full=largest(p))
    for stage, i in enumerate(best):
        mark_cell(made, "likeliest", i, stage)
    return made


def sentence(t, p, best):
    """Each stage's likeliest token and its probability, in parts."""
    said = []
    for words, row, i in zip(SAID.values(), p, best, strict=True):
        said += [f"{words} ", token(t.vocab[i]), f" {shown(row[i])}; "]
    return [*said[:-1], said[-1].replace("; ", ".")]
