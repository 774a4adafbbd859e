"""The view of attention: its numbers against the second implementation, what is picked and used, and what changed."""

import json

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import (
    assign,
    by_name,
    columns,
    counted,
    expected_changes,
    labels,
    marked,
    part,
    send,
    tables,
    texts,
    written,
)

import toymodel as tm
from toymodel.views import Attention

STAGES = ["dots", "scores", "masked_scores", "exp_scores", "pattern"]
SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]
START = {"text": "o gato subiu no", "n_heads": 2, "causal": True, "stage": "pattern", "head": 0, "query": -1, "key": 0}


def plain(text, n_heads, causal, weights=None):
    """Every step of attention, as plain_model has it."""
    steps = plain_model.forward(weights or tm.toy_weights(), tm.encode(text), n_heads, causal)
    return {key.removeprefix("blocks.0.attn."): array for key, array in steps.items() if ".attn." in key}


def used(stage, query, key, n, d_head, causal):
    """What a number is computed from, by hand: {(row of the product, column)}, {(row of the stages, column)}."""
    if stage == "dots":
        return {(i, k) for i in (0, 1) for k in range(d_head)}, set()
    if stage == "pattern":
        divided = {(STAGES.index("exp_scores"), key), (STAGES.index("exp_scores"), n)}
        return set(), {(STAGES.index("masked_scores"), k) for k in range(n)} | divided
    hidden = stage == "masked_scores" and causal and key > query
    return set(), set() if hidden else {(STAGES.index(stage) - 1, key)}


def assert_shows(view, text, n_heads, causal, stage, head, query, key):
    """Every number in the picture is that of a run at these settings, and what is marked is what the sum says."""
    settings = [text, n_heads, causal, stage, head, query, key]
    assert [getattr(view, name) for name in view.controls] == settings
    state, t, tokens = view.state, plain(text, n_heads, causal), tm.run(text).tokens
    query = len(tokens) - 1 if query == -1 else query  # the last, and it stays the last
    assert state["query"] == query
    n, d_head, heads = len(tokens), 4 // n_heads, range(n_heads)

    assert list(tables(view)) == [f"head {h}" for h in heads]
    for h, grid in enumerate(state["tables"]):
        assert texts(grid) == written(t[stage][h])
        assert [row["label"] for row in grid["rows"]] == grid["columns"][1:] == [{"token": it} for it in tokens]
        assert [bool(row.get("chosen")) for row in grid["rows"]] == [i == query for i in range(n)]
        finite = np.abs(t[stage][h][np.isfinite(t[stage][h])])
        assert grid["full"] == (1 if stage == "pattern" else pytest.approx(finite.max() or 1))

    product, (q, k) = state["product"], (t["q"][head, query], t["k"][head, key])
    (dot,) = written([[t["dots"][head, query, key]]])[0]
    rows = written([q, k, q * k])
    assert texts(product) == [[*rows[0], ""], [*rows[1], ""], [*rows[2], dot]]
    assert abs(sum(map(float, rows[2])) - float(dot)) < 0.0006 * (d_head + 1)
    assert [part(it) for it in product["caption"] if isinstance(it, dict)] == [tokens[query], tokens[key]]

    assert [grid["name"] for grid in state["rows"]] == [f"row {h}" for h in heads]
    for h, grid in enumerate(state["rows"]):
        sums = [[], [], [], *([t[name][h, query].sum()] for name in STAGES[-2:])]
        wanted = written([[*t[name][h, query], *last] for name, last in zip(STAGES, sums, strict=True)])
        assert texts(grid) == [[*row, *[""] * (n + 1 - len(row))] for row in wanted]
        assert (
            columns(grid) == [*tokens, "sum"]
            and grid["columns"][1] == {"token": tokens[0]}
            and grid["caption"][-1] == {"token": tokens[query]}
            and grid["full"] is None
        )

    *values, out = state["out"]
    for h, grid in enumerate(values):
        assert texts(grid) == written(t["v"][h]) and labels(grid) == tokens
    *parts, side_by_side, through_W_O = texts(out)
    for h, row in enumerate(parts):
        empty = [""] * d_head
        assert row == empty * h + written([t["z"][h, query]])[0] + empty * (n_heads - 1 - h)
    assert ["".join(cells) for cells in zip(*parts, strict=True)] == side_by_side
    assert [side_by_side, through_W_O] == written([t["concat"][query], t["out"][query]])
    assert {"token": tokens[query]} in out["caption"]

    s = tm.explain(tm.run(text, n_heads, causal), f"blocks.0.attn.{stage}", (head, query, key))
    assert state["sum"]["math"] == s.mathml and state["sum"]["note"] == s.note
    assert {"token": tokens[query]} in state["sum"]["place"] and {"token": tokens[key]} in state["sum"]["place"]
    place = " ".join(map(part, state["sum"]["place"]))
    (value,) = written([[t[stage][head, query, key]]])[0]
    assert place == f"blocks.0.attn.{stage}: head {head} · query {tokens[query]} · key {tokens[key]} = {value}"

    grids = [*state["tables"], product, *state["rows"], *state["out"]]
    in_row = (f"row {head}", STAGES.index(stage), key)
    assert marked(grids, "picked") == {(f"head {head}", query, key), in_row}
    in_product, in_rows = used(stage, query, key, n, d_head, causal)
    expected = {("product", *place) for place in in_product} | {(f"row {head}", *place) for place in in_rows}
    assert marked(grids, "used") == expected
    assert len(expected) == len(s.inputs) + 2 * (stage == "pattern")
    assert [it.partition(": ")[2] for it in state["queries"]] == tokens


# ---- the numbers


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_the_picture_of_a_new_view_is_that_of_a_run(n_heads, causal, text):
    n = len(tm.encode(text))
    places = {(0, 0, 0), (n_heads - 1, n - 1, 0), (0, 0, n - 1), (n_heads - 1, n // 2, n // 2)}
    for stage in STAGES:
        for head, query, key in places:
            settings = {"text": text, "n_heads": n_heads, "causal": causal, "stage": stage}
            settings |= {"head": head, "query": query, "key": key}
            assert_shows(Attention(**settings), **settings)


def test_to_begin_with_the_last_query_is_picked():
    assert_shows(Attention(), **START)


def test_a_hidden_score_is_minus_infinity_because_of_the_mask_and_is_computed_from_nothing():
    view = Attention(stage="masked_scores", query=1, key=3)
    assert texts(tables(view)["head 0"])[1][3] == "-inf"
    assert "hidden" in view.state["sum"]["note"] and "∞" in str(view.state["sum"]["math"])
    assert not marked(view.state["rows"], "used")


def test_what_attention_adds_has_gone_through_W_O():
    """In the toy, W_O changes nothing: here it does."""
    weights = plain_model.random_weights(0)
    given = tm.run("o gato", weights=weights)
    t, out = plain("o gato", 2, True, weights), Attention(trace=given).state["out"][-1]
    assert texts(out)[-2:] == written([t["concat"][1], t["out"][1]])
    assert out["full"] == pytest.approx(max(np.abs(t["concat"][1]).max(), np.abs(t["out"][1]).max()))


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Attention(), dict(START)
    for moved in [
        *[{"n_heads": 4}, {"head": 3}, {"key": 2}, {"query": 1}, {"causal": False}, {"stage": "masked_scores"}],
        *[
            {"text": "o cão subiu no"},
            {"stage": "dots"},
            {"key": 4},
            {"query": 0},
            {"causal": True},
            {"stage": "scores"},
        ],
        *[{"text": "iu muro", "n_heads": 2, "head": 1, "query": 1, "key": 0, "stage": "pattern"}, {"text": "o muro"}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)
        assert view.problem == ""


def test_a_cell_may_be_picked_in_either_kind_of_grid():
    """As attention.js does: a head's number, or a number in the row of a head, whatever its stage."""
    view = Attention()
    heads, rows, stages = view.state["tables"], view.state["rows"], view.state["stages"]
    assert all(grid["pickable"] for grid in [*heads, *rows]) and not view.state["product"].get("pickable")
    send(view, head=heads[1]["head"], query=2, key=1)
    assert_shows(view, **START | {"head": 1, "query": 2, "key": 1})
    send(view, stage=stages[0][0], head=rows[0]["head"], key=4)
    assert_shows(view, **START | {"stage": "dots", "query": 2, "key": 4})
    assert [stage for stage, _words in stages] == STAGES and view.state["heads"] == [1, 2, 4]


def test_the_html_is_the_table_of_the_stage():
    view = Attention(stage="scores", text="o gato", n_heads=1)
    html = view._repr_mimebundle_()[0]["text/html"]
    scores = plain("o gato", 1, True)["scores"][0]
    assert all(x in html for row in written(scores) for x in row)


# ---- what is out of range

OUT = {
    "head": [(9, 1), (-1, 0), (-9, 0)],
    "query": [(99, 4), (5, 4), (-1, -1), (-2, 0), (-99, 0)],
    "key": [(99, 4), (5, 4), (-1, 0), (-99, 0)],
}
OUT = [(name, given, settled) for name, pairs in OUT.items() for given, settled in pairs]


@pytest.mark.parametrize(("name", "given", "settled"), OUT)
def test_a_place_that_is_not_there_becomes_the_nearest(name, given, settled):
    assert_shows(Attention(**{name: given}), **START | {name: settled})
    for move in (send, assign):
        view = Attention()
        move(view, head=1, query=2, key=3)
        move(view, **{name: given})
        assert_shows(view, **START | {"head": 1, "query": 2, "key": 3, name: settled})
        assert view.problem == ""


SHRINKING = [
    ({"text": "o gato"}, {"text": "o gato", "query": 1, "key": 1}),
    ({"text": "o"}, {"text": "o", "query": 0, "key": 0}),
    ({"n_heads": 2}, {"n_heads": 2, "head": 1}),
    ({"n_heads": 1, "text": "iu"}, {"n_heads": 1, "text": "iu", "head": 0, "query": 0, "key": 0}),
    ({"text": "o gato", "query": 3, "key": 0}, {"text": "o gato", "query": 1, "key": 0}),
    ({"text": "o gato subiu no muro", "query": -1}, {"text": "o gato subiu no muro", "query": -1}),
]


@pytest.mark.parametrize(("moved", "settled"), SHRINKING, ids=str)
def test_where_there_is_less_the_place_settles_and_one_picture_is_drawn(moved, settled, monkeypatch):
    view, messages, drawn, picture = Attention(n_heads=4, head=3, query=4, key=4), [], [], Attention.picture
    monkeypatch.setattr(Attention, "picture", lambda self: drawn.append(1) or picture(self))
    monkeypatch.setattr(view, "send_state", lambda key=None: messages.append({key} if isinstance(key, str) else {*key}))
    send(view, **moved)
    assert len(drawn) == 1
    assert_shows(view, **START | {"n_heads": 4, "head": 3, "query": 4, "key": 4} | settled)
    changed = {name for name, value in settled.items() if moved.get(name) != value}
    assert messages[0] == set.union(*messages) == {"state", *changed}  # what has settled goes back with the picture


def test_a_pick_of_what_is_picked_draws_nothing(monkeypatch):
    view = Attention()
    monkeypatch.setattr(view, "picture", lambda: pytest.fail("drawn"))
    send(view, head=0, query=-1, key=0)


# ---- what changed


def changed(view):
    return marked(view.state["tables"], "changed")


def test_a_change_is_marked_and_counted_and_the_marks_stay_while_only_the_pick_moves():
    view = Attention()
    assert not changed(view) and view.state["changes"].startswith("Change the sentence")
    for moved in [{"causal": False}, {"text": "o cão subiu no"}, {"n_heads": 4}, {"text": "o gato"}, {"causal": True}]:
        before = view.state["tables"]
        send(view, **moved)
        marks, said = changed(view), view.state["changes"]
        assert marks == set(expected_changes(before, view.state["tables"])) != set(), moved
        for caption, n, of in counted(view.state["tables"], "changed"):
            assert f"{caption}: {n} of {of} rows changed" in said
        for picked in [{"key": 1}, {"query": 0}, {"head": 0, "query": 1, "key": 0}, {"query": 99}]:
            send(view, **picked)
            assert changed(view) == marks and view.state["changes"] == said


def test_marks_vanish_with_the_stage_and_count_from_it_anew():
    view = Attention()
    send(view, causal=False)
    assert changed(view)
    send(view, stage="masked_scores")
    assert not changed(view) and view.state["changes"].startswith("Change the sentence")
    send(view, key=2)
    assert not changed(view)
    send(view, causal=True)
    assert changed(view) == {(f"head {h}", i, j) for h in (0, 1) for i in range(5) for j in range(i + 1, 5)}
    send(view, stage="dots", causal=False)
    assert not changed(view)


def test_the_mask_changes_no_score_before_it():
    view = Attention(stage="scores")
    send(view, causal=False)
    assert not changed(view) and view.state["changes"] == "Nothing changed."


# ---- bad input


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("text", ["xyz", "", "o rato", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text, move):
    view = Attention()
    move(view, causal=False)
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(text)
    with pytest.raises(ValueError, match=r"\w"):
        Attention(text=text)
    move(view, text=text)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before
    move(view, key=3)  # still bad
    assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    shown = by_name(view.state["tables"]).values()
    move(view, text="o gato subiu no muro")
    assert view.problem == ""
    assert_shows(view, **START | {"text": "o gato subiu no muro", "causal": False, "key": 3})
    assert changed(view) == set(expected_changes(shown, view.state["tables"]))


BAD = [{"n_heads": 3}, {"causal": "yes"}, {"stage": "z"}, {"stage": ""}, {"head": "a"}, {"query": 1.5}, {"text": None}]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Attention()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Attention(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""
