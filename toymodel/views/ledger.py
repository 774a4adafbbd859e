"""The residual stream as a ledger: what each part adds to every logit, and what happens when parts are switched off."""

import traitlets

from ..language import _
from ..models.toy import run
from ..shown import shown_rows
from ..tables import ledger
from .grids import grid, largest, mark_changes, token
from .path_parts import PARTS, switched
from .view import View, esm, within

SWITCHES = ("attention", "mlp", "ln1", "ln2", "ln_final")


class Ledger(View):
    """Who brings what to each logit, live: Ledger(text="o gato subiu no", row=-1, off=["attention"]).

    Traits: text, as in `run`; row, the position (-1 is the last; else the nearest); off, the parts that are switched
    off, some of `SWITCHES`. What the last move changed is marked.
    """

    _esm = esm("grids.js", "ledger.js")
    controls = ("text", "row", "off")
    text = traitlets.Unicode("o gato subiu no").tag(sync=True)
    row = traitlets.Int(-1).tag(sync=True)
    off = traitlets.List(traitlets.Enum(SWITCHES)).tag(sync=True)

    def words(self):
        return {"text": _("Sentence"), "row": _("Row"), "off": _("Switched off")}

    def picture(self):
        """The grids of shares and of probabilities, and the sentence of changes; keeps the run as `trace`."""
        t = self.trace = switched(self.off, [], self.text)
        n = len(t.tokens)
        row = self._drawn_row = n - 1 if self.row == -1 else within(self.row, n)
        self.settle(row=row)
        tables = [shares_grid(t, row), probabilities_grid(run(self.text), t, row)]
        changes = _("A dot will mark what your last move has changed.")
        if self.state:
            changes = mark_changes(tables, self.state["tables"])
        return {
            "tables": tables,
            "changes": changes,
            "parts": [[name, PARTS[name][0]] for name in SWITCHES],
            "rows": [f"{i}: {it}" for i, it in enumerate(t.tokens)],
        }

    def fallback(self):
        return ledger(self.trace, self._drawn_row).T._repr_html_()


def shares_grid(t, row):
    """A line for each token that could come next: the parts' shares, and the logit they add up to."""
    heads = [_("head {h}", h=h) for h in range(t.settings["n_heads"])]
    parts = [_("token"), _("position"), *heads, _("MLP"), _("logit")]
    shares = ledger(t, row).reindex(parts, fill_value=0.0).to_numpy().T  # attention that is off has no heads
    caption = [_("The ledger"), _("after"), token(t.tokens[row])]
    columns = [_("next"), *parts]
    return grid("ledger", caption, columns, map(token, t.vocab), shown_rows(shares), full=largest(shares))


def probabilities_grid(whole, t, row):
    """The probabilities with all parts on, and as they are now."""
    rows = shown_rows(list(zip(whole["probs"][row], t["probs"][row], strict=True)))
    columns = [_("next"), _("all on"), _("now")]
    return grid("probabilities", [_("Probabilities")], columns, map(token, t.vocab), rows)
