"""Phrases in English and in Spanish, for a model that translates, and the words that they are made of."""

from itertools import chain
from pathlib import Path

from ..language import _
from ..quoted import listed
from .tokenizer import composed

_FILE = Path(__file__).parents[1] / "data" / "translation.txt"
_LEARNED, _HELD_OUT = _FILE.read_text(encoding="utf-8").split("\n\n")

PAIRS, HELD_OUT = ([tuple(line.split(" = ")) for line in part.splitlines()] for part in (_LEARNED, _HELD_OUT))
WORDS = tuple(dict.fromkeys(word for side in zip(*PAIRS, strict=True) for word in chain(*map(str.split, side))))
MOST_WORDS = 8


def words_of(text, what, least=0):
    """The words of a text, between which there may be any space. Raises ValueError, naming `what` it is.

    `what` is "source" or "target"; it may have from `least` to 8 words, all of them known.
    """
    words, known = composed(text).split(), _("Known words: {words}", words=listed(WORDS))
    for word in words:
        if word not in WORDS:
            raise ValueError(_("`{word!s}` is not a word of this model. {known}", word=word, known=known))
    if len(words) < least:
        raise ValueError(_("the {what} is empty: write at least one word. {known}", what=what, known=known))
    if len(words) > MOST_WORDS:
        n = len(words)
        raise ValueError(_("the {what} has {n} words; it can have {most} at most.", what=what, n=n, most=MOST_WORDS))
    return words
