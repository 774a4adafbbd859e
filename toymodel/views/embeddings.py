"""The table W_E as it is drawn, as it is learned and as it was picked by hand: a row read, and which rows are alike."""

from functools import cache

from ..language import _
from ..learning.embeddings import cosines, fresh_table, learned_tables
from ..models.toy_weights import TOY_WEIGHTS, VOCAB
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import shown_rows
from .shared.grids import choices, grid, largest, mark, mark_inputs, step_grid, token, written_out
from .shared.traits import Choice, Whole
from .shared.view import View, esm, within

LEARNED_FROM = ["o gato subiu no muro", "o cão subiu no muro"]
learned = cache(lambda n_steps: learned_tables(LEARNED_FROM, n_steps)[-1])
TABLES = {
    "fresh": (_("a fresh draw"), fresh_table),
    "10 steps": (_("after 10 steps of learning"), lambda: learned(10)),
    "30 steps": (_("after 30 steps"), lambda: learned(30)),
    "by hand": (_("the toy's, picked by hand"), lambda: TOY_WEIGHTS["W_E"]),
}


class Embeddings(View):
    """Rows of W_E, live: Embeddings(table="by hand", token=2, other=3). Which rows are alike, and the sum that says so.

    Traits: table ("fresh", "10 steps", "30 steps" or "by hand"); token, the id whose row is read; other, the id of
    the row that it is compared with (out of range, the nearest).
    """

    _esm = esm("shared/grids.js", "embeddings.js")
    controls = ("table", "token", "other")
    table = Choice(list(TABLES), "by hand")
    token = Whole(2)
    other = Whole(3)

    def words(self):
        return {"table": _("Table"), "token": _("Token")}

    def picture(self):
        """The one-hot product that reads a row, the cosines of all rows, and the sum of one; they stay as `trace`."""
        W_E = TABLES[self.table][1]()
        n = len(VOCAB)
        self.settle(token=within(self.token, n), other=within(self.other, n))
        c = self.trace = cosines(dict(zip(VOCAB, W_E, strict=True)))
        vectors = step_grid(c, "vectors", name="W_E", caption=["W_E"])
        alike = step_grid(c, "cosines", caption=[_("Cosines")], pickable=True, full=1.0)
        place = (self.token, self.other)
        mark([alike], "picked", "cosines", place)
        vectors["rows"][self.token]["chosen"] = True
        sum_ = explain(c, "cosines", place)
        mark_inputs([vectors], sum_)
        return {
            "product": [one_hot_grid(self.token), "·", vectors, "=", row_grid(self.token, W_E)],
            "cosines": alike,
            "sum": written_out(c, sum_),
            "sources": [[name, words] for name, (words, _table) in TABLES.items()],
            "tokens": choices(VOCAB),
        }

    def fallback(self):
        return table(self.trace, "cosines")._repr_html_()


def one_hot_grid(i):
    """A row with a single 1, in the place of the token."""
    cells = ["1" if j == i else "0" for j in range(len(VOCAB))]
    caption, columns = [_("One-hot"), f"(1 × {len(VOCAB)})"], ["", *map(token, VOCAB)]
    return grid("one-hot", caption, columns, [token(VOCAB[i])], [cells])


def row_grid(i, W_E):
    """The row of the token."""
    d = W_E.shape[1]
    caption, columns = [_("The row that is read"), f"(1 × {d})"], ["", *map(str, range(d))]
    return grid("row", caption, columns, [token(VOCAB[i])], shown_rows(W_E[[i]]), full=largest(W_E))
