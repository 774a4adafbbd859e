"""Arrows, by keyboard and by dragging: a turned query makes other scores, and each number leads to its sum."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, SETUP, soon
from .reading import assert_refused, cell, labelled, press, read, read_sum, texts, write, written_out

MAKE = "view = tm.views.Arrows()\nview"
CELLS = [SETUP, MAKE]
ATTN = "blocks.0.attn."
TEXT = "o gato subiu no"
TIP = """view => {
    const { x, y, width, height } = view.querySelector(".tm-tip").getBoundingClientRect();
    return [x + width / 2, y + height / 2];
}"""


@pytest.fixture
def arrows(lesson):
    lesson.look()
    view = lesson.views.first
    view.get_by_role("button", name="Back to its own").press("Enter")
    assert_shows(view)
    return view


def turned(degrees, stretch=1.0, head=0, text=TEXT):
    t = tm.run(text)
    if (degrees, stretch) == (0, 1):
        return t
    q, a = t[ATTN + "q"].copy(), np.deg2rad(degrees)
    q[head, -1] = stretch * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ q[head, -1]
    return tm.run(text, replace={ATTN + "q": q})


def assert_shows(view, degrees=0, stretch=1.0):
    """The tables of both heads, and what comes next, as a run with that query has them."""
    t = turned(degrees, stretch)
    keys = ["o", "space gato", "space sub", "iu", "space no"]
    for head in (0, 1):
        numbers = np.array([t[ATTN + name][head, 4] for name in ("dots", "scores", "pattern")]).T
        expected = [["key", "q·k", "score", "weight"], *labelled(keys, texts(numbers))]
        soon(lambda head=head: read(view).tables.get(f"Head {head}, query space no"), expected)
    best = tm.ranking(t)["p"]
    expect(view.get_by_role("status").first).to_contain_text(f"{best.iloc[0]:.3f}")


def test_a_query_is_turned_and_stretched_with_the_sliders(arrows):
    for _time in range(2):
        press(arrows, "slider", "Turn, degrees", "ArrowLeft")
    assert_shows(arrows, -10)
    press(arrows, "slider", "Turn, degrees", "Home")
    assert_shows(arrows, -180)
    press(arrows, "slider", "Times as long", "ArrowRight")
    assert_shows(arrows, -180, 1.1)
    press(arrows, "button", "Back to its own", "Enter")
    assert_shows(arrows)


def test_its_tip_can_be_dragged(lesson, arrows):
    mouse, (x, y) = arrows.page.mouse, arrows.evaluate(TIP)
    middle = arrows.locator(".tm-plane").first.evaluate(
        "it => { const box = it.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }"
    )
    dx, dy = x - middle[0], y - middle[1]
    mouse.move(x, y)
    mouse.down()
    mouse.move(middle[0] - dy, middle[1] + dx, steps=6)  # a quarter turn, on the screen to the right: down
    mouse.up()
    soon(lambda: abs(float(lesson.ask("view.turn")) + 90) <= 2, True)
    assert abs(float(lesson.ask("view.stretch")) - 1) <= 0.1
    degrees, stretch = float(lesson.ask("view.turn")), float(lesson.ask("view.stretch"))
    assert_shows(arrows, degrees, stretch)


def test_each_number_leads_to_its_sum(arrows):
    for row, column, name in [(1, 0, "dots"), (3, 1, "scores"), (2, 2, "pattern")]:
        cell(arrows, "Head 1, query space no", row, column).click()
        place = f"{ATTN}{name}: head 1 query ␣no key {tm.run(TEXT).tokens[row]}"
        expected = written_out(place.replace("␣", "space "), tm.explain(tm.run(TEXT), ATTN + name, (1, 4, row)))
        soon(lambda: read_sum(arrows)[1:], expected[1:])
    arrows.get_by_role("combobox", name="Turn the query of head").select_option("0")


def test_four_heads_have_lines_and_no_plane(arrows):
    expect(arrows.locator(".tm-plane")).to_have_count(2)
    press(arrows, "radio", "2", "ArrowRight")
    expect(arrows.locator(".tm-line-of")).to_have_count(4)
    expect(arrows.locator(".tm-plane, .tm-tip")).to_have_count(0)
    press(arrows, "radio", "4", "ArrowLeft")
    expect(arrows.locator(".tm-plane")).to_have_count(2)


def test_a_sentence_that_cannot_be_read_is_answered(arrows):
    stays = read(arrows)
    write(arrows, "o rato")
    assert_refused(arrows, "`␣rato` is not in the vocabulary", stays)
    write(arrows, TEXT)
    expect(arrows.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, arrows, look):
    lesson.look(**LOOKS[look])
    press(arrows, "slider", "Turn, degrees", "ArrowLeft")
    assert lesson.violations(arrows) == [] and lesson.untidy() == []
    lesson.look()
