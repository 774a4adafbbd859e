"""The view of the whole path: each step against a run of its own, the walk back, and the row that is followed."""

import json
from itertools import chain, pairwise

import numpy as np
import pytest
from drawn import marked, send, written
from path_expected import (
    ALL,
    ATTN,
    SHARED_OUT,
    START,
    TEXT,
    assert_pictures,
    assert_shows,
    assign,
    cell,
    go,
    grids,
    has_heads,
    inputs,
    keys,
    keys_of,
    opened_at,
    run,
    without,
)

import toymodel as tm
from toymodel.views import Path
from toymodel.views.path.path_steps import PATH_STEPS

every_setting = pytest.mark.parametrize("settings", ALL.values(), ids=ALL)
every_step = pytest.mark.parametrize("step", PATH_STEPS)


# ---- the steps


@every_step
@every_setting
def test_a_step_shows_the_numbers_of_a_run_and_writes_out_the_largest_of_the_followed_row(settings, step):
    t = run(*settings)
    head, row = t.settings["n_heads"] - 1, len(t.tokens) // 2
    view = opened_at(settings, opened=step, head=head, row=row)
    ((key, *place, column),) = view.trail
    assert (view.opened, view.head, view.row) == (step, head, row)
    assert key == keys_of(step)[0] and place == [head, row][not has_heads(key) :]
    assert column == np.argmax(t[key][tuple(place)])
    s = assert_shows(view, t)
    assert {name for name, _index, _value in s.inputs} <= set(keys(view))  # nothing is computed from what is not there


@every_step
@pytest.mark.parametrize("settings", [START, ALL["four heads"]], ids=["start", "four heads"])
def test_every_number_that_a_step_shows_can_be_picked(settings, step):
    t, view = run(*settings), opened_at(settings, opened=step, head=1)
    for grid in grids(view):
        i, j = len(grid["rows"]) - 1, len(grid["columns"]) - 2
        index = [j, i] if grid["transposed"] else [i, j + grid.get("first", 0)]
        place = [grid["key"], *([] if grid["head"] is None else [grid["head"]]), *index[: grid["axes"]]]
        go(view, place)
        assert view.trail[-1] == place and marked(grids(view), "picked") == {cell(view, place)}
        assert_shows(view, t)


@every_step
def test_a_step_says_what_it_does(step):
    state = Path(opened=step).state
    panel = state["panel"]
    assert all(f"{run(*START).about(key).symbol} = " in panel["formula"] for key in keys_of(step))
    assert panel["title"] and panel["gloss"].endswith(".") and [step, panel["title"]] in panel["siblings"]
    assert [block["label"] for block in state["blocks"] if step in block["steps"]] == [panel["title"]]


@every_step
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_only_the_softmax_at_temperature_0_is_a_limit(step, temperature):
    formula = Path(opened=step, temperature=temperature).state["panel"]["formula"]
    assert ("→ 0" in formula) == (step == "probs" and temperature == 0)


def test_the_steps_follow_the_path_and_every_step_and_weight_of_a_run_is_in_one():
    """All but the two asides that leave the temperature out: p = softmax(z / T) is written out from z itself."""
    view, t, shown = Path(), run(*START), []
    order = [keys_of(step)[-1] for step in view.state["steps"]]
    assert order == [key for key in t if key in order]  # as the run computes them
    blocks = [block["steps"] for block in view.state["blocks"]]
    assert [*chain(*blocks)] == view.state["steps"] == list(PATH_STEPS)
    for step in PATH_STEPS:
        send(view, opened=step)
        assert [it for it, _title in view.state["panel"]["siblings"]] in blocks
        shown += keys(view)
        signs = [it for line in view.state["panel"]["lines"] for it in line if isinstance(it, str)]
        assert set(signs) <= {"→", "·", "+", "=", "u ·", "÷"}
        assert json.loads(json.dumps(view.state, allow_nan=False)) == view.state
    assert {*t, *t.weights} - {*shown} == {"exp_logits", "exp_logits_sum"}
    made = {key: {name for name, *_ in tm.explain(t, key, (0,) * t[key].ndim).inputs} for key in t}
    assert all(weight in made[after] for weight, after in pairwise(shown) if weight in t.weights)


@every_setting
def test_the_blocks_show_what_leaves_them(settings):
    t = run(*settings)
    for head in range(t.settings["n_heads"]):
        view = opened_at(settings, head=head, opened="logits")
        assert_pictures(view, t)
        send(view, opened="pos_embed", row=0)
        assert_pictures(view, t)
    assert view.state["heads"] == [1, 2, 4]
    assert view.state["head_names"] == [f"head {h}" for h in range(t.settings["n_heads"])]


def test_every_sentence_that_is_offered_can_be_run_and_the_temperature_is_shown():
    assert all(tm.run(text) for text in Path().state["sentences"])
    assert Path(temperature=0.1 + 0.2).state["temperature"] == "0.300"


def test_before_it_is_run_the_prediction_and_the_weights_are_there():
    html = opened_at(ALL["four heads"]).fallback()
    t = run(*ALL["four heads"])
    numbers = [t["probs"].max(axis=1)[None], *t[ATTN + "pattern"]]
    assert all(x in html for array in numbers for row in written(array) for x in row)


# ---- walking


@pytest.mark.parametrize("way", [0, 1, -1])
@pytest.mark.parametrize("settings", [START, ALL["four heads"]], ids=["start", "four heads"])
def test_from_a_probability_the_inputs_lead_to_a_weight_and_back(settings, way):
    t = run(*settings)
    view, seen = opened_at(settings, opened="probs"), []
    while inputs(view):
        seen.append((view.trail, view.opened, view.head))
        places = [it for it in inputs(view) if it[0] in t] or inputs(view)  # the long way: a weight comes last
        key, *index = place = places[way % len(places)]
        go(view, place)
        assert view.trail == [*seen[-1][0], place] and key in keys(view)
        assert view.head == (index[0] if has_heads(key) else seen[-1][2])
        s = assert_shows(view, t)
        assert {name for name, *_ in s.inputs} <= set(keys(view))  # where it leads, it is made
    assert view.trail[-1][0] in t.weights and len(seen) > 6
    for trail, opened, head in (seen[-1], seen[4], seen[0]):
        send(view, trail=trail)
        assert (view.trail, view.opened) == (trail, opened) and (view.head == head or not has_heads(trail[-1][0]))
        assert_shows(view, t)


def test_every_number_can_be_walked_to():
    t, view = run(*START), Path(opened="pos_embed")
    first = view.trail
    for key in [*t, *t.weights]:
        place = [key, *(n - 1 for n in t[key].shape)]
        send(view, trail=[*first, place])
        is_shown = not key.startswith("exp_logits")
        assert view.trail == ([*first, place] if is_shown else first)
        assert_shows(view, t)


@pytest.mark.parametrize(
    ("moved", "trail"),
    [
        ({"opened": "dots"}, [ATTN + "dots", 0, 4, 1]),
        ({"opened": "z"}, [ATTN + "z", 0, 4, None]),
        ({"opened": "logits"}, ["logits", 4, None]),
        ({"row": 3}, [ATTN + "scores", 0, 3, 1]),
        ({"head": 1}, [ATTN + "scores", 1, 4, 1]),
        ({"row": 1, "head": 1, "opened": "pattern"}, [ATTN + "pattern", 1, 1, 1]),
        ({"opened": "logits", "trail": [["logits", 4, 7]]}, ["logits", 4, 7]),
    ],
    ids=str,
)
def test_a_step_row_or_head_that_is_chosen_ends_the_walk_and_the_column_stays_where_it_can(moved, trail):
    view = Path(opened="pattern", trail=[[ATTN + "pattern", 0, 4, 2], [ATTN + "masked_scores", 0, 4, 1]])
    assert (view.opened, len(view.trail)) == ("masked_scores", 2)
    go(view, [ATTN + "scores", 0, 4, 1])
    assert (view.opened, len(view.trail)) == ("scores", 3)
    send(view, **moved)
    *place, column = trail
    (there,) = view.trail
    assert there[:-1] == place
    assert there[-1] == (np.argmax(run(*START)[place[0]][tuple(place[1:])]) if column is None else column)
    assert {name: getattr(view, name) for name in moved} == moved
    assert_shows(view, run(*START))


OF_ALL_AXES = ["W_E", ATTN + "W_K", "blocks.0.ln1.mean", ATTN + "k", ATTN + "dots", ATTN + "exp_scores_sum", "logits"]


@pytest.mark.parametrize("key", OF_ALL_AXES)
def test_the_picked_number_follows_another_row_and_head_where_it_has_one(key):
    t, view = run(*START), Path(opened="embed")
    axes = run(*START).about(key).axes
    send(view, trail=[[key, *({"head": 0, "pos": 4, "query": 4}.get(axis, 1) for axis in axes)]])
    opened = view.opened
    for moved in ({"row": 2}, {"head": 1}):
        send(view, **moved)
        now = {"head": view.head, "pos": view.row, "query": view.row}
        to = [now.get(axis, 1) for axis in axes]
        if key in SHARED_OUT:
            to[1] += view.head * 2  # the second column of the head
        assert (view.trail, view.opened) == ([[key, *to]], opened)
        assert_shows(view, t)


def test_another_head_comes_to_the_front_and_goes_with_the_number_of_heads():
    view = Path(opened="z", n_heads=4)
    send(view, head=2)
    assert_shows(view, run(TEXT, 4))
    assert_pictures(view, run(TEXT, 4))
    send(view, n_heads=2)
    assert view.head == 1
    assert_shows(view, run(*START))


def test_a_step_that_is_closed_stays_closed_until_something_is_chosen():
    view = Path(opened="pattern")
    send(view, opened="")
    for moved in [{"temperature": 0.5}, {"row": 1}, {"head": 1}, {"n_heads": 4}, {"text": "o gato"}, {"off": ["mlp"]}]:
        send(view, **moved)
        assert view.opened == "" and view.state["panel"] is None and view.problem == ""
    assert_pictures(view, without(["mlp"], "o gato", 4, True, 0.5), run("o gato", 4, True, 0.5))
    send(view, trail=[["probs", 1, 4]])
    assert (view.opened, view.trail) == ("probs", [["probs", 1, 4]])
    assert_pictures(Path(opened=""), run(*START))


@pytest.mark.parametrize(
    ("settings", "trail", "moved", "settled"),
    [
        ({"row": 0}, [["probs", 4, 1], ["logits", 4, 6]], {"text": "o gato"}, []),
        ({"row": 0}, [["probs", 4, 1], ["W_U", 2, 6]], {"text": "o gato"}, [["W_U", 2, 6]]),
        ({"row": 0}, [["probs", 1, 1], ["logits", 4, 6]], {"text": "o gato"}, [["probs", 1, 1]]),
        ({"n_heads": 4}, [[ATTN + "pattern", 3, 2, 1]], {"n_heads": 2}, []),
        ({"n_heads": 4}, [[ATTN + "q", 1, 2, 0]], {"n_heads": 1}, []),
        ({"n_heads": 1}, [[ATTN + "q", 0, 2, 3]], {"n_heads": 4}, []),
    ],
    ids=str,
)
def test_a_trail_to_what_is_no_longer_there_is_cut(settings, trail, moved, settled):
    view = Path(**settings)
    send(view, trail=trail)
    assert view.trail == trail
    send(view, **moved)
    assert (view.trail == settled) if settled else (len(view.trail) == 1 and view.trail[0][0] in keys(view))
    assert_shows(view, tm.run(**{"text": TEXT} | {k: it for k, it in (settings | moved).items() if k != "row"}))


NO_PLACES = [
    *[["nonsense", 1], ["logits", 99, 0], ["logits", -1, 0], ["logits"], ["logits", 1], ["logits", 0, 0, 0]],
    *[["loss"], ["exp_logits", 0, 0], ["→"], ["+", 0], ["u ·", 0, 0]],
    *[[], [""], [1], [None, 0], [["logits"], 0], [{}, 0]],
    *[["logits", 0.5, 1], ["logits", 1.0, 1], ["logits", "a", 1], ["logits", None, 1], ["logits", [0], 1]],
    *[["logits", True, 1], 5, None, "ab", {"logits": 1}],
]


@pytest.mark.parametrize("place", NO_PLACES, ids=str)
def test_a_place_that_is_none_leaves_the_view_as_it_was(place):
    view = Path(opened="probs", trail=[["probs", 4, 6]])
    for trail in ([place], [["probs", 3, 2], place]):
        assign(view, "trail", trail)
        assert_shows(view, run(*START))
    send(view, opened="logits")
    assert view.opened == "logits"
    assert_shows(view, run(*START))


# ---- the followed row, and how often is drawn


@pytest.mark.parametrize(
    ("row", "settled", "followed"), [(-1, -1, 4), (0, 0, 0), (3, 3, 3), (5, 4, 4), (99, 4, 4), (-2, 0, 0), (-99, 0, 0)]
)
def test_the_bars_and_the_first_pick_follow_the_row(row, settled, followed):
    moved = Path(opened="pattern")
    send(moved, row=2)
    send(moved, row=row, opened="logits")
    for view in (moved, Path(row=row, opened="logits")):
        assert (view.row, view.trail[0][:2]) == (settled, ["logits", followed])
        assert_pictures(view, run(*START))
        send(view, opened="pattern")
        assert view.trail[0][:3] == [ATTN + "pattern", 0, followed]


def test_the_last_row_stays_the_last_when_the_text_grows_and_any_other_where_it_is():
    view = Path(opened="logits")
    for text, row in [("o gato subiu no telhado", 5), ("o gato", 1)]:
        send(view, text=text)
        assert (view.row, view.state["row"], view.trail[0][:2]) == (-1, row, ["logits", row])
    send(view, row=1)
    send(view, text="o gato subiu no")
    assert (view.row, view.trail[0][:2]) == (1, ["logits", 1])


def test_a_message_is_drawn_once_and_what_has_settled_goes_back_with_the_picture(monkeypatch):
    view, messages, drawn, picture = Path(n_heads=4, head=3, row=4, opened="pattern"), [], [], Path.picture
    monkeypatch.setattr(Path, "picture", lambda self: drawn.append(1) or picture(self))
    monkeypatch.setattr(view, "send_state", lambda key=None: messages.append({key} if isinstance(key, str) else {*key}))
    send(view, text="o gato", n_heads=2)
    assert len(drawn) == 1 and messages[0] == set.union(*messages) == {"state", "row", "head", "trail"}
    go(view, [ATTN + "masked_scores", 1, 1, 0])
    assert len(drawn) == 2 and view.opened == "masked_scores"
