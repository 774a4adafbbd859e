"""What a reader may give to a call, and the sentence where it is something else."""

import math
from contextlib import contextmanager
from numbers import Integral, Real
from operator import index as index_of

import numpy as np

from ..language import _
from ..quoted import MOST, quoted

SMALLEST = np.finfo(float).tiny  # the smallest normal number: below it, 1 / temperature would be infinite


def checked_numbers(values, what, shape, may_be_masked=False):
    """A fresh float64 array. Raises ValueError, naming `what`, for another shape and for numbers that are not finite.

    In `shape`, None allows any length. With `may_be_masked`, -inf is allowed.
    """
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "iuf":
        raise ValueError(_("{what} must be a rectangle of numbers of shape {shape}.", what=what, shape=in_words(shape)))
    if array.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        it, shape = in_words(array.shape), in_words(shape)
        raise ValueError(_("{what} has the shape {it}; needed is {shape}.", what=what, it=it, shape=shape))
    with np.errstate(over="ignore"):  # of a wider type: infinite, and refused below
        array = array.astype(float)
    wrong = ~(np.isfinite(array) | (may_be_masked & np.isneginf(array)))
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        raise ValueError(_("{what} must be finite; at {place} it is {it}.", what=what, place=place, it=array[place]))
    return array


def checked_index(index, axes, shape):
    """The index as a tuple of whole numbers, -1 being the last. Raises ValueError for a place that is not there."""
    index = tuple(index) if isinstance(index, (tuple, list)) else (index,)
    try:
        if len(index) != len(shape):
            raise IndexError
        return tuple(range(n)[whole_number(i)] for i, n in zip(index, shape, strict=True))
    except (IndexError, TypeError):
        allowed = ", ".join(_("{axis} from 0 to {last}", axis=a, last=n - 1) for a, n in zip(axes, shape, strict=True))
        given = ", ".join(map(quoted, index[:MOST]))
        raise ValueError(
            _("({given!s}) is no such place. Needed: {allowed}.", given=given, allowed=allowed or _("none"))
        ) from None


def in_words(shape):
    """(4, any)"""
    return f"({', '.join(_('any') if n is None else str(n) for n in shape)}{',' if len(shape) == 1 else ''})"


class TooLarge(ValueError):
    """A number has grown past what float64 can hold."""


@contextmanager
def within_float64():
    """Raise TooLarge where a number grows past what float64 can hold."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            yield
    except FloatingPointError:
        raise TooLarge(_("these numbers lead to others that are larger than float64 can hold.")) from None


def read_only(array):
    """The same numbers, but an attempt to change them raises ValueError."""
    view = array.view()
    view.flags.writeable = False
    return view


def checked_settings(choices, given):
    """Each setting of `choices`, as given or else its first choice. Raises ValueError naming the one that is wrong.

    In place of choices, there may be a function that checks what is given, None where nothing is.
    """
    for name in given:
        if name not in choices:
            known = ", ".join(choices) or _("none")
            raise ValueError(_("there is no setting `{name!s}`. There are: {known}.", name=name, known=known))
    return {name: checked_setting(name, given, of) for name, of in choices.items()}


def checked_setting(name, given, of):
    if callable(of):
        return of(given.get(name))
    return checked_choice(name, given[name], of) if name in given else of[0]


def checked_choice(name, it, choices):
    """One of some choices of one type. Raises ValueError, naming it, for anything else (True is not 1)."""
    is_switch = isinstance(choices[0], bool)
    kind = (bool, np.bool_) if is_switch else Integral if isinstance(choices[0], int) else type(choices[0])
    if not isinstance(it, kind) or (isinstance(it, bool) and not is_switch) or it not in choices:
        *others, last = map(str, sorted(choices, reverse=is_switch))
        allowed = _("{some} or {last}", some=", ".join(others), last=last) if others else last
        raise ValueError(_("{name} must be {allowed}, not {it!r}.", name=name, allowed=allowed, it=it))
    return type(choices[0])(it)


def checked_temperature(temperature):
    """A temperature as a float; one below the smallest normal number is 0. Raises ValueError for what is none."""
    number = finite(temperature)
    if number is None or number < 0:
        raise ValueError(
            _("temperature must be a finite number from 0 up (0 picks the likeliest), not {it!r}.", it=temperature)
        )
    return number if number >= SMALLEST else 0.0


def checked_texts(texts):
    """The texts as a list. Raises ValueError for what is none, and for one of no texts."""
    try:
        texts = list(None if isinstance(texts, str) else texts)
    except TypeError:
        raise ValueError(_("texts must be a list of sentences, not {it!r}.", it=texts)) from None
    if not texts:
        raise ValueError(_("there must be at least one text to learn from."))
    return texts


def checked_positive(name, it):
    """A finite number above 0 as a float. Raises ValueError, naming it, for anything else."""
    number = finite(it)
    if number is None or number <= 0:
        raise ValueError(_("{name} must be a number above 0, not {it!r}.", name=name, it=it))
    return number


def checked_count(name, it, most=None, least=1):
    """A whole number from `least` up, or up to `most`. Raises ValueError, naming it, for anything else."""
    if not isinstance(it, Integral) or isinstance(it, bool) or it < least or (most is not None and it > most):
        up = (
            _("from {least} up", least=least) if most is None else _("from {least} to {most:,}", least=least, most=most)
        )
        raise ValueError(_("{name} must be a whole number {up}, not {it!r}.", name=name, up=up, it=it))
    return int(it)


def finite(number):
    """A real number as a float; None for anything else, and for NaN and infinity."""
    if not isinstance(number, Real) or isinstance(number, bool):
        return None
    try:
        number = float(number)
    except OverflowError:  # a whole number of more than 308 digits
        return None
    return number if math.isfinite(number) else None


def whole_number(it):
    """A whole number, numpy's too, as an int. Raises TypeError for anything else (True is none)."""
    if isinstance(it, (bool, np.bool_)):
        raise TypeError
    return index_of(it)


def is_index(array, index):
    """Whether a list is an index of an array (None has none)."""
    return (
        array is not None
        and len(index) == array.ndim
        and all(isinstance(i, Integral) and not isinstance(i, bool) for i in index)
        and all(0 <= i < n for i, n in zip(index, array.shape, strict=True))
    )


def dice(seed):
    """Random numbers that are the same for a seed with every version of numpy. Raises ValueError for what is none."""
    try:
        return np.random.RandomState(whole_number(seed))
    except (TypeError, ValueError):
        raise ValueError(_("seed must be a whole number from 0 to 4294967295, not {it!r}.", it=seed)) from None
