"""Arrows: where keys reach on the query's line, against plain numpy; and a query that is turned."""

import numpy as np
import pytest
from drawn import assign, labels, part, send, texts, written

import toymodel as tm
from toymodel.views import Arrows

pytestmark = pytest.mark.filterwarnings("error")

ATTN = "blocks.0.attn."
TEXT = "o gato subiu no"


def words(parts):
    return " ".join(map(part, parts))


def rotated(q, degrees, stretch):
    a = np.deg2rad(degrees)
    return stretch * np.array([q[0] * np.cos(a) - q[1] * np.sin(a), q[0] * np.sin(a) + q[1] * np.cos(a)])


@pytest.mark.parametrize("query", range(5))
def test_each_key_reaches_as_far_along_the_query_as_its_score_says(query):
    t = tm.run(TEXT)
    view = Arrows(query=query)
    for head, made in enumerate(view.state["heads_drawn"]):
        q, k = t[ATTN + "q"][head, query], t[ATTN + "k"][head, : query + 1]
        scores, weights = t[ATTN + "scores"][head, query, : query + 1], t[ATTN + "pattern"][head, query, : query + 1]
        order = sorted(range(query + 1), key=lambda i: (round(scores[i], 3), i))
        assert [it["token"] for it, _s, _w in made["marks"]] == [t.tokens[i] for i in order]
        np.testing.assert_allclose([s for _it, s, _w in made["marks"]], scores[order], atol=1e-12)
        np.testing.assert_allclose([w for _it, _s, w in made["marks"]], weights[order], atol=0.0006)
        np.testing.assert_allclose([it["tip"] for it in made["keys"]], k[order], atol=0.0006)
        lengths = np.linalg.norm(k[order], axis=1)
        np.testing.assert_allclose([it["along"] for it in made["keys"]], k[order] / lengths[:, None], atol=0.0006)
        np.testing.assert_allclose(np.square(made["sizes"]), weights[order], atol=0.002)
        feet = np.array(made["feet"])
        np.testing.assert_allclose(feet @ q / np.linalg.norm(q), k[order] @ q / np.linalg.norm(q), atol=0.002)
        np.testing.assert_allclose(feet @ [-q[1], q[0]], 0, atol=0.004)  # on the query's line
        assert made["own"] == made["q"] and made["q"]["tip"] == pytest.approx(q, abs=0.0006)


@pytest.mark.parametrize(("turn", "stretch"), [(-120, 1), (35, 1.5), (180, 0.2), (0, 0), (-180, 3)])
def test_a_turned_query_makes_other_scores_and_the_prediction_follows(turn, stretch):
    t = tm.run(TEXT)
    q = t[ATTN + "q"].copy()
    q[0, 4] = rotated(q[0, 4], turn, stretch)
    turned = tm.run(TEXT, replace={ATTN + "q": q})
    view = Arrows()
    send(view, turn=turn, stretch=stretch)
    assert view.problem == ""
    for head in (0, 1):
        numbers = [turned[ATTN + name][head, 4] for name in ("dots", "scores", "pattern")]
        assert texts(view.state["tables"][head]) == written(np.array(numbers).T)
    best = tm.ranking(turned)["p"]
    assert f"What comes next: {best.index[0]} {best.iloc[0]:.3f}" in words(view.state["sentence"])
    assert words(view.state["sentence"]).endswith("(before: ␣telhado 0.395).")
    np.testing.assert_allclose(view.state["heads_drawn"][0]["q"]["tip"], q[0, 4], atol=0.0006)
    assert view.state["heads_drawn"][0]["own"]["tip"] == pytest.approx(t[ATTN + "q"][0, 4], abs=0.0006)


@pytest.mark.parametrize(("turn", "stretch"), [(-120, 1), (35, 1.5), (179, 0.2), (0, 2)])
def test_a_tip_that_is_dragged_turns_and_stretches(turn, stretch):
    view = Arrows()
    own = tm.run(TEXT)[ATTN + "q"][0, 4]
    send(view, dragged=rotated(own, turn, stretch).tolist())
    assert (view.turn, view.stretch, view.dragged) == (turn, stretch, []) and view.problem == ""
    send(view, dragged=(100 * own).tolist())
    assert (view.turn, view.stretch) == (0, 3)


@pytest.mark.parametrize("dragged", [[1], [1, 2, 3], [np.inf, 0], [np.nan, 1], [1e308, 1e308]])
def test_a_tip_that_is_nowhere_is_refused(dragged):
    view = Arrows(turn=20)
    send(view, dragged=dragged)
    assert view.problem.startswith("dragged must be") and view.turn == 20 and view.dragged == []


def test_the_sentence_says_which_key_reaches_furthest():
    view = Arrows()
    said = "In head 0, ␣sub reaches furthest: score 2.400, weight 0.622. What comes next: ␣telhado 0.395."
    assert words(view.state["sentence"]) == said
    send(view, turn=-120)
    said = "In head 0, ␣gato reaches furthest: score 1.052, weight 0.624. What comes next: ␣gato 0.478 (before:"
    assert words(view.state["sentence"]).startswith(said)


def test_the_longer_a_query_the_more_the_furthest_key_takes():
    view, taken = Arrows(), []
    for stretch in (0, 0.5, 1, 2, 3):
        send(view, stretch=stretch)
        taken.append(max(w for _it, _s, w in view.state["heads_drawn"][0]["marks"]))
    assert taken == sorted(taken) and taken[0] == 0.2 and taken[-1] > 0.85


def test_heads_of_another_width_have_a_line_and_no_plane():
    view = Arrows(n_heads=4, head=3)
    assert len(view.state["heads_drawn"]) == 4 and not view.state["can_turn"]
    assert all("q" not in it for it in view.state["heads_drawn"])
    send(view, turn=90)
    assert view.turn == 0  # there is nothing to turn
    send(view, stretch=2)
    t = tm.run(TEXT, 4)
    scores = 2 * t[ATTN + "scores"][3, 4]
    assert [row[1] for row in texts(view.state["tables"][3])] == written([scores])[0]
    view = Arrows(trace=tm.names.run("anna"))
    assert [labels(it) for it in view.state["tables"]] == [["•", "a", "n", "n", "a"]] * 4 and view.problem == ""


def test_what_is_hidden_has_no_mark_and_no_weight():
    view = Arrows(query=1)
    assert len(view.state["heads_drawn"][0]["marks"]) == 2
    assert [row[2] for row in texts(view.state["tables"][0])][2:] == ["hidden"] * 3
    send(view, causal=False)
    assert len(view.state["heads_drawn"][0]["marks"]) == 5


@pytest.mark.parametrize(("key", "column"), [(0, 0), (2, 1), (4, 2), (99, 99)])
def test_a_number_is_picked_and_written_out(key, column):
    view = Arrows()
    send(view, head=1, key=key, column=column)
    key, column = min(key, 4), min(column, 2)
    name = ATTN + ("dots", "scores", "pattern")[column]
    assert view.state["sum"]["math"] == tm.explain(tm.run(TEXT), name, (1, 4, key)).mathml
    assert view.state["tables"][1]["rows"][key]["picked"] == [column]


def test_what_a_move_changed_is_said_of_the_head_that_it_reached():
    view = Arrows()
    send(view, turn=20)
    assert view.state["changes"] == "Head 0, query: 5 of 5 rows changed."
    assign(view, turn=0, stretch=1)
    assert view.trace.replaced == {}


def test_scores_that_are_0_but_for_last_bits_stand_in_one_place():
    """One head without a mask: there the toy's ␣no asks for nothing at all."""
    view = Arrows(text="o gato subiu", n_heads=1, causal=False)
    rows = [tm.run("o gato subiu", 1, False)[ATTN + "scores"][0, query] for query in range(4)]
    (query,) = [i for i, row in enumerate(rows) if np.abs(row).max() < 1e-9]
    send(view, query=query)
    assert {score for _it, score, _w in view.state["heads_drawn"][0]["marks"]} == {0.0}
