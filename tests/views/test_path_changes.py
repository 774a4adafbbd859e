"""The view of the whole path as it changes: marks of what a change reaches, parts switched off, weights set by hand."""

import pytest
import traitlets
from drawn import expected_changes, marked, send, texts, written
from path_expected import (
    ALL,
    ATTN,
    EVERYTHING,
    START,
    TEXT,
    assert_marks,
    assert_pictures,
    assert_shows,
    assign,
    grids,
    named,
    opened_at,
    pictured,
    run,
    without,
)

import toymodel as tm
from toymodel.views import Path

# ---- what a change reaches


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
    *[["W_E", True, 0, 1], ["W_E", 0, 0, True], ["W_E", 0, 0], [["W_E"], 0, 0, 1], [], 5],
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
