"""Byte-pair encoding (Gage 1994; Sennrich et al. 2016): learn from a text which neighbours to make into one token."""

import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..core.arguments import checked_count
from ..language import _
from ..quoted import listed
from .tokenizer import SPACE, composed, space_typed_as_sign, symbol_at, text_of

WORD = re.compile(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+")  # a space begins a word


class Merge(NamedTuple):
    """Two tokens that were made into one, and how often they stood side by side in the corpus just before that."""

    left: str
    right: str
    count: int


class BPE:
    """A tokenizer that `train_bpe` made: `words` of its corpus with their counts, its `merges` in order, its `vocab`.

    Tokens are shown with `␣` for their space. Without merges, the tokens are the symbols.
    """

    def __init__(self, words, merges):
        self.words, self.merges = words, merges
        self.alphabet = tuple(sorted(set("".join(words))))
        self.vocab = (*self.alphabet, *(left + right for left, right, _count in merges))
        self._ids = {token: i for i, token in enumerate(self.vocab)}
        self._ranks = {(left, right): rank for rank, (left, right, _count) in enumerate(merges)}

    def with_merges(self, n_merges):
        """The same with the first merges only: what it was at that point of its training. (If too many, all.)"""
        checked_count("n_merges", n_merges, least=0)
        return BPE(self.words, self.merges[:n_merges])

    def split(self, word):
        """The tokens of one word, a space in it as `␣`: its symbols, then every merge that fits, the earliest first."""
        tokens = list(word)
        while pairs := [pair for pair in pairwise(tokens) if pair in self._ranks]:
            tokens = merged(tokens, *min(pairs, key=self._ranks.get))
        return tokens

    def pair_counts(self):
        """How often each pair of tokens stands side by side in the corpus: a Counter, in the order of meeting them."""
        counts = Counter()
        for word, n in self.words.items():
            for pair in pairwise(self.split(word)):
                counts[pair] += n
        return counts

    def tokens(self, text):
        """The tokens of a text. Raises ValueError for a symbol that the corpus does not have, and says where it is."""
        text = composed(text)
        known = _("Known symbols ({space} is a space): {symbols}", space=SPACE, symbols=listed(self.alphabet))
        if not text:
            raise ValueError(_("the text is empty: write at least one symbol. {known}", known=known))
        symbols = {symbol.replace(SPACE, " ") for symbol in self.alphabet}
        for at, symbol in enumerate(text):
            if symbol not in symbols:
                strange, known = symbol_at(text, at), space_typed_as_sign(symbol) + known
                raise ValueError(
                    _("the corpus has no {symbol}: see position {at}. {known}", symbol=strange, at=at, known=known)
                )
        words = WORD.findall(text.replace(" ", SPACE))
        splits = {word: self.split(word) for word in dict.fromkeys(words)}
        return [token for word in words for token in splits[word]]

    def encode(self, text):
        """The ids of the tokens of a text. Raises ValueError as `tokens` does."""
        return [self._ids[token] for token in self.tokens(text)]

    def decode(self, ids):
        """The text that token ids spell."""
        return text_of(ids, self.vocab)

    def __repr__(self):
        return f"BPE({len(self.alphabet)} symbols, {len(self.merges)} merges)"


def train_bpe(corpus, n_merges):
    """Learn up to `n_merges` merges from a text: each makes one token of the two that most often stand side by side.

    The text is cut into words, each with the space before it, and no merge goes beyond a word; line ends count as
    spaces. Of pairs that are equally frequent, the one that is met first is taken. It ends where no pair occurs twice.
    """
    checked_count("n_merges", n_merges, least=0)
    words = _counted_words(corpus)
    splits, counts = [list(word) for word in words], list(words.values())
    pairs, where = Counter(), defaultdict(set)  # how often each pair occurs, and in which words

    def count(i, sign):
        for pair in pairwise(splits[i]):
            pairs[pair] += sign * counts[i]
            (where[pair].add if sign > 0 else where[pair].discard)(i)
            if not pairs[pair]:
                del pairs[pair]

    for i in range(len(splits)):
        count(i, +1)
    merges = []
    while len(merges) < n_merges and (most := max(pairs.values(), default=0)) > 1:
        i = min(min(where[pair]) for pair, n in pairs.items() if n == most)  # the first word that has one of them
        left, right = next(pair for pair in pairwise(splits[i]) if pairs[pair] == most)
        merges.append(Merge(left, right, most))
        for i in list(where[left, right]):  # only these words change, so only their pairs are counted again
            count(i, -1)
            splits[i] = merged(splits[i], left, right)
            count(i, +1)
    return BPE(words, merges)


def merged(tokens, left, right):
    """The tokens with every `left` before a `right` made one with it, from left to right."""
    made = []
    for token in tokens:
        if token == right and made and made[-1] == left:
            made[-1] += right
        else:
            made.append(token)
    return made


def _counted_words(corpus):
    """Each word of a corpus, in the order of meeting them, and how often it occurs."""
    text = " ".join(composed(corpus).splitlines())
    if SPACE in text:
        at = text.index(SPACE)
        raise ValueError(_("a corpus cannot hold {symbol}, which stands for a space.", symbol=symbol_at(text, at)))
    if not text:
        raise ValueError(_("the corpus is empty: there is nothing to learn from."))
    return Counter(WORD.findall(text.replace(" ", SPACE)))


def corpus():
    """The text that lesson 1 learns from: sentences in Portuguese, each with its English translation below it."""
    return (Path(__file__).parents[1] / "data" / "corpus.txt").read_text(encoding="utf-8")
