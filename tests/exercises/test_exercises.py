"""Each question of the lessons: its answer, where each mistake leads, and that nothing gives the answer away."""

import re
from pathlib import Path

import nbformat
import numpy as np
import plain_model
import pytest
from questions import IDS, PROBABILITIES, QUESTIONS, RECALLED, WHOLE

import toymodel as tm
from toymodel.replies.checks import exercises

pytestmark = pytest.mark.filterwarnings("error")

UNTOUCHED = "Put your answer in place of the three dots, and run the cell again."
RIGHT, NOT_YET, UNREADABLE = "**Right.** ", "**Not yet.** ", "**I cannot read this answer.** "


def item(name):
    return exercises()[name]()


def verdict(reply):
    """What is said below the question."""
    return reply.split("\n\n", 1)[1]


def wrong(name):
    """An answer of the right form that is neither right nor one of the mistakes."""
    answer = QUESTIONS[name][0]
    number = 0.123 if name in PROBABILITIES else 77.7
    return "nothing" if isinstance(answer, str) else (np.zeros(np.shape(answer)) + number).tolist()


def far_apart(a, b, tolerance):
    if isinstance(a, str):
        return a.casefold() != b.casefold()
    return np.max(np.abs(np.subtract(a, b))) > 2 * tolerance


@pytest.fixture(params=QUESTIONS)
def name(request):
    """A question that was last answered rightly."""
    tm.check(request.param, QUESTIONS[request.param][0])
    return request.param


def test_every_question_is_in_the_table():
    assert list(exercises()) == list(QUESTIONS)


def test_a_helper_is_no_question(monkeypatch):
    def _helper():
        pass

    _helper.__module__ = "toymodel.exercises.attention"
    monkeypatch.setattr("toymodel.exercises.attention._helper", _helper, raising=False)
    assert list(exercises()) == list(QUESTIONS)


# ---- what is right, and what is wrong


def test_the_form_of_the_answer_is_told(name):
    answer, _mistakes = QUESTIONS[name]
    asked = tm.check(name).split("\n\n")[0]
    assert asked.endswith("*(a whole number)*") == (name in WHOLE)
    if name in IDS:
        assert asked.endswith("*(whole numbers in a list)*")
    elif isinstance(answer, list):
        assert asked.endswith(f"*({len(answer)} numbers in a list, each to within {item(name).tolerance})*")
    elif isinstance(answer, str):
        assert asked.endswith("*(a word)*")
    else:
        assert asked.endswith(("*(a whole number)*", f"*(a number, to within {item(name).tolerance})*"))


def test_the_right_answer_is_right_and_told_why(name):
    reply = tm.check(name, QUESTIONS[name][0])
    assert verdict(reply) == RIGHT + item(name).why and reply.right is True
    assert item(name).why.endswith(".")


def test_each_mistake_leads_where_it_says_and_is_told_what_it_is(name):
    _answer, mistakes = QUESTIONS[name]
    assert len(mistakes) == len(item(name).mistakes)
    for words, value in mistakes.items():
        (mistake,) = [it for it in item(name).mistakes if words in it]
        reply = tm.check(name, value)
        assert verdict(reply) == NOT_YET + mistake and reply.right is False


def test_the_answer_and_all_mistakes_are_more_than_two_tolerances_apart_and_of_one_form(name):
    it = item(name)
    values = [it.answer, *it.mistakes.values()]
    assert len({np.shape(value) for value in values}) == 1 and len({isinstance(value, str) for value in values}) == 1
    for i, value in enumerate(values):
        assert all(far_apart(value, other, it.tolerance) for other in values[:i]), value


def test_each_reply_is_a_sentence_of_its_own(name):
    it = item(name)
    replies = [it.question, it.why, *it.mistakes, *it.hints, UNTOUCHED]
    assert len(set(replies)) == len(replies) and len(it.hints) == 3
    assert all(
        re.match(r"[A-Z`[(-]|\d|e to|e\^|ln |sin |m̂|p =|w =|and,", reply) and reply.endswith((".", "?"))
        for reply in replies
    )


# ---- no answer is given away

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")


def gives_away(text, name):
    """Whether a text says the answer; of several numbers, all but those that are 0."""
    answer, _mistakes = QUESTIONS[name]
    if isinstance(answer, str):
        return answer.casefold() in text.casefold()
    said = [float(number.replace(",", ".")) for number in NUMBER.findall(text)]
    tolerance = max(item(name).tolerance, 0.005)
    return all(any(abs(x - it) <= tolerance for it in said) for x in np.atleast_1d(answer) if x)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_gives_an_answer_away_is_found(name):
    answer, _mistakes = QUESTIONS[name]
    shown = answer if isinstance(answer, str) else " ".join(map(plain_model.three_decimals, np.atleast_1d(answer)))
    for text in (f"It is {shown}.", f"It is {answer}."):
        assert gives_away(text, name)
    assert not gives_away("It is 77, 0 or 1000.", name)


def test_neither_question_nor_mistakes_nor_hints_give_the_answer_away(name):
    it = item(name)
    asked = "" if isinstance(it.answer, str) else it.question  # a question for a word names all that it may be
    for text in (asked, UNTOUCHED, *it.mistakes, *it.hints[:2]):
        assert not gives_away(text, name), text
    for answer in (..., None, {}, *QUESTIONS[name][1].values(), -1, wrong(name)):
        assert not gives_away(verdict(tm.check(name, answer)), name)


def test_the_third_hint_works_it_out(name):
    assert gives_away(item(name).hints[2], name)


EQUATION = re.compile(r"((?:[-+×/() ]|√|e\^|ln |\d+(?:\.\d+)?)+) = (-?\d+(?:\.\d+)?)")
PYTHON = [
    ("×", "*"),
    ("^", "**"),
    (r"√(\d+)", r"\1**0.5"),
    (r"\be\b", "2.718281828459045"),
    (r"ln ([\d.]+)", r"log(\1)"),
]


def equations(hint):
    """What is worked out in a hint, with the digits that it shows: [(left side, right side)]."""
    for left, right in EQUATION.findall(hint):
        for old, new in PYTHON:
            left = re.sub(old if len(old) > 1 else re.escape(old), new, left)
        if re.search(r"\d", left):
            yield eval(left, {"log": np.log}), float(right)


def test_a_hint_can_be_followed_with_the_digits_it_shows():
    found = [(name, *it) for name in QUESTIONS for it in equations(item(name).hints[2])]
    assert len({name for name, *_sides in found}) >= 30
    assert [it for it in found if abs(it[1] - it[2]) > 0.0015] == []


ROOT = Path(__file__).parents[2]
LESSONS = {path.stem: nbformat.read(path, as_version=4) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
LESSONS = {stem: nb for stem, nb in LESSONS.items() if int(stem[:2]) >= 1}


@pytest.mark.parametrize(
    "text", [(ROOT / "README.md").read_text(encoding="utf-8"), tm.check.__doc__], ids=["README", "doc"]
)
def test_no_example_gives_an_answer_away(text):
    examples = re.findall(r'check\("([\w.]+)", ([^)]+)\)', text)
    assert examples and not any(gives_away(answer, name) for name, answer in examples)


# ---- the questions in the lessons


def asked_in(nb):
    """[(place, cell, name)] of the cells that ask a question: one a cell, and not answered."""
    for place, cell in enumerate(nb.cells):
        if cell.cell_type == "code" and "check(" in cell.source:
            (name,) = re.fullmatch(r'tm\.check\("([\w.]+)", \.\.\.\)', cell.source).groups()
            yield place, cell, name


def test_every_question_is_asked_once():
    asked = [name for nb in LESSONS.values() for _place, _cell, name in asked_in(nb)]
    assert sorted(asked) == sorted(QUESTIONS)


@pytest.mark.parametrize("stem", LESSONS)
def test_a_lesson_asks_two_old_questions_first_and_three_to_eight_of_its_own(stem):
    """Old ones are about a lesson at least two before. (The hunt of lesson 7 comes on top.)"""
    number, _, name = stem.partition("_")
    asked = [it for _place, _cell, it in asked_in(LESSONS[stem])]
    old = [it for it in asked if it in RECALLED]
    assert asked[: len(old)] == old and len(old) == (2 if int(number) >= 3 else 0)
    assert all(RECALLED[it] <= int(number) - 2 for it in old)
    own = {*asked[len(old) :]} - {"end_to_end.smallest_change"}
    assert {it.split(".")[0] for it in own} == {name} and 3 <= len(own) <= 8


@pytest.mark.parametrize("stem", LESSONS)
def test_a_stored_question_is_the_question_and_nothing_else(stem):
    for _place, cell, name in asked_in(LESSONS[stem]):
        (output,) = cell.outputs
        assert output.data == {"text/markdown": tm.check(name), "text/plain": tm.check(name)}


@pytest.mark.parametrize("stem", LESSONS)
def test_no_output_near_a_question_shows_its_answer(stem):
    """Near is: under the same heading. (The word that is asked for is a word of the lesson.)"""
    cells, asked = LESSONS[stem].cells, list(asked_in(LESSONS[stem]))
    headings = [i for i, cell in enumerate(cells) if cell.cell_type == "markdown" and cell.source.startswith("#")]
    for place, _cell, name in asked:
        if isinstance(QUESTIONS[name][0], str):
            continue
        start = max(i for i in headings if i < place)
        end = min([i for i in headings if i > start], default=len(cells))
        others = set(range(start, end)) - {place for place, _cell, _name in asked}
        shown = str([cells[i].get("outputs") for i in others])
        numbers = [plain_model.three_decimals(x) for x in np.atleast_1d(QUESTIONS[name][0]) if x]
        assert not all(number in shown for number in numbers), name
