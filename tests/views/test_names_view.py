"""The view of names as they are learned: it learns as `train` does, and makes up what `samples` makes up."""

import numpy as np
import pytest
from drawn import send, texts

import toymodel as tm
from toymodel.views import Names

pytestmark = pytest.mark.filterwarnings("error")

LAST = 1000


@pytest.fixture(scope="module")
def learned():
    """A view that has learned to the end, as the front end makes it: a slice for each answer."""
    view = Names()
    assert view.state["press"] == "Start"
    send(view, running=True)
    for asked in range(1, 11):
        assert view.running and view.state["trained"] == (asked - 1) * 100
        send(view, asked=asked)
    return view


def assert_makes_up(view, weights, documents):
    made = tm.names.samples(10, weights, view.temperature, view.draws)
    assert texts(view.state["tables"][0]) == [[it or "–", "yes" if it in documents else "no"] for it in made]


def test_it_ends_with_the_weights_that_are_stored(learned):
    assert not learned.running and learned.state["full"].startswith("All 1,000 steps are done")
    for name, w in tm.names.weights().items():
        np.testing.assert_allclose(learned.weights[name], w, rtol=0, atol=1e-6, err_msg=name)
    assert sorted(learned.trained.weights) == list(range(0, LAST + 1, 100))
    assert_makes_up(learned, learned.weights, tm.names.documents)
    assert learned.state["of"] == "5,163 names, 26 characters and the end's sign."


def test_its_curve_is_the_mean_of_the_last_50_losses(learned):
    losses = [it.loss for it in tm.names.train(tm.names.documents)]
    for n, loss in learned.state["curve"]["points"]:
        if n < LAST:  # the last one is of a name that no step reads
            assert loss == pytest.approx(np.mean(losses[max(0, n - 49) : n + 1]), abs=1e-4)
    assert learned.state["curve"]["guessing"][0] == np.log(27)


def test_each_step_can_be_looked_at_at_any_temperature(learned):
    for n, looked_at, temperature in [(300, 300, 0.5), (250, 200, 1.0), (0, 0, 0.0), (1000, 1000, 0.8)]:
        send(learned, n=n, temperature=temperature)
        assert learned.n == looked_at
        assert_makes_up(learned, learned.trained.weights[looked_at], tm.names.documents)
    before = texts(learned.state["tables"][0])
    send(learned, draws=3)
    assert_makes_up(learned, learned.weights, tm.names.documents)
    assert texts(learned.state["tables"][0]) != before and "10 of 10 rows changed" in learned.state["changes"]
    send(learned, draws=0, temperature=0.5)


def test_a_readers_own_names_are_learned_in_their_own_alphabet():
    view = Names(own="joão\nmaria clara\n\nana", n=1000)
    assert view.weights.vocab == ("␣", *"acijlmnor", "ã", "•") and view.problem == ""
    made = {row[0] for row in texts(view.state["tables"][0])}
    assert made & {"joão", "maria clara", "ana"}
    assert view.state["curve"]["guessing"][0] == np.log(12)
    send(view, own="")
    assert view.n == 0 and view.state["of"].startswith("5,163 names")
    assert view.state["said"] == "Begun anew: the weights are random again. Press Start."


@pytest.mark.parametrize(
    ("own", "told"),
    [("a" * 16, "has 16 characters; a name can have 15 at most"), ("an•a", "which the model uses itself")],
)
def test_names_that_cannot_be_learned_are_told_and_the_last_picture_stays(learned, own, told):
    before = learned.state
    send(learned, own=own)
    assert told in learned.problem and learned.state["tables"] == before["tables"]
    send(learned, own="")
    assert learned.problem == "" and learned.state["trained"] == LAST


def test_names_are_counted_and_known_as_they_are_read():
    """Without spaces around them, empty lines, or accents in two parts."""
    view = Names(own=" ana \n\njoa\u0303o\nbia ", n=1000, temperature=0.1)
    assert view.state["of"].startswith("3 names,")
    assert {row[1] for row in texts(view.state["tables"][0])} == {"yes"}
