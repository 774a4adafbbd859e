"""What is replied to an answer: what is asked, what counts as right, which hint comes; and a reply, whatever comes."""

import decimal
import fractions
import re
import unicodedata

import numpy as np
import pandas as pd
import pytest
from test_exercises import IDS, NOT_YET, PROBABILITIES, QUESTIONS, UNREADABLE, UNTOUCHED, item, verdict, wrong

import toymodel as tm
from toymodel.exercises import Item

pytestmark = pytest.mark.filterwarnings("error")

every_question = pytest.mark.parametrize("name", QUESTIONS)
NUMBERS = [name for name, (answer, _mistakes) in QUESTIONS.items() if not isinstance(answer, str)]


# ---- what is asked, and what is right


@pytest.mark.parametrize("answer", [(), (...,), (None,), ("",), (" \n",)], ids=str)
@every_question
def test_without_an_answer_the_question_is_asked(name, answer):
    reply = tm.check(name, *answer)
    assert re.fullmatch(rf"\*\*Question\.\*\* {re.escape(item(name).question)} \*\(.+\)\*\n\n{UNTOUCHED}", reply)
    assert reply.right is False


@every_question
def test_a_reply_shows_itself_as_markdown_and_prints_as_text(name):
    reply = tm.check(name)
    assert isinstance(reply, str) and repr(reply) == str(reply) == reply._repr_markdown_() == reply


FORMS = [np.array, tuple, pd.Series, pd.DataFrame, lambda row: [row], lambda row: np.array(row)[:, None]]
FORMS += [lambda row: " ".join(map(str, row)), lambda row: "; ".join(map(str, row)).replace(".", ",")]
FORMS += [str, lambda row: list(map(str, row)), lambda row: np.array(row, object), lambda row: np.float32(row)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_may_be_given_in_many_forms(name, form):
    row = np.atleast_1d(QUESTIONS[name][0]).tolist()
    assert tm.check(name, form(row)).right, form(row)


ONE = [2.5, "2.5", "2,5", " 5/2 ", "[2.5]", np.float64(2.5), np.array(2.5), np.ones((1, 1)) * 2.5, ["2,5"], ("5/2",)]
ONE += [fractions.Fraction(5, 2), decimal.Decimal("2.5"), pd.DataFrame([[2.5]]), pd.Series(["2.5"]), np.array(["2,5"])]
ONE += [2.5019, 2.4981]


@pytest.mark.parametrize("answer", ONE, ids=lambda answer: f"{type(answer).__name__} {answer}".splitlines()[0])
def test_one_number_may_be_given_in_many_forms(answer):
    assert tm.check("attention.score", answer).right


def test_a_step_of_ones_own_run_will_do_as_an_answer():
    s = tm.explain(tm.attend([[1.0]], [[5.0]], [[0.5]], [[1.0]]), "scores", (0, 0))
    assert float(s) == 2.5 and tm.check("attention.score", float(s)).right


@pytest.mark.parametrize("word", ["attention", "Attention", "ATTENTION.", " attention ", "'attention'", "␣attention"])
def test_a_word_may_be_written_with_capitals_spaces_and_a_full_stop(word):
    assert tm.check("end_to_end.between_positions", word).right


def test_an_accent_may_be_a_symbol_of_its_own(monkeypatch):
    def ground():
        return Item(
            "What is under the cat?", "chão", "It has not climbed yet.", {}, ("Look down.", "A word of the toy.")
        )

    ground.__module__ = "toymodel.exercises.attention"
    monkeypatch.setattr("toymodel.exercises.attention.ground", ground, raising=False)
    for word in ("chão", unicodedata.normalize("NFD", "chão"), "Chão."):
        assert tm.check("attention.ground", word).right
    assert not tm.check("attention.ground", "chao").right


@pytest.mark.parametrize("word", ["attentio", "attention MLP", "at tention", "attention layer"])
def test_another_word_is_another_word(word):
    assert not tm.check("end_to_end.between_positions", word).right


@pytest.mark.parametrize("name", NUMBERS)
def test_the_tolerance_is_kept_to(name):
    answer, tolerance = np.array(QUESTIONS[name][0]), item(name).tolerance
    for sign in (1, -1):
        for direction in np.eye(answer.size).reshape(-1, *answer.shape):
            assert tm.check(name, answer + 0.99 * sign * tolerance * direction).right
            assert not tm.check(name, answer + 1.01 * sign * tolerance * direction).right


ROUNDED = [("end_to_end.loss", "1,39"), ("end_to_end.loss", 1.4), ("end_to_end.layer_norm", 1.3)]
ROUNDED += [("embeddings.waves", [0.91, -0.42, 0.02, 1.0])]


@pytest.mark.parametrize(("name", "answer"), ROUNDED)
def test_what_has_too_few_decimals_is_told_so(name, answer):
    reply = tm.check(name, answer)
    assert verdict(reply).startswith("**Close.**") and not reply.right


WRONG = [
    ("attention.score", 2.52),
    ("attention.identical_keys", 3.6),
    ("attention.divisor", 7.8),
    ("end_to_end.loss", 1.3),
]
WRONG += [
    ("embeddings.cosine", 0.94),
    ("embeddings.parameters", 38_000_000),
    ("embeddings.waves", [0.91, -0.42, 0.2, 1.0]),
]


@pytest.mark.parametrize(("name", "answer"), WRONG)
def test_what_is_wrong_is_not_called_close(name, answer):
    assert "Close" not in tm.check(name, answer)


# ---- hints


@every_question
def test_there_is_a_hint_for_the_first_time_another_and_a_last_one_from_then_on(name):
    first, second, third = (NOT_YET + hint for hint in item(name).hints)
    assert tm.check(name, QUESTIONS[name][0]).right
    said = [verdict(tm.check(name, wrong(name))) for _time in range(4)]
    assert said == [first, second, third, third]
    assert tm.check(name, QUESTIONS[name][0]).right
    assert verdict(tm.check(name, wrong(name))) == first


@every_question
def test_a_mistake_and_what_cannot_be_read_use_up_no_hint(name):
    for answer in (QUESTIONS[name][0], ..., None, "", {}, *QUESTIONS[name][1].values()):
        tm.check(name, answer)
    assert verdict(tm.check(name, wrong(name))) == NOT_YET + item(name).hints[0]


@every_question
def test_only_of_a_probability_it_is_said_that_75_and_minus_1_cannot_be_one(name):
    for answer in (75, -1, 1.003):
        assert ("from 0 to 1" in tm.check(name, answer)) == (name in PROBABILITIES)
    assert "from 0 to 1" not in tm.check(name, 0) + tm.check(name, 1)
    tm.check(name, QUESTIONS[name][0])
    for answer in (75, -1, wrong(name)):
        reply = tm.check(name, answer)
    if name in PROBABILITIES:
        assert verdict(reply) == NOT_YET + item(name).hints[0], "none was used up"


def test_hints_of_one_question_are_not_those_of_another():
    first, second = "attention.score", "attention.divisor"
    for name in (first, second):
        tm.check(name, QUESTIONS[name][0])
    tm.check(first, wrong(first))
    assert verdict(tm.check(second, wrong(second))) == NOT_YET + item(second).hints[0]


# ---- whatever is answered, there is a reply


class Unwilling:
    def __array__(self, *_args, **_settings):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __eq__ = __bool__ = __iter__ = __len__ = __float__ = __repr__


class UnwillingList(list):
    def __iter__(self):
        raise RuntimeError("no")

    __array__ = __len__ = __getitem__ = __iter__


def nested(depth):
    return [nested(depth - 1)] if depth else []


LOOP = []
LOOP.append(LOOP)

GARBAGE = {
    **{
        "objects that refuse": Unwilling(),
        "a list of them": [Unwilling()],
        "a list": UnwillingList(),
        "a huge number": 10**400,
    },
    **{
        "a list of huge numbers": [10**400] * 3,
        "complex": 1j,
        "bool": True,
        "numpy's bool": np.True_,
        "dict": {"a": 1},
    },
    **{"an empty dict": {}, "function": tm.run, "class": Item, "module": tm, "ragged": [[1], [2, 3]], "set": {1}},
    **{"a generator": (i for i in range(3)), "bytes": b"1", "a date": np.datetime64("2017-06-12"), "empty": []},
    **{"an empty tuple": (), "an empty array": np.array([]), "an empty table": pd.DataFrame(), "text": np.array(["x"])},
    **{"a list of words": ["a", "b", "c"], "a column of words": pd.Series(["a"]), "words": "e to the 2"},
    **{"a list in itself": LOOP, "deep": nested(99), "a trace": tm.run("o"), "masked": np.ma.masked_all(4)},
    **{"an error": ValueError("x"), "a slice": slice(3), "NotImplemented": NotImplemented, "an expression": "2·3"},
    **{"half a pair": "\ud800", "braces": "{x} {0}", "backticks": "`` ` ``", "a long text": "x" * 10**5},
    **{"a list of None": [None, "x"], "NaN": np.nan, "infinity": -np.inf, "three NaN": [np.nan] * 3},
    **{
        "a column of NaN": pd.Series([np.nan]),
        "None among numbers": [None, 1.0, 2.0],
        "numpy's NaN": np.float64("nan"),
    },
    **{"five": [1, 2, 3, 4, 5], "a square": np.ones((2, 2)), "many": np.zeros(10**6), "five as text": "1 2 3 4 5"},
    **{"a table": tm.table(tm.run("o"), "logits"), "an empty list as text": "[]"},
}


@pytest.mark.parametrize("what", GARBAGE)
def test_whatever_is_answered_gets_a_reply(what):
    for name in QUESTIONS:
        reply = tm.check(name, GARBAGE[what])
        said = verdict(reply)
        assert reply.right is False and said.endswith((".", "?")) and len(said) < 200
        may_be_wrong = name not in NUMBERS or name in IDS
        assert said.startswith(UNREADABLE) or (may_be_wrong and said.startswith(NOT_YET))


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("attention.score", [1, 2], "One number is needed, not 2."),
        ("attention.score", "1 2 3", "One number is needed, not 3."),
        ("attention.weights", 1, "3 numbers in a list are needed, not 1."),
        ("attention.weights", [1, 2], "3 numbers in a list are needed, not 2."),
        ("attention.weights", [1, np.nan, 0], "Only finite numbers, please."),
        ("attention.score", np.inf, "Only finite numbers, please."),
        ("attention.score", {}, "There are no numbers to be found in it: it is of the type `dict`."),
        ("attention.score", [], "There are no numbers to be found in it: it is of the type `list`."),
        ("attention.weights", np.array([]), "There are no numbers to be found in it: it is of the type `ndarray`."),
        ("attention.score", (), "There are no numbers to be found in it: it is of the type `tuple`."),
        ("attention.score", True, "There are no numbers to be found in it: it is of the type `bool`."),
        ("attention.score", "five", "`five` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between."),
        ("attention.score", ["five"], "`five` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between."),
        (
            "attention.score",
            np.array(["five"]),
            "`five` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between.",
        ),
        (
            "attention.score",
            pd.Series(["five"]),
            "`five` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between.",
        ),
        ("tokenization.longest", "int o", "Ids are asked, not tokens: whole numbers in a list."),
        ("tokenization.in_order", ["in", "to"], "Ids are asked, not tokens: whole numbers in a list."),
        ("tokenization.longest", [6, np.inf], "Only finite numbers, please."),
        ("tokenization.decomposed", "4 2", "One number is needed, not 2."),
        ("end_to_end.between_positions", 3, "A word in quotation marks is needed."),
        ("end_to_end.between_positions", ["attention"], "A word in quotation marks is needed."),
    ],
)
def test_what_cannot_be_read_is_told_why(name, answer, said):
    assert verdict(tm.check(name, answer)) == UNREADABLE + said


@pytest.mark.parametrize("answer", [6, "6", [6], [6, 2, 2], "6 2 2", [[6, 2], [6, 2]], np.zeros((2, 3))], ids=str)
def test_how_many_ids_there_are_is_for_the_reader_to_find(answer):
    name = "tokenization.longest"
    tm.check(name, QUESTIONS[name][0])
    assert verdict(tm.check(name, answer)) == NOT_YET + item(name).hints[0]


@pytest.mark.parametrize("answer", ["6,2", "[6,2]", "6, 2", "6 2", (6, 2), ["6", "2"]], ids=str)
def test_between_ids_there_may_be_a_comma(answer):
    assert tm.check("tokenization.longest", answer).right


@pytest.mark.parametrize("answer", ["50 257", "50\u202f257", " 50\u00a0257 ", "50,257", "50257", 50257], ids=ascii)
def test_a_space_may_stand_before_three_digits_of_a_whole_number(answer):
    assert tm.check("tokenization.vocabulary", answer).right


NAMES = ["", "attention", "attention.", ".score", "attention.nothing", "nothing.score", "attention.score.x", "score"]
NAMES += ["Attention.score", "attention.Item", "attention.np", "attention.run", "attention.softmax", "exercises.Item"]
NAMES += [None, 3, 2.5, ..., [], {}, ["attention.score"], b"attention.score", np.ones(2), pd.DataFrame([[1, 2]]), tm]
NAMES += [np.array(["attention.score"] * 2), Unwilling()]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: type(name).__name__)
@pytest.mark.parametrize("answer", [(), (2.5,), (Unwilling(),)], ids=len)
def test_an_unknown_question_is_told_which_there_are(name, answer):
    reply = tm.check(name, *answer)
    assert reply.right is False and reply.startswith("There is no") and all(it in reply for it in QUESTIONS)


def test_a_usual_mistake_that_was_rounded_is_told_as_one():
    exact = tm.check("attention.divisor", 768**0.5)
    assert "root of d_model" in exact and tm.check("attention.divisor", 27.7) == exact
    assert "the probability itself" in tm.check("end_to_end.loss", "1/4")
    assert "**Close.**" in tm.check("end_to_end.loss", 1.39)


def test_a_decimal_comma_is_pointed_out():
    reply = tm.check("attention.score", 1, 5)
    assert reply.endswith("In Python a comma parts two numbers: write 2.49, not 2,49.") and not reply.right
