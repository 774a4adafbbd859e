"""The arithmetic behind one number, as a tree: `a[0, 1] * b[1, 2] + ...`, not yet worked out.

An operation writes its sentence with these; `sums.py` prints them. Numbers and elements are the leaves.
"""

import math


class Expression:
    """A number together with how to work it out. Ordinary operators build larger ones."""

    __slots__ = ()

    def __add__(self, other):
        return Node("+", *_parts("+", self), other)

    def __radd__(self, other):
        return Node("+", other, *_parts("+", self))

    def __sub__(self, other):
        return Node("-", self, other)

    def __mul__(self, other):
        return Node("*", *_parts("*", self), other)

    def __rmul__(self, other):
        return Node("*", other, *_parts("*", self))

    def __truediv__(self, other):
        return Node("/", self, other)

    def __rtruediv__(self, other):
        return Node("/", other, self)

    def __pow__(self, n):
        return Node("^", self, n)


def _parts(op, x):
    """The terms of a sum (the factors of a product), so that a + b + c is one sum of three."""
    return x.args if isinstance(x, Node) and x.op == op else (x,)


class Number(Expression):
    """A constant; `text` is how it is written where three decimals would hide it."""

    __slots__ = ("text", "value")

    def __init__(self, value, text=None):
        self.value, self.text = float(value), text


class Element(Expression):
    """One number of an array: `array[index]`."""

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index

    @property
    def value(self):
        return float(self.array.value[self.index])


class Node(Expression):
    """An operator and its arguments, Expressions all (a plain number becomes a `Number`)."""

    __slots__ = ("args", "op")

    def __init__(self, op, *args):
        self.op = op
        self.args = tuple(a if isinstance(a, Expression) else Number(a, repr(a)) for a in args)

    @property
    def value(self):
        return WORKED_OUT[self.op](*(a.value for a in self.args))


def down_to_names(expression):
    """Elements of arrays without a name give way to their own arithmetic: every leaf becomes a named step or weight."""
    if isinstance(expression, Node):
        return Node(expression.op, *map(down_to_names, expression.args))
    if isinstance(expression, Element) and not expression.array.name:
        array = expression.array
        return down_to_names(array.op.sentence(expression.index, *array.inputs, **array.settings))
    return expression


def total(terms):
    """term + term + ..."""
    return Node("+", *terms)


def sqrt(x):
    return Node("sqrt", x)


def exp(x):
    return Node("exp", x)


def ln(x):
    return Node("ln", x)


def minus_ln(x):
    return Node("-ln", x)


def tanh(x):
    return Node("tanh", x)


def sin(x):
    return Node("sin", x)


def cos(x):
    return Node("cos", x)


def equal(a, b):
    """1 where a = b to nine decimals, otherwise 0 (Iverson's bracket)."""
    return Node("=", a, b)


def _exp(x):
    """e^x as numpy has it: math.exp would stop where float64 ends."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


WORKED_OUT = {
    "+": lambda *terms: math.fsum(terms),
    "-": lambda a, b: a - b,
    "*": lambda *factors: math.prod(factors),
    "/": lambda a, b: a / b,
    "^": lambda a, n: a**n,
    "sqrt": math.sqrt,
    "exp": _exp,
    "ln": math.log,
    "-ln": lambda x: -math.log(x),
    "tanh": math.tanh,
    "sin": math.sin,
    "cos": math.cos,
    "=": lambda a, b: float(round(a, 9) == round(b, 9)),
}
