"""The key-value cache: what one step works out, what it finds kept, and the multiplications of both ways."""

import numpy as np

from ..language import _, plural
from ..reading.counts import multiplications
from ..reading.tables import Table
from ..shown import shown, shown_rows
from ..writing.generation import extend
from .shared.grids import grid, largest, mark_changes, names, token
from .shared.runs import Heads
from .shared.traits import Text, Whole
from .shared.view import esm, within

ATTN = "blocks.0.attn."
NONE = 1e-12  # a difference below this is the processor's rounding
COUNTED = {  # what is multiplied, and how a line of the table is called
    ATTN + "q": "q",
    ATTN + "k": "k",
    ATTN + "v": "v",
    ATTN + "dots": _("dots q·k"),
    ATTN + "z": _("weights × v"),
    ATTN + "out": _("times W_O"),
    "blocks.0.mlp.pre": _("times W_in"),
    "blocks.0.mlp.out": _("times W_out"),
    "logits": _("logits"),
}
WAYS = [_("without cache"), _("with cache")]
ROWS = {"q": _("Query q"), "k": _("Keys k"), "v": _("Values v")}


class Cache(Heads):
    """A text read one token at a time, live: Cache(text="o gato subiu no telhado.", n=1, head=0).

    Traits: text and n_heads (1, 2 or 4), as in `run`; n, how many tokens have been read (out of range, the nearest);
    head, the one whose rows are shown. Numbers of k and v that the last move changed are marked.
    """

    _esm = esm("shared/grids.js", "cache.js")
    controls = ("text", "n", "n_heads", "head")
    text = Text("o gato subiu no telhado.")
    n = Whole(1)
    head = Whole(0)
    _kept = None  # the rows of k and v that are shown

    def words(self):
        words = {"text": _("Sentence"), "n": _("Tokens read"), "n_heads": _("Heads"), "head": _("Show head")}
        return words | {"counted": _("Counted are all heads, and the dots that the mask hides, too.")}

    def picture(self):
        """The rows of this step, its multiplications, and the sentences that say what they come to.

        Keeps the steps so far without a cache as `whole`, and with it as `cached`.
        """
        ids = self.ids()
        n = within(self.n - 1, len(ids)) + 1
        self.run(ids)  # a text that is too long is refused, however much of it is read
        self.settle(n=n, head=within(self.head, self.n_heads))
        self.whole = [self.run(ids[: m + 1]) for m in range(n)]
        self.cached = self.whole[:1]
        for trace in self.whole[1:]:
            self.cached.append(extend(self.cached[-1], trace.tokens[-1]))
        t = self.cached[-1]
        _query, *kept = rows = [rows_grid(t, name, self.head) for name in ROWS]
        changes = mark_changes(kept, self._kept) if self._kept else _("A dot will mark each new number of k and v.")
        self._kept = kept
        return {
            "tables": [*map(with_age, rows), weights_grid(t, self.head)],
            "counts": [count_grid(*it) for it in self.counts()],
            "sentence": step_sentence(t),
            "changes": changes,
            "proof": self.proof(),
            "n": _("{n} of {of}", n=n, of=len(ids)),
            "most": len(ids),
            "n_heads": self.choices()["heads"],
            "heads": [str(head) for head in range(self.n_heads)],
        }

    def counts(self):
        """The multiplications of this step, and of all so far: for each a name, a caption, {step: how often} twice."""
        ways = [[multiplications(t) for t in traces] for traces in (self.whole, self.cached)]
        yield "step", _("Multiplications of this step"), *(steps[-1] for steps in ways)
        in_all = [{key: sum(it[key] for it in steps) for key in steps[0]} for steps in ways]
        yield "so far", _("All steps so far"), *in_all

    def proof(self):
        """How far the logits of both ways are apart, in words."""
        pairs = zip(self.whole, self.cached, strict=True)
        apart = max(np.abs(whole["logits"][-1] - cached["logits"][-1]).max() for whole, cached in pairs)
        it = _("0.000 (less than 10⁻¹²)") if apart < NONE else shown(apart)
        return _("The largest difference between the logits of both ways so far: {it}.", it=it)

    def fallback(self):
        _name, caption, *ways = next(self.counts())
        return f"<p>{caption}</p>" + Table(count_rows(*ways), index=count_labels(ways[0]), columns=WAYS)._repr_html_()


def rows_grid(t, name, head):
    """The keys or values of all tokens read so far, or the query of the last: nothing asks with the others any more."""
    array = t[ATTN + name][head]
    caption = [ROWS[name], f"({array.shape[0]} × {array.shape[1]})"]
    columns = ["", *map(str, range(array.shape[1]))]
    return grid(name, caption, columns, names(t, "pos", len(array)), shown_rows(array), full=largest(array))


def with_age(made):
    """The same grid, with a column that says of each row whether it was kept or is new; that is no change to mark."""
    rows = [{**row, "cells": [*row["cells"], _("kept")]} for row in made["rows"]]
    rows[-1]["cells"][-1], rows[-1]["chosen"] = _("new"), True
    return {**made, "columns": [*made["columns"], ""], "rows": rows}


def weights_grid(t, head):
    """How much the last query reads each key."""
    weights, caption = t[ATTN + "pattern"][head], [_("Attention weights"), f"(1 × {t.length})"]
    columns = [_("query\u00a0↓ key\u00a0→"), *names(t, "key", t.length)]
    return grid("weights", caption, columns, [token(t.tokens[-1])], shown_rows(weights))


def step_sentence(t):
    """What this step works out, what it finds kept, and how many numbers are kept after it: in parts."""
    n, d_model = t.length, t["blocks.0.resid_pre"].shape[1]
    kept = sum(t[key].size for key in t if key.endswith((".k", ".v")))
    n_blocks = kept // (2 * n * d_model)
    factors = f"2 · {n} · {d_model}" + (f" · {n_blocks}" if n_blocks > 1 else "")
    return [
        _("Step {n} reads", n=n),
        token(t.tokens[-1]),
        _("and works out its row of q, k and v."),
        *([kept_sentence(n - 1)] if n > 1 else []),
        plural(
            "Then the cache holds {factors} = {kept} numbers: k and v of {n} token, "
            "each d_model = {d_model} numbers, all heads together{in_blocks}.",
            "Then the cache holds {factors} = {kept} numbers: k and v of {n} tokens, "
            "each d_model = {d_model} numbers, all heads together{in_blocks}.",
            n,
            factors=factors,
            d_model=d_model,
            kept=kept,
            in_blocks=_(", in {n} blocks", n=n_blocks) if n_blocks > 1 else "",
        ),
    ]


def kept_sentence(n):
    return plural(
        "{n} row of k and of v is kept from the step before; no earlier row of q is needed.",
        "{n} rows of k and of v are kept from the steps before; no earlier row of q is needed.",
        n,
    )


def count_grid(name, caption, without, cached):
    """The multiplications of each part without a cache and with one, and their sums."""
    rows = count_rows(without, cached)
    columns = ["", *WAYS]
    made = grid(name, [caption], columns, count_labels(without), [map(str, row) for row in rows], full=rows[-1][0])
    made["rows"][-1]["chosen"] = True
    return made


def count_labels(counts):
    return [*(COUNTED.get(key, key) for key in counts), _("sum")]


def count_rows(*ways):
    rows = [[way[key] for way in ways] for key in ways[0]]
    return [*rows, [sum(way.values()) for way in ways]]
