"""The view of steps of learning, moved by keyboard: losses, probabilities and arithmetic are toymodel's."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, soon
from .reading import (
    CHANGED,
    PICKED,
    assert_refused,
    assert_tab_leads_through,
    cell,
    changes,
    counting,
    has_focus,
    labelled,
    press,
    reach,
    read,
    spoken,
    write,
)

START = {
    "text": "o gato subiu no",
    "target": "␣telhado",
    "optimizer": "sgd",
    "learning_rate": 0.1,
    "n_steps": 1,
    "key": "W_E",
    "index": (1, 1),
}
RATES = ["0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30", "100"]
MAKE, SHOW_AGAIN = "view = tm.views.Descent()\nview", "view"
STEER = "view.optimizer, view.learning_rate = 'adam', 0.05"
CELLS = [counting("descent", "run"), MAKE, SHOW_AGAIN, STEER]  # the walks are counted


def begins(view):
    assert_shows(view, **START)


def steps(text, target, optimizer, learning_rate, n_steps, **_where):
    """The run, its gradients and what Adam knows, before the first step and after each."""
    weights, adam = tm.toy_weights(), None
    for _step in range(n_steps + 1):
        t = tm.run(text, weights=weights)
        g = tm.gradients(t, target)
        yield t, g, adam
        if optimizer == "adam":
            adam = tm.adam_step(weights, g, adam, learning_rate)
            weights = adam.weights
        else:
            weights = tm.sgd_step(weights, g, learning_rate)


def expected(**settings):
    """What toymodel's numbers make of the losses and probabilities, and which lines the arithmetic has."""
    made = list(steps(**settings))
    (first, g, _none), (last, *_others) = made[0], made[-1]
    names = ["before", *(f"step {n}" for n in range(1, len(made)))]
    promised = [""]
    for (t, g_then, _adam), (after, *_more) in pairwise(made):
        slope = sum(float((g_then[name] * (after[name] - t[name])).sum()) for name in t.weights)
        promised.append(shown(g_then.loss + slope))
    losses = [[shown(it.loss), promise] for (_t, it, _adam), promise in zip(made, promised, strict=True)]
    p = [[shown(a), shown(b)] for a, b in zip(first["probs"][-1], last["probs"][-1], strict=True)]
    return {
        "The loss": [["", "is", "promised"], *labelled(names, losses)],
        "Probabilities": [["next", "before", "after"], *labelled(map(spoken, first.vocab), p)],
    }, g


def assert_shows(view, **settings):
    """The view's tables, its picked derivative and the end of its arithmetic; returns what may be marked as changed."""
    tables, g = expected(**settings)
    soon(lambda: {name: rows for name, rows in read(view).tables.items() if name in tables}, tables)
    key, (i, j) = settings["key"], settings["index"]
    followed = f"{key}[{i},{j}] step by step"
    soon(lambda: followed in read(view).tables, True)  # another weight leaves the other tables as they were
    shown_now = read(view)
    caption = next(name for name in shown_now.tables if name.startswith(f"∂{key}"))
    picked = (i + 1, j + 1) if g[key].shape[0] >= g[key].shape[1] else (j + 1, i + 1)
    assert {place: how for place, how in shown_now.marks.items() if place[0] == caption} == {(caption, *picked): PICKED}
    zeros = [x == 0 for x in g[key].ravel()]
    assert sum(text == "0" for row in shown_now.tables[caption][1:] for text in row[1:]) == sum(zeros)
    arithmetic = shown_now.tables[followed]
    *_before, (last, *_others) = steps(**settings)
    assert [row[0] for row in arithmetic] == ["", *(f"step {n}" for n in range(1, settings["n_steps"] + 1))]
    assert len(arithmetic[0]) == 1 + {"sgd": 4, "adam": 8}[settings["optimizer"]]
    assert float(arithmetic[-1][-1]) == pytest.approx(last[key][i, j], rel=0.006, abs=1e-6)
    rate = f"{settings['learning_rate']:g}"
    expect(view.get_by_role("slider", name="Learning rate")).to_have_attribute("aria-valuetext", rate)
    expect(view.get_by_role("radio", name={"sgd": "SGD", "adam": "Adam"}[settings["optimizer"]])).to_be_checked()
    expect(view.get_by_role("slider", name="Steps")).to_have_value(str(settings["n_steps"]))
    expect(view.get_by_role("alert")).to_have_count(0)
    return {"Probabilities": tables["Probabilities"]}


def test_every_control_moves_the_numbers_and_dots_mark_the_changes(view):
    settings, before = START, assert_shows(view, **START)
    for move, *how, moved in [
        (press, "slider", "Learning rate", "ArrowRight", {"learning_rate": 0.3}),
        (press, "slider", "Learning rate", "End", {"learning_rate": 100}),
        (press, "slider", "Learning rate", "Home", {"learning_rate": 0.001}),
        (press, "radio", "SGD", "ArrowRight", {"optimizer": "adam"}),
        (press, "slider", "Steps", "ArrowRight", {"n_steps": 2}),
        (press, "combobox", "Right next token", "ArrowDown", {"target": "␣muro"}),
        (press, "combobox", "Weight", "End", {"key": "W_U"}),
        (write, "o cão subiu", {"text": "o cão subiu"}),
    ]:
        move(view, *how)
        settings = settings | moved
        after = assert_shows(view, **settings)
        changed, said = changes(before, after, str)
        marks = {place for place, how in read(view).marks.items() if how == CHANGED}
        assert marks == set(changed)
        expect(view.get_by_role("status").last).to_have_text("" if "key" in moved else said)
        before = after


def test_the_slider_has_a_place_for_each_rate(view):
    slider = reach(view, "slider", "Learning rate")
    slider.press("Home")
    for rate in RATES:
        expect(slider).to_have_attribute("aria-valuetext", rate)
        slider.press("ArrowRight")


def test_a_weight_is_picked_by_arrow_keys_and_by_click_and_the_focus_stays(view):
    caption = "∂W_E before the first step (12 × 4)"
    cell(view, caption, 1, 1).focus()
    for key, index in [("ArrowDown", (2, 1)), ("End", (2, 3)), ("ArrowUp", (1, 3)), ("Home", (1, 0))]:
        view.page.keyboard.press(key)
        assert_shows(view, **START | {"index": index})
        assert has_focus(cell(view, caption, *index))
    cell(view, caption, 7, 2).click()
    assert_shows(view, **START | {"index": (7, 2)})


def test_tab_leads_from_the_cell_through_the_view_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("combobox", name="Right next token", exact=True),
        view.get_by_role("radio", name="SGD", exact=True),
        *[view.get_by_role("slider", name=name, exact=True) for name in ("Learning rate", "Steps")],
        view.get_by_role("combobox", name="Weight", exact=True),
        cell(view, "∂W_E before the first step (12 × 4)", 1, 1),
    ]
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, **START)
    assert_tab_leads_through(lesson, order)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_picture(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    runs = lesson.ask("len(calls)")
    press(second, "slider", "Steps", "ArrowRight")
    assert_shows(view, **START | {"n_steps": 2})
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato subiu no',)]"
    lesson.run(3)
    for it in (view, second):
        assert_shows(it, **START | {"n_steps": 2, "optimizer": "adam", "learning_rate": 0.05})


def test_a_loss_that_goes_up_is_said_and_where_float64_ends_the_last_good_picture_stays(lesson, view):
    press(view, "radio", "SGD", "ArrowRight")
    expect(view.get_by_role("status").first).to_contain_text("Where it went up (step 1), the move was too large")
    stays = read(view)
    lesson.ask("setattr(view, 'learning_rate', 1e200)")
    assert_refused(view, "in step 1 the numbers grow larger than float64 can hold: try a smaller learning rate.", stays)


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    press(view, "slider", "Steps", "End")
    expect(view.get_by_text("step 10").first).to_be_attached()
    cut = view.locator(".tm-scroll").evaluate_all("all => all.filter((it) => it.scrollWidth > it.clientWidth).length")
    assert not cut or look == "narrow"
    press(view, "radio", "SGD", "ArrowRight")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"descent-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
