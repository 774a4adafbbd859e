"""Translating with a small encoder-decoder: `tm.translation.translate("the white cat")`.

`pairs` are what it learns from, `held_out` what it never saw: lists of two texts, in English and in Spanish.
"""

from itertools import islice

from .core.arguments import checked_choice
from .learning.translation import train
from .models.encoder_decoder import END, TRANSLATOR, stored
from .text.pairs import HELD_OUT, MOST_WORDS, PAIRS, checked_pairs
from .writing.generation import write_on

__all__ = ["held_out", "pairs", "run", "score", "train", "translate", "weights"]

pairs, held_out = list(PAIRS), list(HELD_OUT)


def run(source, target="", weights=None, replace=None):
    """Read `source`, and `target` as far as it is written: a Trace, whose last row says which word comes next.

    Texts are words with spaces between, without start and end: the source needs none, the target is given them. Without
    weights, those that `train(pairs)` leaves are used. `replace` is as in `toymodel.run`. Raises ValueError with a
    sentence for unknown words, and for a source of no words or a text of more than 8.
    """
    return TRANSLATOR.run(TRANSLATOR.encode(target), weights, replace, source=source)


def written(source, weights=None):
    """The words that translate `source`, each the likeliest: 8 at most, and the end if it comes. Raises as `run`."""
    first = TRANSLATOR.run(TRANSLATOR.encode(""), weights, source=source, temperature=0)
    words = [t.chosen for t in islice(write_on(first, None, cache=True), MOST_WORDS + 1)]
    return words if words[-1] == END else words[:MOST_WORDS]


def translate(source, weights=None):
    """The translation of a text, the end left out. Raises ValueError as `run`."""
    return " ".join(word for word in written(source, weights) if word != END)


def score(pairs, weights=None):
    """How many of some pairs are translated right, to the last word. Raises ValueError as `train` and `run` do."""
    right = [(source, TRANSLATOR.decode(TRANSLATOR.encode(target))) for source, target in checked_pairs(pairs)]
    return sum(translate(source, weights) == target for source, target in right)


def weights(decay=True):
    """The weights that `train(pairs)` leaves at its end, with weight decay or without; a fresh copy: name -> array.

    Raises ValueError for a decay that is neither True nor False.
    """
    return stored(checked_choice("decay", decay, (True, False)))
