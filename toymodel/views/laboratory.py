"""The attention laboratory: all that one head does for one query, on one screen, phase after phase."""

import numpy as np
import traitlets

from ..language import _, plural
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import rounded, shown, shown_rows, without_last_bits
from .shared import phases
from .shared.grids import grid, largest, mark_cell, token, written_out
from .shared.product import ATTN, product_grid
from .shared.runs import Heads
from .shared.traits import Choice, Switch, Whole
from .shared.view import css, esm, nearest, placed, within

PHASES = {  # what a button says, and the row of the picture
    "tokens": (_("tokens"), _("who asks?")),
    "qkv": (_("q, k, v"), _("names, not sizes")),
    "scores": (_("scores"), _("q·k ÷ √d_head: below 0 or above")),
    "mask": (_("mask"), _("what comes later gets no score")),
    "weights": (_("softmax"), _("weights, from 0 to 1: they sum to 1")),
    "values": (_("weighted values"), _("dashed the value, filled the share that is read")),
    "heads": (_("all heads"), _("side by side, then through W_O")),
}
SHOWN = {  # what can be hidden, each by itself
    "show_qkv": _("q, k, v"),
    "show_scores": _("Scores"),
    "show_weights": _("Weights"),
    "show_future": _("Masked future"),
    "show_heads": _("All heads"),
}
ADDED = {  # what comes after the heads
    "z": _("What this head reads for"),
    "concat": _("All heads side by side for"),
    "out": _("That times W_O, which attention adds for"),
}
WRITTEN = {"dots": 3, "scores": 3, "pattern": 5, "z": 6, "concat": 7, "out": 7}  # what can be written out; since when
MASK = list(PHASES).index("mask") + 1  # before that phase, nothing is hidden yet


class Laboratory(Heads):
    """One head and one query, live: Laboratory(trace=tm.names.run("anna"), head=3, query=4).

    Traits: text, n_heads and causal, as far as the model lets them be chosen; head (at first the one that reads most
    unevenly) and query (-1 is the last), whose row is shown; phase, from 1 to 7, up to which it is shown; show_qkv,
    show_scores, show_weights, show_future, show_heads; written ("dots", "scores", "pattern", "z", "concat" or "out")
    and key or column: the number that is written out.
    """

    _esm = esm("shared/grids.js", "shared/ribbons.js", "shared/sizes.js", "shared/phases.js", "laboratory.js")
    _css = css("shared/sizes.css", "shared/phases.css", "laboratory.css")
    controls = ("text", "n_heads", "causal", "head", "query", "phase", *SHOWN, "written", "key", "column")
    causal = Switch(True)
    head = Whole()
    query = Whole(-1)
    phase = Whole(len(PHASES), min=1, max=len(PHASES))
    show_qkv = Switch(True)
    show_scores = Switch(True)
    show_weights = Switch(True)
    show_future = Switch(True)
    show_heads = Switch(True)
    written = Choice(list(WRITTEN), "pattern")
    key = Whole()
    column = Whole(0)

    @traitlets.default("head")
    def _most_uneven(self):
        return int(self.weights_of_query().max(axis=-1).argmax())

    @traitlets.default("key")
    def _most_read(self):
        return self.most_read()

    def words(self):
        controls = {"text": _("Text"), "n_heads": _("Heads"), "causal": _("Causal mask"), "head": _("Head")}
        masked = {"no_score": _("no score"), "no_weight": _("no weight")}
        mixed = {"mixed": _("their sum: what this head reads"), "alike": _("Heads of one mind, by who asks:")}
        return controls | SHOWN | masked | mixed | phases.words()

    def picture(self):
        """A column for each token, with all that befalls it up to this phase; tables and a sum; the run as `trace`."""
        t = self.trace = self.run()
        n, n_heads = len(t.tokens), len(t[ATTN + "q"])
        self.settle(head=within(self.head, n_heads), query=nearest(self.query, n), key=within(self.key, n))
        if self.written in ADDED:
            self.settle(column=within(self.column, t[ATTN + self.written].shape[-1]))
        head, query = self.head, placed(self.query, n)
        hidden = np.isneginf(t[ATTN + "masked_scores"][head, query]) & (self.phase >= MASK)
        if hidden[self.key]:
            self.settle(key=within(self.key, int(np.sum(~hidden))))  # the last that may be read
        product, written = product_grid(t, head, query, self.key), self.written_now()
        added = [added_grid(t, it, head, query) for it in ADDED if WRITTEN[it] <= self.phase]
        sum_ = explain(t, ATTN + written, self.place(written, query)) if written else None
        if written == "dots":
            for name, (_head, _i, j), _value in sum_.inputs:
                mark_cell(product, "used", "qk".index(name.removeprefix(ATTN)), j)
        if written in ADDED:
            mark_cell(added[list(ADDED).index(written)], "picked", 0, self.column)
        return {
            "letters": letters(t, head, query, hidden),
            "score_sizes": score_sizes(t, head, query),
            "mix": shares(t[ATTN + "z"][head, query], t, head, query),
            "of_heads": of_heads(t, query),
            "agree": agreement(t, query),
            "head": head,
            "query": query,
            "phase": self.phase,
            "phases": [list(it) for it in PHASES.values()],
            "shown": [getattr(self, name) for name in SHOWN],
            "sentence": sentence(t, head, query, list(PHASES)[self.phase - 1]),
            "written": [written, self.key, self.column],
            "product": [product] if self.phase >= WRITTEN["dots"] else [],
            "added": added,
            "sum": written_out(t, sum_) if sum_ else None,
            **self.choices(),
        }

    def written_now(self):
        """What is written out: what was picked, or, in a phase before that, the score; before there is one, nothing."""
        now = [it for it in (self.written, "scores") if WRITTEN[it] <= self.phase]
        return now[0] if now else None

    def place(self, written, query):
        """The index of the number that is written out."""
        if written == "z":
            return self.head, query, self.column
        return (query, self.column) if written in ADDED else (self.head, query, self.key)

    def fallback(self):
        return table(self.trace, ATTN + "pattern", head=self.head)._repr_html_()


# ---- what is drawn


def letters(t, head, query, hidden):
    """A column for each token: its score and weight, as text and size; its value, and the share of it that is read.

    What is hidden has none of these. Sizes are shares of the largest that is drawn beside it.
    """
    scores, weights, values = (t[ATTN + name][head] for name in ("scores", "pattern", "v"))
    scores, weights, sizes = scores[query], weights[query], score_sizes(t, head, query)
    made = [
        {"token": token(it), "note": note(i, query), "mask": mask, "hidden": bool(is_hidden)}
        for i, (it, is_hidden) in enumerate(zip(t.tokens, hidden, strict=True))
        for mask in [_("-inf: hidden") if is_hidden else _("may be read")]
    ]
    for i in np.flatnonzero(~hidden):
        value, read = (shares(it, t, head, query) for it in (values[i], weights[i] * values[i]))
        made[i] |= {"score": [shown(scores[i]), sizes[i]], "value": value, "read": read}
        made[i] |= {"weight": [shown(weights[i]), float(rounded(weights[i]))]}
    return made


def note(i, query):
    """What stands below a token: its place, and whether it asks or comes after the one that does."""
    return _("{i} asks", i=i) if i == query else _("{i} comes later", i=i) if i > query else str(i)


def score_sizes(t, head, query):
    """All scores, of later keys too, as shares of the largest: so bars stay as they are when the mask comes."""
    scores = without_last_bits(t[ATTN + "scores"][head, query])  # where all are 0, they are not to be magnified
    return rounded(scores / largest(scores)).tolist()


def shares(numbers, t, head, query):
    """Sizes as shares of the largest number among the values that can be read."""
    hidden = np.isneginf(t[ATTN + "masked_scores"][head, query])
    return rounded(numbers / largest(without_last_bits(t[ATTN + "v"][head][~hidden]))).tolist()


def of_heads(t, query):
    """Each head's weights for this query, as text and size: a list for each head."""
    return [[[shown(a), float(rounded(a))] for a in row] for row in t[ATTN + "pattern"][:, query]]


def favourites(t, query):
    """What each head reads most, of keys that are alike to nine decimals the first."""
    return np.round(t[ATTN + "pattern"][:, query], 9).argmax(axis=-1)


def agreement(t, query):
    """For each query, how many heads read the same key most; and the sentence for this one, in parts."""
    counts = [int(np.bincount(favourites(t, i)).max()) for i in range(len(t.tokens))]
    best, n_heads = favourites(t, query), len(t[ATTN + "pattern"])
    most = int(np.bincount(best).argmax())
    said = [_("{n} of {of} heads read", n=counts[query], of=n_heads), *at(t, most), _("most.")]
    return {"counts": [f"{n}/{n_heads}" for n in counts], "said": said}


def at(t, i):
    """A token and its place, as parts of a sentence."""
    return [token(t.tokens[i]), f"({i})"]


def sentence(t, head, query, phase):
    """What is to be seen in a phase, in parts."""
    scores, masked, weights = (t[ATTN + name][head, query] for name in ("scores", "masked_scores", "pattern"))
    n_hidden, best = int(np.isneginf(masked).sum()), int(np.round(weights, 9).argmax())
    asks = at(t, query)
    if phase == "tokens":
        return [*asks, _("asks. Pick another one to ask.")]
    if phase == "qkv":
        return [*asks, _("has a query; each has a key, to be found by, and a value, to hand on.")]
    if phase == "scores":
        top = int(np.round(scores, 9).argmax())
        return [
            _("In head {head} the query of", head=head),
            *asks,
            _("fits the key of"),
            *at(t, top),
            _("best: {x}.", x=shown(scores[top])),
        ]
    if phase == "mask":
        return [
            *asks,
            plural("may not read {n} that comes later.", "may not read {n} that come later.", n_hidden)
            if n_hidden
            else _("may read all: nothing is hidden."),
        ]
    if phase == "weights":
        return [
            *asks,
            _("reads"),
            *at(t, best),
            _("most: {x}. All its weights sum to {all}.", x=shown(weights[best]), all=shown(weights.sum())),
        ]
    if phase == "values":
        return [
            _("Each value counts by its weight. The sum is what head {head} hands on for", head=head),
            *asks[:1],
            asks[1] + ".",
        ]
    return [_("Every head asks by itself; none alone is what attention adds.")]


def added_grid(t, name, head, query):
    """One row of a step that comes after the weights: of this head, or of all."""
    rows = t[ATTN + name][head] if name == "z" else t[ATTN + name]
    row, caption = rows[query : query + 1], [ADDED[name], token(t.tokens[query])]
    columns, labels = ["", *map(str, range(row.shape[1]))], [t.about(ATTN + name).symbol]
    return grid(name, caption, columns, labels, shown_rows(row), full=largest(row), pickable=True)
