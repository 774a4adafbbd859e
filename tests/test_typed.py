"""What a reader types, as numbers: what is understood, what is refused, and in which words."""

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from toymodel.typed import matrix, number, numbers, written

pytestmark = pytest.mark.filterwarnings("error")


def exactly(message):
    return f"^{re.escape(message)}$"


# ---- one number

ONE = {
    **{"3": 3, "-3": -3, "+3": 3, "007": 7, "0": 0, " 4\n": 4},
    **{"0.395": 0.395, "0,395": 0.395, "2,5": 2.5, ".5": 0.5, "-.5": -0.5, "1.": 1, "1,": 1},
    **{"−0.5": -0.5, "−0,5": -0.5, "1/−2": -0.5},
    **{"1/2": 0.5, "-1/2": -0.5, "1/-2": -0.5, " 3 / 4 ": 0.75, "0,5/0.25": 2, "0/3": 0, "1/3": 1 / 3},
    **{"1e3": 1000, "1E-2": 0.01, "1,5e+2": 150, "1e-999": 0, "1/1e999": 0},
    **{"٣": 3},  # a digit is a digit
}


@pytest.mark.parametrize("text", ONE)
def test_a_number_may_be_typed_in_many_ways(text):
    assert number(text) == ONE[text] and type(number(text)) is float


NO_NUMBERS = [
    *["", " ", "x", "½", "²", "0x1f", "1_0", "1 2", "1-2", "--1", "+-1", "- 1", "−", "1e", "e3", "1e2.5", ",5"],
    *[".", "1,2,3", "1.000,5", "1,000.5", "1.2.3", "1//2", "1/2/3", "/2", "1/", "1/x", "(1)", "[1]", "π", "√2"],
    *["50%", "nan", "inf", "-inf", "Infinity", "∞", "None", "1j", "😀"],
]
INVISIBLE = {"\ud800": r"\ud800", "\u202e1": r"\u202e1", "1\x002": r"1\u00002"}  # how it is quoted


@pytest.mark.parametrize("text", [*NO_NUMBERS, *INVISIBLE], ids=ascii)
def test_what_is_no_number_is_quoted_and_told_how_to_write_one(text):
    how = "Write 0.5 or 0,5 or 1/2, with spaces between."
    with pytest.raises(ValueError, match=exactly(f"`{INVISIBLE.get(text, text.strip())}` is not a number. {how}")):
        number(text)


@pytest.mark.parametrize("text", ["1/0", "0/0", "1/0,0", "1e999", "-1e999", "1/1e-999", "1e308/1e-308"])
def test_what_is_not_finite_is_refused(text):
    with pytest.raises(ValueError, match=exactly(f"`{text}` is not a finite number.")):
        number(text)


def test_only_the_beginning_of_a_long_text_is_quoted():
    with pytest.raises(ValueError, match=exactly(f"`{'x' * 40}` is not a number.")[:-1]):
        number("x" * 40)
    with pytest.raises(ValueError, match=f"^`{'x' * 40}…` is not a number"):
        number("x" * 41)
    with pytest.raises(ValueError, match=f"^`{'9' * 40}…` is not a finite number"):
        number("9" * 400)


# ---- a row

ROWS = {
    "spaces": ("1 0,5 -2", [1, 0.5, -2]),
    "other blanks": ("1\t0.5\u00a0−2\n", [1, 0.5, -2]),
    "a list": ("[1, 0.5, -2]", [1, 0.5, -2]),
    "a list without spaces": ("[1,0.5,-2]", [1, 0.5, -2]),
    "a list of whole numbers": ("[1,2]", [1, 2]),
    "a tuple": ("(1, 2)", [1, 2]),
    "as numpy prints": ("[ 1.   0.5 -2. ]", [1, 0.5, -2]),
    "semicolons": ("1; 0,5;-2", [1, 0.5, -2]),
    "commas and spaces": ("1, 0.5, -2", [1, 0.5, -2]),
    "decimal commas, then commas": ("1,5, 2,5", [1.5, 2.5]),
    "points, then commas": ("1.5,2.5", [1.5, 2.5]),
    "points in some, then commas": ("1.5,2,3", [1.5, 2, 3]),
    "one decimal comma": ("1,2", [1.2]),
    "a comma at the end": ("1, 2,", [1, 2]),
    "decimal commas and one at the end": ("1,5, 2,5,", [1.5, 2.5]),
    "fractions": ("1/2 -1/4", [0.5, -0.25]),
    "fractions with spaces": ("1 / 2 3 /4", [0.5, 0.75]),
    "fractions in a list": ("[1/2, 1/4]", [0.5, 0.25]),
    "nothing": (" ; ", []),
    "an empty list": ("[ ]", []),
}


@pytest.mark.parametrize("how", ROWS)
def test_a_row_may_be_typed_in_many_ways(how):
    text, row = ROWS[how]
    assert numbers(text) == row


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("1 x 2", "x"), ("1,2,3", "1,2,3"), ("1,,2", "1,,2"), ("1 - 2", "-"), ("{1 2}", "{1"), ("[1, a]", "a")],
)
def test_the_word_of_a_row_that_is_no_number_is_quoted(text, quoted):
    with pytest.raises(ValueError, match=f"^`{re.escape(quoted)}` is not a number"):
        numbers(text)


# ---- a matrix

SAME = [
    *["1 0.5\n-2 3", "1 0,5\n−2 3", "\n 1  1/2 \r\n\n-2 3\n\n", "1, 0.5\n-2, 3", "1.0,0.5\n-2.0,3.0", "1 0,5; -2 3"],
    *["[[1, 0.5], [-2, 3]]", "[[1,0.5],[-2,3]]", "[ [1, 0.5],\n  [-2, 3] ]", "[[ 1.   0.5]\n [-2.   3. ]]"],
    *["[1, 0.5]\n[-2, 3]", "(1, 0.5)\n(-2, 3)", "[[1, 0.5],\n [-2,\n 3]]", "((1, 0.5), (-2, 3))", "[1, 0.5], [-2, 3]"],
    *["[1, 0.5]; [-2, 3]", "[1 0.5; -2 3]", "[(1, 0.5), (-2, 3)]"],
]


@pytest.mark.parametrize("text", SAME)
def test_a_matrix_may_be_typed_in_many_ways(text):
    typed = matrix(text, "X")
    assert typed.dtype == float and typed.tolist() == [[1, 0.5], [-2, 3]]


@pytest.mark.parametrize(
    ("text", "shape"), [("7", (1, 1)), ("1 2 3", (1, 3)), ("1\n2\n3", (3, 1)), ("[[1, 2]]", (1, 2)), ("1,2", (1, 1))]
)
def test_a_matrix_may_be_a_row_or_a_column(text, shape):
    assert matrix(text, "X").shape == shape


EMPTY = "W_Q is empty: write a line of numbers for each row."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *[(text, EMPTY) for text in ("", " \n ", "[[]]", "[]", ";")],
        ("1 2\n3", "W_Q: row 0 is 2 long, row 1 is 1 long."),
        ("1\n2\n\n3 4", "W_Q: row 0 is 1 long, row 2 is 2 long."),
        ("[[1, 2], [3]]", "W_Q: row 0 is 2 long, row 1 is 1 long."),
        ("1 a\n2 b", "W_Q: `a` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between."),
        ("1 1/0", "W_Q: `1/0` is not a finite number."),
        ("{x}", "W_Q: `{x}` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between."),
    ],
)
def test_a_matrix_that_is_none_is_refused_by_its_name(text, message):
    with pytest.raises(ValueError, match=exactly(message)):
        matrix(text, "W_Q")


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=300, deadline=None)
@given(arrays.arrays(float, arrays.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=FINITE))
@example(np.array([[-0.0, 0.1 + 0.2, np.finfo(float).max, np.finfo(float).tiny]]))
def test_what_is_written_or_printed_reads_as_it_was(array):
    for text in (written(array), written(array.tolist()), str(array.tolist())):
        np.testing.assert_array_equal(matrix(text, "X"), array)


def test_a_matrix_is_written_as_it_would_be_typed():
    assert written([[1, 0.5], [0.1, -2]]) == written(np.array([[1, 0.5], [0.1, -2]])) == "1 0.5\n0.1 -2"
    assert written([[1e300, 0.00001]]) == "1e+300 1e-05"


NO_MATRICES = [5, None, "ab", [1, 2], [[1], [2, 3]], [["a"]], {1}, object(), [[1j]]]


@pytest.mark.parametrize("given", NO_MATRICES, ids=lambda it: type(it).__name__)
def test_what_is_no_matrix_is_not_written(given):
    with pytest.raises((TypeError, ValueError)):
        written(given)


@settings(max_examples=500, deadline=None)
@given(st.text() | st.text(alphabet="0123456789.,/e+-−;[]() \n"))
def test_any_text_is_a_rectangle_of_finite_numbers_or_refused_by_name(text):
    try:
        typed = matrix(text, "W_K")
    except ValueError as error:
        assert str(error).startswith("W_K")
    else:
        assert typed.ndim == 2 and typed.size and np.isfinite(typed).all()
