"""Views of a run that they are given: its model, weights, settings and steps set by hand are what is shown."""

import character_model as chars
import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, by_name, send, texts, written

import toymodel as tm
from toymodel import views

WEIGHTS = plain_model.random_weights(5)
T = tm.run("o gato", 4, False, 0.5, weights=WEIGHTS)
CHARS = tm.run("banco", n_heads=4, model=chars.MODEL)
NAME = tm.names.run("anna")
OF_RUNS = [name for name in views.__all__ if issubclass(getattr(views, name), views.shared.runs.RunView)]
OF_THE_TOY = [name for name in OF_RUNS if getattr(views, name).toy_alone]
OF_ANY = [name for name in OF_RUNS if name not in OF_THE_TOY]


def test_the_views_of_runs_are_these():
    assert OF_THE_TOY == ["Ledger", "Neurons", "Path", "Positions"]
    assert (
        " ".join(OF_ANY) == "Arrows Attention Cache Descent Gradient Laboratory Lens Predictions Sampling Tree Writing"
    )


@pytest.mark.parametrize("name", OF_RUNS)
def test_it_begins_with_the_run_that_it_is_given(name):
    view = getattr(views, name)(trace=T)
    assert view.text == "o gato" and view.problem == ""
    for setting, value in T.settings.items():
        if setting in view.controls:
            assert getattr(view, setting) == value
    shown = view.run()
    np.testing.assert_array_equal(shown["W_E"], WEIGHTS["W_E"])
    send(view, text="o gato subiu")
    assert view.run().tokens == tm.run("o gato subiu").tokens and view.problem == ""


def test_attention_of_a_run_of_one_token_shows_that_token():
    view = views.Attention(trace=tm.run("o"))
    assert view.text == "o" and [len(table["rows"]) for table in view.state["tables"]] == [1, 1]


@pytest.mark.parametrize("name", OF_ANY)
def test_it_shows_another_model_and_its_choices(name):
    view = getattr(views, name)(trace=CHARS)
    assert view.text == "banco" and view.problem == "" and view.fallback()
    for text, ok in {"nana": True, "o gato": False, "bananas": False}.items():
        assign(view, text=text)
        assert (view.problem == "") == ok, view.problem
    if "n_heads" in view.controls:
        assign(view, text="banco", n_heads=1)
        assert view.run().settings["n_heads"] == 1
        with pytest.raises(traitlets.TraitError, match=r"^n_heads must be one of 1, 2, 4, not 3\.$"):
            assign(view, n_heads=3)


@pytest.mark.parametrize("name", OF_ANY)
def test_it_shows_a_model_that_learned(name):
    view = getattr(views, name)(trace=NAME)
    assert view.text == "anna" and view.problem == "" and view.fallback()
    assign(view, text="maria")
    assert view.problem == "" and view.run().tokens == ["•", *"maria"]
    np.testing.assert_array_equal(view.run()["logits"], tm.names.run("maria")["logits"])
    assign(view, text="João")
    assert "`João` is not in the vocabulary" in view.problem


def test_attention_of_another_model_has_its_numbers_and_no_switch_for_a_mask_that_it_does_not_have():
    view = views.Attention(trace=CHARS)
    tables = by_name(view.state["tables"])
    for head in range(4):
        assert texts(tables[f"head {head}"]) == written(CHARS["blocks.0.attn.pattern"][head])
    assert view.state["heads"] == [1, 2, 4] and view.state["masks"] is False
    assert views.Attention().state["masks"] is True


def test_what_is_set_by_hand_stays_so():
    off = tm.run("o gato", replace={"blocks.0.attn.out": np.zeros((2, 4))})
    view = views.Predictions(trace=off)
    np.testing.assert_array_equal(view.trace["probs"], off["probs"])
    assign(view, text="o gato subiu")
    assert "has the shape" in view.problem and view.state["tables"]


def test_of_a_run_with_kept_rows_all_is_shown():
    view = views.Lens(trace=tm.extend(tm.run("o gato"), "␣muro"))
    assert view.text == "o gato muro" and len(view.trace.tokens) == 3


@pytest.mark.parametrize("name", OF_THE_TOY)
def test_a_view_that_draws_the_parts_of_the_toy_says_so(name):
    with pytest.raises(ValueError, match=rf"^{name} draws the toy's parts: it needs a run of the toy\.$"):
        getattr(views, name)(trace=CHARS)


@pytest.mark.parametrize("name", OF_RUNS)
@pytest.mark.parametrize("given", ["o gato", 5, tm.attend([[1]], [[1]], [[1]], [[1]]), tm.cosines({"a": [1]})], ids=str)
def test_what_is_no_run_is_refused(name, given):
    with pytest.raises(ValueError, match=r"must be a Trace|needs the run of a model"):
        getattr(views, name)(trace=given)


def test_training_teaches_the_model_that_it_is_given():
    view = views.Training(texts="banco\nana", model=chars.MODEL, learning_rate=0.1, n=60)
    assert view.state["curve"]["guessing"][0] == np.log(6) and view.trained.losses[60] < np.log(6)
    assert view.trained.weights[60].keys() == chars.SHAPES.keys() and view.fallback()
    with pytest.raises(ValueError, match="model must be a Model"):
        views.Training(model="toy")
