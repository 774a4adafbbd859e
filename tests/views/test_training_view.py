"""The view of training: each step it shows is what `train` yields; how it is started, stopped and continued."""

import json
from functools import cache
from itertools import islice

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, columns, labels, part, send, tables, texts, written

import toymodel as tm
from toymodel import calls
from toymodel.views import Descent, Training
from toymodel.views.shared.curve import POINTS, curve, ticks

pytestmark = pytest.mark.filterwarnings("error")

TEXTS = ["o gato subiu no telhado.<eot>", "o cão subiu no muro.<eot>"]
START = {"learning_rate": 0.01, "optimizer": "adam", "seed": 0}


def learned(n, texts=TEXTS, **settings):
    """What `train` yields up to step n."""
    return kept(n, tuple(texts), *(START | settings).values())


@cache
def kept(n, texts, *settings):
    return list(islice(tm.train(texts, *settings), n + 1))


def assert_shows(view, n, trained=None, texts_learned=TEXTS, goal=300, **settings):
    """Step n of so many that have been learned with these settings, by the second implementation."""
    trained = n if trained is None else trained
    made = learned(trained, texts_learned, **settings)
    state, weights = view.state, made[n].weights
    assert view.problem == "" and view.n == n and state["trained"] == trained and state["goal"] == goal
    losses = []
    for k, text in enumerate(texts_learned, start=1):
        ids = tm.encode(text)
        p = plain_model.forward(weights, ids)["probs"]
        of_text = [p[pos, i] for pos, i in enumerate(ids[1:])]
        losses.append(-np.mean(np.log(of_text)))
        drawn = tables(view)[f"text {k}"]
        assert texts(drawn) == written([[x] for x in of_text])
        assert labels(drawn) == tm.run(text).tokens[1:]
        assert drawn["caption"] == [f"Sentence {k}: loss {plain_model.three_decimals(losses[-1])}"]
    assert state["here"] == f"After {n} steps, the mean loss is {plain_model.three_decimals(np.mean(losses))}."
    for text, begin, (goes_on,) in zip(
        texts_learned, labels(tables(view)["written"]), texts(tables(view)["written"]), strict=True
    ):
        assert text.startswith(begin) and tm.encode(begin) == tm.encode(text)[:2]
        assert begin + goes_on == greedy(weights, tm.encode(begin))
    points = state["curve"]["points"]
    assert points[0][0] == 0 and points[-1][0] == trained and len(points) <= POINTS == 150
    assert [k for k, _loss in points] == sorted({k for k, _loss in points}) and len(points) >= min(trained + 1, 149)
    assert max(loss for _k, loss in points) == round(max(it.loss for it in made), 4)
    for k, loss in points:
        assert abs(loss - made[k].loss) < 1e-4
    assert state["curve"]["at"] == [n, round(made[n].loss, 4)]
    assert state["step"] == f"{n} of {trained}" and state["progress"] == f"{trained} of {goal} steps"
    assert columns(tables(view)["written"]) == ["it writes"]


def greedy(weights, ids):
    """What is written, the likeliest token each time."""
    ids = list(ids)
    while len(ids) < 8:
        ids.append(int(np.argmax(plain_model.forward(weights, ids)["probs"][-1])))
        if ids[-1] == 11:  # <eot>
            return tm.decode(ids)
    return tm.decode([*ids, int(np.argmax(plain_model.forward(weights, ids)["probs"][-1]))])


def run(view, slices=None):
    """As training.js does it: ask for more after each picture, for as long as it runs."""
    while view.state["running"] and slices != 0:
        send(view, asked=view.state["asked"] + 1)
        slices = slices and slices - 1


# ---- what is shown


@pytest.mark.parametrize(("n", "settings"), [(0, {}), (7, {"seed": 3}), (160, {"optimizer": "sgd"}), (300, {})])
def test_the_picture_of_a_new_view_is_that_of_training_so_far(n, settings):
    assert_shows(Training(n=n, **settings), n, **settings)


def test_after_training_any_step_can_be_looked_at():
    view = Training(n=300)
    for n in (0, 120, 299, 40):
        send(view, n=n)
        assert_shows(view, n, 300)


def test_one_sentence_of_two_tokens_is_enough_and_empty_lines_are_none():
    assert_shows_begin = Training(texts="\n o \n\n".replace(" o ", "iu."), n=5)
    state = tables(assert_shows_begin)
    assert labels(state["written"]) == ["iu"] and labels(state["text 1"]) == ["."]


# ---- start, stop, continue


def test_it_runs_in_slices_to_its_goal():
    view = Training()
    assert view.state["press"] == "Start" and "random" in view.state["said"]
    send(view, running=True)
    assert view.state["press"] == "Stop" and view.state["said"] == "Learning, from random weights."
    assert_shows(view, 0)
    run(view, slices=1)
    assert view.running and view.state["said"] == "Learning, from random weights."
    assert_shows(view, 10)
    run(view)
    assert not view.running and view.state["press"] == "Continue" and view.state["said"] == "300 steps are done."
    assert_shows(view, 300)


def test_it_stops_and_continues_from_where_it_was():
    view = Training()
    send(view, running=True)
    run(view, slices=12)
    send(view, running=False)
    assert view.state["press"] == "Continue" and view.state["said"] == "120 steps are done."
    assert_shows(view, 120)
    send(view, n=30)
    assert_shows(view, 30, 120)
    send(view, running=True)
    assert view.state["said"] == "Continuing from step 120."
    run(view, slices=1)
    assert_shows(view, 130)
    run(view)
    assert_shows(view, 300)
    send(view, running=True)
    assert view.running and view.state["goal"] == 600 and view.state["said"] == "Continuing from step 300."
    run(view, slices=2)
    assert_shows(view, 320, goal=600)


def test_a_slice_that_was_on_its_way_when_it_was_stopped_does_no_harm():
    view = Training()
    send(view, running=True)
    run(view, slices=2)
    send(view, n=30, running=False)
    assert not view.running
    assert_shows(view, 30)


def test_to_look_back_is_to_stop():
    view = Training()
    send(view, running=True)
    run(view, slices=3)
    send(view, n=5)
    assert not view.running
    assert_shows(view, 5, 30)


def test_another_setting_begins_anew_and_says_so():
    view = Training(n=50)
    for moved in [{"learning_rate": 0.1}, {"optimizer": "sgd"}, {"seed": 2}]:
        send(view, n=50)
        send(view, **moved)
        assert view.state["said"] == "Begun anew: the weights are random again. Press Start."
        assert_shows(view, 0, **{name: getattr(view, name) for name in START})
    send(view, texts="o gato subiu")
    assert_shows(view, 0, texts_learned=["o gato subiu"], **{name: getattr(view, name) for name in START})


def test_while_it_runs_another_setting_begins_anew_and_it_runs_on():
    view = Training()
    send(view, running=True)
    run(view, slices=5)
    send(view, learning_rate=0.1, n=60)
    assert view.running and view.state["said"] == "Learning, from random weights."
    assert_shows(view, 0, learning_rate=0.1)
    run(view)
    assert_shows(view, 300, learning_rate=0.1)


def test_it_can_be_started_again():
    view = Training(n=300)
    send(view, restarts=1, running=True)
    assert view.running and view.state["said"] == "Learning, from random weights."
    assert_shows(view, 0)
    run(view, slices=1)
    assert_shows(view, 10)


def test_a_cell_may_ask_for_any_step_up_to_1500():
    view = Training()
    view.n = 310
    assert_shows(view, 310, goal=600)
    view.n = -5
    assert_shows(view, 0, 310, goal=600)
    view.texts, view.n = "iu.", 5000
    assert view.n == 1500 == view.state["goal"]
    full = view.state["full"]
    assert full == view.state["said"] == "There is room for 1,500 steps: another seed begins anew."
    send(view, running=True)  # Continue
    assert not view.running and view.state["full"] == full
    send(view, restarts=1)
    assert view.state["full"] == "" and view.n == 0


# ---- rates that are too large


def test_a_rate_that_is_too_large_is_seen_and_said():
    view = Training(learning_rate=10, n=60)
    losses = [it.loss for it in learned(60, learning_rate=10)]
    worst = int(np.argmax(losses))
    said = f"After {worst} steps the loss was {plain_model.three_decimals(losses[worst])}, worse than guessing"
    assert losses[worst] > np.log(12) and view.state["warning"].startswith(said)
    assert view.state["curve"]["top"] == max(losses)
    assert view.state["curve"]["guessing"] == [pytest.approx(np.log(12)), "as good as guessing: 2.485"]
    assert Training(n=60).state["warning"] == "" == Training().state["warning"]


@pytest.mark.parametrize(
    ("n", "settings", "rest"),
    [
        (4, {"learning_rate": 1}, "with this rate the moves are too large. After 4 steps it has not come back."),
        (
            10,
            {"learning_rate": 1, "seed": 2},
            "there the moves were too large. After 10 steps it is better than guessing.",
        ),
        (
            *(300, {"learning_rate": 100, "optimizer": "sgd", "seed": 2}),
            "with this rate the moves are too large. After 300 steps it has not come back.",
        ),
    ],
    ids=["it leaps", "it comes back", "it diverges"],
)
def test_it_is_said_whether_the_loss_has_come_back(n, settings, rest):
    losses = [it.loss for it in learned(n, **settings)]
    assert (losses[-1] < np.log(12)) == ("better" in rest)
    warning = Training(n=n, **settings).state["warning"]
    assert warning.endswith(f"worse than guessing: {rest}") and f"was {max(losses):.3f}, " in warning


@pytest.mark.parametrize("nudge", [0, 1e-14, -1e-14])
def test_the_slider_reaches_a_rate_that_diverges_on_any_processor(nudge, monkeypatch):
    """Last bits of the first weights make other numbers of it after some steps; above a guess it stays all the same."""
    fresh = calls.fresh_weights
    nudged = {name: w * (1 + nudge * np.arange(w.size).reshape(w.shape) / w.size) for name, w in fresh(0).items()}
    monkeypatch.setattr(calls, "fresh_weights", lambda _seed, _model: nudged)
    view = Training(learning_rate=Training().state["rates"][-1], n=300)
    losses = view.trained.losses
    assert view.learning_rate == 100 and min(losses[1:]) > 2 * np.log(12)
    assert view.state["warning"].endswith("After 300 steps it has not come back.")


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_where_float64_ends_training_ends_with_a_sentence(optimizer):
    view = Training(learning_rate=1e200, optimizer=optimizer)
    for _time in range(2):
        send(view, running=True)
        run(view, slices=5)
        assert not view.running and view.problem == ""
        assert view.state["said"].startswith("Training ended: in step 1 the numbers grow larger than float64 can hold")
        assert_shows(view, 0, learning_rate=1e200, optimizer=optimizer)
    send(view, learning_rate=0.01)
    assert_shows(view, 0, optimizer=optimizer)


# ---- bad input

BAD = {"texts": ["", "  \n", "o rato", "o", "o gato" + " gato" * 7, "\n".join(["o gato"] * 7)]}


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("bad", BAD["texts"])
def test_bad_sentences_are_told_and_the_last_good_picture_stays(bad, move):
    view = Training(n=20)
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        Training(texts=bad)
    move(view, texts=bad)
    assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    move(view, running=True)
    assert not view.running and view.problem.startswith(str(refused.value))
    move(view, texts="\n".join(TEXTS))
    assert_shows(view, 20)


@pytest.mark.parametrize(
    "bad",
    [{"seed": -1}, {"seed": 0.5}, {"optimizer": "adamw"}, {"learning_rate": "fast"}, {"n": "a"}, {"running": 3}],
    ids=str,
)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Training()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Training(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""


def test_the_html_is_what_is_written():
    html = Training(n=300)._repr_mimebundle_()[0]["text/html"]
    assert "subiu no telhado.&lt;eot&gt;" in html and "subiu no muro.&lt;eot&gt;" in html


# ---- the curve


@pytest.mark.parametrize(
    ("most", "texts_"),
    [
        (300, ["0", "50", "100", "150", "200", "250", "300"]),
        (2.73, ["0", "0.5", "1", "1.5", "2", "2.5"]),
        (600, ["0", "100", "200", "300", "400", "500", "600"]),
        (13.2, ["0", "5", "10"]),
        (8.7, ["0", "2", "4", "6", "8"]),
        (3000, ["0", "500", "1000", "1500", "2000", "2500", "3000"]),
        (1e5, ["0", "20000", "40000", "60000", "80000", "100000"]),
    ],
)
def test_ticks_are_round_numbers_and_few(most, texts_):
    assert [text for _value, text in ticks(most)] == texts_
    assert [value for value, _text in ticks(most)] == pytest.approx([float(text) for text in texts_])


def test_a_curve_keeps_its_ends_and_is_told_in_words():
    made = curve([3.0 - k / 500 for k in range(1001)], 500, 1200, 2.5)
    assert made["points"][0] == [0, 3.0] and made["points"][-1] == [1000, 1.0] and len(made["points"]) == POINTS - 1
    assert (
        made["words"]
        == "Loss curve. step 0: 3.000; step 250: 2.500; step 500: 2.000; step 750: 1.500; step 1000: 1.000"
    )
    assert made["top"] == 3.0 and made["right"] == 1200
    assert part(made["axes"][0]) == "step"


def test_the_curve_keeps_the_highest_of_more_points_than_it_draws():
    losses = [2.0] * 400
    losses[251] = 7.0
    drawn = curve(losses, 0, 400, 2.485)
    assert len(drawn["points"]) < 200 and [251, 7.0] in drawn["points"] and drawn["top"] == 7.0


def test_a_beginning_worse_than_guessing_is_no_trouble():
    view = Training(seed=2)
    assert view.trained.losses[0] > np.log(12) + 0.1 and view.state["warning"] == ""


@pytest.mark.parametrize("view", [Training, Descent])
def test_a_rate_below_0_is_refused(view):
    with pytest.raises(traitlets.TraitError):
        view(learning_rate=-0.01)
