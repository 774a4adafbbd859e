"""The view of names as they are learned, by keyboard: it learns in sight, makes up names, and takes a reader's own."""

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, SETUP, soon
from .reading import learn, press, reach, read

MAKE = "view = tm.views.Names()\nview"
CELLS = [SETUP, MAKE]
DONE = "All 1,000 steps are done: another seed begins anew."


@pytest.fixture(scope="module")
def learned(lesson):
    return learn(lesson, DONE)


def assert_makes_up(view, temperature=0.5, draws=0):
    made = tm.names.samples(10, temperature=temperature, seed=draws)
    known = {name: "yes" if name in tm.names.documents else "no" for name in made}
    rows = [["", "name", "in the list?"], *([str(k), name, known[name]] for k, name in enumerate(made, start=1))]
    soon(lambda: read(view).tables.get("What it makes up"), rows)


def test_it_learns_in_sight_and_makes_up_names(learned):
    assert_makes_up(learned)
    expect(learned.get_by_role("progressbar")).to_have_attribute("value", "1000")


def test_temperature_and_other_draws_make_other_names(learned):
    press(learned, "slider", "Temperature", "ArrowRight")
    assert_makes_up(learned, 0.6)
    press(learned, "button", "Other names", "Enter")
    assert_makes_up(learned, 0.6, 1)
    press(learned, "slider", "Temperature", "ArrowLeft")
    assert_makes_up(learned, 0.5, 1)


def test_a_step_back_is_looked_at(lesson, learned):
    slider = learned.get_by_role("slider", name="Look at step")
    slider.press("Home")
    expect(learned.get_by_text("After 0 steps.")).to_be_visible()
    slider.press("End")
    assert_makes_up(learned, draws=int(lesson.ask("view.draws")))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, learned, look):
    lesson.look(**LOOKS[look])
    assert lesson.violations(learned) == [] and lesson.untidy() == []
    lesson.look()


def test_a_readers_own_names_begin_anew_and_are_learned(lesson, learned):
    box = reach(learned, "textbox", "Names of your own, one in a line (then Ctrl+Enter)")
    box.fill("joão\nmaria clara\nana")
    box.press("ControlOrMeta+Enter")
    expect(learned.get_by_text("3 names, 11 characters and the end's sign.")).to_be_visible()
    reach(learned, "button", "Start").press("Enter")
    expect(learned.get_by_role("status").first).to_have_text(DONE)
    assert "'ã'" in lesson.ask("view.weights.vocab")
