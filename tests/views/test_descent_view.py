"""The view of a few steps of learning, against steps taken by hand with automatic differentiation."""

import json
from itertools import pairwise

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, columns, expected_changes, labels, marked, part, send, tables, texts, written

import toymodel as tm
from toymodel.views import Descent

pytestmark = pytest.mark.filterwarnings("error")

START = {
    "text": "o gato subiu no",
    "target": "␣telhado",
    "optimizer": "sgd",
    "learning_rate": 0.1,
    "n_steps": 1,
    "key": "W_E",
    "index": [1, 1],
}
UP = "Where it went up (step {}), the move was too large: a slope holds only near its place."


def plain_loss(weights, ids, target, np=np):
    return plain_model.loss(plain_model.forward(weights, ids, np=np)["logits"], ids, target, np=np)


def by_hand(text, target, optimizer, learning_rate, n_steps, **_where):
    """Weights, loss, gradients and Adam's means before the first step and after each, from the formulas alone."""
    ids, (target,) = tm.encode(text), tm.encode(target.replace("␣", " "))
    w = {name: np.array(it) for name, it in tm.toy_weights().items()}
    m = {name: 0 * it for name, it in w.items()}
    v = dict(m)
    means, made = [], []
    for n in range(1, n_steps + 2):
        loss, g = autograd.value_and_grad(lambda w: plain_loss(w, ids, target, autograd.numpy))(w)
        p = plain_model.forward(w, ids)["probs"][-1]
        made.append({"w": w, "loss": loss, "g": g, "p": p, "means": means})
        if optimizer == "sgd":
            w = {name: w[name] - learning_rate * g[name] for name in w}
            continue
        m = {name: 0.9 * m[name] + 0.1 * g[name] for name in w}
        v = {name: 0.999 * v[name] + 0.001 * g[name] * g[name] for name in w}
        m_hat = {name: m[name] / (1 - 0.9**n) for name in w}
        v_hat = {name: v[name] / (1 - 0.999**n) for name in w}
        w = {name: w[name] - learning_rate * m_hat[name] / (v_hat[name] ** 0.5 + 1e-8) for name in w}
        means = [m, v, m_hat, v_hat]
    return made


def arithmetic(before, after, optimizer, learning_rate, key, index):
    """The column of one step."""
    w, g, new = (it[key][index] for it in (before["w"], before["g"], after["w"]))
    if optimizer == "sgd":
        return [w, g, learning_rate * g, new]
    return [w, g, *(it[key][index] for it in after["means"]), w - new, new]


LINES = {
    "sgd": ["w", "g = ∂W_E", "rate · g", "new w = w − rate · g"],
    "adam": [
        *("w", "g = ∂W_E", "m = 0.9 m + 0.1 g", "v = 0.999 v + 0.001 g²", "m̂ = m / (1 − 0.9ⁿ)"),
        *("v̂ = v / (1 − 0.999ⁿ)", "move = rate · m̂ / (√v̂ + ε)", "new w = w − move"),
    ],
}


def assert_shows(view, **settings):
    """Every number in the picture is that of steps taken by hand with these settings."""
    assert {name: getattr(view, name) for name in view.controls} == settings
    moments, drawn = by_hand(**settings), tables(view)
    losses = [it["loss"] for it in moments]
    promised = [
        before["loss"] + sum(np.sum(g * (after["w"][name] - before["w"][name])) for name, g in before["g"].items())
        for before, after in pairwise(moments)
    ]
    steps = [f"step {n}" for n in range(1, len(moments))]
    assert labels(drawn["losses"]) == ["before", *steps] and columns(drawn["losses"]) == ["is", "promised"]
    assert texts(drawn["losses"]) == [
        [a, b]
        for (a,), b in zip(
            written([[x] for x in losses]), ["", *(x for (x,) in written([[x] for x in promised]))], strict=True
        )
    ]
    assert texts(drawn["probabilities"]) == written(np.array([moments[0]["p"], moments[-1]["p"]]).T)
    first, last = (x for (x,) in written([[losses[0]], [losses[-1]]]))
    seen = [float(plain_model.three_decimals(x)) for x in losses]
    up = [str(n) for n in range(1, len(seen)) if seen[n] > seen[n - 1]]
    said = f"The loss: {first} before, {last} after." + (" " + UP.format(", ".join(up)) if up else "")
    assert view.state["said"] == said
    digits = 6 if settings["optimizer"] == "sgd" else 3  # a large rate times |g|² would show the rounding
    assert f"{promised[0]:.{digits}f}" in view.state["promise"]

    key, index, optimizer = settings["key"], tuple(settings["index"]), settings["optimizer"]
    derivatives, table = view.state["weight"]
    g = moments[0]["g"][key]
    turned = g.shape[1] > g.shape[0]
    for row, numbers in zip(texts(derivatives), g.T if turned else g, strict=True):
        for text, number in zip(row, numbers, strict=True):
            assert abs(float(text) - number) <= 0.00501 * abs(number) + 1e-9 and (text == "0") == (abs(number) == 0), (
                text
            )
    assert marked([derivatives], "picked") == {("derivatives", *(index[::-1] if turned else index))}
    assert labels(table) == steps
    assert [it.replace("\u00a0", " ") for it in columns(table)] == [
        it.replace("W_E", key.split(".")[-1]) for it in LINES[optimizer]
    ]
    for k, column in enumerate(texts(table)):
        numbers = arithmetic(moments[k], moments[k + 1], optimizer, settings["learning_rate"], key, index)
        for text, number in zip(column, numbers, strict=True):
            assert abs(float(text) - number) <= max(5.1e-7 * ("e" not in text), abs(number) * 0.006 * ("e" in text)), (
                text
            )
    assert table["caption"][0] == f"{key}[{index[0]},{index[1]}]"
    assert view.problem == ""


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize(
    ("learning_rate", "n_steps"), [(0.001, 1), (0.01, 10), (0.1, 3), (0.3, 3), (1, 2), (3, 1), (0, 2)]
)
def test_the_picture_of_a_new_view_is_that_of_steps_by_hand(optimizer, learning_rate, n_steps):
    settings = START | {"optimizer": optimizer, "learning_rate": learning_rate, "n_steps": n_steps}
    assert_shows(Descent(**settings), **settings)


@pytest.mark.parametrize("key", list(tm.toy_weights()))
def test_each_weight_can_be_followed(key):
    settings = START | {"key": key, "index": [2, 3], "n_steps": 2, "optimizer": "adam"}
    assert_shows(Descent(**settings), **settings)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Descent(), dict(START)
    for moved in [
        *[{"n_steps": 3}, {"learning_rate": 1}, {"optimizer": "adam"}, {"target": "␣muro"}, {"key": "W_U"}],
        *[{"index": [3, 11]}, {"text": "o cão"}, {"learning_rate": 0.003}, {"optimizer": "sgd"}, {"n_steps": 10}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)


def test_the_promise_is_the_formula_with_its_numbers():
    (before, _after) = by_hand(**START)
    square = sum(np.sum(g**2) for g in before["g"].values())
    promise = Descent().state["promise"].replace("\u2060", "")
    loss, square, promised = (f"{x:.6f}" for x in (before["loss"], square, before["loss"] - 0.1 * square))
    assert f"loss − rate · |g|² = {loss} − 0.1 · {square} = {promised}." in promise


def test_a_rate_that_is_too_large_sends_the_loss_up_and_it_is_said_where():
    view = Descent(optimizer="adam", learning_rate=0.1)
    assert view.state["said"].endswith(UP.format(1))
    assert "went up" not in Descent().state["said"]
    assert Descent(learning_rate=0.3, n_steps=4).state["said"].endswith(UP.format(3))


def test_a_rise_that_no_shown_digit_shows_is_not_named():
    view = Descent(optimizer="adam", learning_rate=10, n_steps=4)
    up = [b > a for a, b in pairwise(it.gradients.loss for it in view.moments)]
    assert up == [False, False, True, True] and texts(tables(view)["losses"])[2][0] == "0.000"
    assert texts(tables(view)["losses"])[3][0] == "0.000" and view.state["said"].endswith(UP.format(4))


def test_an_exact_0_and_a_tiny_number_are_not_written_alike():
    view = Descent(optimizer="adam", learning_rate=0.01, index=[5, 1])
    derivatives, arithmetic = view.state["weight"]
    assert texts(derivatives)[labels(derivatives).index("␣muro")] == ["0"] * 4
    (step,) = texts(arithmetic)
    assert "e-" in step[LINES["adam"].index("v = 0.999 v + 0.001 g²")]
    send(view, index=[7, 0])
    (step,) = texts(view.state["weight"][1])
    assert step[1:-1] == ["0"] * 6


def test_what_the_last_move_changed_is_marked():
    view = Descent()
    assert view.state["changes"] == "A dot will mark what your last move has changed."
    for moved in [{"learning_rate": 0.3}, {"n_steps": 4}, {"target": "␣muro"}, {"text": "o gato"}]:
        before = view.state["tables"]
        send(view, **moved)
        expected = {it for it in expected_changes(before, view.state["tables"]) if it[0] == "probabilities"}
        assert marked(view.state["tables"], "changed") == expected
        assert view.state["changes"].startswith("Probabilities: ") == bool(expected)


@pytest.mark.parametrize("moved", [{"index": [0, 0]}, {"key": "W_U"}])
def test_another_weight_is_not_called_nothing(moved):
    view = Descent()
    send(view, **moved)
    assert view.state["changes"] == "" and not marked(view.state["tables"], "changed")


@pytest.mark.parametrize(
    ("name", "given", "settled"),
    [("n_steps", 0, 1), ("n_steps", 99, 10), ("index", [99, -5], [11, 0]), ("index", [], [0, 0])],
)
def test_what_is_out_of_range_becomes_the_nearest(name, given, settled):
    assert_shows(Descent(**{name: given}), **START | {name: settled})
    view = Descent()
    send(view, **{name: given})
    assert_shows(view, **START | {name: settled})


# ---- where float64 ends, and bad input


@pytest.mark.parametrize("rate", [1e200, 1e308])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_where_float64_ends_there_is_a_sentence_and_the_last_good_picture_stays(optimizer, rate):
    view = Descent(optimizer=optimizer, n_steps=3)
    before = json.dumps(view.state)
    send(view, learning_rate=rate)
    assert view.problem.startswith(
        "in step 1 the numbers grow larger than float64 can hold: try a smaller learning rate."
    )
    assert json.dumps(view.state) == before
    send(view, learning_rate=0.01)
    assert_shows(view, **START | {"optimizer": optimizer, "n_steps": 3, "learning_rate": 0.01})


@pytest.mark.parametrize("rate", [float("nan"), float("inf")])
def test_a_rate_that_is_no_number_is_told(rate):
    view = Descent()
    assign(view, learning_rate=rate)
    assert view.problem.startswith("learning_rate must be a finite number")


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("text", ["xyz", "", "o rato", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text, move):
    view = Descent()
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        Descent(text=text)
    move(view, text=text)
    assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    move(view, text="o gato")
    assert_shows(view, **START | {"text": "o gato"})


@pytest.mark.parametrize(
    "bad",
    [{"target": "rato"}, {"key": "embed"}, {"optimizer": "adamw"}, {"n_steps": 1.5}, {"learning_rate": "fast"}],
    ids=str,
)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Descent()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Descent(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""


def test_the_html_is_the_loss_step_by_step():
    html = Descent(n_steps=2)._repr_mimebundle_()[0]["text/html"]
    for it in by_hand(**START | {"n_steps": 2}):
        assert f"<td>{plain_model.three_decimals(it['loss'])}</td>" in html
    assert part(Descent().state["weight"][0]["caption"][0]) == "∂W_E"
