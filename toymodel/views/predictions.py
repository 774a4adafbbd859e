"""Every position's prediction and every head's attention weights, with the sentence, heads, mask and temperature."""

from itertools import zip_longest

import traitlets

from ..language import _
from ..models.arguments import HEADS
from ..models.toy import run
from ..shown import shown
from ..tables import predictions, table
from .view import View, esm


class Predictions(View):
    """The toy's predictions, live: Predictions(text="o gato subiu no"). What the last move changed is marked.

    Traits: text, n_heads (1, 2 or 4), causal, temperature (from 0 up), as in `run`.
    """

    _esm = esm("predictions.js")
    controls = ("text", "n_heads", "causal", "temperature")
    text = traitlets.Unicode("o gato subiu no").tag(sync=True)
    n_heads = traitlets.Enum(HEADS, 2).tag(sync=True)
    causal = traitlets.Bool(True).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)

    def words(self):
        controls = {"text": _("Sentence"), "n_heads": _("Heads"), "causal": _("Causal mask")}
        return controls | {"temperature": _("Temperature"), "space": _("space"), "changed": _("changed")}

    def picture(self):
        """Grids of cells, the sentence of changes, and the temperature as it is shown; keeps the run as `trace`."""
        self.trace = run(self.text, self.n_heads, self.causal, self.temperature)
        tables = [predictions_grid(self.trace), *head_grids(self.trace), last_grid(self.trace)]
        changes = _("A dot will mark what your last move has changed.")
        if self.state:
            changes = mark_changes(tables, self.state["tables"])
        return {"tables": tables, "changes": changes, "temperature": shown(self.temperature), "heads": list(HEADS)}

    def fallback(self):
        return predictions(self.trace)._repr_html_() + table(self.trace, "blocks.0.attn.pattern")._repr_html_()


# What is drawn: grids of cells. A cell is a token, a number with the share of 1 that it stands for, or empty.


def grid(name, caption, columns, labels, rows):
    """A table to draw; `name` stays when the caption changes. Columns are words or cells, labels are tokens."""
    rows = [{"label": token(label), "cells": list(cells)} for label, cells in zip(labels, rows, strict=True)]
    return {"name": name, "caption": caption, "columns": columns, "rows": rows}


def token(text):
    """A cell with a token."""
    return {"token": text}


def number(x):
    """A cell with a number from 0 to 1, as text and as a share."""
    return {"number": shown(x), "share": float(x)}


def predictions_grid(t):
    """What each position says comes next, with its probability."""
    columns = [_("after"), _("likeliest next"), _("p")]
    rows = ([token(best), number(p)] for best, p in predictions(t).itertuples(index=False))
    return grid("predictions", [_("What each position predicts")], columns, t.tokens, rows)


def head_grids(t):
    """One grid for each head: its attention weights, empty where the mask hides the key."""
    columns = [_("query\u00a0↓ key\u00a0→"), *map(token, t.tokens)]
    for head, weights in enumerate(t["blocks.0.attn.pattern"]):
        hidden = t["blocks.0.attn.masked_scores"][head] == -float("inf")
        rows = [
            [{} if h else number(a) for a, h in zip(*row, strict=True)] for row in zip(weights, hidden, strict=True)
        ]
        yield grid(f"head {head}", [_("Attention weights, head {head}", head=head)], columns, t.tokens, rows)


def last_grid(t):
    """The probabilities of all tokens after the last position."""
    rows = ([number(p)] for p in t["probs"][-1])
    return grid("all", [_("All that may follow"), token(t.tokens[-1])], [_("next"), _("p")], t.vocab, rows)


def mark_changes(tables, before):
    """Mark the cells that show something else than before; the sentence that counts the rows with such a cell."""
    old = {table["name"]: table["rows"] for table in before}
    changes = []
    for new in tables:
        pairs = zip_longest(new["rows"], old.get(new["name"], [])[: len(new["rows"])])
        marked = [mark_row(row, was) for row, was in pairs]
        if any(marked):
            caption, n, of = new["caption"][0], sum(marked), len(marked)
            changes.append(_("{caption}: {n} of {of} rows changed", caption=caption, n=n, of=of))
    return "; ".join(changes) + "." if changes else _("Nothing changed.")


def mark_row(row, before):
    """Mark what changed in a row since `before`, the row that stood there, or None."""
    same_token = before and before["label"] == row["label"]
    old = before["cells"] if same_token else [{}] * len(row["cells"])
    for k, cell in enumerate(row["cells"]):
        cell["changed"] = k < len(old) and shows(cell) != shows(old[k])  # a new column changes no old row
    return any(cell["changed"] for cell in row["cells"])


def shows(cell):
    """What a reader sees of a cell."""
    return cell.get("token"), cell.get("number")
