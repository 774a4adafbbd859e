"""The operations of a transformer. Each stands in one place, with its value, its derivative and its sentence.

    value(*inputs)               the numbers, from the inputs' numbers
    vjp(g, out, *inputs)         d loss / d each input, from g = d loss / d out (a vector-Jacobian product);
                                 None for an aside, whose share is already in another input's
    sentence(index, *inputs)     the arithmetic of the one element out[index]; here the inputs are Arrays, and x[index]
                                 is not a number but that element, to be put into a sum

Calling an operation on Arrays gives an Array that remembers where it came from. (np.add.reduce(x, -1) is x.sum(-1)
without a layer of Python that takes longer than the sum, on arrays this small.)
"""

import numpy as np

from ..language import _
from ..shown import same
from .array import Array, Op
from .expression import Number, equal, exp, ln, minus_ln, sqrt, tanh, total

PI = Number(np.pi, "π")
GELU_SCALE, GELU_CUBE = np.sqrt(2 / np.pi), 0.044715


class add(Op):
    """Element by element: two arrays of one shape, or (..., n) and a bias (n), the same for every row."""

    def value(a, b):
        if a.shape != b.shape and a.shape[-1:] != b.shape:
            raise ValueError(f"add needs one shape, or a row of it, not {a.shape} and {b.shape}")
        return a + b

    def vjp(g, out, a, b):
        return g, g if b.shape == g.shape else g.sum(tuple(range(g.ndim - 1)))

    def sentence(index, a, b):
        return a[index] + b[index[-b.value.ndim :]]


Array.__add__ = lambda a, b: add(a, b)  # a + b


class multiply(Op):
    """Element by element, each row by the same row of gains: (..., n), (n) -> (..., n)."""

    def value(x, gains):
        if gains.shape != x.shape[-1:]:
            raise ValueError(f"multiply needs a row of gains as long as each row of {x.shape}, not {gains.shape}")
        return x * gains

    def vjp(g, out, x, gains):
        return g * gains, (g * x).sum(tuple(range(g.ndim - 1)))

    def sentence(index, x, gains):
        return x[index] * gains[index[-1:]]


Array.__mul__ = lambda x, gains: multiply(x, gains)  # x * gains


class matmul(Op):
    """Rows times columns: (..., n, k) @ (..., k, m) -> (..., n, m)."""

    def value(a, b):
        if a.shape[:-2] != b.shape[:-2]:
            raise ValueError(f"matmul needs as many matrices on both sides, not {a.shape} and {b.shape}")
        return np.dot(a, b) if b.ndim == 2 else a @ b  # of matrices alone, np.dot is the quicker one

    def vjp(g, out, a, b):
        return (np.dot(g, b.T), np.dot(a.T, g)) if a.ndim == b.ndim == 2 else (g @ b.mT, a.mT @ g)

    def sentence(index, a, b):
        *batch, i, j = index
        return total(a[*batch, i, k] * b[*batch, k, j] for k in range(a.value.shape[-1]))


Array.__matmul__ = lambda a, b: matmul(a, b)  # a @ b


class divide(Op):
    """Every element by one constant Expression, such as sqrt(2): any shape."""

    def value(x, by):
        return x / by.value

    def vjp(g, out, x, by):
        return (g / by.value,)

    def sentence(index, x, by):
        return x[index] / by


Array.__truediv__ = lambda x, by: divide(x, by=by)  # x / by


class softmax(Op):
    """e^(x/T) over its sum along the last axis: (..., n) -> (..., n), rows that sum to 1.

    At T = 0 the largest numbers, the same to nine decimals, share all. The row's largest is subtracted first, so that
    nothing overflows.
    Raises ValueError where a whole row is -inf.
    """

    def value(x, temperature=1.0):
        largest = np.maximum.reduce(x, -1, keepdims=True)
        if np.minimum.reduce(largest, None) == -np.inf:
            raise ValueError(_("a row of scores is masked whole (-inf everywhere): no weights can sum to 1 there"))
        with np.errstate(over="ignore"):  # far below the largest, or at a tiny T, -inf is as good
            if temperature == 1:
                e = np.exp(x - largest)
            else:
                e = np.exp((x - largest) / temperature) if temperature > 0 else same(x, largest).astype(float)
        return e / np.add.reduce(e, -1, keepdims=True)

    def vjp(g, out, x, temperature=1.0):
        if temperature == 0:
            return (np.zeros_like(x),)
        d_x = out * (g - np.vecdot(g, out)[..., None])
        return (d_x if temperature == 1 else d_x / temperature,)

    def sentence(index, x, temperature=1.0):
        numbers = row(x, index[:-1])
        if temperature == 0:
            largest = max(numbers, key=lambda number: number.value)
            powers = [equal(number, largest) for number in numbers]
        else:
            numbers = shifted_if_huge(numbers, temperature)
            powers = [exp(number if temperature == 1 else number / temperature) for number in numbers]
        return powers[index[-1]] / total(powers)


class cross_entropy(Op):
    """Mean of -ln p(target) over some rows of logits, each once, at temperature 1: (pos, d_vocab) -> ()."""

    def value(logits, rows, targets):
        z = logits[rows]
        largest = np.maximum.reduce(z, -1)
        surprise = largest + np.log(np.add.reduce(np.exp(z - largest[:, None]), -1)) - logits[rows, targets]
        return np.add.reduce(surprise) / len(rows)

    def vjp(g, out, logits, rows, targets):
        d_logits = np.zeros(logits.shape)  # d(-ln p)/dz = p - 1 at the target, p elsewhere
        z = logits[rows]
        e = np.exp(z - np.maximum.reduce(z, -1, keepdims=True))  # softmax without its checks: value has passed
        d_logits[rows] = e / np.add.reduce(e, -1, keepdims=True)
        d_logits[rows, targets] -= 1
        d_logits *= g / len(rows)
        return (d_logits,)

    def sentence(index, logits, rows, targets):
        losses = []
        for pos, target in zip(rows, targets, strict=True):
            z = shifted_if_huge(row(logits, (pos,)))
            everything = total(exp(x) for x in z)
            far = z[target].value < max(x.value for x in z) - 700  # its share is too near 0 for ln
            losses.append(ln(everything) - z[target] if far else minus_ln(exp(z[target]) / everything))
        return losses[0] if len(losses) == 1 else total(losses) / len(losses)


class normalize(Op):
    """(x - mean) / std: (..., n), (...), (...) -> (..., n) (Ba, Kiros & Hinton 2016; without gain and bias).

    mean and std are asides, made from x: what they pass on is counted in x's gradient.
    """

    def value(x, mean, std):
        return (x - mean[..., None]) / std[..., None]

    def vjp(g, out, x, mean, std):
        n = x.shape[-1]
        through_mean, through_std = np.add.reduce(g, -1) / n, np.vecdot(g, out) / n
        return (g - through_mean[..., None] - out * through_std[..., None]) / std[..., None], None, None

    def sentence(index, x, mean, std):
        return (x[index] - mean[index[:-1]]) / std[index[:-1]]


class scale(Op):
    """x / rms: (..., n), (...) -> (..., n) (Zhang & Sennrich 2019; without gain).

    rms is an aside, made from x: what it passes on is counted in x's gradient.
    """

    def value(x, rms):
        return x / rms[..., None]

    def vjp(g, out, x, rms):
        through_rms = np.vecdot(g, out) / x.shape[-1]
        return (g - out * through_rms[..., None]) / rms[..., None], None

    def sentence(index, x, rms):
        return x[index] / rms[index[:-1]]


class relu(Op):
    """x where it is above 0, else 0 (Nair & Hinton 2010): any shape."""

    def value(x):
        return np.maximum(x, 0.0)

    def vjp(g, out, x):
        return (g * (x > 0),)

    def sentence(index, x):
        return x[index] if x.value[index] > 0 else Number(0)

    def note(index, x):
        return "" if x.value[index] > 0 else _("not above 0: ReLU makes 0 of it")


class gelu(Op):
    """x times the share of a bell curve left of x, in GPT-2's tanh form (Hendrycks & Gimpel 2016): any shape."""

    def value(x):
        return 0.5 * x * (1 + bend(x))

    def vjp(g, out, x):
        t, slope = bend(x), GELU_SCALE * (1 + 3 * GELU_CUBE * x * x)
        return (g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope),)

    def sentence(index, x):
        x = x[index]
        return 0.5 * x * (1 + tanh(sqrt(2 / PI) * (x + GELU_CUBE * x**3)))


def bend(x):
    """GELU's switch, from -1 far left of 0 to 1 far right: any shape."""
    return np.tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x))


def row(x, index):
    """The elements of one row, along the last axis."""
    return [x[*index, j] for j in range(x.value.shape[-1])]


def shifted_if_huge(numbers, temperature=1.0):
    """The row; or, where a power e^(x/T) would leave float64's range, the row less its largest number."""
    largest = max(numbers, key=lambda x: x.value)
    return [x - largest for x in numbers] if abs(largest.value) > 700 * temperature else numbers
