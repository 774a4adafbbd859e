"""Every written-out sum as it is printed, read as arithmetic and worked out: text, LaTeX and MathML.

That proves the sentence as it is read, its brackets and signs included.
"""

import itertools
import math
import re
from functools import cache
from xml.etree import ElementTree

import numpy as np
import plain_model
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_sums import WIRED, assert_equal, run, sums

import toymodel as tm
from toymodel.core.expression import Node, Number
from toymodel.models import worked_example
from toymodel.reading.notation import BREAK, LATEX, MATHML, TEXT, write

pytestmark = pytest.mark.filterwarnings("error")

t0 = tm.run("o gato subiu no")
draw = np.random.RandomState(0).standard_normal
MATRICES = [draw((3, 4)), draw((4, 2)), draw((4, 2)), draw((4, 3))]
RUNS = {
    "as it is": t0,
    "four heads, no mask, T = 3": run(n_heads=4, causal=False, temperature=3),
    "wired, T = 0.5": run(replace=WIRED, temperature=0.5),
    "attend": tm.attend(*MATRICES, causal=True),
    "attend, no mask": tm.attend(*MATRICES),
    "an encoder": worked_example.encoded(),
    "a decoder": worked_example.decoded("hola"),
    "a name": tm.names.run("an"),
}


# ---- each notation, brought to a form that Python nearly reads


def plain_text(line):
    return re.sub(r"√([\w.]+)", r"sqrt(\1)", line).replace("√", "sqrt")


MARKUP = {  # in this order
    r"\\mathrm\{e\}\{([+-])\}": r"e\1",
    **{r"\\hat\{s\}": "ŝ", "''": "″", "'": "′", r"\\mathrm\{([\w,]+)\}": r"\1", r"_\{([\w,]+)\}": r"_\1"},
    **{r"\\begin\{aligned\}&": "(", r"\\end\{aligned\}": ")", r"\\\\ &": " ", r"\\left|\\right": "", r"\\cdot": "·"},
    **{r"\\frac": "over", r"\\(sqrt|ln|tanh|sin|cos)": r"\1", r"\\infty": "∞", r"\{": "(", r"\}": ")"},
}


def plain_latex(line):
    for marked, meant in MARKUP.items():
        line = re.sub(marked, meant, line)
    return line


ROW = {"mrow", "mtd", "mtr", "mtable"}  # a table is a sum in rows
OF_TWO = {"msub": "{}_{}", "msup": "{}^({})", "mfrac": "(({}) / ({}))"}


def plain_mathml(line):
    return plain_text(read_mathml(ElementTree.fromstring(f"<mtd>{line.replace(BREAK, '')}</mtd>")))


def read_mathml(element):
    """Strictly: no other elements than these, no attributes, and as many children as MathML wants."""
    assert element.attrib in ({}, {"form": "infix"}) and not (element.tail or "").strip()
    if element.tag in ("mi", "mn", "mo", "mtext"):
        assert not len(element) and element.text
        return f" {element.text} " if element.tag == "mo" and element.text not in "()[]√" else element.text
    assert not (element.text or "").strip()
    children = list(map(read_mathml, element))
    if element.tag in OF_TWO:
        assert len(children) == 2
        return OF_TWO[element.tag].format(*children)
    assert element.tag in ROW, element.tag
    return "".join(children)


# ---- all lines of a sum: the element's name, the line with names, and those with numbers


def lines_of_text(s):
    (name, first), *later = [line.split("= ", 1) for line in s.text.splitlines() if "= " in line]
    again = [name] if s.key == "exp_logits" else []  # e^z[0,1] is a name that says how it is worked out
    return map(plain_text, [name, *again, first, *(right for _left, right in later)])


def lines_of_latex(s):
    body = s.latex.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    lines = re.split(r"\\\\(?:\[\w+\])?\n", body)
    (name, first), *later = [line.split("&= ", 1) for line in lines if "&= " in line]
    return map(plain_latex, [name, first, *(right for _left, right in later)])


def lines_of_mathml(s):
    name, lines = s.mathml
    return [plain_mathml(name), *(plain_mathml("".join(parts)) for parts in lines)]


# ---- working it out

MEANING = {name: getattr(math, name) for name in ("e", "pi", "inf", "sqrt", "tanh", "sin", "cos")} | {
    "ln": math.log,
    "over": lambda a: lambda b: a / b,  # \frac{a}{b} reads over(a)(b)
}
SIGNS = {"[": "(", "]": ")", " = ": " == ", "^": "**", "·": "*", "−": "-", "π": "pi", "∞": "inf"}


def work_out(line, **known):
    for sign, meant in SIGNS.items():
        line = line.replace(sign, meant)
    worked = eval(line, {"__builtins__": {}}, MEANING | known)
    is_real = abs(worked.imag) < 1e-9  # (-2.5)^(e^(ln(2))) is complex by a hair: its exponent is not quite 2
    return float(worked.real if is_real else worked)


@cache
def names(t):
    """The step behind each symbol, and a pattern that finds elements."""
    keys = {t.about(key).symbol: key for key in [*t.keys(), *t.weights]}
    assert len(keys) == len(t.keys()) + len(t.weights), "each has a symbol of its own"
    symbols = sorted(keys.keys() - {"e^z"}, key=len, reverse=True)  # e^z is read as e to the power of z
    return keys, re.compile(rf"({'|'.join(map(re.escape, symbols))})\[([\d,]+)\]")


def look_up(line, t, **known):
    """The number that a line says, its elements looked up in the trace: `q[0,4,1]` is at('blocks.0.attn.q', 0,4,1)."""
    keys, elements = names(t)
    line = elements.sub(lambda found: f"at({keys[found[1]]!r}, {found[2]})", line)
    return work_out(line, at=lambda key, *index: float(t.array(key).value[index]), **known)


def assert_reads(s, t):
    """Name and line with names give the number, lines with numbers about it; and all notations say the same."""
    text, latex, mathml = (
        [look_up(line, t, L=s.value) for line in lines(s)] for lines in (lines_of_text, lines_of_latex, lines_of_mathml)
    )
    assert text == latex == mathml, s.text
    name, first, *later = text
    assert_equal(name, s.value, s.text)
    if s.inputs:
        assert_equal(first, s.value, s.text)
    for value in later:
        assert value == s.value or abs(value - s.value) < 0.006 * max(1, abs(s.value)), s.text


@pytest.mark.parametrize("case", RUNS)
def test_every_line_of_every_sum_read_as_arithmetic_gives_the_number(case):
    t = RUNS[case]
    for s in sums(t, [*t.keys(), *t.weights]):
        assert_reads(s, t)


@pytest.mark.parametrize("temperature", [0, 0.0625, 0.0004])
def test_a_temperature_is_printed_so_that_it_can_be_calculated_with(temperature):
    t = run(temperature=temperature, replace={"logits": np.linspace(0, 3 * temperature, 12)})
    for s in sums(t, ["probs"]):
        for lines in (lines_of_text, lines_of_latex, lines_of_mathml):
            _name, first, *_numbers = lines(s)
            assert_equal(look_up(first, t), s.value, s.text)


@pytest.mark.parametrize("weights", [None, plain_model.random_weights(0, spread=300)], ids=["toy", "huge"])
@pytest.mark.parametrize("target", ["iu", None])
def test_the_printed_loss_read_as_arithmetic_gives_the_loss(target, weights):
    t = run(weights=weights)
    assert_reads(tm.explain(tm.gradients(t, target), "loss"), t)


# ---- on paper: from the digits that are printed


def unit(text):
    """One more in the last digit of a shown number; of an exact 0, and of infinity, a thousandth."""
    number, _e, power = text.partition("e")
    return 10.0 ** (int(power or 0) - (len(number.partition(".")[2]) or 3))


def assert_can_be_followed(s):
    """Each line of numbers, worked out as it is printed, gives what the last line says, to 1.5 of its last digit."""
    _name, _names, *numbers = lines_of_text(s)
    for line in numbers:
        found, said = work_out(line), float(numbers[-1])
        assert found == said or abs(found - said) <= 1.500001 * unit(numbers[-1]), s.text


@pytest.mark.parametrize("case", RUNS)
def test_every_sum_can_be_followed_on_paper(case):
    for s in sums(RUNS[case]):
        assert_can_be_followed(s)


@pytest.mark.parametrize("target", ["␣telhado", None])
def test_every_derivative_can_be_followed_on_paper(target):
    g = tm.gradients(t0, target)
    for key in ("loss", *g):
        shape = () if key == "loss" else g[key].shape
        for index in np.ndindex(shape):
            assert_can_be_followed(tm.explain(g, key, index))


@pytest.mark.parametrize(
    ("key", "index", "line"),
    [
        ("blocks.0.attn.scores", (0, 4, 2), "= 3.395 / 1.414\n"),  # three decimals do
        ("probs", (4, 6), "e^"),
    ],
)
def test_no_more_digits_than_it_takes(key, index, line):
    assert line in tm.explain(t0, key, index).text


# ---- any expression, with brackets where they are needed

LEAVES = st.sampled_from(["-2.5", "-1.000", "0.500", "2", "3.000"]).map(lambda text: Number(float(text), text))


def deeper(inner):
    """Expressions made of others. (A root only of a number or a sum: in the text, √√2 would be hard to read here.)"""
    long_sum = st.builds(Node, st.just("+"), inner, inner, inner)
    with_two = [st.builds(Node, st.just(op), inner, inner) for op in "+-*/=^"]
    with_one = [st.builds(Node, st.just(op), inner) for op in ("exp", "ln", "-ln", "tanh", "sin", "cos")]
    return st.one_of(long_sum, *with_two, *with_one, st.builds(Node, st.just("sqrt"), LEAVES | long_sum))


ALL = (TEXT, LATEX, MATHML)
NOTATIONS = {"text": (TEXT, plain_text), "LaTeX": (LATEX, plain_latex), "MathML": (MATHML, plain_mathml)}


@pytest.mark.parametrize("how", NOTATIONS)
@settings(max_examples=500, deadline=None)
@given(expression=st.recursive(LEAVES, deeper, max_leaves=6))
def test_any_expression_reads_as_it_was_meant(how, expression):
    notation, plain = NOTATIONS[how]
    try:
        value = expression.value
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):  # there is none, or none that is real
        assume(False)
    assume(isinstance(value, float) and abs(value) < 1e9)
    line = write(expression, notation, lambda leaf: notation.number(leaf.text))
    assert work_out(plain(line)) == pytest.approx(value, rel=1e-9, abs=1e-9), line


MINUS, HALF, THREE = Number(-2, "-2.000"), Number(0.5, "0.500"), Number(3, "3.000")
BRACKETS = {  # in text; and how many pairs where a fraction has a bar and a power is raised
    "3.000 - (0.500 + 3.000)": (Node("-", THREE, Node("+", HALF, THREE)), 1),
    "0.500 + 3.000 - 3.000": (Node("-", Node("+", HALF, THREE), THREE), 0),
    "0.500 + (-2.000)": (Node("+", HALF, MINUS), 1),
    "-2.000 + 0.500": (Node("+", MINUS, HALF), 0),
    "(-2.000)·(-2.000)": (Node("*", MINUS, MINUS), 2),
    "(0.500 + 3.000)·3.000": (Node("*", Node("+", HALF, THREE), THREE), 1),
    "(-2.000)^3.000": (Node("^", MINUS, THREE), 1),
    "0.500^(-2.000)": (Node("^", HALF, MINUS), 0),
    "e^(-2.000)": (Node("exp", MINUS), 0),
    "3.000 / (0.500·3.000)": (Node("/", THREE, Node("*", HALF, THREE)), 0),
    "(-2.000) / (0.500 - 3.000)": (Node("/", MINUS, Node("-", HALF, THREE)), 0),
    "√(0.500 + 3.000)": (Node("sqrt", Node("+", HALF, THREE)), 0),
    "0.500 + (-ln(3.000))": (Node("+", HALF, Node("-ln", THREE)), 2),
    "tanh(-2.000)·3.000": (Node("*", Node("tanh", MINUS), THREE), 1),
}


@pytest.mark.parametrize("text", BRACKETS)
def test_brackets_stand_where_they_are_needed_and_nowhere_else(text):
    expression, pairs = BRACKETS[text]
    as_text, latex, mathml = (write(expression, it, lambda leaf, it=it: it.number(leaf.text)) for it in ALL)
    assert as_text == text
    assert latex.count("(") == latex.count(")") == pairs
    of_roots = mathml.count("<mo>√</mo><mo>(</mo>")  # no bar stands over them
    assert mathml.count("<mo>(</mo>") == mathml.count("<mo>)</mo>") == pairs + of_roots


# ---- what the lines say


def test_the_last_line_is_the_number_as_it_is_shown_everywhere():
    for s in sums(t0):
        shown = plain_model.three_decimals(s.value)
        assert s.text.replace("hidden: the key comes after the query", "").strip().endswith(f"= {shown}")
        assert lines_of_mathml(s)[-1] == shown.replace("inf", "∞").replace("-", "−")


def test_no_line_of_a_sum_is_said_twice():
    for s in sums(t0):
        lines = [side.strip() for line in s.text.splitlines() for side in line.split(" = ", 1) if side.strip()]
        assert len(set(lines)) == len(lines), s.text
        rows = lines_of_mathml(s)
        assert len(set(rows)) == len(rows), s.mathml


@pytest.mark.parametrize("case", ["as it is", "wired, T = 0.5", "attend"])
def test_no_two_signs_meet_and_zero_has_none(case):
    for s in sums(RUNS[case]):
        mathml = [line.replace("−", "-") for line in lines_of_mathml(s)]
        for line in (s.text, s.latex.replace(r"\cdot", "·"), *mathml):
            assert not re.search(r"[+·/^-] ?-|-0\.000|nan", line), line


@pytest.mark.parametrize("case", ["as it is", "wired, T = 0.5"])
def test_braces_balance_in_latex_and_environments_close(case):
    t = RUNS[case]
    for latex in [s.latex for s in [*sums(t), tm.explain(tm.gradients(t), "loss")]]:
        depths = list(itertools.accumulate(1 if brace == "{" else -1 for brace in re.findall("[{}]", latex)))
        assert min(depths) == depths[-1] == 0, latex
        assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}")
        assert latex.count(r"\left(") == latex.count(r"\right)")


def test_a_notebook_shows_the_formula_as_latex():
    s = tm.explain(t0, "probs", (4, 6))
    assert s._repr_latex_() == f"$\\displaystyle {s.latex}$"


def test_a_score_in_mathml():
    assert tm.explain(t0, "blocks.0.attn.scores", (0, 4, 2)).mathml == [
        "<mi>s[0,4,2]</mi>",
        [
            ["<mfrac><mrow><mi>d[0,4,2]</mi></mrow><mrow><mo>√</mo><mn>2</mn></mrow></mfrac>"],
            ["<mfrac><mrow><mn>3.395</mn></mrow><mrow><mo>√</mo><mn>2</mn></mrow></mfrac>"],
            ["<mfrac><mrow><mn>3.395</mn></mrow><mrow><mn>1.414</mn></mrow></mfrac>"],
            ["<mn>2.400</mn>"],
        ],
    ]


def test_a_line_of_mathml_breaks_between_terms_and_what_is_long_in_a_fraction_stands_in_rows():
    _name, (names_, *_numbers) = tm.explain(t0, "blocks.0.mlp.out", (4, 0)).mathml
    assert len(names_) == 8 and all(part.startswith('<mo form="infix">+</mo>') for part in names_[1:])
    _name, ((softmax,), *_numbers) = tm.explain(t0, "probs", (4, 6)).mathml
    assert softmax.count("<mtr>") == 4  # twelve powers, three in a row
    # √(2 / π) is a root of both, whatever the font: it has brackets
    root = "<mo>√</mo><mo>(</mo><mfrac><mrow><mn>2</mn></mrow><mrow><mn>π</mn></mrow></mfrac><mo>)</mo>"
    _name, ((*gelu,), *_numbers) = tm.explain(t0, "blocks.0.mlp.post", (4, 0)).mathml
    assert (
        root in "".join(gelu) and len(gelu) == 3 and "<msqrt>" not in str(tm.explain(t0, "ln_final.std", (0,)).mathml)
    )


def test_mathml_holds_nothing_that_a_reader_typed():
    """A view sets it as HTML: tokens stand in `place`, which it sets as text."""
    t = tm.run("o gato subiu no")
    t.tokens[:] = ["<b>", "&", '"', "'", "$"]
    for s in sums(t):
        assert not set(re.sub(r"</?m\w+( form=\"infix\")?>", "", str(s.mathml))) & set('<&"$'), s.mathml
    assert "<b>" in tm.explain(t, "embed", (0, 0)).place
