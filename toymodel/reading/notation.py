"""How an expression is written down: as plain text, as LaTeX for a cell, as MathML for a live view.

A live view breaks a line wherever MathML holds a BREAK. Nothing here is drawn by a mathematical font: a browser that
has none would draw a root over a part only.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from ..core.expression import Node


def _element_in_text(symbol, where):
    return symbol + where


def _element_in_latex(symbol, where):
    symbol = symbol.replace("′", "'").replace("″", "''").replace("ŝ", r"\hat{s}")
    name, _underscore, below = symbol.partition("_")
    if re.fullmatch(r"[\w.]{2,}", name, re.ASCII):
        name = rf"\mathrm{{{name}}}"
    below = below.replace("_", r"\_")
    return name + (f"_{{\\mathrm{{{below}}}}}" if below else "") + where


def _element_in_mathml(symbol, where):
    name, _underscore, below = symbol.partition("_")
    return f"<msub><mi>{name}</mi><mi>{below}</mi></msub><mtext>{where}</mtext>" if below else f"<mi>{name}{where}</mi>"


def element(step, index, notation):
    """One element of a Step by its symbol and place: s[0,4,2]."""
    return notation.element(step.symbol, f"[{','.join(map(str, index))}]" if index else "")


def _in_rows(terms, a_row):
    return [terms[i : i + a_row] for i in range(0, len(terms), a_row)]


def _long_sum(*terms):
    """A sum that wraps before it is wider than a narrow window."""
    rows = [" + ".join(row) for row in _in_rows(terms, 4 if max(map(len, terms)) < 16 else 2)]
    return rows[0] if len(rows) == 1 else "\\begin{aligned}&" + "\\\\ &+ ".join(rows) + "\\end{aligned}"


BREAK = "\u200b"  # before a sign, which then begins a line, and is told that it stands between two terms all the same


def _in_one(template):
    """A template of MathML whose arguments stay in one piece."""
    return lambda *arguments: template.format(*arguments).replace(BREAK, "")


def _fraction(signs):
    """A fraction; what is longer than so many signs stands in rows above or below its line."""
    return lambda above, below: f"<mfrac>{_stacked(above, signs)}{_stacked(below, signs)}</mfrac>"


def signs_in(mathml):
    """How many signs one sees."""
    return len(re.sub("<[^>]*>", "", mathml))


def _stacked(argument, signs):
    terms = argument.split(BREAK)
    rows = _in_rows(terms, min(4, max(1, signs // (max(map(signs_in, terms)) + 2))))
    if len(rows) == 1:
        return f"<mrow>{''.join(rows[0])}</mrow>"
    lines = "".join(f"<mtr><mtd>{''.join(row)}</mtd></mtr>" for row in rows)
    return f"<mtable>{lines}</mtable>"


class Notation(NamedTuple):
    """One way to write a sum down: its elements, numbers and brackets, and each operator."""

    element: Callable  # of a symbol and a place
    number: Callable  # of a number as it is shown
    minus: str  # how a number below 0 begins
    bracket: str
    operators: dict  # how tightly each binds, how tightly each argument must bind, and how it is written


_ANY, _SUM, _SIGNED, _PRODUCT, _POWER, _FRACTION, _ATOM = range(7)


def _between(sign):
    """A template that writes the sign between all arguments."""
    return lambda *arguments: sign.join(arguments)


TEXT = Notation(
    _element_in_text,
    str,
    "-",
    "({})",
    {
        "+": (_SUM, (_SUM, _PRODUCT), _between(" + ")),
        "-": (_SUM, (_SUM, _PRODUCT), _between(" - ")),
        "*": (_PRODUCT, (_PRODUCT, _PRODUCT), _between("·")),
        "/": (_PRODUCT, (_PRODUCT, _POWER), _between(" / ")),
        "^": (_POWER, (_ATOM, _ATOM), _between("^")),
        "sqrt": (_ATOM, (_ATOM,), "√{}".format),
        "exp": (_POWER, (_ATOM,), "e^{}".format),
        "ln": (_ATOM, (_ANY,), "ln({})".format),
        "-ln": (_SIGNED, (_ANY,), "-ln({})".format),
        "tanh": (_ATOM, (_ANY,), "tanh({})".format),
        "sin": (_ATOM, (_ANY,), "sin({})".format),
        "cos": (_ATOM, (_ANY,), "cos({})".format),
        "=": (_ATOM, (_ANY, _ANY), "[{} = {}]".format),
    },
)
LATEX = Notation(
    _element_in_latex,
    lambda number: re.sub("e([+-])", r"\\mathrm{e}{\1}", number.replace("inf", r"\infty")),  # 1.31e-08 is no difference
    "-",
    "({})",
    {
        "+": (_SUM, (_SUM, _PRODUCT), _long_sum),
        "-": (_SUM, (_SUM, _PRODUCT), _between(" - ")),
        "*": (_PRODUCT, (_PRODUCT, _PRODUCT), _between(r" \cdot ")),
        "/": (_ATOM, (_ANY, _ANY), r"\frac{{{}}}{{{}}}".format),
        "^": (_POWER, (_ATOM, _ANY), "{}^{{{}}}".format),
        "sqrt": (_ATOM, (_ANY,), r"\sqrt{{{}}}".format),
        "exp": (_POWER, (_ANY,), "e^{{{}}}".format),
        "ln": (_ATOM, (_ANY,), r"\ln\left({}\right)".format),
        "-ln": (_SIGNED, (_ANY,), r"-\ln\left({}\right)".format),
        "tanh": (_ATOM, (_ANY,), r"\tanh\left({}\right)".format),
        "sin": (_ATOM, (_ANY,), r"\sin\left({}\right)".format),
        "cos": (_ATOM, (_ANY,), r"\cos\left({}\right)".format),
        "=": (_ATOM, (_ANY, _ANY), "[{} = {}]".format),
    },
)
MATHML = Notation(
    _element_in_mathml,
    lambda number: f"<mn>{number.replace('-', '−').replace('inf', '∞')}</mn>",
    "<mn>−",
    "<mo>(</mo>{}<mo>)</mo>",
    {
        "+": (_SUM, (_SUM, _PRODUCT), _between(f'{BREAK}<mo form="infix">+</mo>')),
        "-": (_SUM, (_SUM, _PRODUCT), _between(f'{BREAK}<mo form="infix">−</mo>')),
        "*": (_PRODUCT, (_PRODUCT, _PRODUCT), _between("<mo>·</mo>")),
        "/": (_FRACTION, (_ANY, _ANY), _fraction(40)),  # so many fit everywhere
        "^": (_POWER, (_ATOM, _ANY), _in_one("<msup><mrow>{}</mrow><mrow>{}</mrow></msup>")),
        "sqrt": (_ATOM, (_ATOM,), "<mo>√</mo>{}".format),
        "exp": (_POWER, (_ANY,), _in_one("<msup><mi>e</mi><mrow>{}</mrow></msup>")),
        "ln": (_ATOM, (_ANY,), "<mi>ln</mi><mo>(</mo>{}<mo>)</mo>".format),
        "-ln": (_SIGNED, (_ANY,), "<mo>−</mo><mi>ln</mi><mo>(</mo>{}<mo>)</mo>".format),
        "tanh": (_ATOM, (_ANY,), "<mi>tanh</mi><mo>(</mo>{}<mo>)</mo>".format),
        "sin": (_ATOM, (_ANY,), "<mi>sin</mi><mo>(</mo>{}<mo>)</mo>".format),
        "cos": (_ATOM, (_ANY,), "<mi>cos</mi><mo>(</mo>{}<mo>)</mo>".format),
        "=": (_ATOM, (_ANY, _ANY), "<mo>[</mo>{}<mo>=</mo>{}<mo>]</mo>".format),
    },
)

# beside a long name
NARROW = MATHML._replace(operators=MATHML.operators | {"/": (_FRACTION, (_ANY, _ANY), _fraction(24))})
LONG = 11  # signs of a name: d_cross[0,2,1] has more


def write(expression, notation, leaf):
    """The expression in one notation, with brackets where an argument binds less tightly than its place needs."""
    if not isinstance(expression, Node):
        return leaf(expression)
    _binds, (first, *later), template = notation.operators[expression.op]
    needs = [first, *(later or [first]) * len(expression.args)]
    args = []
    for argument, need in zip(expression.args, needs, strict=False):
        text = write(argument, notation, leaf)
        args.append(text if _binding(argument, text, notation) >= need else notation.bracket.format(text))
    return template(*args)


def _binding(argument, text, notation):
    """How tightly an argument binds: a number below 0 no more tightly than its sign."""
    if isinstance(argument, Node):
        return notation.operators[argument.op][0]
    return _SIGNED if text.startswith(notation.minus) else _ATOM
