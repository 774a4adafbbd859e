"""One text, cut into tokens in four ways."""

import traitlets

from ..bpe import corpus, train_bpe
from ..language import _, plural
from ..models.toy import decode, encode
from ..models.toy_weights import VOCAB
from ..tables import Table
from ..tokenizer import Words, composed
from .grids import grid, mark_move
from .pieces import piece
from .view import View, esm, within

ROOM = 300  # symbols; more tokens would fill the page
WORDS, TRAINED = Words(corpus()), train_bpe(corpus(), 100)


class Tokenizers(View):
    """A text in words, in symbols, in the toy's tokens and in byte pairs, live: Tokenizers(text="the dogs sleep").

    Traits: text; merges: how many of its merges the byte-pair encoding knows (if too many, all).
    """

    _esm = esm("grids.js", "pieces.js", "tokenizers.js")
    controls = ("text", "merges")
    text = traitlets.Unicode("o gato subiu no telhado.").tag(sync=True)
    merges = traitlets.Int(50).tag(sync=True)

    def words(self):
        return {"text": _("Text"), "merges": _("Merges of the byte-pair encoding")}

    def picture(self):
        """For each tokenizer its pieces, or why it refuses the text; a grid of the counts, with the changes marked."""
        if len(self.text) > ROOM:
            raise ValueError(_("the text has {n} symbols; there is room for {room}.", n=len(self.text), room=ROOM))
        self.settle(merges=within(self.merges, len(TRAINED.merges) + 1))
        bpe, characters = TRAINED.first(self.merges), TRAINED.first(0)
        self.ways = [
            way(_("Words"), self.text, WORDS.vocab, WORDS.encode, WORDS.decode),
            way(_("Characters"), self.text, characters.vocab, characters.encode, characters.decode),
            way(_("The toy's vocabulary"), self.text, VOCAB, encode, decode),
            way(_("Byte-pair encoding"), self.text, bpe.vocab, bpe.encode, bpe.decode),
        ]
        tables = [counts_grid(self.ways)]
        changes = mark_move(tables, self.state)
        merges = plural("{n} merge", "{n} merges", self.merges)
        return {"tables": tables, "ways": self.ways, "changes": changes, "merges": merges, "most": len(TRAINED.merges)}

    def fallback(self):
        rows = [[" ".join(it["token"]["token"] for it in way["pieces"]) or way["note"]] for way in self.ways]
        return Table(rows, index=[way["name"] for way in self.ways], columns=[_("tokens")])._repr_html_()


def way(name, text, vocab, encode, decode):
    """What one tokenizer makes of the text: its pieces with their ids, and a note where they do not give it back."""
    try:
        ids = encode(text)
    except ValueError as error:
        return {"name": name, "size": len(vocab), "pieces": [], "note": _("Refused: {error}", error=error)}
    back = decode(ids)
    note = "" if back == composed(text) else _("From these ids comes another text: `{back}`", back=back)
    return {"name": name, "size": len(vocab), "pieces": [piece(vocab[i], below=str(i)) for i in ids], "note": note}


def counts_grid(ways):
    columns = ["", _("tokens"), _("vocabulary")]
    rows = [[str(len(it["pieces"]) or ""), str(it["size"])] for it in ways]
    return grid("counts", [_("How many tokens")], columns, [it["name"] for it in ways], rows, full=None)
