"""The view of neurons: its numbers against the second implementation, what is picked, and what that is made of."""

import json

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, by_name, columns, labels, marked, part, send, texts, written

import toymodel as tm
from toymodel.views import Neurons

STEPS = ["resid_mid", "ln2.mean", "ln2.std", "ln2.out", "mlp.pre", "mlp.post", "mlp.out", "resid_post"]
SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]
START = {"text": "o gato subiu no", "row": -1, "result": "mlp.out", "column": 1}


def plain(text, weights=None):
    """Every step of the block, as plain_model has it."""
    steps = plain_model.forward(weights or tm.toy_weights(), tm.encode(text))
    return {key.removeprefix("blocks.0."): array for key, array in steps.items()}


def grids(view):
    return [it for line in view.state["lines"] for it in line]


OUT_TABLE = "blocks.0.mlp.W_out"
ROWS, NEURONS = range(4), range(8)  # of h, u′, m and y; of W_in and W_out
PICKED = {  # where a number stands
    "resid_mid": lambda c: {("norm", 0, c), ("handed", 9, c)},
    "ln2.mean": lambda c: {("spread", 0, 0)},
    "ln2.std": lambda c: {("spread", 1, 0)},
    "ln2.out": lambda c: {("norm", 1, c)},
    "mlp.pre": lambda c: {("neurons", c, 0)},
    "mlp.post": lambda c: {("neurons", c, 1)},
    "mlp.out": lambda c: {("handed", 8, c)},
    "resid_post": lambda c: {("handed", 10, c)},
}
STREAM = {place for i in ROWS for place in PICKED["resid_mid"](i)}
USED = {  # what it is computed from, by hand
    "resid_mid": lambda c: set(),  # of attention and x, which are not shown
    "ln2.mean": lambda c: STREAM,
    "ln2.std": lambda c: STREAM | {("spread", 0, 0)},
    "ln2.out": lambda c: PICKED["resid_mid"](c) | {("spread", 0, 0), ("spread", 1, 0)},
    "mlp.pre": lambda c: {("norm", 1, i) for i in ROWS},
    "mlp.post": lambda c: {("neurons", c, 0)},
    "mlp.out": lambda c: (
        {("neurons", n, 1) for n in NEURONS}
        | {("handed", n, c) for n in NEURONS}
        | {(OUT_TABLE, n, c) for n in NEURONS}
    ),
    "resid_post": lambda c: PICKED["resid_mid"](c) | {("handed", 8, c)},
}


def assert_shows(view, text, row, result, column):
    """Every number in the picture is that of a run at these settings, and what is marked is what the sum says.

    A row of -1 is the last, and stays -1.
    """
    assert [getattr(view, name) for name in view.controls] == [text, row, result, column]
    run, drawn = tm.run(text), by_name(grids(view))
    row = len(run.tokens) - 1 if row == -1 else row
    assert view.state["row"] == row
    t = {name: plain(text)[name][row] for name in STEPS}
    assert [[it["name"] for it in line] for line in view.state["lines"]] == [
        ["norm", "spread"],
        ["neurons", OUT_TABLE, "handed"],
    ]

    assert texts(drawn["norm"]) == written([t["resid_mid"], t["ln2.out"]])
    assert texts(drawn["spread"]) == written([[t["ln2.mean"]], [t["ln2.std"]]])
    assert {"token": run.tokens[row]} in drawn["norm"]["caption"]
    assert texts(drawn["neurons"]) == written(np.array([t["mlp.pre"], t["mlp.post"]]).T)
    assert labels(drawn["neurons"]) == [f"{n}: {'on' if t['mlp.pre'][n] > 0 else 'off'}" for n in NEURONS]
    W_out = tm.toy_weights()[OUT_TABLE]
    assert texts(drawn[OUT_TABLE]) == written(W_out) and labels(drawn[OUT_TABLE]) == list("01234567")
    handed = [[t["mlp.post"][n] * W_out[n, i] for i in ROWS] for n in NEURONS]
    assert texts(drawn["handed"]) == written([*handed, t["mlp.out"], t["resid_mid"], t["resid_post"]])
    np.testing.assert_allclose(np.sum(handed, axis=0), t["mlp.out"], rtol=0, atol=1e-12)
    assert labels(drawn["handed"])[:8] == [f"neuron {n}" for n in NEURONS]
    assert columns(drawn["norm"]) == columns(drawn["handed"]) == list("0123")
    for it in grids(view):
        sizes = np.abs(np.array(texts(it), float))
        assert bool(it.get("pickable")) == (it["name"] != OUT_TABLE) and (
            it["full"] is None or abs(it["full"] - sizes.max()) < 0.0006
        )

    place = (row,) if t[result].ndim == 0 else (row, column)
    sum_ = tm.explain(run, f"blocks.0.{result}", place)
    assert view.state["sum"]["math"] == sum_.mathml and view.state["sum"]["note"] == sum_.note
    at = " ".join(map(part, view.state["sum"]["place"]))
    axis = {"mlp.pre": "d_mlp", "mlp.post": "d_mlp"}.get(result, "d_model")
    (value,) = written([[np.atleast_1d(t[result])[column]]])[0]
    at_column = "" if t[result].ndim == 0 else f" · {axis} {column}"
    assert at == f"blocks.0.{result}: pos {run.tokens[row]}{at_column} = {value}"

    assert marked(grids(view), "picked") == PICKED[result](column)
    assert marked(grids(view), "used") == USED[result](column)
    assert [it.partition(": ")[2] for it in view.state["rows"]] == run.tokens
    assert view.problem == ""


# ---- the numbers


@pytest.mark.parametrize("result", STEPS)
@pytest.mark.parametrize("text", SENTENCES)
def test_the_picture_of_a_new_view_is_that_of_a_run(text, result):
    last, width = len(tm.encode(text)) - 1, np.size(plain("o")[result][0])
    for row in {0, last // 2, last}:
        for column in {0, width // 2, width - 1}:
            settings = {"text": text, "row": row, "result": result, "column": column}
            assert_shows(Neurons(**settings), **settings)


def test_to_begin_with_the_last_row_is_shown():
    assert_shows(Neurons(), **START)


def test_what_a_neuron_hands_on_has_gone_through_W_out():
    """In the toy, W_out holds ones and zeros: here it does not."""
    weights = plain_model.random_weights(0)
    t, drawn = plain("o gato", weights), by_name(grids(Neurons(trace=tm.run("o gato", weights=weights))))
    handed = t["mlp.post"][1][:, None] * weights["blocks.0.mlp.W_out"]
    assert texts(drawn["handed"])[:9] == written([*handed, t["mlp.out"][1]])
    assert texts(drawn[OUT_TABLE]) == written(weights[OUT_TABLE])


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Neurons(), dict(START)
    for moved in [
        *[{"row": 1}, {"column": 3}, {"result": "mlp.post"}, {"column": 7}, {"text": "o cão subiu no"}],
        *[{"result": "mlp.pre"}, {"column": 0}, {"result": "resid_post"}, {"row": 0}, {"result": "ln2.std"}],
        *[{"text": "iu muro", "row": 1, "result": "ln2.out", "column": 2}, {"result": "resid_mid"}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)


@pytest.mark.parametrize("name", ["norm", "spread", "neurons", "handed"])
def test_every_cell_can_be_picked(name):
    """As neurons.js does: the line tells the step, but in the grid of neurons, where steps are columns."""
    view = Neurons()
    grid = by_name(grids(view))[name]
    for i, row in enumerate(grid["rows"]):
        for j in range(len(row["cells"])):
            k, column = (j, i) if grid.get("transposed") else (i, j)
            send(view, result=grid["keys"][k], column=column)
            assert_shows(view, **START | {"result": grid["keys"][k], "column": column})


def test_the_html_is_the_row_at_each_step():
    view = Neurons(text="o gato", row=0)
    send(view, text="xyz", row=3)
    html = view._repr_mimebundle_()[0]["text/html"]
    for key in ("ln2.out", "mlp.pre", "mlp.post", "mlp.out"):
        first, second = written(plain("o gato")[key])
        assert all(f"<td>{x}</td>" in html for x in first) and not all(f"<td>{x}</td>" in html for x in second)


# ---- what is out of range

OUT = [("row", 99, 4), ("row", 5, 4), ("row", -1, -1), ("row", -2, 0), ("column", 4, 3), ("column", -1, 0)]


@pytest.mark.parametrize(("name", "given", "settled"), OUT)
@pytest.mark.parametrize("move", [send, assign])
def test_a_place_that_is_not_there_becomes_the_nearest(move, name, given, settled):
    assert_shows(Neurons(**{name: given}), **START | {name: settled})
    view = Neurons()
    move(view, row=2, column=2)
    move(view, **{name: given})
    assert_shows(view, **START | {"row": 2, "column": 2, name: settled})


@pytest.mark.parametrize(
    ("moved", "settled"),
    [
        ({"text": "o gato"}, {"text": "o gato", "row": 1}),
        ({"result": "mlp.out"}, {"result": "mlp.out", "column": 3}),
        ({"result": "ln2.mean"}, {"result": "ln2.mean", "column": 0}),
        ({"text": "o", "result": "resid_post"}, {"text": "o", "row": 0, "result": "resid_post", "column": 3}),
    ],
    ids=str,
)
def test_where_there_is_less_the_place_settles_and_one_picture_is_drawn(moved, settled, monkeypatch):
    view, drawn, picture = Neurons(row=4, result="mlp.pre", column=7), [], Neurons.picture
    monkeypatch.setattr(Neurons, "picture", lambda self: drawn.append(1) or picture(self))
    send(view, **moved)
    assert len(drawn) == 1
    assert_shows(view, **START | {"row": 4, "result": "mlp.pre", "column": 7} | settled)


def test_a_pick_of_what_is_picked_draws_nothing(monkeypatch):
    view = Neurons()
    monkeypatch.setattr(view, "picture", lambda: pytest.fail("drawn"))
    send(view, result="mlp.out", column=1)


# ---- bad input


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("text", ["xyz", "", "o rato", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text, move):
    view = Neurons()
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(text)
    with pytest.raises(ValueError, match=r"\w"):
        Neurons(text=text)
    move(view, text=text)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    move(view, column=3)  # still bad
    assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    move(view, text="o gato")
    assert_shows(view, "o gato", -1, "mlp.out", 3)


@pytest.mark.parametrize("bad", [{"row": "a"}, {"result": "logits"}, {"column": 1.5}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Neurons()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Neurons(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""
