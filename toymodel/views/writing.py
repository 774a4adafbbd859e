"""The loop that writes, one token at a time: what stands there, what may come next, and how probable it all was."""

import numpy as np

from ..core.arguments import dice
from ..language import _
from ..reading.tables import Table, weighed
from ..shown import shown, shown_rows
from ..text.tokenizer import token_id
from ..writing.generation import by_likelihood, next_probs, write_on
from .shared.choosing import Choosing, bars_grid, what_is_kept
from .shared.grids import grid, token
from .shared.traits import Float, ListOf, Text
from .shared.view import css, esm


class Writing(Choosing):
    """The toy writes on, a token a move, live: Writing(text="o gato", temperature=1.0, top_k=3, seed=1).

    Traits: text, temperature, top_k, top_p and seed, as in `generate`; chosen, the tokens written so far, by the loop
    or by hand. A new text begins with none. The seed's k-th number draws the k-th token, whatever was undone before.
    """

    _esm = esm("shared/grids.js", "shared/bars.js", "shared/choosing.js", "writing.js")
    _css = css("shared/bars.css", "shared/pieces.css")
    controls = ("text", "temperature", "top_k", "top_p", "seed", "chosen")
    text = Text("o gato")
    temperature = Float(0.0)
    chosen = ListOf(Text())

    def words(self):
        words = {"next": _("Next token"), "undo": _("Undo"), "end": _("To the end"), "restart": _("Start again")}
        words |= {"given": _("given"), "written": _("written"), "none": _("Nothing is written yet.")}
        how = _(
            "p is the model's own, at temperature 1; the next token is drawn from what the controls above make of it. "
            "Or choose another one: click it, or move to it with the arrow keys and press Enter."
        )
        return super().words() | words | {"how": how}

    def picture(self):
        """The tokens, what may follow, where this way ends (`path`); keeps the run it is chosen from as `trace`.

        Once it is over, the last choice is shown; to choose another token there is to take that one back.
        """
        given, chosen, was = self.ids(), self.chosen, self.state
        if was and was["text"] != self.text and was["path"][: was["n"]] == chosen:
            chosen = []  # it was written after another text
        vocab = self.base.vocab
        written = [token_id(it, vocab) for it in chosen]
        over = ending(self.base.model, given, written)
        ids = [*given, *written]
        read = ids[:-1] if over else ids
        t = self.trace = self.run(read)
        kept = next_probs(t, self.top_k, self.top_p)
        draw = dice(self.seed)
        draw.random_sample(len(written))  # one each for what is written
        rest = [] if over else [it.chosen for it in write_on(t, draw, self.top_k, self.top_p)]
        own = self.run(read, temperature=1.0)  # the model as it is: at temperature 1
        how_probable = weighed(own, range(len(given) - 1, len(ids) - 1), written)
        order = by_likelihood(t["logits"][-1])
        self.settle(chosen=chosen)
        return {
            "text": self.text,
            "tokens": [vocab[i] for i in ids],
            "n": len(written),
            "path": [*chosen, *rest],
            "before": chosen[:-1] if over else chosen,
            "order": [vocab[i] for i in order],
            "sentence": written_sentence(vocab, ids, how_probable),
            "over": over,
            "idle": " ".join(self.idle() or ([_("Another seed shows only after an Undo.")] if over else [])),
            "next": [next_grid(t, own["probs"][-1], kept, order, written[-1] if over else None)],
            "written": [written_grid([vocab[i] for i in written], how_probable)] if written else [],
            **self.controls_shown(),
        }

    def fallback(self):
        (it,) = self.state["next"]
        rows = [
            [p, kept if isinstance(kept, str) else kept["sign"]] for p, kept in (row["cells"] for row in it["rows"])
        ]
        return Table(rows, index=self.state["order"], columns=it["columns"][1:])._repr_html_()


def ending(model, given, written):
    """Why nothing more is written, or "". Raises ValueError for tokens after that."""
    n, end, n_ctx = len(given) + len(written), model.vocab.index(model.end), model.n_ctx
    if end in written[:-1]:
        raise ValueError(_("after {end} nothing more is written.", end=model.end))
    if n > n_ctx + bool(written):  # the last one written need not be read
        raise ValueError(_("the text has {n} tokens; the model's context holds {n_ctx}.", n=n, n_ctx=n_ctx))
    if written[-1:] == [end]:
        return _("The end was chosen: `{end}`.", end=model.end)
    if n > n_ctx:
        return _("{n} of {n} tokens: the context is full; token {more} could be chosen but not read.", n=n - 1, more=n)
    return ""


def written_sentence(vocab, ids, columns):
    """The token that was written last, and how probable that and all of it was; in parts."""
    p, product, *_surprise = columns.values()
    if not len(p):
        return [_("Nothing is written yet.")]
    return [
        token(vocab[ids[-1]]),
        _("was written, p {p}.", p=shown(p[-1])),
        _("The product of all p so far: {product}.", product=shown(product[-1])),
    ]


def next_grid(t, p, kept, order, last):
    """What may come next: the model's own probability, and that which is drawn from; `last` is what was chosen."""
    columns = {_("p"): map(shown, p[order]), _("drawn from"): what_is_kept(t, kept, order)}
    what = _("What may follow") if last is None else _("What could have followed")
    caption, labels = [what, token(t.tokens[-1])], [token(t.vocab[i]) for i in order]
    made = bars_grid("next", caption, columns, labels, [p[order], kept[order]], list(columns), choosable=True)
    for i, row in zip(order, made["rows"], strict=True):
        row["chosen"] = bool(i == last)
    return made


def written_grid(written, columns):
    """How probable each written token was, the product so far, and the same as a sum of -ln p."""
    rows, labels = shown_rows(np.column_stack(list(columns.values()))), list(map(token, written))
    return grid("written", [_("How probable was that?")], [_("written"), *columns], labels, rows, full=None)
