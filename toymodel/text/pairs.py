"""Phrases in English and in Spanish, for a model that translates, and the words that they are made of."""

from itertools import chain
from pathlib import Path

from ..language import _
from ..quoted import listed
from .tokenizer import composed

_FILE = Path(__file__).parents[1] / "data" / "translation.txt"
_LEARNED, _HELD_OUT = _FILE.read_text(encoding="utf-8").split("\n\n")

PAIRS, HELD_OUT = ([tuple(line.split(" = ")) for line in part.splitlines()] for part in (_LEARNED, _HELD_OUT))
WORDS = tuple(dict.fromkeys(word for text in chain(*PAIRS) for word in text.split()))
MOST_WORDS = 8


def words_of(text, known, what, least=0):
    """The words of a text, between which there may be any space.

    Raises ValueError for a word that is not known, and, saying `what` it is, for less than `least` or more than 8.
    """
    words, known_words = composed(text).split(), _("Known words: {words}", words=listed(known))
    for word in words:
        if word not in known:
            raise ValueError(_("`{word!s}` is not a word of this model. {known}", word=word, known=known_words))
    if len(words) < least:
        raise ValueError(_("the {what} is empty: write at least one word. {known}", what=what, known=known_words))
    if len(words) > MOST_WORDS:
        n = len(words)
        raise ValueError(_("the {what} has {n} words; it can have {most} at most.", what=what, n=n, most=MOST_WORDS))
    return words


def checked_pairs(pairs):
    """The pairs as a list of two texts each. Raises ValueError for what is none, and for one of no pairs."""
    try:
        pairs = list(pairs)
        two_each = [(source, target) for source, target in pairs]
    except (TypeError, ValueError):
        two_each = []
    if not two_each or any(isinstance(pair, str) for pair in pairs):  # "ab" would be a pair of letters
        raise ValueError(_("pairs must be a list of two texts each, such as [('the cat', 'el gato')]."))
    return two_each
