"""Byte-pair encoding as it learns: merge after merge, the pairs that were counted, and the words of the corpus."""

import traitlets

from ..language import _
from ..reading.tables import Table
from ..text.bpe import corpus
from .shared.grids import grid, mark_cell
from .shared.pieces import anything, trained
from .shared.traits import Text, Whole
from .shared.view import View, css, esm, within

PAIRS, CORPUS_ROOM = 10, 5000  # pairs to show; symbols in a corpus


class Merges(View):
    """The training of a byte-pair encoding, live: Merges(merge=3). What the merge made is marked.

    Traits: corpus, the text to learn from; merge, counted from 1 (0 is before the first; if too large, the last).
    """

    _esm = esm("shared/grids.js", "shared/pieces.js", "merges.js")
    _css = css("shared/pieces.css")
    controls = ("corpus", "merge")
    corpus = Text()
    merge = Whole(0)

    @traitlets.default("corpus")
    def _corpus(self):
        return corpus()

    def words(self):
        help_ = _("The corpus: put in a text of your own. To see a change, leave the box or press Ctrl+Enter.")
        return {"corpus": _("Corpus"), "merge": _("Merge"), "help": help_}

    def picture(self):
        """The sentence of this merge, the pairs it was chosen from, and the corpus after it; keeps the BPE as `bpe`."""
        if len(self.corpus) > CORPUS_ROOM:
            raise ValueError(
                _("the corpus has {n} symbols; there is room for {room}.", n=len(self.corpus), room=CORPUS_ROOM)
            )
        bpe = trained(self.corpus)
        k = within(self.merge, len(bpe.merges) + 1)
        self.settle(merge=k)
        self.bpe, self.pairs = bpe.with_merges(k), bpe.with_merges(max(k - 1, 0)).pair_counts().most_common(PAIRS)
        splits = {word: self.bpe.split(word) for word in bpe.words}
        length = sum(n * len(splits[word]) for word, n in bpe.words.items())
        made = "".join(bpe.merges[k - 1][:2]) if k else None
        return {
            "sentence": merge_sentence(bpe.merges, k),
            "totals": _("Vocabulary: {v} tokens. Corpus: {n} tokens.", v=len(self.bpe.vocab), n=length),
            "tables": [pairs_grid(self.pairs, chosen=k > 0)] if self.pairs else [],
            "corpus": [[split, f"× {bpe.words[word]}"] for word, split in splits.items()],
            "made": made,
            "merge": _("{k} of {n}", k=k, n=len(bpe.merges)),
            "most": len(bpe.merges),
        }

    def fallback(self):
        rows = [(left, right, n) for (left, right), n in self.pairs]
        return Table(rows, columns=[_("token"), _("and the next"), _("count")])._repr_html_()


def merge_sentence(merges, k):
    """What the merge did, in parts: words and tokens."""
    if not merges:
        return [_("No pair stands side by side twice: there is nothing to merge.")]
    if not k:
        return [_("Before the first merge, the tokens are the symbols. Which pair will be first?")]
    left, right, n = merges[k - 1]
    so_often = _("stood side by side {n} times: no pair more often. Now they are one token:", n=n)
    return [anything(left), _("and"), anything(right), so_often, anything(left + right)]


def pairs_grid(pairs, chosen):
    """The most frequent pairs, of which the first was taken."""
    columns = [_("token"), _("and the next"), _("count")]
    rows = [[anything(right), str(n)] for (_left, right), n in pairs]
    labels = [anything(left) for (left, _right), _n in pairs]
    caption = _("Most frequent before the merge") if chosen else _("Most frequent now")
    made = grid("pairs", [caption], columns, labels, rows, full=pairs[0][1])
    if chosen:
        mark_cell(made, "picked", 0, 1)
    return made
