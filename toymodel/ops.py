"""The operations of a transformer. Each stands in one place, with its value, its derivative and its sentence.

    value(*inputs)                 the numbers
    vjp(g, out, *inputs)           d loss / d each input, from g = d loss / d out (vector-Jacobian product);
                                   None for an aside, whose share is already in another input's
    sentence(index, *inputs)       the arithmetic of the one element out[index], written with the inputs' elements
    note(index)                    what else there is to say about it; mostly nothing

Calling an operation on Arrays gives an Array that remembers where it came from.
"""

import numpy as np

from .expression import Element, Expression, Number, equal, exp, ln, sqrt, tanh, total
from .language import _

EPSILON = Number(1e-5, "0.00001")  # keeps a LayerNorm from dividing by 0


class Array:
    """Numbers that know how they came about, and their name once a recorder has written them down."""

    __slots__ = ("inputs", "name", "op", "settings", "value")

    def __init__(self, op, inputs, settings):
        self.op, self.inputs, self.settings, self.name = op, inputs, settings, ""

    def __getattr__(self, name):
        if name != "value":
            raise AttributeError(name)
        self.value = self.op.value(*[x.value for x in self.inputs], **self.settings)
        return self.value

    def __getitem__(self, index):
        return Element(self, index)

    def __add__(self, other):
        return add(self, other)

    def __matmul__(self, other):
        return matmul(self, other)

    def __truediv__(self, number):
        return divide(self, by=number if isinstance(number, Expression) else Number(number))

    @property
    def T(self):
        """The last two axes swapped."""
        return transpose(self)


class Op:
    """What an operation inherits: being called, and having nothing to note."""

    def __new__(cls, *inputs, **settings):
        array = Array(cls, inputs, settings)
        array.value = cls.value(*[x.value for x in inputs], **settings)
        return array

    def note(index):
        return ""


class Aside(Op):
    """An operation whose result is only looked at: computed when it is, and without a derivative of its own."""

    def __new__(cls, *inputs, **settings):
        return Array(cls, inputs, settings)


# ---- numbers that come from outside


class given(Op):
    """Numbers that were not computed: a weight."""

    def value(numbers):
        return numbers

    def sentence(index, numbers):
        return Number(numbers[index])

    def note(index):
        return _("a weight: nothing computes it")


class by_hand(given):
    """Numbers put in the place of a step."""

    def note(index):
        return _("set by hand")


# ---- the same numbers, in another arrangement


class identity(Op):
    """The same numbers under a second name."""

    def value(x):
        return x

    def vjp(g, out, x):
        return (g,)

    def sentence(index, x):
        return x[index]


class wired(identity):
    """An earlier step put in the place of a later one."""

    def note(index):
        return _("set by hand: an earlier step in its place")


class gather(Op):
    """Rows of a table: (d_vocab, d_model) -> (pos, d_model), row ids[pos] at pos."""

    def value(table, ids):
        return table[ids]

    def vjp(g, out, table, ids):
        d_table = np.zeros(table.shape)
        np.add.at(d_table, ids, g)  # a row read twice collects twice
        return (d_table,)

    def sentence(index, table, ids):
        pos, i = index
        return table[ids[pos], i]


class transpose(Op):
    """(..., n, m) -> (..., m, n)."""

    def value(x):
        return x.mT

    def vjp(g, out, x):
        return (g.mT,)

    def sentence(index, x):
        *batch, i, j = index
        return x[*batch, j, i]


class split_heads(Op):
    """(pos, n_heads * d_head) -> (head, pos, d_head): each head takes its own columns."""

    def value(x, n_heads):
        return x.reshape(len(x), n_heads, -1).swapaxes(0, 1)

    def vjp(g, out, x, n_heads):
        return (g.swapaxes(0, 1).reshape(x.shape),)

    def sentence(index, x, n_heads):
        head, pos, i = index
        return x[pos, head * (x.value.shape[1] // n_heads) + i]


class merge_heads(Op):
    """(head, pos, d_head) -> (pos, n_heads * d_head): the heads side by side."""

    def value(x):
        return x.swapaxes(0, 1).reshape(x.shape[1], -1)

    def vjp(g, out, x):
        return (g.reshape(x.shape[1], x.shape[0], -1).swapaxes(0, 1),)

    def sentence(index, x):
        (pos, i), d_head = index, x.value.shape[2]
        return x[i // d_head, pos, i % d_head]


# ---- arithmetic


class add(Op):
    """Element by element, two arrays of one shape."""

    def value(a, b):
        return a + b

    def vjp(g, out, a, b):
        return g, g

    def sentence(index, a, b):
        return a[index] + b[index]


class matmul(Op):
    """Rows times columns: (..., n, k) @ (..., k, m) -> (..., n, m)."""

    def value(a, b):
        return a @ b

    def vjp(g, out, a, b):
        return g @ b.mT, a.mT @ g

    def sentence(index, a, b):
        *batch, i, j = index
        return total(a[*batch, i, k] * b[*batch, k, j] for k in range(a.value.shape[-1]))


class divide(Op):
    """Every element by one constant, which may be an Expression such as sqrt(2)."""

    def value(x, by):
        return x / by.value

    def vjp(g, out, x, by):
        return (g / by.value,)

    def sentence(index, x, by):
        return x[index] / by


# ---- asides


class power_of_e(Aside):
    """e^x, element by element; infinite where float64 ends (x > 709)."""

    def value(x):
        with np.errstate(over="ignore"):
            return np.exp(x)

    def sentence(index, x):
        return exp(x[index])


class row_sum(Aside):
    """(..., n) -> (...)."""

    def value(x):
        return x.sum(-1)

    def sentence(index, x):
        return total(_row(x, index))


class mean(Aside):
    """(..., n) -> (...)."""

    def value(x):
        return np.add.reduce(x, -1) / x.shape[-1]

    def sentence(index, x):
        row = _row(x, index)
        return total(row) / len(row)


class std(Aside):
    """sqrt(mean of (x - mean)^2 + epsilon): (..., n) -> (...), divisor n."""

    def value(x, mean):
        d = x - mean[..., None]
        return np.sqrt(np.add.reduce(d * d, -1) / x.shape[-1] + EPSILON.value)

    def sentence(index, x, mean):
        row = _row(x, index)
        return sqrt(total((number - mean[index]) ** 2 for number in row) / len(row) + EPSILON)


class per_head(Aside):
    """Each head through its own rows of W_O: (head, pos, d_head) -> (head, pos, d_model)."""

    def value(z, W_O):
        return z @ W_O.reshape(len(z), -1, W_O.shape[1])

    def sentence(index, z, W_O):
        (head, pos, i), d_head = index, z.value.shape[2]
        return total(z[head, pos, k] * W_O[head * d_head + k, i] for k in range(d_head))


# ---- attention


class causal_mask(Op):
    """(..., query, key): -inf wherever the key comes after the query."""

    def value(scores):
        return np.where(_future(scores), -np.inf, scores)

    def vjp(g, out, scores):
        return (np.where(_future(scores), 0.0, g),)

    def sentence(index, scores):
        *_batch, query, key = index
        return scores[index] if key <= query else Number(-np.inf)

    def note(index):
        *_batch, query, key = index
        return _("hidden: the key comes after the query") if key > query else ""


class softmax(Op):
    """e^(x/T), divided by its sum along the last axis: weights that sum to 1. T = 0 is the limit: ties share.

    The row's largest number is subtracted first, so that nothing overflows. Raises ValueError where a row is all -inf.
    """

    def value(x, temperature=1.0):
        largest = np.maximum.reduce(x, -1, keepdims=True)
        if largest.min() == -np.inf:
            raise ValueError(_("a row of scores is masked whole (-inf everywhere): no weights can sum to 1 there"))
        if temperature == 0:
            e = (x == largest).astype(float)
        elif temperature == 1:
            e = np.exp(x - largest)
        else:
            with np.errstate(over="ignore"):  # a tiny T sends the quotient to -inf, as it should
                e = np.exp((x - largest) / temperature)
        return e / np.add.reduce(e, -1, keepdims=True)

    def vjp(g, out, x, temperature=1.0):
        if temperature == 0:
            return (np.zeros_like(x),)
        return (out * (g - np.add.reduce(g * out, -1, keepdims=True)) / temperature,)

    def sentence(index, x, temperature=1.0):
        powers = _powers(_row(x, index[:-1]), temperature)
        return powers[index[-1]] / total(powers)


class cross_entropy(Op):
    """Mean of -ln p(target) over some rows of logits, each once, at temperature 1: (pos, d_vocab) -> ()."""

    def value(logits, rows, targets):
        z = logits[rows]
        z = z - z.max(-1, keepdims=True)
        return (np.log(np.exp(z).sum(-1)) - z[range(len(targets)), targets]).sum() / len(targets)

    def vjp(g, out, logits, rows, targets):
        d_rows = softmax.value(logits[rows])  # d(-ln p)/dz = p - 1 at the target, p elsewhere
        d_rows[range(len(targets)), targets] -= 1
        d_logits = np.zeros(logits.shape)
        d_logits[rows] = g * d_rows / len(targets)
        return (d_logits,)

    def sentence(index, logits, rows, targets):
        losses = [_surprise(_row(logits, (row,)), target) for row, target in zip(rows, targets, strict=True)]
        return losses[0] if len(losses) == 1 else total(losses) / len(losses)


# ---- LayerNorm and the MLP


class normalize(Op):
    """(x - mean) / std (Ba, Kiros & Hinton 2016, without gain and bias). x's gradient counts mean and std as well."""

    def value(x, mean, std):
        return (x - mean[..., None]) / std[..., None]

    def vjp(g, out, x, mean, std):
        n = x.shape[-1]
        pulled = g - np.add.reduce(g, -1)[..., None] / n - out * (np.add.reduce(g * out, -1)[..., None] / n)
        return pulled / std[..., None], None, None

    def sentence(index, x, mean, std):
        return (x[index] - mean[index[:-1]]) / std[index[:-1]]


class gelu(Op):
    """x times about the share of a bell curve left of x, in GPT-2's tanh form (Hendrycks & Gimpel 2016)."""

    def value(x):
        return 0.5 * x * (1 + np.tanh(_GELU_SCALE * (x + 0.044715 * x * x * x)))

    def vjp(g, out, x):
        t = np.tanh(_GELU_SCALE * (x + 0.044715 * x * x * x))
        slope = _GELU_SCALE * (1 + 3 * 0.044715 * x * x)
        return (g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope),)

    def sentence(index, x):
        x = x[index]
        bend = sqrt(Number(2, "2") / Number(np.pi, "π")) * (x + Number(0.044715, "0.044715") * x**3)
        return Number(0.5, "0.5") * x * (Number(1, "1") + tanh(bend))


_GELU_SCALE = np.sqrt(2 / np.pi)


def _row(x, index):
    """The elements of one row, along the last axis."""
    return [x[*index, j] for j in range(x.value.shape[-1])]


def _future(scores):
    """True where the key comes after the query."""
    n_query, n_key = scores.shape[-2:]
    return np.arange(n_query)[:, None] < np.arange(n_key)


def _powers(row, temperature=1.0):
    """e^(x/T) for each x; the largest x is taken off each where a power would leave float64's range."""
    largest = max(row, key=lambda x: x.value)
    if temperature == 0:
        return [equal(x, largest) for x in row]
    if abs(largest.value) > 700 * temperature:
        row = [x - largest for x in row]
    return [exp(x if temperature == 1 else x / Number(temperature)) for x in row]


def _surprise(row, target):
    """-ln p(target), written as ln(sum of powers) - z[target]; powers as in `_powers`."""
    largest = max(row, key=lambda x: x.value)
    if abs(largest.value) > 700:
        return ln(total(_powers(row))) - (row[target] - largest)
    return ln(total(_powers(row))) - row[target]
