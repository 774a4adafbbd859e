"""Every position's prediction and every head's attention weights, with the sentence, heads, mask and temperature."""

import traitlets

from ..language import _
from ..models.toy import run
from ..shown import shown
from ..tables import predictions, table
from .view import View


class Predictions(View):
    """The toy's predictions, live: Predictions(text="o gato subiu no"). What the last move changed is marked.

    Traits: text, n_heads (1, 2 or 4), causal, temperature (from 0 up), as in `run`.
    """

    controls = ("text", "n_heads", "causal", "temperature")
    text = traitlets.Unicode("o gato subiu no").tag(sync=True)
    n_heads = traitlets.Enum([1, 2, 4], 2).tag(sync=True)
    causal = traitlets.Bool(True).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)

    def picture(self):
        t = self._run()
        best = predictions(t)
        tables = [
            _grid(
                _("What each position predicts"),
                [_("after"), _("likeliest next"), _("p")],
                t.tokens,
                zip(best["next"], best["p"], strict=True),
            ),
            *(
                _grid(
                    _("Attention weights, head {head}", head=head), [_("query ↓ key →"), *t.tokens], t.tokens, weights
                )
                for head, weights in enumerate(t["blocks.0.attn.pattern"])
            ),
            _grid(
                _("All that may follow {token}", token=t.tokens[-1]), [_("next"), _("p")], t.vocab, t["probs"][-1:].T
            ),
        ]
        changes = _mark_changes(tables, self.state["tables"]) if self.state else ""
        return {"tables": tables, "changes": changes}

    def fallback(self):
        t = self._run()
        return predictions(t)._repr_html_() + table(t, "blocks.0.attn.pattern")._repr_html_()

    def _run(self):
        return run(self.text, self.n_heads, self.causal, self.temperature)


def _grid(caption, columns, labels, rows):
    """A table to draw: each row a label and cells, {"text", "share"}: the part of 1 that a number stands for."""
    return {
        "caption": caption,
        "columns": columns,
        "rows": [{"label": label, "cells": [_cell(x) for x in row]} for label, row in zip(labels, rows, strict=True)],
    }


def _cell(x):
    return {"text": x} if isinstance(x, str) else {"text": shown(x), "share": float(x)}


def _mark_changes(tables, before):
    """Mark the cells that show something else than before, and all of a new row; the sentence that counts the rows."""
    parts = []
    for i, new in enumerate(tables):
        old = before[i]["rows"] if i < len(before) else []
        for j, row in enumerate(new["rows"]):
            was = old[j]["cells"] if j < len(old) and old[j]["label"] == row["label"] else None
            for k, cell in enumerate(row["cells"]):
                cell["changed"] = was is None or (k < len(was) and cell["text"] != was[k]["text"])
            row["changed"] = any(cell["changed"] for cell in row["cells"])
        n = sum(row["changed"] for row in new["rows"])
        parts.append(_("{caption}: {n} of {all} rows changed", caption=new["caption"], n=n, all=len(new["rows"])))
    return ". ".join(parts) + "."
