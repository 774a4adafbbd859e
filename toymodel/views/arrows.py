"""Queries and keys as arrows: a score is how far a key reaches along the query. One query can be turned."""

import numpy as np
import traitlets

from ..language import _
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import rounded, shown, shown_rows, without_last_bits
from ..writing.generation import likeliest
from .shared.grids import choices, grid, mark_cell, mark_changes, token, written_out
from .shared.product import ATTN
from .shared.runs import Heads
from .shared.traits import Float, ListOf, Switch, Whole
from .shared.view import css, esm, nearest, placed, within

COLUMNS = ("dots", "scores", "pattern")  # of the table below each picture
LONGEST = 3  # times its own length
FARTHEST = 1e6  # where a tip may be dragged to


class Arrows(Heads):
    """One query and its keys in every head, live: Arrows(text="o gato subiu no", head=0, turn=-120).

    Traits: text, n_heads and causal, as far as the model lets them be chosen; query, whose keys are shown (-1 is the
    last); head, whose query is changed: turn, by how many degrees (heads of two numbers only), and stretch, times how
    long it is then; dragged, where its tip was dragged to, which sets these two; key and column (0 is q·k, 1 the score,
    2 the weight) pick the number that is written out.
    """

    _esm = esm("shared/grids.js", "shared/plane.js", "arrows.js")
    _css = css("arrows.css")
    controls = ("text", "n_heads", "causal", "query", "head", "turn", "stretch", "dragged", "key", "column")
    sliders = ("turn", "stretch")
    causal = Switch(True)
    query = Whole(-1)
    head = Whole(0)
    turn = Float(0.0)
    stretch = Float(1.0, min=0)
    dragged = ListOf(Float(), [])
    key = Whole()
    column = Whole(2)

    @traitlets.default("key")
    def _most_read(self):
        return self.most_read()

    def words(self):
        own = {"text": _("Sentence"), "n_heads": _("Heads"), "causal": _("Causal mask"), "query": _("Query")}
        own |= {"head": _("Turn the query of head"), "turn": _("Turn, degrees"), "stretch": _("Times as long")}
        return own | {"back": _("Back to its own"), "drag": _("Drag the tip, or use the sliders.")}

    def picture(self):
        """A picture and a table for each head, and the sum of the picked number; the run as `trace`."""
        for name, low, high in (("turn", -180, 180), ("stretch", 0, LONGEST)):
            if not low <= getattr(self, name) <= high:
                it = getattr(self, name)
                raise ValueError(
                    _("{name} must be a number from {low} to {high}, not {it!r}.", name=name, low=low, high=high, it=it)
                )
        plain = self.run()
        n, (n_heads, _n, d_head) = len(plain.tokens), plain[ATTN + "q"].shape
        self.settle(
            head=within(self.head, n_heads), query=nearest(self.query, n), turn=self.turn if d_head == 2 else 0.0
        )
        query = placed(self.query, n)
        if self.dragged:
            self.settle(dragged=[], **led_by(self.dragged, plain[ATTN + "q"][self.head, query]))
        t = self.trace = self.turned(plain, query)
        self.settle(key=within(self.key, n), column=within(self.column, len(COLUMNS)))
        tables = [keys_table(t, head, query) for head in range(n_heads)]
        before = self.before.get("tables")
        changes = mark_changes(tables, before) if before else _("A dot will mark what your next move changes.")
        place = self.head, query, self.key
        mark_cell(tables[self.head], "picked", self.key, self.column)
        return {
            "heads_drawn": [drawn(t, plain, head, query) for head in range(n_heads)],
            "tables": tables,
            "head": self.head,
            "n_heads": n_heads,
            "can_turn": d_head == 2,
            "turn": _("{turn:.0f}°", turn=self.turn),
            "stretch": f"{self.stretch:.1f}",
            "sentence": sentence(t, plain, self.head, query),
            "changes": changes,
            "sum": written_out(t, explain(t, ATTN + COLUMNS[self.column], place)),
            "query": query,
            "queries": choices(t.tokens),
            **self.choices(),
        }

    def turned(self, plain, query):
        """The run in which one query is turned and stretched."""
        if self.turn == 0 and self.stretch == 1:
            return plain
        q = plain[ATTN + "q"].copy()
        own = q[self.head, query] * self.stretch
        if len(own) == 2:
            angle = np.deg2rad(self.turn)
            own = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ own
        q[self.head, query] = own
        return plain.again(replace={ATTN + "q": q})

    def fallback(self):
        return table(self.trace, ATTN + "pattern", head=self.head)._repr_html_()


def led_by(tip, own):
    """The turn and stretch that lead a query's tip there. Raises ValueError for what is no place in the plane."""
    if len(tip) != 2 or len(own) != 2 or not np.less(np.abs(tip), FARTHEST).all():  # NaN is not less, either
        raise ValueError(_("dragged must be two numbers, where heads have two, not {it!r}.", it=tip))
    turn = np.rad2deg(np.arctan2(*tip[::-1]) - np.arctan2(*own[::-1]))
    stretch = np.hypot(*tip) / (np.hypot(*own) or 1.0)
    return {"turn": float(round((turn + 180) % 360 - 180)), "stretch": float(min(LONGEST, round(stretch, 1)))}


# ---- what is drawn


def drawn(t, plain, head, query):
    """One head: the arrows, where they have two numbers; the line of scores; the strip of weights.

    A mark for each key that may be read: [token, its score, its weight], in the order of scores. With two numbers, its
    arrow besides, where it reaches on the query's line, and how large a dot stands there. `own` is the query as the
    model has it.
    """
    q, own = (run[ATTN + "q"][head, query] for run in (t, plain))
    seen = ~np.isneginf(t[ATTN + "masked_scores"][head, query])
    keys, scores, weights = t[ATTN + "k"][head], t[ATTN + "scores"][head, query], t[ATTN + "pattern"][head, query]
    order = np.flatnonzero(seen)[np.argsort(rounded(scores[seen]), kind="stable")]
    places = without_last_bits(scores)
    marks = [[token(t.tokens[i]), float(places[i]), float(rounded(weights[i]))] for i in order]
    if len(q) != 2:
        return {"marks": marks}
    feet = np.outer(keys @ q, q) / (q @ q or 1.0)
    most = max(float(np.abs(it).max()) for it in (q, own, keys[order], feet[order])) or 1.0
    sizes = rounded(np.sqrt(weights[order])).tolist()
    arrows = {"q": arrow(q), "own": arrow(own), "keys": [arrow(keys[i]) for i in order]}
    return {"marks": marks, "most": most, "feet": rounded(feet[order]).tolist(), "sizes": sizes, **arrows}


def arrow(tip):
    """Where an arrow ends, and which way it points."""
    return {"tip": rounded(tip).tolist(), "along": rounded(tip / (np.sqrt(tip @ tip) or 1.0)).tolist()}


def keys_table(t, head, query):
    """A row for each key: how it fits, and how much of it is read. A hidden one has no weight."""
    numbers = np.array([t[ATTN + name][head, query] for name in COLUMNS]).T
    hidden = np.isneginf(t[ATTN + "masked_scores"][head, query])
    cells = [[*row[:2], _("hidden") if it else row[2]] for row, it in zip(shown_rows(numbers), hidden, strict=True)]
    caption = [_("Head {head}, query", head=head), token(t.tokens[query])]
    columns, labels = [_("key"), _("q·k"), _("score"), _("weight")], [token(it) for it in t.tokens]
    return grid(f"head {head}", caption, columns, labels, cells, full=None, pickable=True, head=head)


def sentence(t, plain, head, query):
    """Which key reaches furthest, and what the model would go on with, in parts."""
    scores, weights = (t[ATTN + name][head, query] for name in ("masked_scores", "pattern"))
    best = int(np.round(scores, 9).argmax())
    now, before = (likeliest(it["logits"][query : query + 1])[0] for it in (t, plain))
    said = [
        _("In head {head},", head=head),
        token(t.tokens[best]),
        _("reaches furthest: score {x}, weight {a}.", x=shown(scores[best]), a=shown(weights[best])),
    ]
    said += [_("What comes next:"), token(t.vocab[now]), shown(t["probs"][query, now])]
    if t is plain:
        return [*said[:-1], said[-1] + "."]
    return [*said, _("(before:"), token(t.vocab[before]), shown(plain["probs"][query, before]) + ")."]
