"""What a reader typed, as numbers, and whether two answers agree."""

import unicodedata

import numpy as np

from ..language import _
from ..quoted import in_markdown, short
from ..typed import NoNumber, number, numbers

TWO_NUMBERS = _("In Python a comma parts two numbers: write 2.49, not 2,49.")


def as_numbers(answer):
    """An answer as float64. Raises ValueError for what holds no numbers."""
    if isinstance(answer, str):
        found = numbers(answer)
        return np.array(found[0] if len(found) == 1 else found)
    try:
        if _is_numeric(answer):
            array = np.asarray(answer, float)  # at once: one by one, a million numbers take a hundred times as long
        else:
            array = np.vectorize(_as_number, otypes=[float])(np.asarray(answer, object))
        if not array.size or np.ma.is_masked(answer):
            raise TypeError
        return array
    except NoNumber:
        raise
    except Exception:  # whatever an object of the reader's does when it is asked for numbers
        kind = in_markdown(short(type(answer).__name__))
        raise ValueError(_("There are no numbers to be found in it: it is of the type {kind}.", kind=kind)) from None


def _is_numeric(answer):
    """Whether it is an array of what float64 can hold, and not of truth values."""
    return isinstance(answer, np.ndarray) and answer.dtype != bool and np.can_cast(answer.dtype, float)


def _as_number(it):
    if isinstance(it, str):
        return number(it)
    if isinstance(it, (bool, np.bool, bytes)):
        raise TypeError
    return float(it)


def same(given, value, tolerance):
    """Whether two answers agree: numbers to the tolerance, words but for capitals, spaces and accents' encoding."""
    if isinstance(value, str):
        return _plain(given) == _plain(value)
    if np.shape(given) != np.shape(value):
        return False
    return bool(np.max(np.abs(given - np.asarray(value, float))) <= tolerance + 1e-9)


def is_rounded(given, answer):
    """Whether numbers are the answer's to one or two decimals, of which it has more."""
    if isinstance(answer, (str, int)):
        return False
    return any(np.array_equal(given, np.round(answer, n)) and not np.allclose(given, answer) for n in (1, 2))


def _plain(word):
    return unicodedata.normalize("NFC", word).casefold().replace("␣", " ").strip(" \t\n.'\"")
