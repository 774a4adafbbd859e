"""Two words change places: which predictions notice, with positions learned, made of waves, or none."""

import numpy as np

from ..language import _
from ..models.positions import sinusoids
from ..models.sizes import TOY_SIZES
from ..models.toy_weights import TOY_WEIGHTS
from ..reading.tables import predictions, table
from ..shown import shown
from ..writing.generation import likeliest
from .shared.grids import choices, grid, mark_cell, step_grid, token
from .shared.runs import RunView
from .shared.traits import Choice, Text, Whole
from .shared.view import esm, within

KINDS = {
    "learned": (_("learned: W_pos"), TOY_WEIGHTS["W_pos"]),
    "waves": (_("sine and cosine"), sinusoids(TOY_SIZES.n_ctx, TOY_SIZES.d_model)),
    "none": (_("none"), np.zeros((TOY_SIZES.n_ctx, TOY_SIZES.d_model))),
}


class Positions(RunView):
    """Two words swapped, live: Positions(text="o cão no muro subiu no", first=1, second=3, kind="learned").

    Traits: text; first and second, the places that change, from 0 (out of range, the nearest); kind of positions
    ("learned", "waves" or "none").
    """

    _esm = esm("shared/grids.js", "positions.js")
    controls = ("text", "first", "second", "kind")
    toy_alone = True
    text = Text("o cão no muro subiu no")
    first = Whole(1)
    second = Whole(3)
    kind = Choice(list(KINDS), "learned")

    def words(self):
        return {"text": _("Sentence"), "first": _("Swap"), "second": _("with"), "kind": _("Positions")}

    def picture(self):
        """What enters the block, before and after the swap, and what each place predicts; the runs as `traces`."""
        ids = self.ids()
        self.settle(first=within(self.first, len(ids)), second=within(self.second, len(ids)))
        swapped = list(ids)
        swapped[self.first], swapped[self.second] = ids[self.second], ids[self.first]
        before, after = self.traces = [self.placed(it) for it in (ids, swapped)]
        notice = [i for i, (p, q) in enumerate(zip(before["probs"], after["probs"], strict=True)) if not alike(p, q)]
        ways = (before, _("as it is")), (after, _("swapped"))
        predicted = [predictions_grid(*way) for way in ways]
        for i in notice:
            mark_cell(predicted[1], "changed", i, 2)
        said = _("{n} of {of} places predict something else (a dot marks them).", n=len(notice), of=len(ids))
        last = _("The last one does.") if len(ids) - 1 in notice else _("The last one predicts the same as before.")
        return {
            "predictions": predicted,
            "rows": [*(x_grid(*way) for way in ways), pos_grid(before)],
            "changes": f"{said} {last}",
            "kinds": [[kind, words] for kind, (words, _rows) in KINDS.items()],
            "places": choices(before.tokens),
        }

    def placed(self, ids):
        """The run with the kind of positions that is chosen."""
        by_hand = {"pos_embed": KINDS[self.kind][1][: len(ids)]}
        return self.run(ids, replace=None if self.kind == "learned" else by_hand)

    def fallback(self):
        before, after = self.traces
        x = "blocks.0.resid_pre"
        return "".join(it._repr_html_() for t in (before, after) for it in (table(t, x), predictions(t)))


def alike(p, q):
    return np.allclose(p, q, rtol=0, atol=1e-9)


def x_grid(t, how):
    """What enters the block: tok + place."""
    return step_grid(t, "blocks.0.resid_pre", name=f"x {how}", caption=["x = tok + place,", how])


def pos_grid(t):
    """What is added, whatever token stands there."""
    made = step_grid(t, "pos_embed", caption=[_("place, for each token")])
    for i, row in enumerate(made["rows"]):
        row["label"] = str(i)
    return made


def predictions_grid(t, how):
    """For each place its token, the likeliest next one, and its probability."""
    best = likeliest(t["logits"])
    rows = [[token(it), token(t.vocab[j]), shown(p[j])] for it, j, p in zip(t.tokens, best, t["probs"], strict=True)]
    columns, caption = [_("place"), _("token"), _("next"), "p"], [_("Predictions,"), how]
    return grid(f"predictions {how}", caption, columns, map(str, range(len(rows))), rows)
