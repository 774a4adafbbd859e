"""How every number is shown: three decimals, the same on every machine."""

import re

import numpy as np


def rounded(values):
    """Rounded to three decimals, twice: processors differ in the last bits, and tidy weights make many ...5 ties.

    The first rounding brings such a pair of neighbours together, `+ 0.0` turns -0.0 into 0.0.
    Numbers from a million up are left as they are: three decimals of them say nothing.
    """
    values = np.asarray(values, dtype=float)
    small = np.abs(values) < 1e6
    return np.where(small, np.round(np.round(np.where(small, values, 0), 9), 3) + 0.0, values)


def shown(value):
    """One number as text: 0.640, -1.239, -inf, 1.235e+09."""
    return _as_text(float(rounded(value)))


def shown_small(value):
    """A derivative as text: three decimals, or three digits that count, if it is small: 0.00143, 1.31e-08.

    An exact 0 is 0. What is nearer to it than 1e-9 is 0.000: there the last bits of a processor would be shown.
    """
    if value == 0:
        return "0"
    value = float(f"{value:.11e}")  # rounded twice, as in `rounded`
    power = int(f"{value:.2e}".partition("e")[2] or 0)  # of infinity there is none
    if -9 <= power < -4:
        return f"{value:.2e}"
    return f"{value:.{2 - power}f}" if -4 <= power < -1 else shown(value)


def shown_to(value, digits):
    """With three decimals, or more where so many digits that count take more: 0.1763 for 4 of them, but 12.346.

    Zeros at the end say nothing and are left out, but for three decimals. What is nearer to 0 than 1e-9 is 0.000 there,
    too, unless more than 8 digits are asked for.
    """
    value = float(f"{value:.11e}")  # rounded twice, as in `rounded`
    if not np.isfinite(value) or value == 0 or (abs(value) < 1e-9 and digits <= 8):
        return shown(value)
    number = f"{value:.{digits - 1}e}"
    power = int(number.partition("e")[2])
    if power >= 6:
        return number
    if power < -4:
        return re.sub(r"\.?0*e", "e", number)
    whole, _point, decimals = f"{value:.{max(3, digits - 1 - power)}f}".partition(".")
    return f"{whole}.{decimals[:3]}{decimals[3:].rstrip('0')}"


def shown_rows(array):
    """Every number of a (row, column) array as text, in lists: as `shown`, and much faster."""
    return [[_as_text(x) for x in row] for row in rounded(array).tolist()]


def _as_text(x):
    return f"{x:.3f}" if abs(x) < 1e6 or not np.isfinite(x) else f"{x:.3e}"


def without_last_bits(x):
    """Rounded to nine decimals, where there are such: for ties that a processor's last bits must not decide."""
    x = np.asarray(x)
    return np.where(abs(x) < 1e6, np.round(np.clip(x, -1e6, 1e6), 9), x)


def same(x, y):
    """Whether numbers are a tie: the same to nine decimals."""
    return without_last_bits(x) == without_last_bits(y)
