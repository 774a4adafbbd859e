"""Tables of embeddings: how they are drawn, what training moves, and the cosines of their rows."""

import math
import re

import numpy as np
import plain_model
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import toymodel as tm

TEXTS = ["o gato subiu no muro", "o cão subiu no muro"]


def test_a_fresh_table_is_drawn_around_0_with_a_spread_of_two_hundredths():
    draws = np.array([tm.fresh_table(seed) for seed in range(200)])
    assert draws.shape == (200, 12, 4)
    assert abs(draws.mean()) < 0.001 and abs(draws.std() - 0.02) < 0.0005


def test_the_draws_of_a_seed_are_always_the_same():
    # The first normal numbers of Python's and numpy's old generator, seed 0, times 0.02.
    assert tm.fresh_table()[0] == pytest.approx([0.035281047, 0.008003144, 0.019574760, 0.044817864], abs=1e-9)
    assert (tm.fresh_table() == tm.fresh_table(0)).all() and (tm.fresh_table(1) != tm.fresh_table(0)).all()


def test_learning_is_gradient_descent_on_each_text_in_turn():
    tables = tm.learned_tables(TEXTS, n_steps=3, learning_rate=0.2)
    assert len(tables) == 4 and (tables[0] == tm.fresh_table()).all()
    w = tm.toy_weights() | {"W_E": tm.fresh_table()}
    for expected in tables[1:]:
        for text in TEXTS:
            w["W_E"] = w["W_E"] - 0.2 * by_differences(text, w)
        np.testing.assert_allclose(expected, w["W_E"], rtol=0, atol=1e-6)


def by_differences(text, w, h=1e-5):
    """The derivative of the loss for each number of W_E, as a difference of two runs of a model written otherwise."""
    slopes = np.zeros((12, 4))
    for place in np.ndindex(12, 4):
        losses = []
        for sign in (1, -1):
            moved = w["W_E"].copy()
            moved[place] += sign * h
            ids = tm.encode(text)
            losses.append(plain_model.loss(plain_model.forward(w | {"W_E": moved}, ids)["logits"], ids))
        slopes[place] = (losses[0] - losses[1]) / (2 * h)
    return slopes


def test_rows_that_are_not_read_stay_and_those_of_words_used_alike_become_alike():
    tables = tm.learned_tables(TEXTS)
    unread = [i for i in range(12) if i not in {*tm.encode(TEXTS[0])[:-1], *tm.encode(TEXTS[1])[:-1]}]
    assert len(tables) == 31 and len(unread) == 6
    assert (tables[30][unread] == tables[0][unread]).all()
    before, after = (tm.cosines({"cat": it[2], "dog": it[3]})["cosines"][0, 1] for it in (tables[0], tables[30]))
    assert before < 0.5 and after > 0.99


def test_the_last_bits_in_which_processors_differ_do_not_grow_into_what_is_shown(monkeypatch):
    tables = tm.learned_tables(TEXTS)
    nudged = tm.fresh_table() * (1 + 1e-14 * np.random.RandomState(1).randn(12, 4))
    monkeypatch.setattr("toymodel.learning.embeddings.fresh_table", lambda: nudged)
    apart = [abs(table - it).max() for table, it in zip(tables, tm.learned_tables(TEXTS), strict=True)]
    assert 0 < max(apart) < 1e-9


# ---- cosines


def test_cosines_by_hand():
    c = tm.cosines({"a": [3, 4], "b": [4, 3], "c": [-6, -8], "d": [-4, 3]})
    np.testing.assert_allclose(c["cosines"][0], [1, 24 / 25, -1, 0], atol=1e-15)
    assert c["vectors"].tolist() == [[3, 4], [4, 3], [-6, -8], [-4, 3]]
    assert list(tm.table(c, "cosines").index) == list(tm.table(c, "cosines").columns) == ["a", "b", "c", "d"]


def test_two_nearly_parallel_vectors_are_six_degrees_apart():
    c = tm.cosines({"hello": [1, 2, 3, 4], "world": [2, 3, 4, 5]})["cosines"][0, 1]
    assert c == pytest.approx(0.9938, abs=5e-5) and math.degrees(math.acos(c)) == pytest.approx(6.4, abs=0.05)


def test_a_cosine_is_written_out():
    s = tm.explain(tm.cosines({"a": [3, 4], "b": [4, 3]}), "cosines", (0, 1))
    assert s.text.splitlines() == [
        "cosines: vector a, other b",
        "cos[0,1] = (v[0,0]·v[1,0] + v[0,1]·v[1,1]) / (√(v[0,0]^2 + v[0,1]^2)·√(v[1,0]^2 + v[1,1]^2))",
        "         = (3.000·4.000 + 4.000·3.000) / (√(3.000^2 + 4.000^2)·√(4.000^2 + 3.000^2))",
        "         = 24.000 / 25.000",
        "         = 0.960",
    ]


SIZES = st.floats(-1e150, 1e150).filter(lambda x: x == 0 or abs(x) > 1e-150)


@settings(max_examples=200, deadline=None)
@given(arrays.arrays(float, (3, 4), elements=SIZES))
def test_any_cosine_lies_between_minus_1_and_1_and_is_that_of_plain_python(rows):
    if not rows.any(axis=1).all():
        return
    t = tm.cosines(dict(zip("abc", rows, strict=True)))
    c = t["cosines"]
    assert (abs(c) <= 1).all() and (c == c.T).all()
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            lengths = math.hypot(*a), math.hypot(*b)
            expected = math.fsum((x / lengths[0]) * (y / lengths[1]) for x, y in zip(a, b, strict=True))
            assert c[i, j] == pytest.approx(expected, abs=1e-12)
            assert tm.explain(t, "cosines", (i, j)).expression.value == pytest.approx(expected, abs=1e-12)


BAD = {
    "a list": ([[1, 2], [3, 4]], "vectors must be a dict: names, each with a row of numbers."),
    "nothing": ({}, "vectors must be a dict: names, each with a row of numbers."),
    "rows of two lengths": ({"a": [1, 2], "b": [1]}, "vectors must be a rectangle of numbers of shape (any, any)."),
    "words": ({"a": ["x", "y"]}, "vectors must be a rectangle of numbers of shape (any, any)."),
    "not finite": ({"a": [1, np.nan]}, "vectors must be finite; at (0, 1) it is nan."),
    "too large": ({"a": [1e200, 1]}, "these numbers lead to others that are larger than float64 can hold."),
    "too small": ({"a": [1e-200, 0]}, "`a` has no number other than 0, or hardly: it points nowhere."),
    "zeros": ({"a": [1, 2], "b": [0, 0]}, "`b` has no number other than 0, or hardly: it points nowhere."),
}


NO_TEXTS = {
    "a text": ("o gato", "texts must be a list of sentences, not 'o gato'."),
    "a number": (5, "texts must be a list of sentences, not 5."),
    "a number in an array": (np.array(2), "texts must be a list of sentences, not array(2)."),
    "no text": ([], "there must be at least one text to learn from."),
    "one token": (["o gato", " gato"], "` gato` is one token: without a next one, there is nothing to learn."),
    "numbers": ([5], "the text must be a string, not int."),
}


@pytest.mark.parametrize("what", NO_TEXTS)
@pytest.mark.parametrize("n_steps", [0, 2])
def test_learning_needs_a_list_of_texts(what, n_steps):
    texts, message = NO_TEXTS[what]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        tm.learned_tables(texts, n_steps)


@pytest.mark.parametrize("n_steps", [2.5, -1, True, None, "3", 1001, 10**5000], ids=lambda it: str(type(it)))
def test_learning_needs_a_number_of_steps(n_steps):
    with pytest.raises(ValueError, match=r"^n_steps must be a whole number from 0 to 1,000, not "):
        tm.learned_tables(["o gato"], n_steps)


def test_texts_may_come_one_by_one():
    tables = tm.learned_tables(iter(TEXTS), n_steps=2)
    assert (tables[2] == tm.learned_tables(TEXTS, n_steps=2)[2]).all()


@pytest.mark.parametrize("seed", [None, 0.5, "x", -1, [], 2**32])
def test_what_is_no_seed_draws_no_table(seed):
    with pytest.raises(ValueError, match=r"^seed must be a whole number from 0 to 4294967295, not "):
        tm.fresh_table(seed)


@pytest.mark.parametrize("what", BAD)
def test_what_has_no_cosine_is_refused_in_a_sentence(what):
    vectors, message = BAD[what]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        tm.cosines(vectors)
