"""Every position's prediction and every head's attention weights, with the sentence, heads, mask and temperature."""

from ..language import _
from ..reading.tables import predictions, table
from ..shown import shown
from .shared.grids import grid, mark_move, names, token
from .shared.runs import Heads
from .shared.traits import Float, Switch, Text
from .shared.view import esm


class Predictions(Heads):
    """The toy's predictions, live: Predictions(text="o gato subiu no"). What the last move changed is marked.

    Traits: text, n_heads (1, 2 or 4), causal, temperature (from 0 up), as in `run`.
    """

    _esm = esm("shared/grids.js", "predictions.js")
    controls, sliders = ("text", "n_heads", "causal", "temperature"), ("temperature",)
    text = Text("o gato subiu no")
    causal = Switch(True)
    temperature = Float(1.0)

    def words(self):
        controls = {"text": _("Sentence"), "n_heads": _("Heads"), "causal": _("Causal mask")}
        return controls | {"temperature": _("Temperature")}

    def picture(self):
        """Grids of cells, the sentence of changes, and the temperature as it is shown; keeps the run as `trace`."""
        self.trace = self.run()
        tables = [predictions_grid(self.trace), *head_grids(self.trace), last_grid(self.trace)]
        changes = mark_move(tables, self.before)
        return {"tables": tables, "changes": changes, "temperature": shown(self.temperature), **self.choices()}

    def fallback(self):
        return predictions(self.trace)._repr_html_() + table(self.trace, "blocks.0.attn.pattern")._repr_html_()


def predictions_grid(t):
    """What each position says comes next, with its probability."""
    columns = [_("after"), _("likeliest next"), _("p")]
    rows = ([token(best), shown(p)] for best, p in predictions(t).itertuples(index=False))
    return grid("predictions", [_("What each position predicts")], columns, map(token, t.tokens), rows)


def head_grids(t):
    """One grid for each head: its attention weights, empty where the mask hides the key."""
    tokens = names(t, "pos", len(t.tokens))
    for head, weights in enumerate(t["blocks.0.attn.pattern"]):
        hidden = t["blocks.0.attn.masked_scores"][head] == -float("inf")
        rows = [["" if h else shown(a) for a, h in zip(*row, strict=True)] for row in zip(weights, hidden, strict=True)]
        columns, caption = [_("query\u00a0↓ key\u00a0→"), *tokens], [_("Attention weights, head {head}", head=head)]
        yield grid(f"head {head}", caption, columns, tokens, rows)


def last_grid(t):
    """The probabilities of all tokens after the last position."""
    rows = ([shown(p)] for p in t["probs"][-1])
    columns, caption = [_("next"), _("p")], [_("All that may follow"), token(t.tokens[-1])]
    return grid("all", caption, columns, map(token, t.vocab), rows)
