"""The view of positions: what two swapped words change, with each kind of positions."""

import json

import numpy as np
import plain_model
import pytest
from drawn import assign, by_name, labels, marked, send, texts, written

import toymodel as tm
from toymodel.views import Positions

TEXT, WEIGHTS = "o cão no muro subiu no", tm.toy_weights()
KINDS = {"learned": WEIGHTS["W_pos"], "waves": tm.sinusoids(8, 4), "none": np.zeros((8, 4))}


def assert_shows(view, text, first, second, kind):
    """Every number is that of another model with this W_pos."""
    ids = tm.encode(text)
    swapped = list(ids)
    swapped[first], swapped[second] = ids[second], ids[first]
    weights, n = WEIGHTS | {"W_pos": KINDS[kind]}, len(ids)
    before, after = (plain_model.forward(weights, it) for it in (ids, swapped))
    drawn = by_name(view.state["rows"])
    vocab = tm.run("o").vocab
    names = [[vocab[i] for i in it] for it in (ids, swapped)]
    for steps, how, tokens in zip((before, after), ("as it is", "swapped"), names, strict=True):
        assert texts(drawn[f"x {how}"]) == written(steps["blocks.0.resid_pre"])
        assert labels(drawn[f"x {how}"]) == tokens
    assert texts(drawn["pos_embed"]) == written(KINDS[kind][:n])
    assert labels(drawn["pos_embed"]) == [str(i) for i in range(n)]
    for grid, steps, tokens in zip(view.state["predictions"], (before, after), names, strict=True):
        likeliest = [
            (vocab[int(np.argmax(np.round(p, 9)))], plain_model.three_decimals(p.max())) for p in steps["probs"]
        ]
        assert texts(grid) == [[token, *rest] for token, rest in zip(tokens, likeliest, strict=True)]
        assert labels(grid) == [str(i) for i in range(n)]
    notice = [i for i in range(n) if abs(before["probs"][i] - after["probs"][i]).max() > 1e-9]
    assert marked(view.state["predictions"], "changed") == {("predictions swapped", i, 2) for i in notice}
    last = "The last one does." if n - 1 in notice else "The last one predicts the same as before."
    assert view.state["changes"] == f"{len(notice)} of {n} places predict something else (a dot marks them). {last}"
    assert (view.text, view.first, view.second, view.kind, view.problem) == (text, first, second, kind, "")
    return notice


@pytest.mark.parametrize(("kind", "noticed"), [("learned", range(1, 7)), ("waves", range(1, 7)), ("none", [1, 2, 3])])
def test_each_kind_shows_its_numbers_and_only_without_positions_is_order_lost(kind, noticed):
    view = Positions(text=TEXT, first=1, second=3, kind=kind)
    assert assert_shows(view, TEXT, 1, 3, kind) == list(noticed)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, at = Positions(), {"text": TEXT, "first": 1, "second": 3, "kind": "learned"}
    assert_shows(view, **at)
    for moved in (
        *({"kind": "waves"}, {"first": 3}, {"second": 0}, {"kind": "none"}, {"text": "o gato subiu no"}),
        *({"first": 4, "second": 2}, {"kind": "learned"}, {"text": "o" * 8}),
    ):
        at |= moved
        move(view, **moved)
        assert_shows(view, **at)


def test_places_that_are_no_more_become_the_nearest():
    view = Positions(first=1, second=6)
    send(view, text="o gato")
    assert_shows(view, "o gato", 1, 1, "learned")


@pytest.mark.parametrize("text", ["xyz", "", "o" * 9])
def test_a_bad_sentence_is_told_and_the_last_good_picture_stays(text):
    view = Positions()
    before = json.dumps(view.state)
    send(view, text=text)
    assert view.problem.endswith("What worked last is still shown below.") and json.dumps(view.state) == before
    send(view, text="o gato no muro")
    assert_shows(view, "o gato no muro", 1, 3, "learned")


def test_the_html_holds_what_enters_the_block_and_what_is_predicted():
    html = Positions()._repr_mimebundle_()[0]["text/html"]
    for name in ("x as it is", "x swapped"):
        assert all(
            f"<td>{text}</td>" in html for row in texts(by_name(Positions().state["rows"])[name]) for text in row
        )
