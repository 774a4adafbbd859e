"""The view of gradients: its numbers against automatic differentiation and nudging of the second implementation."""

import json
from itertools import pairwise

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, by_name, labels, marked, part, send, texts, written

import toymodel as tm
from toymodel.views import Gradient

START = {"text": "o gato subiu no", "target": "␣telhado", "key": "blocks.0.attn.W_Q", "index": [1, 0], "trail": []}
WEIGHTS = list(tm.toy_weights())
H = 1e-5


def plain_loss(weights, text, target, np=np):
    steps = plain_model.forward(weights, tm.encode(text), np=np)
    return plain_model.loss(steps["logits"], tm.encode(text), tm.encode(target.replace("␣", " "))[0], np=np)


def derivatives(text, target):
    """d loss / d each weight, by automatic differentiation."""
    loss = autograd.grad(lambda weights: plain_loss(weights, text, target, autograd.numpy))
    return loss({name: np.array(w) for name, w in tm.toy_weights().items()})


def small(x):
    """Three decimals, or three digits that count, of numbers down to a billionth; an exact 0 is 0."""
    if x == 0:
        return "0"
    if 0.99995e-9 <= abs(x) < 0.99995e-4:
        return f"{x:.2e}"
    return next((f"{x:.{n}f}" for n in range(3, 7) if abs(x) >= 0.99995 * 10 ** (2 - n)), "0.000")


def grids(view):
    return [it for line in view.state["lines"] for it in line]


def largest(text, target, key):
    """Where the largest derivative of a weight stands."""
    sizes = abs(derivatives(text, target)[key])
    return list(max(np.ndindex(sizes.shape), key=lambda at: round(sizes[at], 9)))


def upright(array):
    """As it is drawn: a wide table is turned."""
    return array.T if array.shape[1] > array.shape[0] else array


def assert_shows(view, text, target, key, index, trail):
    """What is drawn at these settings. Of weights, all derivatives come from outside; of steps, from `gradients`."""
    assert [getattr(view, name) for name in view.controls] == [text, target, key, index, trail]
    t = tm.run(text)
    g = tm.gradients(t, target)
    expected = derivatives(text, target)[key] if key in WEIGHTS else g[key]
    values, derived = t[key], np.where(g[key] == 0, 0, expected)
    if values.ndim == 2:
        values, derived = values[None], derived[None]
    assert [len(line) for line in view.state["lines"]] == [2] * len(values)
    for (left, right), numbers, changes in zip(view.state["lines"], values, derived, strict=True):
        assert texts(left) == written(upright(numbers))
        assert texts(right) == [[small(x) for x in row] for row in upright(changes)]
        assert labels(left) == labels(right)
        assert right["pickable"] and not left.get("pickable")
        turned = "ᵀ" if numbers.shape[1] > numbers.shape[0] else ""
        assert part(left["caption"][0]).endswith(turned) and part(right["caption"][0]) == "∂" + part(left["caption"][0])
    head, (i, j) = (index[0] if len(index) == 3 else 0), index[-2:]
    place = (j, i) if values.shape[2] > values.shape[1] else (i, j)
    assert marked(view.state["lines"][head], "picked") == {(it["name"], *place) for it in view.state["lines"][head]}
    assert len(marked(grids(view), "picked")) == 2
    sum_ = tm.explain(g, key, tuple(index))
    assert view.state["sum"]["math"] == sum_.mathml and part(view.state["sum"]["place"][0]) == f"∂{key}:"
    assert view.state["sum"]["place"][-1] == f"= {small(sum_.value)}"
    assert f"{plain_model.three_decimals(g.loss)}." in "".join(map(part, view.state["loss"]))
    assert {"token": target} in view.state["loss"]
    assert [it["place"] for it in view.state["trail"]] == trail
    assert view.problem == ""


# ---- the numbers


@pytest.mark.parametrize(("text", "target"), [("o gato subiu no", "␣telhado"), ("o", "iu"), ("iu<eot> muro.", "o")])
@pytest.mark.parametrize("key", WEIGHTS)
def test_the_derivatives_of_a_weight_are_those_of_automatic_differentiation(text, target, key):
    settings = START | {"text": text, "target": target, "key": key, "index": [0, 1]}
    assert_shows(Gradient(**settings), **settings)


@pytest.mark.parametrize("key", tm.gradients(tm.run("o"), "o").keys()[len(WEIGHTS) :])
def test_the_derivatives_of_every_step_are_drawn(key):
    index = [1, 2, 1] if tm.run(START["text"])[key].ndim == 3 else [2, 1]
    assert_shows(Gradient(key=key, index=index), **START | {"key": key, "index": index})


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("o gato subiu no", (12 - 5) * 4 + (8 - 5) * 4),  # rows of W_E and W_pos that are not read
        ("o cão subiu no", (12 - 5) * 4 + (8 - 5) * 4),
        ("o", 11 * 4 + 7 * 4 + 2 * 16 + 3 * 8),  # W_Q and W_K of one token; 24 behind a number that is 0
    ],
)
def test_the_weights_with_an_exact_0_are_counted(text, n):
    assert Gradient(text=text).state["zeros"].startswith(f"Of the 256 weights, {n} have a derivative of exactly 0.")


def test_an_exact_0_looks_other_than_a_small_number():
    view = Gradient(key="W_E", index=[7, 0])
    (_values, drawn), *_none = view.state["lines"]
    cells = dict(zip(labels(drawn), texts(drawn), strict=True))
    exact = derivatives(START["text"], START["target"])["W_E"][2]
    assert cells["␣muro"] == ["0"] * 4 and cells["␣gato"] == [small(x) for x in exact]
    assert cells["␣gato"][0] == "1.31e-08" and cells["o"][1] == "0.000337"
    assert view.state["zeros"].endswith("In the table of derivatives an exact 0 is written 0.")
    assert view.state["sum"]["place"][-1] == "= 0" and view.state["sum"]["math"][1] == [["<mn>0</mn>"]]


@pytest.mark.parametrize(
    ("key", "index"), [("blocks.0.attn.W_Q", [1, 0]), ("W_U", [0, 6]), ("W_E", [2, 3]), ("W_E", [7, 0])]
)
def test_nudging_agrees_to_nine_digits(key, index):
    ends = []
    for h in (-H, H):
        weights = tm.toy_weights()
        weights[key][tuple(index)] += h
        ends.append(plain_loss(weights, START["text"], START["target"]))
    exact = derivatives(START["text"], START["target"])[key][tuple(index)]
    shown = [x for (x,) in texts(*Gradient(key=key, index=index).state["check"])]
    assert all(len(x.partition(".")[2]) == 9 for x in shown)
    np.testing.assert_allclose([float(x) for x in shown[:2]], ends, rtol=0, atol=5.1e-10)
    np.testing.assert_allclose(float(shown[2]), (ends[1] - ends[0]) / (2 * H), rtol=0, atol=1e-9)
    np.testing.assert_allclose(float(shown[3]), exact, rtol=0, atol=5.1e-10)
    assert abs(float(shown[2]) - float(shown[3])) <= 1e-9
    assert Gradient().state["check"][0]["caption"] == ["Nudged by δ = 0.00001"]
    assert [it[-1] for it in labels(Gradient().state["check"][0])[:3]] == list("δδδ")


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Gradient(), dict(START)
    for moved in [
        *[{"index": [3, 2]}, {"key": "W_U"}, {"index": [3, 11]}, {"target": "␣muro"}, {"text": "o cão subiu no"}],
        *[{"key": "W_E"}, {"index": [11, 0]}, {"text": "iu"}, {"target": "."}],
    ]:
        settings |= moved
        move(view, **moved)
        if "key" in moved:
            settings["index"] = largest(settings["text"], settings["target"], settings["key"])
        assert_shows(view, **settings)


# ---- on the way to the loss, and back


def test_the_way_leads_from_a_weight_to_the_logits_and_back():
    view, trail = Gradient(key="W_E", index=[1, 1]), []
    for _step in range(20):
        if view.key == "logits":
            break
        here, onward = [view.key, *view.index], view.state["inputs"]
        g = tm.gradients(tm.run(view.text), view.target)
        for it in onward:
            key, *index = it["place"]
            assert it["text"].startswith("∂") and it["text"].endswith(f" = {small(g[key][tuple(index)])}")
        trail = [*trail, here]
        (key, *index) = onward[0]["place"]
        send(view, key=key, index=index, trail=trail)
        assert_shows(view, **START | {"key": key, "index": index, "trail": trail})
    assert view.state["inputs"] == [] and "chain begins" in view.state["sum"]["note"]
    assert len(trail) > 5
    (key, *index) = trail[2]
    send(view, key=key, index=index, trail=trail[:2])
    assert_shows(view, **START | {"key": key, "index": index, "trail": trail[:2]})


def test_the_numbers_on_the_way_are_those_that_were_computed_from_it():
    """A nudge of the number nudges them, if nothing else on the way is held."""
    view = Gradient(key="blocks.0.ln1.out", index=[4, 1])
    assert [it["place"][0].split(".")[-1] for it in view.state["inputs"]] == ["q", "k", "v"]
    assert Gradient(key="W_E", index=[7, 0]).state["inputs"] == []


WAY = [["W_E", 1, 1], ["embed", 4, 1], ["blocks.0.resid_pre", 4, 1]]


@pytest.mark.parametrize(
    "moved",
    [{"key": "W_U"}, {"index": [0, 0]}, {"text": "o gato"}, {"trail": [["W_E", 99, 1]]}, {"trail": [["probs", 0, 0]]},
     {"trail": [[]]}, {"trail": [["W_E"]]}, {"trail": [[3, "a"]]}, {"trail": [["W_E", "a", 1]]}],
    ids=str,
)  # fmt: skip
def test_a_way_that_does_not_lead_here_is_forgotten(moved):
    (key, *index), trail = WAY[-1], WAY[:-1]
    view = Gradient(key=key, index=index, trail=trail)
    assert_shows(view, **START | {"key": key, "index": index, "trail": trail})
    send(view, **moved)
    assert view.trail == [] == view.state["trail"] and view.problem == ""


def test_every_link_of_the_toy_can_be_walked():
    """From each weight, always along the first way: each number's derivative is made of the next one's."""
    t = tm.run(START["text"])
    for key in WEIGHTS:
        view = Gradient(key=key, index=np.argwhere(tm.gradients(t, "␣telhado")[key])[0].tolist())
        places = [[view.key, *view.index]]
        for _step in range(20):
            if not (onward := view.state["inputs"]):
                break
            (key, *index) = onward[-1]["place"]
            send(view, key=key, index=index, trail=list(places))
            assert view.trail == places
            places.append([key, *index])
        assert places[-1][0] == "logits"
        for a, b in pairwise(places):
            assert a != b


# ---- what is out of range, and bad input


@pytest.mark.parametrize(
    ("given", "settled"), [([99, 0], [3, 0]), ([-1, 2], [0, 2]), ([], [0, 0]), ([1], [1, 0]), ([1, 2, 3], [1, 2])]
)
def test_an_index_that_is_not_there_becomes_the_nearest(given, settled):
    assert_shows(Gradient(index=given), **START | {"index": settled})
    view = Gradient()
    send(view, index=given)
    assert_shows(view, **START | {"index": settled})


@pytest.mark.parametrize(("key", "row"), [("logits", 0), ("ln_final.out", 0), ("blocks.0.attn.pattern", 1)])
def test_another_key_begins_at_its_largest_derivative_in_the_last_row(key, row):
    view = Gradient()
    send(view, key=key)
    g = tm.gradients(tm.run(START["text"]), START["target"])[key]
    assert view.index[row] == 4 and abs(g[tuple(view.index)]) > 0.999999 * abs(g).max()
    assert_shows(view, **START | {"key": key, "index": view.index})
    assert key == "logits" or view.state["inputs"]


def test_another_key_with_its_own_index_or_way_stays_there():
    view = Gradient()
    send(view, key="W_U", index=[0, 3])
    assert_shows(view, **START | {"key": "W_U", "index": [0, 3]})
    (key, *index), trail = WAY[1], WAY[:1]
    view = Gradient(key="W_E", index=[1, 1])
    send(view, key=key, index=index, trail=trail)
    (key, *index), trail = WAY[2], WAY[:2]  # the same index
    send(view, key=key, index=index, trail=trail)
    assert_shows(view, **START | {"key": key, "index": index, "trail": trail})
    send(view, key=WAY[1][0], index=index, trail=WAY[:1])
    assert_shows(view, **START | {"key": WAY[1][0], "index": index, "trail": WAY[:1]})


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("text", ["xyz", "", "o rato", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text, move):
    view = Gradient()
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        Gradient(text=text)
    move(view, text=text)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before
    move(view, text="o gato")
    assert_shows(view, **START | {"text": "o gato"})


@pytest.mark.parametrize(
    "bad", [{"target": "rato"}, {"key": "probs"}, {"index": 3}, {"index": ["a"]}, {"trail": [1]}], ids=str
)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Gradient()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Gradient(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""


def test_the_html_is_the_table_of_derivatives():
    html = Gradient(key="W_pos")._repr_mimebundle_()[0]["text/html"]
    expected = derivatives(START["text"], START["target"])["W_pos"]
    assert all(f"<td>{x}</td>" in html for row in written(expected) for x in row)
    assert by_name(grids(Gradient(key="W_pos")))["W_pos"]["rows"][0]["label"] == "0"
