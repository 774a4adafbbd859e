"""Operations that show how another came about: only looked at, so without a derivative of their own."""

import numpy as np

from ..language import _
from .array import Aside, Op
from .expression import Number, exp, sqrt, total
from .ops import row

EPSILON = Number(1e-5, "0.00001")  # keeps a LayerNorm from dividing by 0


_LARGEST_POWER = np.log(np.finfo(float).max)


class mean(Aside):
    """(..., n) -> (...)."""

    __new__ = Op.__new__  # not only when it is looked at: `normalize` reads it

    def value(x):
        return np.add.reduce(x, -1) / x.shape[-1]

    def sentence(index, x):
        numbers = row(x, index)
        return total(numbers) / len(numbers)


class std(Aside):
    """sqrt(mean of (x - mean)^2 + epsilon): (..., n) -> (...), divisor n."""

    __new__ = Op.__new__

    def value(x, mean):
        d = x - mean[..., None]
        return np.sqrt(np.vecdot(d, d) / x.shape[-1] + EPSILON.value)

    def sentence(index, x, mean):
        numbers = row(x, index)
        return sqrt(total((number - mean[index]) ** 2 for number in numbers) / len(numbers) + EPSILON)


class root_mean_square(Aside):
    """sqrt(mean of x^2 + epsilon): (..., n) -> (...)."""

    __new__ = Op.__new__

    def value(x):
        return np.sqrt(np.vecdot(x, x) / x.shape[-1] + EPSILON.value)

    def sentence(index, x):
        numbers = row(x, index)
        return sqrt(total(number**2 for number in numbers) / len(numbers) + EPSILON)


class cosine(Aside):
    """Of each row with each, in none of which all is 0: (n, d) -> (n, n)."""

    def value(x):
        unit = x / np.sqrt(np.vecdot(x, x))[:, None]
        return np.clip(unit @ unit.T, -1, 1)

    def sentence(index, x):
        a, b = row(x, index[:1]), row(x, index[1:])
        lengths = [sqrt(total(number**2 for number in numbers)) for numbers in (a, b)]
        return total(p * q for p, q in zip(a, b, strict=True)) / (lengths[0] * lengths[1])


class power_of_e(Aside):
    """e^x, element by element; infinite where float64 ends."""

    def value(x):
        with np.errstate(over="ignore"):
            return np.exp(x)

    def sentence(index, x):
        return exp(x[index])

    def note(index, x):
        if x.value[index] < _LARGEST_POWER:
            return ""
        return _("too large for float64: the softmax subtracts the row's largest first, which changes no weight")


class row_sum(Aside):
    """(..., n) -> (...); infinite where float64 ends."""

    def value(x):
        with np.errstate(over="ignore"):
            return x.sum(-1)

    def sentence(index, x):
        return total(row(x, index))


class per_head(Aside):
    """Each head through its own rows of W_O: (head, pos, d_head) -> (head, pos, d_model)."""

    def value(z, W_O):
        return z @ W_O.reshape(len(z), -1, W_O.shape[1])

    def sentence(index, z, W_O):
        (head, pos, i), d_head = index, z.value.shape[2]
        return total(z[head, pos, k] * W_O[head * d_head + k, i] for k in range(d_head))
