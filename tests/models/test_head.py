"""One head on one's own matrices, against the formula in plain numpy."""

import re

import numpy as np
import pandas as pd
import pytest
from plain_head import STEPS, matrices, plain

import toymodel as tm
from toymodel.core.expression import Number

pytestmark = pytest.mark.filterwarnings("error")

WEIGHTS = ["W_Q", "W_K", "W_V"]
SHAPES = [(1, 1, 1, 1), (4, 4, 2, 3), (3, 5, 4, 1), (2, 3, 1, 4), (30, 2, 3, 2)]  # pos, d_model, d_k, d_v


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_step_is_that_of_the_formula(shape, causal):
    given = matrices(*shape)
    t, expected = tm.attend(**given, causal=causal), plain(**given, causal=causal)
    assert t.keys() == list(expected)
    for key, numbers in expected.items():
        np.testing.assert_allclose(t[key], numbers, rtol=1e-12, atol=1e-13, strict=True, err_msg=key)
    for name in WEIGHTS:
        np.testing.assert_array_equal(t[name], given[name])
    assert list(t.weights) == WEIGHTS


def test_by_hand():
    """Two tokens, both scores of the second query 0: it reads half of each value."""
    t = tm.attend([[1, 0], [0, 2]], W_Q=[[4], [0]], W_K=[[1], [0]], W_V=[[1, 0], [0, 1]], causal=True)
    assert t["dots"].tolist() == t["scores"].tolist() == [[4, 0], [0, 0]]
    assert t["masked_scores"].tolist() == [[4, -np.inf], [0, 0]]
    assert t["pattern"].tolist() == [[1, 0], [0.5, 0.5]]
    assert t["z"].tolist() == [[1, 0], [0.5, 1]]


def test_the_mask_is_off_unless_it_is_asked_for():
    given = matrices(4, 4, 2, 3)
    assert tm.attend(**given).settings == {"causal": False}
    assert np.isfinite(tm.attend(**given)["masked_scores"]).all()
    assert tm.attend(**given, causal=np.True_).settings == {"causal": True}


def test_it_is_the_head_of_the_toy():
    run = tm.run("o gato subiu no", n_heads=1)
    u = run["blocks.0.ln1.out"]
    t = tm.attend(u, *(run[f"blocks.0.attn.{name}"] for name in WEIGHTS), causal=True)
    for key in STEPS[1:]:
        np.testing.assert_allclose(t[key], run[f"blocks.0.attn.{key}"][0], rtol=1e-12, atol=1e-15, err_msg=key)


def test_lists_whole_numbers_and_tables_will_do():
    X, W = [[1, 0], [0, 1]], [[1], [2]]
    expected = tm.attend(X, W, W, W)["z"]
    for kind in (np.array, pd.DataFrame, tuple, lambda it: np.float32(it)):
        np.testing.assert_array_equal(tm.attend(kind(X), kind(W), kind(W), kind(W))["z"], expected)


def test_what_is_given_is_copied_and_what_comes_out_is_locked():
    given = matrices(4, 4, 2, 3)
    t = tm.attend(**given)
    before = {key: t[key].copy() for key in [*t, *WEIGHTS]}
    for array in given.values():
        array[...] = 7
    for key, was in before.items():
        np.testing.assert_array_equal(t[key], was)
        with pytest.raises(ValueError, match="read-only"):
            t[key][...] = 0


# ---- what it is called

NAMED = tm.attend(**matrices(4, 4, 2, 3), causal=True)
# for each step, what its axes are called, and their places
AXES = {
    **{"x": ("pos d_model", "t0t1t2t3 0123"), "q": ("pos d_k", "t0t1t2t3 01"), "k": ("pos d_k", "t0t1t2t3 01")},
    **dict.fromkeys(["v", "z"], ("pos d_v", "t0t1t2t3 012")),
    **dict.fromkeys(["dots", "scores", "masked_scores", "exp_scores", "pattern"], ("query key", "t0t1t2t3 t0t1t2t3")),
    "exp_scores_sum": ("query None", "t0t1t2t3 ΣE"),
    **dict.fromkeys(["W_Q", "W_K"], ("d_model d_k", "0123 01")),
    "W_V": ("d_model d_v", "0123 012"),
}


@pytest.mark.parametrize("key", [*STEPS, *WEIGHTS])
def test_a_table_of_a_step_has_labels_and_axes(key):
    table = tm.table(NAMED, key)
    names, places = AXES[key]
    assert f"{table.index.name} {table.columns.name}" == names
    assert " ".join("".join(map(str, labels)) for labels in (table.index, table.columns)) == places
    np.testing.assert_allclose(table.to_numpy().reshape(NAMED[key].shape), NAMED[key], atol=5.1e-4)


def test_a_run_is_told_by_its_rows_and_its_mask():
    assert NAMED.tokens == ["t0", "t1", "t2", "t3"]
    assert repr(NAMED) == "<Trace of t0 t1 t2 t3: 11 named arrays, causal=True>"


def test_an_unknown_step_suggests_those_of_the_head():
    with pytest.raises(tm.UnknownStep, match=r"Did you mean pattern\?"):
        NAMED["attention weights"]


@pytest.mark.parametrize("key", ["blocks.0.attn.q", "logits", "loss", "Z"])
def test_the_steps_of_the_toy_are_not_there(key):
    with pytest.raises(ValueError, match=r"\w"):
        NAMED[key]


NEEDS_LOGITS = [tm.gradients, tm.ranking, tm.predictions, tm.ledger, tm.lens, tm.likelihood, tm.next_probs]


@pytest.mark.parametrize("call", NEEDS_LOGITS, ids=lambda call: call.__name__)
def test_what_needs_logits_says_that_there_are_none(call):
    with pytest.raises(ValueError, match="needs the run of a model that says what comes next, not <Trace of t0 "):
        call(NAMED)


def test_its_path_has_every_step_with_its_shape():
    path = tm.path(NAMED)
    assert list(path.index) == STEPS
    assert list(path["shape"]) == [str(NAMED[key].shape) for key in STEPS]


# ---- every number written out


def worked_out(expression, t):
    if isinstance(expression, Number):
        return expression.value
    if not hasattr(expression, "op"):
        return float(t[expression.array.name][expression.index])
    args = [worked_out(it, t) for it in expression.args]
    return {
        "+": lambda: sum(args),
        "*": lambda: np.prod(args),
        "/": lambda: args[0] / args[1],
        "sqrt": lambda: args[0] ** 0.5,
        "exp": lambda: np.exp(args[0]),
    }[expression.op]()


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("key", [*STEPS, *WEIGHTS])
def test_every_element_is_what_its_sum_says(key, causal):
    given = matrices(4, 4, 2, 3)
    t = tm.attend(**given, causal=causal)
    numbers = {**plain(**given, causal=causal), **given}[key]
    for index in np.ndindex(numbers.shape):
        s = tm.explain(t, key, index)
        assert float(s) == s.value == t[key][index]
        np.testing.assert_allclose(worked_out(s.expression, t), numbers[index], rtol=1e-12, atol=1e-13)
        order = [*WEIGHTS, *STEPS]
        assert all(order.index(name) < order.index(key) for name, _index, _value in s.inputs)


INPUTS = {
    ("q", (1, 0)): {("x", (1, i)) for i in range(4)} | {("W_Q", (i, 0)) for i in range(4)},
    ("dots", (1, 3)): {("q", (1, i)) for i in range(2)} | {("k", (3, i)) for i in range(2)},
    ("scores", (1, 3)): {("dots", (1, 3))},
    ("masked_scores", (3, 1)): {("scores", (3, 1))},
    ("masked_scores", (1, 3)): set(),
    ("exp_scores", (3, 1)): {("masked_scores", (3, 1))},
    ("exp_scores_sum", (3,)): {("exp_scores", (3, j)) for j in range(4)},
    ("pattern", (3, 1)): {("masked_scores", (3, j)) for j in range(4)},
    ("z", (3, 2)): {("pattern", (3, j)) for j in range(4)} | {("v", (j, 2)) for j in range(4)},
    ("x", (0, 0)): set(),
}


@pytest.mark.parametrize("place", INPUTS, ids=str)
def test_a_sum_names_what_it_was_computed_from(place):
    assert {(key, index) for key, index, _value in tm.explain(NAMED, *place).inputs} == INPUTS[place]


def test_a_score_is_written_out():
    t = tm.attend([[1, 2]], [[1, 0, 0], [0, 1, 0]], [[1, 1, 1], [0, 0, 0]], [[1], [1]])
    assert tm.explain(t, "scores", (0, 0)).text == (
        "scores: query t0, key t0\ns[0,0] = d[0,0] / √3\n       = 3.000 / √3\n       = 3.000 / 1.732\n       = 1.732"
    )


# ---- what is refused

GOOD = {"X": np.ones((3, 2)), "W_Q": np.ones((2, 4)), "W_K": np.ones((2, 4)), "W_V": np.ones((2, 5))}
NONE = "each matrix needs at least one row and one column."


def rectangle(name):
    return f"{name} must be a rectangle of numbers of shape (any, any)."


REFUSED = {
    "a row": ({"X": [1, 2]}, "X has the shape (2,); needed is (any, any)."),
    "a number": ({"X": 3}, "X has the shape (); needed is (any, any)."),
    "a stack": ({"X": np.ones((1, 3, 2))}, "X has the shape (1, 3, 2); needed is (any, any)."),
    "an empty list": ({"X": []}, "X has the shape (0,); needed is (any, any)."),
    "no rows": ({"X": np.ones((0, 2))}, NONE),
    "no columns": ({"X": np.ones((3, 0))}, NONE),
    "no d_k": ({"W_Q": np.ones((2, 0)), "W_K": np.ones((2, 0))}, NONE),
    "no d_v": ({"W_V": np.ones((2, 0))}, NONE),
    "ragged": ({"X": [[1, 2], [3]]}, rectangle("X")),
    "nothing": ({"X": None}, rectangle("X")),
    "text": ({"X": "1 2"}, rectangle("X")),
    "letters": ({"X": [["a", "b"]]}, rectangle("X")),
    "complex": ({"X": np.ones((3, 2)) * 1j}, rectangle("X")),
    "True and False": ({"X": np.ones((3, 2)) > 0}, rectangle("X")),
    "a W_Q that is ragged": ({"W_Q": [[1], [1, 2]]}, rectangle("W_Q")),
    "a W_K that is text": ({"W_K": "1"}, rectangle("W_K")),
    "NaN": ({"X": [[1, np.nan]]}, "X must be finite; at (0, 1) it is nan."),
    "infinite": ({"X": [[1, 2], [-np.inf, 0]]}, "X must be finite; at (1, 0) it is -inf."),
    "a W_V that is NaN": ({"W_V": [[1], [np.nan]]}, "W_V must be finite; at (1, 0) it is nan."),
    "a W_Q of another height": ({"W_Q": np.ones((4, 2))}, "W_Q needs as many rows as X has columns: 2, not 4."),
    "a W_K of another height": ({"W_K": np.ones((3, 4))}, "W_K needs as many rows as X has columns: 2, not 3."),
    "a W_V of another height": ({"W_V": np.ones((1, 4))}, "W_V needs as many rows as X has columns: 2, not 1."),
    "a W_K of another width": ({"W_K": np.ones((2, 3))}, "W_K needs as many columns as W_Q: 4, not 3."),
    **{
        f"causal={it!r}": ({"causal": it}, f"causal must be True or False, not {it!r}.")
        for it in ("yes", 1, 0, None, [], 1.0, np.int64(1))
    },
    "so large that it overflows": (
        {"X": np.full((3, 2), 1e200), "W_Q": np.full((2, 4), 1e200)},
        "these numbers lead to others that are larger than float64 can hold.",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_in_a_sentence(what):
    bad, message = REFUSED[what]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        tm.attend(**{**GOOD, **bad})


def test_scores_far_apart_are_carried_through():
    t = tm.attend([[1], [-1]], [[1e150]], [[1e150]], [[1]], causal=True)
    assert t["pattern"].tolist() == [[1, 0], [0, 1]]
    assert np.isinf(t["exp_scores"]).any() and not np.isnan(t["z"]).any()
