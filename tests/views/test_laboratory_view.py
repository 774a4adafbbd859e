"""The laboratory: all that it draws of one head at one query, against plain numpy on the run's q, k and v."""

import character_model as chars
import numpy as np
import pytest
from drawn import assign, part, send, texts, written

import toymodel as tm
from toymodel.views import Laboratory

pytestmark = pytest.mark.filterwarnings("error")

ATTN = "blocks.0.attn."
RUNS = {
    "names": tm.names.run("anna"),
    "the toy": tm.run("o gato subiu no"),
    "the toy, one head, no mask": tm.run("o gato subiu", 1, False),
    "another model": tm.run("banco", model=chars.MODEL),
    "the end alone": tm.names.run(""),
}


def words(parts):
    return " ".join(map(part, parts))


def by_hand(t, head, query):
    """From q, k and v alone: scores, weights, and what is read; None where the mask hides a key."""
    q, k, v = (t[ATTN + name][head] for name in "qkv")
    seen = len(k) if t.settings.get("causal") is False else query + 1
    scores = [sum(a * b for a, b in zip(q[query], key, strict=True)) / len(key) ** 0.5 for key in k[:seen]]
    powers = np.exp(scores)
    weights = powers / powers.sum()
    return seen, scores, weights, weights @ v[:seen]


@pytest.mark.parametrize("name", RUNS)
def test_every_head_and_query_shows_what_its_q_k_and_v_give(name):
    t = RUNS[name]
    view = Laboratory(trace=t)
    for head in range(len(t[ATTN + "q"])):
        for query in range(len(t.tokens)):
            assign(view, head=head, query=query)
            assert view.problem == ""
            seen, scores, weights, read = by_hand(t, head, query)
            letters, v = view.state["letters"], t[ATTN + "v"][head]
            assert [it["token"]["token"] for it in letters] == t.tokens
            assert [it["hidden"] for it in letters] == [i >= seen for i in range(len(t.tokens))]
            assert all(
                it.keys() == {"token", "note", "mask", "hidden"} for it in letters[seen:]
            )  # no score, no weight, no value
            assert [[it["score"][0] for it in letters[:seen]]] == written([scores])
            assert [[it["weight"][0] for it in letters[:seen]]] == written([weights])
            np.testing.assert_allclose([it["weight"][1] for it in letters[:seen]], weights, atol=0.0006)
            every = t[ATTN + "q"][head, query] @ t[ATTN + "k"][head].T / np.sqrt(v.shape[1])
            np.testing.assert_allclose(view.state["score_sizes"], every / max(np.abs(every).max(), 1e-9), atol=0.0006)
            assert [it["score"][1] for it in letters[:seen]] == view.state["score_sizes"][:seen]
            largest = np.abs(v[:seen]).max()
            np.testing.assert_allclose([it["value"] for it in letters[:seen]], v[:seen] / largest, atol=0.0006)
            shares = weights[:, None] * v[:seen] / largest
            np.testing.assert_allclose([it["read"] for it in letters[:seen]], shares, atol=0.0006)
            np.testing.assert_allclose(view.state["mix"], read / largest, atol=0.0006)
            assert texts(view.state["added"][0]) == written([read])
            assert [[[a for a, _size in row[:seen]]] for row in view.state["of_heads"]] == [
                written([by_hand(t, h, query)[2]]) for h in range(len(t[ATTN + "q"]))
            ]


def test_it_opens_where_a_head_reads_unevenly():
    view = Laboratory(trace=tm.names.run("anna"))
    assert (view.head, view.query, view.key) == (3, -1, 2)
    assert view.trace[ATTN + "pattern"][3, -1, 2] > 0.8
    assert [Laboratory(trace=RUNS["the toy"], query=q).head for q in (-1, 3)] == [1, 0]


@pytest.mark.parametrize("wild", [99, -7, 10**9])
@pytest.mark.parametrize("name", ["head", "query", "key", "column"])
def test_a_place_that_is_not_there_is_the_nearest_one(name, wild):
    view = Laboratory(trace=RUNS["names"], written="out", **{name: wild})
    last = {"head": 3, "query": 4, "key": 4, "column": 15}[name]
    assert getattr(view, name) == (last if wild > 0 else 0) and view.problem == ""


def test_before_the_mask_later_keys_have_scores_and_after_it_none_can_be_picked():
    t = RUNS["names"]
    view = Laboratory(trace=t, query=1, key=4, written="scores", phase=3)
    assert [it["hidden"] for it in view.state["letters"]] == [False] * 5 and view.key == 4
    assert [[it["score"][0] for it in view.state["letters"]]] == written([t[ATTN + "scores"][view.head, 1]])
    assert view.state["sum"]["place"][-1] == f"= {t[ATTN + 'scores'][view.head, 1, 4]:.3f}"
    sizes = view.state["score_sizes"]
    send(view, phase=4)
    assert [it["hidden"] for it in view.state["letters"]] == [False, False, True, True, True]
    assert view.key == 1 and view.state["score_sizes"] == sizes  # bars stay as they are
    send(view, key=3)
    assert view.key == 1
    assert [it["note"] for it in view.state["letters"]][1:3] == ["1 asks", "2 comes later"]


def test_how_many_heads_are_of_one_mind_is_counted_for_each_query():
    t = RUNS["names"]
    view, best = Laboratory(trace=t), t[ATTN + "pattern"].argmax(axis=-1)  # (head, query)
    counts = [max(list(column).count(key) for key in column) for column in best.T]
    assert view.state["agree"]["counts"] == [f"{n}/4" for n in counts] and counts[1] == 4
    assert words(view.state["agree"]["said"]) == "3 of 4 heads read n (3) most."


def test_a_phase_shows_what_came_before_it_and_nothing_that_comes_later():
    view = Laboratory(trace=RUNS["names"], query=2)
    told = []
    for phase in range(1, 8):
        send(view, phase=phase)
        state = view.state
        told.append(words(state["sentence"]))
        assert (len(state["product"]), len(state["added"])) == (phase >= 3, {6: 1, 7: 3}.get(phase, 0))
        assert state["written"][0] == (None if phase < 3 else "scores" if phase < 5 else "pattern")
        assert (state["sum"] is None) == (phase < 3)
    assert told == [
        "n (2) asks. Pick another one to ask.",
        "n (2) has a query; each has a key, to be found by, and a value, to hand on.",
        "In head 3 the query of n (2) fits the key of a (4) best: 2.422.",  # which the mask then hides
        "n (2) may not read 2 that come later.",
        "n (2) reads a (1) most: 0.852. All its weights sum to 1.000.",
        "Each value counts by its weight. The sum is what head 3 hands on for n (2).",
        "Every head asks by itself; none alone is what attention adds.",
    ]
    send(view, query=-1, phase=4)
    assert words(view.state["sentence"]) == "a (4) may read all: nothing is hidden."


@pytest.mark.parametrize("moved", [{"key": 1}, {"key": 0}, {"column": 3}, {"query": 1}])
@pytest.mark.parametrize("name", ["dots", "scores", "pattern", "z", "concat", "out"])
def test_each_number_leads_to_its_sum(name, moved):
    t = RUNS["names"]
    view = Laboratory(trace=t, head=2, query=3, key=1, column=1)
    send(view, written=name, **moved)
    query, key, column = moved.get("query", 3), moved.get("key", 1), moved.get("column", 1)
    place = {"z": (2, query, column), "concat": (query, column), "out": (query, column)}.get(name, (2, query, key))
    expected = tm.explain(t, ATTN + name, place)
    assert view.state["sum"]["math"] == expected.mathml
    assert view.state["sum"]["place"][-1] == f"= {expected.value:.3f}"
    picked = {it["name"]: it["rows"][0].get("picked", []) for it in view.state["added"]}
    assert picked == {it: [column] if it == name else [] for it in ("z", "concat", "out")}
    q, k = t[ATTN + "q"][2, query], t[ATTN + "k"][2, key]
    (product,) = view.state["product"]
    assert [row[:4] for row in texts(product)] == written([q, k, q * k])
    assert texts(product)[2][4] == written([[q @ k]])[0][0]


def test_what_lies_beyond_a_shorter_text_is_drawn_at_the_nearest_place():
    view = Laboratory(trace=RUNS["names"], head=3, query=4, key=4, column=3, written="z")
    send(view, text="an")
    assert (view.query, view.key, view.column) == (2, 2, 3) and view.problem == ""
    send(view, written="out", column=15)
    send(view, written="z")
    assert view.column == 3


def test_the_toy_may_have_other_heads_and_no_mask_and_a_model_without_the_choice_none():
    view = Laboratory(trace=RUNS["the toy"])
    send(view, n_heads=4, head=3)
    assert len(view.state["of_heads"]) == 4 and view.state["masks"]
    send(view, n_heads=1, causal=False)
    assert view.head == 0 and not any(it["hidden"] for it in view.state["letters"])
    view = Laboratory(trace=RUNS["names"])
    assert (view.state["heads"], view.state["masks"]) == ([], False)


@pytest.mark.parametrize(
    ("text", "told"),
    [("Anna", "`Anna` is not in the vocabulary"), ("a" * 16, "context"), ("an•", "stands before and after each text")],
)
def test_a_text_that_cannot_be_read_is_told_and_the_last_picture_stays(text, told):
    view = Laboratory(trace=RUNS["names"])
    before = view.state
    send(view, text=text)
    assert told in view.problem and view.state == before
    send(view, text="anna")
    assert view.problem == ""


def test_the_fallback_is_the_table_of_its_head():
    view = Laboratory(trace=RUNS["names"])
    assert view.fallback() == tm.table(RUNS["names"], ATTN + "pattern", head=3)._repr_html_()
