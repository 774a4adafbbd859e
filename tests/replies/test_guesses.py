"""`guess`: sealed until a guess is typed, then guess and truth beside each other. Nothing that is typed raises."""

import html
import re

import numpy as np
import pytest

import toymodel as tm
from toymodel.replies import guesses

t = tm.run("o gato subiu no")
SUM = tm.explain(t, "blocks.0.attn.dots", (0, 4, 2))  # 3.395
TABLE = tm.table(t, "blocks.0.attn.pattern", head=0)
HOW = "Write 0.5 or 0,5 or 1/2, with spaces between."
WHY = " Why? One sentence of your own, before you go on."
OPEN_FIRST = "Guess first: put it in place of the dots, and run the cell. Or open."


@pytest.fixture(autouse=True)
def closed(monkeypatch):
    monkeypatch.setattr(guesses, "_is_open", False)


def summary(sealed):
    """The line above the answer, and whether the answer can be read at once."""
    found = re.search(r'<details class="tm-guess"( open)?><summary[^>]*>(.*?)</summary>', sealed._repr_html_())
    return html.unescape(found[2]), bool(found[1])


@pytest.mark.parametrize("mine", [..., None])
def test_without_a_guess_it_is_sealed_and_its_line_tells_nothing(mine):
    sealed = tm.guess(mine, TABLE, SUM)
    assert summary(sealed) == (OPEN_FIRST, False)
    assert repr(sealed) == f"{TABLE!r}\n{SUM!r}"  # what nbval compares, whoever opens it
    assert TABLE._repr_html_() in sealed._repr_html_() and html.escape(SUM._repr_latex_()) in sealed._repr_html_()


@pytest.mark.parametrize(
    ("mine", "truth", "said"),
    [
        (2, None, "You said 2, it is 3.395: off by 1.395." + WHY),
        ("3,395", None, "You said 3.395, and it is."),
        (3.4, None, "You said 3.4; rounded, it is. With three decimals: 3.395."),
        ("1/2", 0.5, "You said 0.500, and it is."),
        (-np.inf, -np.inf, "You said -inf, and it is."),
        (0, -np.inf, "You said 0, it is -inf: off by inf." + WHY),
        (6, 2, "You said 6, it is 2: off by 4." + WHY),
        (50257, 50257, "You said 50,257, and it is."),
        ("gato", "␣gato", "You said gato, and it is."),
        ("muro", "␣gato", "You said muro; it is ␣gato." + WHY),
        ([1, 2], [1, 3], "Of 2, 1 is right." + WHY),
        ([[1, 0], [0, 1]], np.eye(2), "Of 4, 4 are right."),
        ([0.36, 0.6], [0.363, 0.637], "Of 2, 2 are right."),
        ([0.37, 0.64], [0.363, 0.637], "Of 2, 1 is right." + WHY),
        (["a", "b"], ["a", "c"], "Of 2, 1 is right." + WHY),
    ],
    ids=str,
)
def test_a_guess_stands_beside_the_truth_and_opens_the_answer(mine, truth, said):
    sealed = tm.guess(mine, SUM, truth=truth)
    assert summary(sealed) == (said, True) and repr(sealed) == repr(SUM)


@pytest.mark.parametrize(
    ("mine", "truth", "said"),
    [
        (
            "roof",
            3.4,
            "I cannot read this guess. `roof` is not a number. Write 0.5 or 0,5 or 1/2, with spaces between.",
        ),
        ([1, 2], 3.4, "I cannot read this guess. One number is asked for."),
        (1, [1, 2], "I cannot read this guess. 2 numbers are asked for, in a list."),
        (5, "a", "I cannot read this guess. A word in quotation marks is asked for."),
        ("a", ["a", "b"], "I cannot read this guess. 2 words in a list are asked for."),
        (["a", 1], ["a", "b"], "I cannot read this guess. 2 words in a list are asked for."),
    ],
    ids=str,
)
def test_a_guess_of_another_kind_is_told_so_and_what_is_sealed_stays_sealed(mine, truth, said):
    assert summary(tm.guess(mine, TABLE, truth=truth)) == (said, False)


class Nasty:
    def __repr__(self):
        raise RuntimeError

    __str__ = __array__ = __float__ = __repr__


ANYTHING = [Nasty(), {}, [], "", "<b>", 10**400, np.array(None), [[1], [1, 2]], True, b"x"]


@pytest.mark.parametrize("place", range(len(ANYTHING)))
@pytest.mark.parametrize("truth", [None, 1.5, "word", [1, 2], ["a", "b"]], ids=str)
def test_nothing_that_is_typed_raises_or_goes_unescaped_into_the_page(place, truth):
    page = tm.guess(ANYTHING[place], "shown", truth=truth)._repr_html_()
    assert "<b>" not in page and len(page) < 2_000


def test_of_two_sums_neither_is_the_truth():
    assert summary(tm.guess(1, SUM, SUM)) == ("You said 1. Compare:", True)
    assert summary(tm.guess("up", TABLE)) == ("You said up. Compare:", True)


def test_what_has_neither_html_nor_a_formula_is_set_as_text():
    assert "<pre>a &lt; b</pre>" in tm.guess(..., "a < b")._repr_html_()


def test_one_call_opens_all_for_a_class():
    said = tm.open_guesses()
    assert "details.tm-guess" in said._repr_html_() and "open from now on" in repr(said)
    assert summary(tm.guess(..., TABLE)) == (OPEN_FIRST, True)


def test_a_view_or_a_figure_stands_below_in_an_output_of_its_own(monkeypatch):
    made = []
    monkeypatch.setattr("IPython.display.display", lambda it, raw=False: made.append((it, raw)))
    view = tm.views.Hello()
    sealed = tm.guess(..., SUM, view)
    sealed._ipython_display_()
    ((bundle, raw), (below, _raw)) = made
    assert raw and below is view
    assert bundle == {"text/plain": repr(SUM), "text/html": sealed._repr_html_()} and "Hello" not in str(bundle)
    with pytest.raises(NotImplementedError):  # what draws nothing by itself is a result like any other
        tm.guess(..., SUM)._ipython_display_()


def test_a_decimal_comma_is_pointed_out_and_the_answer_stays_sealed():
    assert summary(tm.guess(2, 49, TABLE)) == ("In Python a comma parts two numbers: write 2.49, not 2,49.", False)
    assert summary(tm.guess(2, 49))[1] is False
