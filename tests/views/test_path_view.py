"""The view of the whole path: each step against a run of its own, the walk back, marks of change, parts off, edits."""

import json
from contextlib import suppress
from functools import cache
from itertools import chain, pairwise

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import by_name, columns, expected_changes, labels, marked, part, send, texts, written

import toymodel as tm
from toymodel.views import Path
from toymodel.views.path.path_steps import STEPS

about = tm.run("o").about

ATTN, MLP = "blocks.0.attn.", "blocks.0.mlp."
QKV = [ATTN + "q", ATTN + "k", ATTN + "v"]
TEXT = "o gato subiu no"
START = (TEXT, 2, True, 1.0)
ALL = {
    "start": START,
    "one token, one head, no mask": ("o", 1, False, 1.0),
    "four heads": ("iu<eot> muro.", 4, True, 0.7),
    "full context, no mask, no temperature": ("o gato subiu no telhado.<eot>", 4, False, 0.0),
}
every_setting = pytest.mark.parametrize("settings", ALL.values(), ids=ALL)
every_step = pytest.mark.parametrize("step", STEPS)

# the blocks, what stands on their lanes while they are closed, and the part that switches them off
BLOCKS = [
    ("Embed", ["embed", "pos_embed"], ""),
    ("Stream x", ["blocks.0.resid_pre"], ""),
    ("LayerNorm 1", ["blocks.0.ln1.out"], "ln1"),
    ("Q K V", QKV, "attention"),
    ("Heads", [ATTN + "pattern"], "attention"),
    ("Mix", [ATTN + "concat"], "attention"),
    ("W_O", [ATTN + "out"], "attention"),
    ("Stream h", ["blocks.0.resid_mid"], ""),
    ("LayerNorm 2", ["blocks.0.ln2.out"], "ln2"),
    ("MLP", [MLP + "post"], "mlp"),
    ("W_out", [MLP + "out"], "mlp"),
    ("Stream y", ["blocks.0.resid_post"], ""),
    ("LayerNorm 3", ["ln_final.out"], "ln_final"),
    ("Logits", ["logits"], ""),
    ("Next token", ["probs"], ""),
]

run = cache(tm.run)


def opened_at(settings, **more):
    return Path(**dict(zip(("text", "n_heads", "causal", "temperature"), settings, strict=True)), **more)


def keys_of(step):
    """The keys that a step's name means: "q", "k" and "v", or the one that ends so ("ln1": what leaves it)."""
    end = step.replace("mlp_", "mlp.").replace("attn_", "attn.")
    ends = (f".{end}", f".{end}.out")
    return [it for it in run(*START) if it in (end, f"{end}.out") or it.endswith(ends)] or QKV


def has_heads(key):
    return key.startswith(ATTN) and key.removeprefix(ATTN) in plain_model.HEAD_PARTS


SHARED_OUT = [ATTN + "W_Q", ATTN + "W_K", ATTN + "W_V"]  # of these a head has some columns


def in_front(t, key, head):
    if key in SHARED_OUT:
        return np.split(t[key], t.settings["n_heads"], axis=1)[head]
    array = t[key][head] if has_heads(key) else t[key]
    return array.reshape(len(array), -1)


def cell(view, place):
    """Where a number is drawn: its grid, row and column."""
    key, *index = place
    i, j = [*index[has_heads(key) :], 0][:2]
    if key in SHARED_OUT:
        j %= 4 // view.n_heads
    return (key, j, i) if key == ATTN + "k" and view.opened == "dots" else (key, i, j)  # the keys are columns there


def grids(view):
    return [it for line in view.state["panel"]["lines"] for it in line if isinstance(it, dict)]


def keys(view):
    return list(by_name(grids(view)))


def inputs(view):
    return [it["place"] for it in view.state["panel"]["inputs"]]


def named(t, place):
    key, *index = place
    (value,) = written([[t[key][tuple(index)]]])[0]
    return f"{about(key).symbol}[{','.join(map(str, index))}] = {value}"


def pictured(view):
    """All that is drawn, but for what is said of the last change."""
    return json.dumps(view.state | {"changes": ""})


def go(view, place):
    """Choose a number, as path.js does: an input of the one that is written out leads on, any other begins anew."""
    send(view, trail=[*view.trail, place] if place in inputs(view) else [place])


def assert_shows(view, t):
    """The open step: every number of its matrices, and the last number of the trail, written out."""
    assert view.problem == "" and set(keys_of(view.opened)) <= set(keys(view))
    for grid in grids(view):
        key = grid["key"]
        array = in_front(t, key, view.head)
        rows, across, symbol = labels(grid), columns(grid), about(key).symbol
        if key == ATTN + "k" and view.opened == "dots":
            array, rows, across, symbol = array.T, across, rows, "kᵀ"
        assert texts(grid) == written(array)
        assert [row["exact"] for row in grid["rows"]] == [[repr(float(x)) for x in row] for row in array]
        assert grid["caption"] == [symbol, f"({len(array)} × {len(array[0])})"] and grid["pickable"]
        places = list(map(str, range(len(rows))))
        assert rows == {"W_E": list(t.vocab)}.get(key, places if key in t.weights else t.tokens)
        if key in ("W_U", "logits", "probs") or about(key).axes[-2:] == ("query", "key"):
            assert across == (t.tokens if has_heads(key) else list(t.vocab))
        if key in SHARED_OUT:
            width = 4 // t.settings["n_heads"]
            assert across == [str(view.head * width + j) for j in range(width)]
        assert grid["full"] == (np.abs(array[np.isfinite(array)]).max() or 1)

    panel, (key, *index) = view.state["panel"], view.trail[-1]
    s = tm.explain(t, key, tuple(index))
    used = [[name, *place] for name, place, _value in s.inputs]
    drawn = [it for it in used if it[0] in keys(view) and (not has_heads(it[0]) or it[1] == view.head)]
    if key == ATTN + "pattern":
        drawn += [[ATTN + "exp_scores", *index], [ATTN + "exp_scores_sum", *index[:-1]]]
    assert marked(grids(view), "picked") == {cell(view, view.trail[-1])}
    assert marked(grids(view), "used") == {cell(view, it) for it in drawn}
    assert (panel["sum"]["math"], panel["sum"]["note"], panel["digits"]) == (s.mathml, s.note, repr(s.value))
    place = " ".join(map(part, panel["sum"]["place"]))
    assert place.startswith(f"{key}: ") and place.endswith(f" {named(t, view.trail[-1]).split(' ', 1)[1]}")
    assert panel["inputs"] == [{"place": it, "text": named(t, it)} for it in used]
    assert panel["trail"] == [named(t, it) for it in view.trail[:-1]]
    assert panel["weight"] == (written([[s.value]])[0][0] if key in t.weights else "")
    return s


def assert_pictures(view, t, before=None):
    """The blocks, the ribbons' weights and the bars; `before` is the run before the last change."""
    state, off, row = view.state, view.off, view.state["row"]
    assert view.problem == "" and state["tokens"] == t.tokens and state["opened"] == view.opened
    assert (state["head"], row) == (view.head, len(t.tokens) - 1 if view.row == -1 else view.row)
    for block, (name, at_rest, its_part) in zip(state["blocks"], BLOCKS, strict=True):
        shown = keys_of(view.opened) if view.opened in block["steps"] else at_rest
        arrays = [in_front(t, key, view.head) for key in shown]
        full = max(np.abs(it[np.isfinite(it)]).max() for it in arrays) or 1
        assert (block["name"], block["keys"]) == (name, shown)
        for shades, array in zip(block["shades"], arrays, strict=True):
            percent = 100 * np.where(np.isfinite(array), array, 0) / full
            assert np.shape(shades) == percent.shape and np.abs(shades - percent).max() < 0.5 + 1e-9
        assert block["symbol"] == ", ".join(about(key).symbol for key in shown)
        assert block["shape"] == " × ".join(map(str, arrays[0].shape))
        assert block["off"] == (its_part in off or (name == "Heads" and f"head {view.head}" in off))
    assert state["weights"] == written(t[ATTN + "pattern"][view.head])
    was = run(view.text, view.n_heads, view.causal, view.temperature) if off or view.edits else before or t
    was = was if was.tokens[: row + 1] == t.tokens[: row + 1] else t  # after other words there is nothing to compare
    numbers = zip(*written([t["probs"][row], was["probs"][row]]), strict=True)
    assert state["bars"]["rows"] == [[token, *both] for token, both in zip(t.vocab, numbers, strict=True)]
    assert state["bars"]["before"] == ("all on:" if off or view.edits else "was")
    assert state["bars"]["best"] == np.argmax(t["probs"][row] > t["probs"][row].max() - 1e-9)


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
    assert all(f"{about(key).symbol} = " in panel["formula"] for key in keys_of(step))
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
    assert [*chain(*blocks)] == view.state["steps"] == list(STEPS)
    for step in STEPS:
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
    axes = about(key).axes
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
    *[5, None, "ab", {"logits": 1}],
]


def assign(view, trait, value):
    """What a cell does. A value that a trait cannot hold is refused there, in a sentence of its own."""
    with suppress(traitlets.TraitError):
        setattr(view, trait, value)


@pytest.mark.parametrize("place", NO_PLACES, ids=str)
def test_a_place_that_is_none_leaves_the_view_as_it_was(place):
    view = Path(opened="probs", trail=[["probs", 4, 6]])
    for trail in ([place], [["probs", 3, 2], place]):
        assign(view, "trail", trail)
        assert_shows(view, run(*START))
    send(view, opened="logits")
    assert view.opened == "logits"
    assert_shows(view, run(*START))


# ---- what a change reaches


def rows(t, key):
    """What stands in each row, in every head."""
    arrays = t[key] if has_heads(key) else [t[key]]
    return list(zip(*map(written, arrays), strict=True))


def changed_rows(t, before, block_keys):
    """Rows of another token, or with another number where there was one."""

    def is_same(i, new, old):
        if len(old) <= i or t.tokens[i] != before.tokens[i] or len(new[i]) != len(old[i]):
            return False
        pairs = zip(new[i], old[i], strict=True)
        return all(a == b for x, y in pairs for a, b in zip(x, y, strict=False))

    both = [(rows(t, key), rows(before, key)) for key in block_keys]
    return [i for i in range(len(t.tokens)) if not all(is_same(i, *pair) for pair in both)]


def assert_marks(view, t, before):
    """The rows that are marked in the blocks; returns them."""
    assert_pictures(view, t, before)
    marks = [block["changed"] for block in view.state["blocks"]]
    assert marks == [changed_rows(t, before, block["keys"]) for block in view.state["blocks"]]
    return marks


MOVES = [
    ({"temperature": 0.5}, "Next token: 5 of 5 rows. All else stayed."),
    ({"temperature": 0.0}, "Next token: 5 of 5 rows. All else stayed."),
    ({"causal": False}, "Heads to Next token: 4 of 5 rows. All else stayed."),
    ({"n_heads": 4}, "Q K V to Heads: 5 of 5 rows; Mix to Next token: 4 of 5 rows. All else stayed."),
    ({"n_heads": 1}, "Q K V to Heads: 5 of 5 rows; Mix to Next token: 4 of 5 rows. All else stayed."),
    ({"text": "o gato subiu."}, "Embed to Next token: 1 of 5 rows."),
    ({"text": "o gato subiu no telhado"}, "Embed to Next token: 1 of 6 rows."),
    ({"text": "o cão subiu no"}, "Embed to Q K V: 1 of 5 rows; Heads to Next token: 4 of 5 rows."),
    ({"text": "o gato no sub"}, "Embed to Next token: 2 of 4 rows; "),
    ({"text": "iu"}, "Embed to Next token: 1 of 1 rows; 4 rows fewer."),
    ({"text": "o gato subiu", "causal": False, "n_heads": 4}, "Q K V to Next token: 4 of 4 rows; "),
]


@pytest.mark.parametrize(("moved", "said"), MOVES, ids=str)
def test_what_shows_something_else_is_marked_and_a_pick_keeps_the_marks(moved, said):
    start = dict(zip(("text", "n_heads", "causal", "temperature"), START, strict=True))
    before, t = run(*START), run(*(start | moved).values())
    for opened in ("dots", "probs"):
        view = Path(opened=opened, row=1, head=1)
        assert view.state["changes"].startswith("A dot will mark") and not marked(grids(view), "changed")
        assert not any(block["changed"] for block in view.state["blocks"])
        send(view, **moved)
        old = grids(Path(opened=opened, head=view.head))
        assert marked(grids(view), "changed") == set(expected_changes(old, grids(view)))
        marks = assert_marks(view, t, before)
    assert f" {said}" in view.state["changes"] and ("All else" in view.state["changes"]) == (not all(marks))
    for picked in [{"row": 0}, {"trail": [["logits", 0, 0]]}, {"opened": opened}, {"opened": ""}, {"presenting": True}]:
        send(view, **picked)
        assert assert_marks(view, t, before) == marks
    send(view, **{name: start[name] for name in moved})
    assert_marks(view, before, t)


@pytest.mark.parametrize(
    ("moved", "reached"),
    [
        ({"temperature": 0.5}, {14: [0, 1, 2, 3, 4]}),
        ({"causal": False}, {k: [0, 1, 2, 3] for k in range(4, 15)}),  # the last query sees all keys anyway
        ({"text": "o gato subiu."}, {k: [4] for k in range(15)}),
        ({"text": "o gato"}, {}),
    ],
    ids=str,
)
def test_what_a_change_cannot_reach_stays(moved, reached):
    view = Path(opened="masked_scores")
    send(view, **moved)
    assert {k: it["changed"] for k, it in enumerate(view.state["blocks"]) if it["changed"]} == reached
    assert "Nothing changed" not in view.state["changes"]


def test_where_nothing_changes_it_is_said():
    view = Path()
    send(view, edits=[["W_pos", 7, 0, "3"]])  # no token stands there
    assert view.state["changes"] == "Nothing changed."
    assert assert_marks(view, run(*START), run(*START)) == [[]] * 15


@pytest.mark.parametrize("text", ["o rato", "", "o" * 9])
def test_bad_text_is_told_and_one_may_look_around_in_what_worked_last(text):
    view = Path(opened="probs")
    send(view, causal=False)
    before, t, lifted = pictured(view), run(*START), run(TEXT, 2, False)
    with pytest.raises(ValueError, match=r"\w") as refused:
        Path(text=text)
    send(view, text=text)
    problem = view.problem
    assert problem.startswith(str(refused.value)) and "What worked last" in problem
    assert pictured(view) == before and view.state["changes"] == ""
    send(view, opened="logits", row=1)
    assert view.problem == problem and view.trail[-1][:2] == ["logits", 1]
    assert texts(grids(view)[-1]) == written(lifted["logits"])
    send(view, text="o gato subiu no muro")
    assert_marks(view, run("o gato subiu no muro", 2, False), lifted)
    assert t.tokens == lifted.tokens


# ---- parts switched off

STREAM_BEFORE = {
    "ln1": ("blocks.0.ln1.out", "blocks.0.resid_pre"),
    "ln2": ("blocks.0.ln2.out", "blocks.0.resid_mid"),
    "ln_final": ("ln_final.out", "blocks.0.resid_post"),
}
OUTPUT = {"positions": "pos_embed", "attention": ATTN + "out", "mlp": MLP + "out"}
EVERYTHING = [*OUTPUT, *STREAM_BEFORE]


def without(off, text, n_heads=2, causal=True, temperature=1.0, weights=None):
    """A run without some parts: no head's columns, no output, and in place of a LayerNorm what it reads."""
    settings, n, d_head = (text, n_heads, causal, temperature, weights), len(tm.encode(text)), 4 // n_heads
    replace = {OUTPUT[it]: np.zeros((n, 4)) for it in off if it in OUTPUT}
    replace |= {STREAM_BEFORE[it][0]: STREAM_BEFORE[it][1] for it in off if it in STREAM_BEFORE}
    c = tm.run(*settings, replace=replace)[ATTN + "concat"].copy()
    for h in range(n_heads):
        if f"head {h}" in off:
            c[:, h * d_head : (h + 1) * d_head] = 0
            replace[ATTN + "concat"] = c
    return tm.run(*settings, replace=replace)


OFF = [
    *[[it] for it in [*EVERYTHING, "head 0", "head 1"]],
    *[["ln1", "head 0"], ["positions", "head 1"], ["head 0", "mlp", "ln_final"], ["head 1", "attention"]],
    *[["head 0", "head 1"], ["head 3"], ["head 1", "head 3"], ["ln1", "ln2", "ln_final"], EVERYTHING],
]


@pytest.mark.parametrize("off", OFF, ids="+".join)
def test_without_a_part_the_numbers_are_those_of_a_run_without_it(off):
    for settings in (START, ALL["four heads"]):  # with two heads there is no head 3
        view = opened_at(settings, opened="concat")
        send(view, off=off)
        assert_marks(view, without(off, *settings), run(*settings))
        names = dict(view.state["parts"])
        assert view.state["yours"] == "; ".join(f"{names[it]} off" for it in off if it in names)


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_all_heads_off_is_attention_off_and_with_everything_off_a_token_speaks_for_itself(n_heads):
    heads = Path(n_heads=n_heads, off=[f"head {h}" for h in range(n_heads)]).state
    attention = Path(n_heads=n_heads, off=["attention"]).state
    assert heads["bars"] == attention["bars"]
    assert [it["shades"] for it in heads["blocks"][7:]] == [it["shades"] for it in attention["blocks"][7:]]
    view, weights = Path(n_heads=n_heads, off=EVERYTHING, opened="logits"), tm.toy_weights()
    assert texts(grids(view)[-1]) == written(weights["W_E"][tm.encode(TEXT)] @ weights["W_U"])


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_only_the_parts_that_there_are_can_be_switched_off(n_heads):
    parts = dict(Path(n_heads=n_heads).state["parts"])
    assert set(parts) == {*EVERYTHING, *(f"head {h}" for h in range(n_heads))} and all(parts.values())
    with pytest.raises(traitlets.TraitError):
        Path(off=["head 4"])


# ---- weights set by hand

EDITS = [
    *[[[name, *(n - 1 for n in w.shape), "-0.75"]] for name, w in tm.toy_weights().items()],
    *[[["W_E", 0, 0, text]] for text in ("1,5", "1/2", " 2 ", "−1")],
    *[[["W_E", 0, 0, 3]], [["W_U", 1, 2, 0.125]]],
    [["W_E", 0, 0, "1"], ["blocks.0.attn.W_Q", 0, 3, "2"], ["W_U", 0, 6, "0"]],
    [["W_E", 0, 0, "1"], ["W_E", 0, 0, "2"]],  # the last one counts
]
VALUES = {"1,5": 1.5, "1/2": 0.5, " 2 ": 2.0, "−1": -1.0}


@pytest.mark.parametrize("edits", EDITS, ids=str)
def test_a_weight_that_is_set_is_the_weight_of_the_run(edits):
    weights = tm.toy_weights()
    for name, i, j, value in edits:
        weights[name][i, j] = VALUES.get(value, value)
    t, view, picked = tm.run(TEXT, weights=weights), Path(), edits[-1][:3]
    send(view, trail=[picked], edits=edits)
    assert_marks(view, t, run(*START))
    assert_shows(view, t)
    assert view.state["panel"]["weight"]
    assert view.state["yours"] == "; ".join(named(t, edit[:3]) for edit in edits)
    send(view, edits=[])
    assert_marks(view, run(*START), t)
    assert view.state["yours"] == "" and view.trail == [picked]


NO_EDITS = [
    *[["W_E", 0, 0, value] for value in ("abc", "", "nan", "1e999", "1e300", float("nan"), None)],
    *[["nope", 0, 0, 1], ["logits", 0, 0, 1], ["W_E", 12, 0, 1], ["W_E", 0, 4, 1], ["W_E", -1, 0, 1]],
    *[["W_E", 0, 0], [["W_E"], 0, 0, 1], [], 5],
]


@pytest.mark.parametrize("edit", NO_EDITS, ids=str)
def test_what_is_no_weight_or_no_number_is_told_and_taken_back(edit):
    good = ["W_U", 0, 0, "2"]
    view = Path(edits=[good], opened="logits")
    before = pictured(view)
    assign(view, "edits", [good, edit])
    assert pictured(view) == before and view.edits == [good]
    assert "mistake" not in view.problem
    send(view, edits=[])
    assert_pictures(view, run(*START), tm.run(TEXT, weights=Path(edits=[good]).trace.weights))
    with pytest.raises((ValueError, traitlets.TraitError), match=r"\w"):
        Path(edits=[edit])


def test_parts_can_be_off_and_weights_set_at_once():
    weights = tm.toy_weights()
    weights[ATTN + "W_V"][2, 2] = 3
    for off in (["head 0", "ln1"], []):
        view, t = Path(off=off), without(off, TEXT, weights=weights)
        send(view, edits=[[ATTN + "W_V", 2, 2, 3]])
        assert_marks(view, t, without(off, TEXT))
        send(view, temperature=2.0)  # the bars go on comparing with the whole model
        assert_marks(view, without(off, TEXT, temperature=2.0, weights=weights), t)


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
