"""The view of training, by keyboard: it runs, stops and goes on, and each step it shows is what `train` yields."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, SETUP, soon
from .reading import assert_refused, assert_tab_leads_through, has_focus, labelled, press, reach, read, spoken, write

TEXTS = ("o gato subiu no telhado.<eot>", "o cão subiu no muro.<eot>")
BOX = "Sentences, one in a line (then Ctrl+Enter)"
BEGIN = f"{SETUP}\nfrom toymodel.views import training"
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Training()\nview", "view", "view.optimizer, view.n = 'sgd', 40"
CELLS = [BEGIN, MAKE, SHOW_AGAIN, STEER]


def begins(view):
    assert_shows(view, 0)


@pytest.fixture
def long_run(lesson):
    """A view that would run for so long that it can be stopped meanwhile."""
    lesson.ask("training.__dict__.update(GOAL=1500)")
    lesson.look()
    lesson.run(1)
    assert_shows(lesson.views.first, 0)
    yield lesson.views.first
    lesson.ask("setattr(view, 'running', False)")
    lesson.ask("training.__dict__.update(GOAL=300)")


@cache
def learned(n, learning_rate=0.01, optimizer="adam", seed=0, texts=TEXTS):
    *_before, it = islice(tm.train(texts, learning_rate, optimizer, seed), n + 1)
    return it


def expected(n, texts=TEXTS, **settings):
    """The tables that toymodel's numbers make after n steps."""
    weights = learned(n, texts=texts, **settings).weights
    rows, tables = [], {}
    for k, text in enumerate(texts, start=1):
        begin = tm.decode(tm.encode(text)[:2])
        *_before, last = tm.generate(begin, weights=weights)
        rows.append([begin, f"{tm.decode(last.ids)}{last.chosen.replace('␣', ' ')}".removeprefix(begin).strip()])
        t = tm.run(text, weights=weights)
        p = [[shown(t["probs"][pos, i])] for pos, i in enumerate(t.ids[1:])]
        loss = shown(tm.gradients(t).loss)
        tables[f"Sentence {k}: loss {loss}"] = [["next", "p"], *labelled(map(spoken, t.tokens[1:]), p)]
    return {"What it writes": [["after", "it writes"], *rows]} | tables


def assert_shows(view, n, **settings):
    soon(lambda: read(view).tables, expected(n, **settings))
    loss = shown(learned(n, **settings).loss)
    expect(view.get_by_text(f"After {n} steps, the mean loss is {loss}.")).to_be_visible()
    expect(view.get_by_role("alert")).to_have_count(0)


def button(view, name):
    return view.get_by_role("button", name=name, exact=True)


def said(view):
    return view.get_by_role("status")


def steps_done(view):
    return view.get_by_role("progressbar").evaluate("it => it.value")


# ---- it runs


def test_it_runs_to_its_goal_and_then_each_step_can_be_looked_at(view):
    expect(said(view)).to_have_text("The weights are random: nothing has been learned yet.")
    start = reach(view, "button", "Start")
    start.press("Enter")
    expect(button(view, "Continue")).to_be_visible(timeout=30_000)
    expect(said(view)).to_have_text("300 steps are done.")
    assert has_focus(button(view, "Continue"))
    assert_shows(view, 300)
    assert view.get_by_role("progressbar", name="Trained").evaluate("it => [it.value, it.max]") == [300, 300]
    slider = view.get_by_role("slider", name="Look at step")
    for key, n in [("Home", 0), ("ArrowRight", 1), ("End", 300), ("ArrowLeft", 299)]:
        slider.press(key)
        assert_shows(view, n)
        expect(slider).to_have_attribute("aria-valuetext", f"{n} of 300")
    expect(button(view, "Continue")).to_be_visible()


def test_it_stops_and_goes_on_from_there_and_can_be_started_again(long_run):
    view, keyboard = long_run, long_run.page.keyboard
    reach(view, "button", "Start").press("Space")
    soon(lambda: steps_done(view) > 20, True)
    expect(said(view)).to_have_text("Learning, from random weights.")
    keyboard.press("Space")  # the same button
    expect(button(view, "Continue")).to_be_visible()
    n = int(steps_done(view))
    assert 20 < n < 1500
    expect(said(view)).to_have_text(f"{n} steps are done.")
    assert_shows(view, n)
    keyboard.press("Space")
    soon(lambda: steps_done(view) > n, True)
    expect(said(view)).to_have_text(f"Continuing from step {n}.")
    slider = view.get_by_role("slider", name="Look at step")
    slider.press("Home")  # to look back is to stop
    expect(button(view, "Continue")).to_be_visible()
    assert_shows(view, 0)
    assert steps_done(view) > n
    button(view, "Start again").press("Enter")
    expect(said(view)).to_have_text("Learning, from random weights.")
    expect(button(view, "Stop")).to_be_visible()


MOVES = {
    "rate": lambda view: press(view, "slider", "Learning rate", "ArrowRight"),
    "optimizer": lambda view: press(view, "radio", "Adam", "ArrowLeft"),
    "seed": lambda view: press(view, "slider", "Seed", "ArrowRight"),
    "text": lambda view: write(view, "o cão no sofá.", "ControlOrMeta+Enter", BOX),
}


@pytest.mark.parametrize("moved", MOVES)
def test_whatever_is_moved_while_it_runs_it_runs_on(lesson, long_run, moved):
    view, learned = long_run, "id(view.trained)"
    reach(view, "button", "Start").press("Space")
    soon(lambda: steps_done(view) > 20, True)
    before = lesson.ask(learned)
    MOVES[moved](view)
    soon(lambda: lesson.ask(learned) != before, True)
    soon(lambda: steps_done(view) > 40, True)  # from 0 on again
    expect(said(view)).to_have_text("Learning, from random weights.")
    button(view, "Stop").press("Enter")
    expect(button(view, "Continue")).to_be_visible()
    n = steps_done(view)
    button(view, "Continue").press("Enter")
    soon(lambda: steps_done(view) > n, True)


DRAG = """async (it) => {
    for (const value of [3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 1]) {
        it.value = value;
        it.dispatchEvent(new Event("input"));
        await new Promise((resolve) => setTimeout(resolve, 15));
    }
}"""


def test_a_slider_that_is_dragged_while_it_runs_does_not_make_it_stall(long_run):
    view = long_run
    reach(view, "button", "Start").press("Space")
    soon(lambda: steps_done(view) > 20, True)
    view.get_by_role("slider", name="Learning rate").evaluate(DRAG)
    soon(lambda: steps_done(view) > 40, True)
    expect(button(view, "Stop")).to_be_visible()


def test_another_rate_optimizer_seed_or_text_begins_anew(lesson, view):
    settings = {}
    for move, *how, moved in [
        (press, "slider", "Learning rate", "ArrowRight", {"learning_rate": 0.03}),
        (press, "radio", "Adam", "ArrowLeft", {"optimizer": "sgd"}),
        (press, "slider", "Seed", "ArrowRight", {"seed": 1}),
        (write, "o cão no sofá.", "ControlOrMeta+Enter", BOX, {"texts": ("o cão no sofá.",)}),
    ]:
        lesson.ask("setattr(view, 'n', 12)")
        assert_shows(view, 12, **settings)
        move(view, *how)
        settings |= moved
        assert_shows(view, 0, **settings)
        expect(said(view)).to_have_text("Begun anew: the weights are random again. Press Start.")


def test_a_rate_that_is_too_large_is_seen_and_said(lesson, view):
    press(view, "slider", "Learning rate", "End")
    lesson.ask("setattr(view, 'n', 60)")
    assert_shows(view, 60, learning_rate=100)
    worst = max(islice(tm.train(TEXTS, 100), 61), key=lambda it: it.loss)
    told = f"After {worst.n} steps the loss was {shown(worst.loss)}, worse than guessing"
    expect(view.get_by_text(told)).to_contain_text("After 60 steps it has not come back.")
    lesson.ask("setattr(view, 'learning_rate', 1e200)")
    reach(view, "button", "Start").press("Enter")
    expect(said(view)).to_contain_text("Training ended: in step 1 the numbers grow larger than float64 can hold")
    expect(button(view, "Start")).to_be_visible()


# ---- the curve

CURVE = """svg => {
    const at = (it, x, y) => [Number(it.getAttribute(x)), Number(it.getAttribute(y))];
    return {
        points: svg.querySelector("polyline").getAttribute("points").split(" ").map((it) => it.split(",").map(Number)),
        labels: [...svg.querySelectorAll("text")].map((it) => [it.textContent, ...at(it, "x", "y")]),
        here: at(svg.querySelector("circle"), "cx", "cy"),
        level: at(svg.querySelector(".tm-level"), "x1", "y1"),
    };
}"""


def test_the_curve_stands_where_its_scales_say(lesson, view):
    lesson.ask("setattr(view, 'n', 100)")
    lesson.ask("setattr(view, 'n', 50)")
    assert_shows(view, 50)
    image = view.get_by_role("img", name="Loss curve. step 0: ")
    made = image.evaluate(CURVE)
    named = {text: (x, y) for text, x, y in made["labels"]}
    x0 = max(made["labels"], key=lambda it: (it[0] == "0", it[2]))[1]  # the 0 of the lower scale
    y2, y1, x100 = named["2"][1], named["1"][1], named["100"][0]

    def read_off(x, y):
        """The step and the loss, by the scales; a label of the losses stands 4 below its line."""
        return (x - x0) / (x100 - x0) * 100, 2 - (y - (y2 - 4)) / (y1 - y2)

    losses = [it.loss for it in islice(tm.train(TEXTS), 101)]
    np.testing.assert_allclose([read_off(*it) for it in made["points"]], list(enumerate(losses)), atol=1e-3)
    np.testing.assert_allclose(read_off(*made["here"]), [50, losses[50]], atol=1e-3)
    np.testing.assert_allclose(read_off(*made["level"]), [0, np.log(12)], atol=1e-3)
    assert {"as good as guessing: 2.485", "step", "loss"} <= set(named)
    highest = min(y for _x, y in made["points"])
    assert named["as good as guessing: 2.485"][1] <= highest - 12  # where no curve can pass
    told = "; ".join(f"step {n}: {shown(losses[n])}" for n in (0, 25, 50, 75, 100))
    expect(image).to_have_attribute("aria-label", f"Loss curve. {told}")


# ---- as every view


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name=BOX, exact=True),
        view.get_by_role("slider", name="Learning rate", exact=True),
        view.get_by_role("radio", name="Adam", exact=True),
        view.get_by_role("slider", name="Seed", exact=True),
        button(view, "Start"),
        button(view, "Start again"),
        view.get_by_role("slider", name="Look at step", exact=True),
    ]
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, 0)
    assert_tab_leads_through(lesson, order)


def test_two_displays_of_a_view_follow_each_other_and_a_cell_steers_both(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    button(second, "Start").press("Enter")
    for it in (view, second):
        expect(button(it, "Continue")).to_be_visible(timeout=30_000)
        assert_shows(it, 300)
    lesson.run(3)
    for it in (view, second):
        assert_shows(it, 40, optimizer="sgd")


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(lesson, view):
    lesson.ask("setattr(view, 'n', 12)")
    assert_shows(view, 12)
    for bad in ["o rato", "", "o"]:
        stays = read(view)
        with pytest.raises(ValueError, match=r"\w") as refused:
            tm.train([bad] if bad else [])
        write(view, bad, "ControlOrMeta+Enter", BOX)
        assert_refused(view, refused.value, stays)
        button(view, "Continue").press("Enter")
        assert_refused(view, refused.value, stays)
        expect(button(view, "Continue")).to_be_visible()
    view.get_by_role("textbox").focus()
    write(view, "\n".join(TEXTS), "ControlOrMeta+Enter", BOX)
    assert_shows(view, 12)


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    press(view, "slider", "Learning rate", "End")
    lesson.ask("setattr(view, 'n', 220)")
    write(view, "o rato", "ControlOrMeta+Enter", BOX)
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"training-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
