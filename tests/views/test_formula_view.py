"""The view of the formula: each of its steps against plain numpy, what is picked and used, and what is typed."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import traitlets
from drawn import assign, columns, marked, part, send, texts, written
from plain_head import matrices, plain

import toymodel as tm
from toymodel.views import Formula

NAMES = ("X", "W_Q", "W_K", "W_V")
SHAPE = (4, 3, 2, 5)  # pos, d_model, d_k, d_v
# For each step, what it draws, line by line. A number can be picked where there is a star.
LINES = {
    1: ["x*"],
    2: ["x · W_Q = q*", "X· W_K = k*", "X· W_V = v*"],
    3: ["k → k_T*"],
    4: ["q · k_T = dots*"],
    5: ["dots ÷√2 = scores*"],
    6: ["scores + M = masked_scores*"],
    7: ["masked_scores → exp_scores*", "÷ exp_scores_sum* = pattern*"],
    8: ["pattern · v = z*"],
}
LIT = {1: "", 2: "Q K  V", 3: "ᵀ", 4: "Q K ᵀ", 5: " / √d_k", 6: " + M", 7: "softmax( )", 8: " V"}
FIRST = {1: "x", 2: "q", 3: "k", 4: "dots", 5: "scores", 6: "masked_scores", 7: "pattern", 8: "z"}
BEGINS = FIRST | {3: "k_T"}  # the grid that it stands in
AXES = {
    "x": ("t", ""),
    "W_Q": ("", ""),
    "W_K": ("", ""),
    "W_V": ("", ""),
    "q": ("t", ""),
    "k": ("t", ""),
    "v": ("t", ""),
}
AXES |= {"k_T": ("", "t"), "exp_scores_sum": ("t", "ΣE"), "z": ("t", "")}  # t0, t1, t2 where there are tokens


def grids_of(view):
    return [it for line in view.state["lines"] for it in line if isinstance(it, dict)]


def outline(line):
    """What a line draws: names of grids and signs."""
    return " ".join(
        it.replace(" ", "") if isinstance(it, str) else it["name"] + "*" * it.get("pickable", 0) for it in line
    )


def numbers_of(given, causal):
    """All that is drawn, by name, from plain numpy; what is one number a row is a column."""
    numbers = plain(**given, causal=causal) | {name: np.array(given[name]) for name in NAMES[1:]}
    numbers |= {"k_T": numbers["k"].T, "M": np.where(numbers["masked_scores"] == -np.inf, -np.inf, 0.0)}
    return {name: array.reshape(len(array), -1) for name, array in numbers.items()}


def used(name, i, j, hidden, n, d_model, d_k):
    """What row i, column j of a grid is computed from, by hand: {(name, row, column)}."""

    def row_and_column(left, right, width):
        return {(left, i, k) for k in range(width)} | {(right, k, j) for k in range(width)}

    return {
        "x": set(),
        "q": row_and_column("x", "W_Q", d_model),
        "k": row_and_column("x", "W_K", d_model),
        "v": row_and_column("x", "W_V", d_model),
        "k_T": {("k", j, i)},
        "dots": row_and_column("q", "k_T", d_k),
        "scores": {("dots", i, j)},
        "masked_scores": {("M", i, j)} | (set() if hidden else {("scores", i, j)}),
        "exp_scores": {("masked_scores", i, j)},
        "exp_scores_sum": {("exp_scores", i, k) for k in range(n)},
        "pattern": {("masked_scores", i, k) for k in range(n)} | {("exp_scores", i, j), ("exp_scores_sum", i, 0)},
        "z": row_and_column("pattern", "v", n),
    }[name]


def assert_shows(view, given, causal, step, name, i, j):
    """Every number of the step is that of plain numpy, and row i, column j of the grid `name` is written out."""
    numbers, grids, state = numbers_of(given, causal), grids_of(view), view.state
    assert [outline(line) for line in state["lines"]] == [
        it.replace("√2", f"√{numbers['q'].shape[1]}") for it in LINES[step]
    ]
    for grid in grids:
        array = numbers[grid["name"]]
        assert texts(grid) == written(array), grid["name"]
        down, across = AXES.get(grid["name"], ("t", "t"))
        assert [row["label"] for row in grid["rows"]] == [f"{down}{k}" for k in range(len(array))]  # words, not tokens
        assert columns(grid) == ([across] if across == "ΣE" else [f"{across}{k}" for k in range(array.shape[1])])
        assert grid["caption"][-1] == "({} × {})".format(*array.shape)
        assert grid["full"] == pytest.approx(np.abs(array[np.isfinite(array)]).max() or 1)

    assert "".join(text for text, _lit in state["formula"]) == "softmax(QKᵀ / √d_k + M) V"
    assert " ".join(text for text, lit in state["formula"] if lit) == LIT[step]
    assert (view.causal, view.step) == (causal, step) and view.problem == ""

    assert marked(grids, "picked") == {(name, i, j)}
    hidden = causal and j > i
    assert marked(grids, "used") == used(
        name, i, j, hidden, len(numbers["x"]), numbers["x"].shape[1], numbers["q"].shape[1]
    )
    place = " ".join(map(part, state["sum"]["place"]))
    if name == "k_T":
        assert place.startswith(f"Kᵀ[{i},{j}] is K[{j},{i}]") and state["sum"] == {
            "place": [place],
            "math": ["", []],
            "note": "",
        }
        return
    index = (i, j) if name != "exp_scores_sum" else (i,)
    s = tm.explain(tm.attend(**given, causal=causal), name, index)
    assert (state["sum"]["math"], state["sum"]["note"]) == (s.mathml, s.note)
    assert place.startswith(f"{name}: ") and place.endswith("= " + written([[numbers[name][i, j]]])[0][0])


def click(view, grid, i, j):
    """Choose row i, column j of a grid, as formula.js does it."""
    send(view, result=grid["key"], row=i, column=j)


# ---- the steps


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("step", LINES)
def test_every_number_of_every_step_can_be_picked_and_is_that_of_the_formula(step, causal):
    given = matrices(*SHAPE)
    view = Formula(**given, causal=causal, step=step)
    assert_shows(view, given, causal, step, BEGINS[step], 0, 0)
    for grid in [grid for grid in grids_of(view) if grid.get("pickable")]:
        for i, row in enumerate(grid["rows"]):
            for j in range(len(row["cells"])):
                click(view, grid, i, j)
                assert_shows(view, given, causal, step, grid["name"], i, j)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (8, 8, 8, 8), (1, 3, 2, 4), (5, 1, 3, 1)], ids=str)
def test_matrices_of_any_shape_up_to_eight_by_eight_are_drawn(shape):
    given = {name: array / 2 for name, array in matrices(*shape).items()}
    view = Formula(**given, causal=True)
    for step in LINES:
        send(view, step=step)
        assert_shows(view, given, True, step, BEGINS[step], 0, 0)


def test_what_it_begins_with_has_values_of_another_width_than_keys():
    view = Formula()
    given = {name: [[float(x) for x in line.split()] for line in getattr(view, name).splitlines()] for name in NAMES}
    given = {name: np.array(rows) for name, rows in given.items()}
    assert given["W_Q"].shape[1] != given["W_V"].shape[1]
    for step in LINES:
        for causal in (False, True):
            assert_shows(Formula(step=step, causal=causal), given, causal, step, BEGINS[step], 0, 0)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    given = matrices(*SHAPE)
    view = Formula(**given)
    move(view, step=8)
    assert_shows(view, given, False, 8, "z", 0, 0)
    move(view, row=3, column=4)
    assert_shows(view, given, False, 8, "z", 3, 4)
    move(view, causal=True)
    assert_shows(view, given, True, 8, "z", 3, 4)
    move(view, step=7, result="pattern")
    assert_shows(view, given, True, 7, "pattern", 3, 3)  # there are only four columns
    given = matrices(*SHAPE, seed=1)
    move(view, **{name: str(given[name].tolist()) for name in NAMES})
    assert_shows(view, given, True, 7, "pattern", 3, 3)
    given["X"] = given["X"][:2]
    move(view, X=str(given["X"].tolist()))
    assert_shows(view, given, True, 7, "pattern", 1, 1)


@pytest.mark.parametrize("step", LINES)
@pytest.mark.parametrize("given", [(99, 99), (-5, -1), (1, -9), (2, 1)], ids=str)
def test_for_a_place_that_is_not_there_the_nearest_is_shown_and_the_place_is_remembered(step, given, monkeypatch):
    view, drawn, picture = Formula(**matrices(*SHAPE), step=step), [], Formula.picture
    monkeypatch.setattr(Formula, "picture", lambda self: drawn.append(1) or picture(self))
    send(view, row=given[0], column=given[1], result="nothing")
    assert len(drawn) == 1
    assert (view.result, view.row, view.column) == (FIRST[step], *given)
    numbers = texts(next(grid for grid in grids_of(view) if grid["name"] == BEGINS[step] and grid.get("pickable")))
    nearest = [int(np.clip(it, 0, n - 1)) for it, n in zip(given, np.shape(numbers), strict=True)]
    assert marked(grids_of(view), "picked") == {(BEGINS[step], *nearest)}


def test_a_picked_number_is_found_again_after_steps_that_have_no_such_place():
    view = Formula(step=7, row=1, column=2)
    for step in (2, 3, 4, 8, 7):
        send(view, step=step)
    assert marked(grids_of(view), "picked") == {("pattern", 1, 2)}


def test_each_step_has_a_name_and_says_what_it_does():
    view = Formula()
    assert [it[0] for it in view.state["steps"]] == list("12345678") and len(set(view.state["steps"])) == 8
    glosses = {step: Formula(step=step).state["gloss"] for step in LINES}
    assert len(set(glosses.values())) == 8 and all(it[0].isupper() or it.startswith("e ") for it in glosses.values())
    assert all(it.endswith((".", "?")) for it in glosses.values())


@pytest.mark.parametrize("step", [0, 9, -1, "1", None])
def test_there_are_eight_steps(step):
    with pytest.raises(traitlets.TraitError, match="step"):
        Formula(step=step)


def test_without_the_mask_nothing_is_hidden_and_with_it_the_future_is():
    for causal in (False, True):
        scores, mask, masked = grids_of(Formula(**matrices(*SHAPE), step=6, causal=causal))
        hidden = [[causal and j > i for j in range(4)] for i in range(4)]
        assert [[cell == "-inf" for cell in row] for row in texts(masked)] == hidden
        assert texts(mask) == [["-inf" if it else "0.000" for it in row] for row in hidden]
        assert "-inf" not in str(scores["rows"])


def test_the_html_holds_scores_weights_and_what_is_read():
    given = matrices(*SHAPE)
    html = Formula(**given, causal=True)._repr_mimebundle_()[0]["text/html"]
    shown = re.findall(r"<td>(.*?)</td>", html)
    steps = plain(**given, causal=True)
    assert shown == [x for key in ("scores", "pattern", "z") for row in written(steps[key]) for x in row]


# ---- what is typed

TYPED = {
    "decimal commas": "1,5 0 2\n0 −1 0,25",
    "fractions": "3/2 0 2\n0 -1 1/4",
    "a list": "[[1.5, 0, 2], [0, -1, 0.25]]",
    "points and commas": "1.5, 0, 2\n0, -1, .25",
    "empty lines and spaces": "\n  1.5  0 2 \n\n 0 -1 25e-2\n",
}


@pytest.mark.parametrize("how", TYPED)
@pytest.mark.parametrize("move", [send, assign])
def test_a_matrix_may_be_typed_in_many_ways(how, move):
    given = matrices(2, 3, 2, 1) | {"X": np.array([[1.5, 0, 2], [0, -1, 0.25]])}
    view = Formula(**{**given, "X": np.ones((2, 3))})
    move(view, X=TYPED[how])
    assert TYPED[how] == view.X  # as it was typed
    assert_shows(view, given, False, 1, "x", 0, 0)
    assert_shows(Formula(**{**given, "X": TYPED[how]}), given, False, 1, "x", 0, 0)


KINDS = [np.array, pd.DataFrame, tuple, lambda rows: np.array(rows, np.float32), lambda rows: [tuple(r) for r in rows]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_may_give_lists_arrays_and_tables(kind):
    given = {name: array.round(2) for name, array in matrices(*SHAPE).items()}
    view = Formula(**{name: kind(array.tolist()) for name, array in given.items()})
    if kind is not KINDS[3]:
        assert_shows(view, given, False, 1, "x", 0, 0)
    assert all(isinstance(getattr(view, name), str) for name in NAMES)
    np.testing.assert_allclose(view.trace["z"], plain(**given, causal=False)["z"], rtol=1e-5)
    assert repr(eval(repr(view), {"Formula": Formula})) == repr(view)
    view.X = kind((2 * given["X"]).tolist())
    np.testing.assert_allclose(view.trace["x"], 2 * given["X"], rtol=1e-6)


def test_a_matrix_of_a_cell_is_kept_to_the_last_digit():
    X = np.array([[0.1 + 0.2, 1 / 3, -0.0]])
    view = Formula(**matrices(1, 3, 2, 2) | {"X": X})
    np.testing.assert_array_equal(view.trace["x"], X)


WRONG = {
    "letters": ("a b\nc d", "`a` is not a number"),
    "a letter": ("1 2\n3 x", "`x` is not a number"),
    "nothing": ("", "is empty"),
    "spaces": (" \n ", "is empty"),
    "an empty list": ("[[]]", "is empty"),
    "ragged": ("1 2 3\n4 5", "row 0 is 3 long, row 1 is 2 long"),
    "NaN": ("nan 1 2", "`nan` is not a number"),
    "infinity": ("1 inf 2", "`inf` is not a number"),
    "too large a number": ("1 1e999 2", "`1e999` is not a finite number"),
    "a division by 0": ("1/0 1 2", "`1/0` is not a finite number"),
    "an emoji": ("1 😀 2", "`😀` is not a number"),
    "commas without spaces": ("1,2,3", "`1,2,3` is not a number"),
    "markup": ("<b>1</b>", "`<b>1</b>` is not a number"),
    "braces": ("{X}", "`{X}` is not a number"),
    "nine rows": ("\n".join("123456789"), "is 9 × 1; there is room for 8 × 8"),
    "nine columns": ("1 2 3 4 5 6 7 8 9", "is 1 × 9; there is room for 8 × 8"),
    "a thousand rows": ("1\n" * 1000, "is 1000 × 1; there is room for 8 × 8"),
}


def assert_problem(view, name, message, before):
    assert view.problem.startswith(name) and message in view.problem and "What worked last" in view.problem
    assert json.dumps(view.state) == before


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_matrix_is_told_by_its_name_and_the_last_good_picture_stays(what, move):
    text, message = WRONG[what]
    for name in NAMES:
        view = Formula(**matrices(*SHAPE), step=4)
        good, before = getattr(view, name), json.dumps(view.state)
        move(view, **{name: text})
        assert_problem(view, name, message, before)
        assert getattr(view, name) == text  # what was typed is not taken away
        move(view, row=2)  # still bad
        assert_problem(view, name, message, before)
        move(view, **{name: good})
        assert_shows(view, matrices(*SHAPE), False, 4, "dots", 2, 0)
        with pytest.raises(ValueError, match=f"^{name}.*{re.escape(message)}"):
            Formula(**{name: text})


MISFITS = {
    "a W_Q that is not high enough": ({"W_Q": "1 0\n0 1"}, "W_Q needs as many rows as X has columns: 3, not 2"),
    "a W_K that is too high": ({"W_K": "1 0\n0 1\n1 1\n0 0"}, "W_K needs as many rows as X has columns: 3, not 4"),
    "a W_V that is not high enough": ({"W_V": "1 2 3"}, "W_V needs as many rows as X has columns: 3, not 1"),
    "a W_K that is too wide": ({"W_K": "1 0 1\n0 1 0\n1 1 1"}, "W_K needs as many columns as W_Q: 2, not 3"),
    "an X that is too wide": ({"X": "1 2 3 4\n0 1 0 1"}, "W_Q needs as many rows as X has columns: 4, not 3"),
    "numbers too large": ({"X": "1e200 0 0", "W_Q": "1e200 0\n0 1\n0 0"}, "larger than float64 can hold"),
}


@pytest.mark.parametrize("what", MISFITS)
def test_matrices_that_do_not_fit_are_told_and_the_last_good_picture_stays(what):
    bad, message = MISFITS[what]
    view = Formula(**matrices(*SHAPE))
    before = json.dumps(view.state)
    send(view, **bad)
    assert message in view.problem and "What worked last" in view.problem
    assert json.dumps(view.state) == before


def test_two_matrices_in_one_message_are_drawn_together():
    view, given = Formula(**matrices(*SHAPE)), matrices(3, 2, 1, 1)
    send(view, **{name: str(given[name].tolist()) for name in NAMES})
    assert_shows(view, given, False, 1, "x", 0, 0)


GARBAGE = [
    5,
    None,
    True,
    [1, 2],
    [[[1]]],
    [[1], [2, 3]],
    [["a"]],
    {1},
    {"a": 1},
    b"1 0",
    tm.run,
    [[1j]],
    [[None]],
    object(),
]
GARBAGE += [
    [[float("nan")]],
    [[float("inf")]],
    np.ones(3),
    np.ones((1, 1, 1)),
    [[10**400]],
    np.array([["1"]]),
    [],
    [[]],
]


@pytest.mark.parametrize("value", GARBAGE, ids=lambda value: type(value).__name__)
def test_what_is_neither_text_nor_a_matrix_is_refused_in_the_cell_by_its_name(value):
    for name in NAMES:
        with pytest.raises((ValueError, traitlets.TraitError), match=name):
            Formula(**{name: value})


@pytest.mark.parametrize("value", GARBAGE[:-2], ids=lambda value: type(value).__name__)
def test_it_is_refused_when_a_cell_sets_it_too_and_nothing_changes(value):
    view = Formula()
    before, X = json.dumps(view.state), view.X
    with pytest.raises((ValueError, traitlets.TraitError), match="X"):
        view.X = value
    assert (json.dumps(view.state), view.X, view.problem) == (before, X, "")


@pytest.mark.parametrize("bad", [{"causal": "yes"}, {"row": "a"}, {"column": 1.5}, {"result": 3}], ids=str)
def test_what_a_control_cannot_hold_is_refused(bad):
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Formula(**bad)
