"""One text, cut into tokens in four ways."""

from functools import cache

from ..language import _, plural
from ..models.toy import decode, encode
from ..models.toy_weights import VOCAB
from ..reading.tables import Table
from ..text.bpe import corpus
from ..text.tokenizer import Words, composed
from .shared.grids import grid, mark_move
from .shared.pieces import trained
from .shared.traits import Text, Whole
from .shared.view import View, css, esm, within

TEXT_ROOM = 300  # symbols; more tokens would fill the page


@cache
def words_of_corpus():
    return Words(corpus())


class Tokenizers(View):
    """A text in words, in symbols, in the toy's tokens and in byte pairs, live: Tokenizers(text="the dogs sleep").

    Traits: text; merges: how many of its merges the byte-pair encoding knows (if too many, all).
    """

    _esm = esm("shared/grids.js", "shared/pieces.js", "tokenizers.js")
    _css = css("shared/pieces.css")
    controls, sliders = ("text", "merges"), ("merges",)
    text = Text("o gato subiu no telhado.")
    merges = Whole(50)

    def words(self):
        return {"text": _("Text (then Enter)"), "merges": _("Merges of the byte-pair encoding")}

    def picture(self):
        """For each tokenizer its tokens, or why it refuses the text; a grid of the counts, with the changes marked."""
        if len(self.text) > TEXT_ROOM:
            raise ValueError(_("the text has {n} symbols; there is room for {room}.", n=len(self.text), room=TEXT_ROOM))
        words, full = words_of_corpus(), trained(corpus())
        self.settle(merges=within(self.merges, len(full.merges) + 1))
        bpe, characters = full.with_merges(self.merges), full.with_merges(0)
        self.ways = [
            way(_("Words"), self.text, words.vocab, words.encode, words.decode),
            way(_("Characters"), self.text, characters.vocab, characters.encode, characters.decode),
            way(_("The toy's vocabulary"), self.text, VOCAB, encode, decode),
            way(_("Byte-pair encoding"), self.text, bpe.vocab, bpe.encode, bpe.decode),
        ]
        tables = [counts_grid(self.ways)]
        changes = mark_move(tables, self.before)
        merges = plural("{n} merge", "{n} merges", self.merges)
        return {"tables": tables, "ways": self.ways, "changes": changes, "merges": merges, "most": len(full.merges)}

    def fallback(self):
        rows = [[" ".join(way["tokens"]) or way["note"]] for way in self.ways]
        return Table(rows, index=[way["name"] for way in self.ways], columns=[_("tokens")])._repr_html_()


def way(name, text, vocab, encode, decode):
    """What one tokenizer makes of the text: its tokens with their ids, and a note where they do not give it back."""
    made = {"name": name, "size": str(len(vocab))}
    try:
        ids = encode(text)
    except ValueError as error:
        return made | {"length": "", "tokens": [], "ids": [], "note": _("Refused: {error}", error=error)}
    note, back = "", decode(ids)
    if not ids:
        note = _("No tokens.")
    elif back != composed(text):
        note = _("From these ids comes another text: `{back}`", back=back)
    return made | {"length": str(len(ids)), "tokens": [vocab[i] for i in ids], "ids": ids, "note": note}


def counts_grid(ways):
    columns = ["", _("tokens"), _("vocabulary")]
    rows = [[it["length"], it["size"]] for it in ways]
    return grid("counts", [_("How many tokens")], columns, [it["name"] for it in ways], rows, full=None)
