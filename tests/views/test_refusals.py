"""What views refuse: the sentence, the controls that go back to what is shown, the text that stays to be mended."""

import json
import math
from contextlib import suppress

import pytest
import traitlets
from drawn import assign, send

from toymodel import views
from toymodel.views.shared.traits import Choice, ChoiceOf, Float, ListOf, Switch, Text, Whole

VIEWS = [getattr(views, name) for name in views.__all__]
every_view = pytest.mark.parametrize("view", VIEWS, ids=views.__all__)
NO_NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
every_float = pytest.mark.parametrize(
    ("view", "name"), [(it, name) for it in VIEWS for name in it.controls if isinstance(it.class_traits()[name], Float)]
)


def sent_by(view, monkeypatch):
    """What goes to the browser from now on: a dict for each message."""
    messages = []

    def send_state(key=None):
        names = [key] if isinstance(key, str) else key
        messages.append({name: getattr(view, name) for name in names} if names else {})

    monkeypatch.setattr(view, "send_state", send_state)
    return messages


def pictured(view):
    """All that is drawn, but for what is said of the last change."""
    return json.dumps(view.state | {"changes": ""})


def values(view):
    return {name: getattr(view, name) for name in view.controls}


def choices(view, name):
    trait = view.traits()[name]
    if isinstance(trait, Switch):
        return (True, False)
    return trait.of(view) if isinstance(trait, ChoiceOf) else getattr(trait, "values", None) or (2, 1)


# ---- numbers


@every_float
@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("no_number", NO_NUMBERS)
def test_what_is_no_number_never_reaches_the_browser(view, name, no_number, move, monkeypatch):
    made, number = view(), NO_NUMBERS[no_number]
    was, before, messages = values(made), pictured(made), sent_by(made, monkeypatch)
    with suppress(traitlets.TraitError):  # below the lowest that the trait can hold
        move(made, **{name: number})
    if not number < made.traits()[name].min:
        assert made.problem.startswith(f"{name} must be ") and "What worked last is still shown" in made.problem
    assert (values(made), pictured(made)) == (was, before)
    assert json.loads(json.dumps(messages, allow_nan=False)) == messages


@every_float
def test_a_refused_number_goes_back_and_the_sentence_stays_until_the_next_move(view, name, monkeypatch):
    made = view()
    was, messages = values(made), sent_by(made, monkeypatch)
    for _time in range(2):
        send(made, **{name: math.inf})
        assert values(made) == was and made.problem
        assert messages[-1].get(name, was[name]) == was[name]
    assert any(name in message for message in messages)  # the browser is told to go back, too
    send(made, **{name: 0.75})
    assert made.problem == "" and values(made) == was | {name: 0.75}


@pytest.mark.parametrize("view", [views.Training, views.Descent])
def test_after_a_refused_rate_the_view_can_still_be_moved_and_shown(view):
    made = view()
    made.learning_rate = math.inf
    for name in {"n", "n_steps"} & set(made.controls):
        setattr(made, name, 9)
        assert getattr(made, name) == 9 and made.problem == ""
    assert "<table" in made._repr_mimebundle_()[0]["text/html"]


@pytest.mark.parametrize(
    ("view", "name", "value"),
    [
        (views.Sampling, "top_k", 0),
        (views.Sampling, "top_p", 1.5),
        (views.Sampling, "seed", -1),
        (views.Writing, "chosen", ["<eot>", "o"]),
        (views.Path, "edits", [["W_E", 99, 0, 1]]),
    ],
)
def test_any_other_refused_value_goes_back_too(view, name, value):
    made = view()
    was = values(made)
    send(made, **{name: value})
    assert made.problem and values(made) == was


# ---- texts


@pytest.mark.parametrize("view", [it for it in VIEWS if "text" in it.controls and it is not views.Tokenizers])
def test_a_refused_text_stays_to_be_mended_and_what_else_moves_counts_then(view):
    made = view()
    was, before = values(made), pictured(made)
    unknown, said, known = ("rato", "`rato`", "cat") if view is views.Translation else ("o rato", "`␣rato`", "o gato")
    send(made, text=unknown)
    sentence = made.problem
    assert sentence.startswith(said) and pictured(made) == before
    other = next(name for name in made.controls if isinstance(made.traits()[name], (Whole, Choice, ChoiceOf, Switch)))
    now = next(it for it in choices(made, other) if it != was[other])
    send(made, **{other: now})
    assert made.problem == sentence and made.text == unknown
    assert values(made) == was | {"text": unknown, other: now}
    send(made, text=known)
    assert made.problem == "" and made.text == known


@pytest.mark.parametrize("view", [views.Path, views.Predictions, views.Tree, views.Sampling, views.Writing])
def test_what_is_no_number_goes_back_even_while_a_text_waits(view, monkeypatch):
    made = view(temperature=0.5)
    made.text = "o rato"
    messages = sent_by(made, monkeypatch)
    for number in NO_NUMBERS.values():
        made.temperature = number
        assert made.temperature == 0.5 and made.text == "o rato" and made.problem
    assert json.loads(json.dumps(messages, allow_nan=False)) == messages
    made.temperature = -1.0
    made.text = "o gato"  # whichever was refused first: now the temperature has gone back, or is refused, and goes back
    assert made.temperature == 0.5 and made.text == "o gato"


# ---- in the cell


@every_view
@pytest.mark.parametrize("move", [assign, None], ids=["assign", "make"])
def test_true_is_a_number_nowhere(view, move):
    made = view()
    for name in view.controls:
        trait = made.traits()[name]
        if isinstance(trait, (Whole, Float, Choice, ChoiceOf)):
            with pytest.raises(traitlets.TraitError, match=f"^{name} must be (a|one of) .*, not True\\.$"):
                move(made, **{name: True}) if move else view(**{name: True})
        if isinstance(trait, ListOf) and isinstance(trait._trait, Whole):
            with pytest.raises(traitlets.TraitError, match=f"^in {name} each must be a whole number, not True\\.$"):
                move(made, **{name: [True]}) if move else view(**{name: [True]})
    assert made.problem == ""


WRONG = {
    Text: ([5, None, ["o"]], "a text"),
    Whole: (["2", 1.5, None, [1]], "a whole number"),
    Float: (["2", None, [1.0]], "a number"),
    Switch: (["yes", 2, None], "True or False"),
    Choice: (["nonsense", None, 99], "one of "),
    ChoiceOf: (["nonsense", None, 99], "one of "),
    ListOf: ([5, None], "a list"),
}


@every_view
def test_the_wrong_kind_of_value_is_refused_in_a_sentence_that_names_the_trait(view):
    for name, trait in view().traits().items():
        for wrong, kind in [WRONG[it] for it in WRONG if type(trait) is it]:
            for value in wrong:
                with pytest.raises(traitlets.TraitError) as refused:
                    view(**{name: value})
                assert str(refused.value).replace("in ", "").startswith((f"{name} must be {kind}", f"{name} each must"))
                assert str(refused.value).endswith(f"not {value!r}.") or isinstance(value, str)


def test_a_number_too_large_for_a_float_is_quoted_shortly():
    with pytest.raises(traitlets.TraitError, match=r"^temperature must be a number, not 1000*…\.$"):
        views.Path(temperature=10**400)


def test_the_bounds_are_told():
    with pytest.raises(traitlets.TraitError, match=r"^width must be a whole number from 1 to 4, not 9\.$"):
        views.Tree(width=9)
    with pytest.raises(traitlets.TraitError, match=r"^learning_rate must be a number from 0 up, not -1\.$"):
        views.Training(learning_rate=-1)
    with pytest.raises(traitlets.TraitError, match=r"^in off each must be one of 'attention', .*, not 'x'\.$"):
        views.Ledger(off=["x"])


@every_view
def test_a_misspelt_setting_is_refused_with_those_that_there_are(view):
    with pytest.raises(ValueError, match=f"^{view.__name__} has no `zz`\\. It has {', '.join(view.controls)}"):
        view(zz=1)
    name = max(view.controls, key=len)
    with pytest.raises(ValueError, match=f"has no `{name}s`: did you mean `{name}`\\? It has "):
        view(**{name + "s": 1})


def test_what_all_widgets_have_can_still_be_set():
    assert views.Path(presenting=True, layout={"width": "50%"}).layout.width == "50%"
