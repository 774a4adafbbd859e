"""The residual stream as a ledger: what each part adds to every logit, and what happens when parts are switched off."""

import numpy as np

from ..language import _
from ..models.toy_parts import PARTS, switched
from ..reading.stream import ledger, part_name, shares
from ..shown import shown, shown_rows
from ..writing.generation import likeliest
from .shared.grids import choices, grid, largest, mark_move, token
from .shared.runs import RunView
from .shared.traits import Choice, ListOf, Whole
from .shared.view import esm, nearest, placed

SWITCHES = ("attention", "mlp", "ln1", "ln2", "ln_final")


class Ledger(RunView):
    """Who brings what to each logit, live: Ledger(text="o gato subiu no", row=-1, off=["attention"]).

    Traits: text, as in `run`; row, the position (-1 is the last; else the nearest); off, the parts that are switched
    off, some of `SWITCHES`. Probabilities that the last move changed are marked.
    """

    _esm = esm("shared/grids.js", "ledger.js")
    controls = ("text", "row", "off")
    toy_alone = True
    row = Whole(-1)
    off = ListOf(Choice(SWITCHES))

    def words(self):
        return {"text": _("Sentence"), "row": _("Row"), "off": _("Switched off")}

    def picture(self):
        """The grids, what is most probable, and the sentence of changes; keeps the run as `trace`."""
        whole = self.run()
        t = switched(whole, self.off)
        self.trace, row = t, placed(self.row, len(t.tokens))
        self.settle(row=nearest(self.row, len(t.tokens)))
        probabilities = probabilities_grid(whole, t, row)
        changes = mark_move([probabilities], self.before)
        best = [*most_probable(_("Most probable now:"), t, row), " "]
        return {
            "tables": [shares_grid(t, row), probabilities],
            "best": [*best, *most_probable(_("With all parts on:"), whole, row)],
            "changes": changes,
            "parts": [[name, PARTS[name][0]] for name in SWITCHES],
            "row": row,
            "rows": choices(t.tokens),
        }

    def fallback(self):
        return ledger(self.trace, self.state["row"]).T._repr_html_()


def most_probable(words, t, row):
    """A sentence, in parts: the likeliest next token, and its probability."""
    best = likeliest(t["logits"])[row]
    return [f"{words} ", token(t.vocab[best]), f", {shown(t['probs'][row, best])}."]


def shares_grid(t, row):
    """A line for each token that could come next: its logit, and the parts' shares, which add up to it."""
    parts = shares(t, row)
    numbers = np.column_stack([t["logits"][row], *parts.values()])
    caption = [_("The ledger"), _("after"), token(t.tokens[row])]
    columns = [_("next"), _("logit"), *(part_name(t, part) for part in parts)]
    return grid("ledger", caption, columns, map(token, t.vocab), shown_rows(numbers), full=largest(numbers))


def probabilities_grid(whole, t, row):
    """The probabilities with all parts on, and as they are now."""
    rows = shown_rows(list(zip(whole["probs"][row], t["probs"][row], strict=True)))
    columns = [_("next"), _("all on"), _("now")]
    return grid("probabilities", [_("Probabilities")], columns, map(token, t.vocab), rows)
