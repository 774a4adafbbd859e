"""The laboratory, by keyboard: phases, who asks, each number to its sum; columns, and rows in little room."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, SETUP, soon
from .reading import assert_refused, cell, has_focus, press, read, read_sum, write, written_out

MAKE = "view = tm.views.Laboratory(trace=tm.names.run('anna'))\nview"
CELLS = [SETUP, MAKE]
ATTN = "blocks.0.attn."
T = tm.names.run("anna")
LEVELS = """view => [...view.querySelectorAll(".tm-letter .tm-share")].map(
    (it) => it.firstChild.getBoundingClientRect().width / it.clientWidth)"""
BARS = """([view, name]) => [...view.querySelectorAll(`.tm-letter .tm-standing.tm-dashed > .${name}`)].map(
    (it) => [it.height.baseVal.value, it.y.baseVal.value])"""


@pytest.fixture
def laboratory(lesson):
    lesson.look()
    view = lesson.views.first
    view.locator("[data-focus='phase 6']").press("Enter")
    expect(view.get_by_text("Every head asks by itself")).to_be_visible()
    view.locator("[data-focus='letter 4']").press("Enter")
    expect(view.locator("[data-focus='letter 4']")).to_have_attribute("aria-pressed", "true")
    return view


def column(view, i):
    return view.locator(".tm-letter").nth(i)


def assert_shows(view, head, query):
    """Scores and weights as numbers and sizes, the ribbon's wall, each head's bars: as the run has them."""
    scores, weights = T[ATTN + "masked_scores"][head, query], T[ATTN + "pattern"][head, query]
    for i in range(5):
        if i <= query:
            expect(column(view, i).locator("[data-focus^='score']")).to_have_text(f"{scores[i]:.3f}")
            expect(column(view, i).locator("[data-focus^='weight']")).to_have_text(f"{weights[i]:.3f}")
        else:
            expect(column(view, i)).to_contain_text("-inf: hidden")
            expect(column(view, i)).to_contain_text("no weight")
            expect(column(view, i).locator("[data-focus^='weight'], .tm-share, .tm-standing")).to_have_count(0)
    soon(lambda: np.allclose(view.evaluate(LEVELS), weights[: query + 1], atol=0.01), True)
    expect(view.locator(".tm-wall")).to_have_count(int(query < 4))
    for h in range(4):
        panel = view.locator(".tm-heads > ul > li").nth(h)
        shown = [it.split()[-1] for it in panel.locator("ol > li").all_inner_texts()]
        assert shown == [f"{a:.3f}" for a in T[ATTN + "pattern"][h, query, : query + 1]]


def test_each_head_and_query_can_be_asked(laboratory):
    view = laboratory
    assert_shows(view, 3, 4)
    button = view.locator("[data-focus='letter 4']")
    button.focus()
    button.press("ArrowLeft")
    view.page.keyboard.press("ArrowLeft")
    view.page.keyboard.press("Enter")
    assert_shows(view, 3, 2)
    assert has_focus(view.locator("[data-focus='letter 2']"))
    view.get_by_role("button", name="Head 0", exact=True).press("Enter")
    assert_shows(view, 0, 2)
    expect(view.get_by_role("combobox", name="Head")).to_have_value("0")
    view.get_by_role("combobox", name="Head").select_option("3")
    view.locator("[data-focus='mind 4']").press("Enter")
    assert_shows(view, 3, 4)


def test_phases_come_one_after_the_other_and_play_to_the_last(laboratory):
    view = laboratory
    current = view.locator(".tm-phases button[aria-current='step']")
    press(view, "button", "Back", "Enter")
    expect(current).to_have_text("6 weighted values")
    expect(view.locator(".tm-heads")).to_have_count(0)
    view.locator("[data-focus='phase 1']").press("Enter")
    expect(current).to_have_text("2 q, k, v")
    expect(view.locator(".tm-letter .tm-share, .tm-letter .tm-standing")).to_have_count(0)
    expect(view.locator(".tm-mark-q")).to_have_count(1)
    press(view, "button", "Play", "Enter")
    press(view, "button", "Pause", "Enter")
    expect(view.get_by_role("button", name="Play", exact=True)).to_be_visible()
    press(view, "button", "Play", "Enter")
    expect(current).to_have_text("7 all heads", timeout=60_000)
    expect(view.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert_shows(view, 3, 4)


def test_every_number_leads_to_its_sum(laboratory):
    view = laboratory
    numbers = {"score 1": ("scores", (3, 4, 1)), "weight 3": ("pattern", (3, 4, 3)), "key 1": ("dots", (3, 4, 1))}
    for focus, (name, place) in numbers.items():
        view.locator(f"[data-focus='{focus}']").press("Enter")
        where = f"{ATTN}{name}: head 3 query a key {T.tokens[place[2]]}"
        soon(
            lambda where=where, name=name, place=place: read_sum(view),
            written_out(where, tm.explain(T, ATTN + name, place)),
        )
        assert has_focus(view.locator(f"[data-focus='{focus}']"))
    cell(view, "That times W_O, which attention adds for a", 0, 5).click()
    where = f"{ATTN}out: pos a d_model 5"
    soon(lambda: read_sum(view), written_out(where, tm.explain(T, ATTN + "out", (4, 5))))
    view.locator("[data-focus='weight 2']").press("Enter")


def test_each_switch_hides_its_part_alone(laboratory):
    view = laboratory
    parts = {
        "q, k, v": ".tm-mark",
        "Scores": "[data-focus^='score']",
        "Weights": ".tm-letter .tm-share",
        "Masked future": ".tm-hidden",
        "All heads": ".tm-heads",
    }
    view.locator("[data-focus='letter 2']").press("Enter")
    expect(view.locator(".tm-hidden")).to_have_count(2)
    there = {name: view.locator(it).count() for name, it in parts.items()}
    for name in parts:
        box = view.get_by_role("checkbox", name=name, exact=True)
        box.press("Space")
        expect(view.locator(parts[name])).to_have_count(0)
        if name != "Masked future":  # these have a k and a v, too
            assert {it: view.locator(parts[it]).count() for it in parts if it != name} == {
                it: n for it, n in there.items() if it != name
            }
        box.press("Space")
        expect(view.locator(parts[name])).to_have_count(there[name])
    view.locator("[data-focus='letter 4']").press("Enter")


def test_bars_of_values_and_their_shares_stand_in_proportion(laboratory):
    view = laboratory.element_handle()
    v, a = T[ATTN + "v"][3], T[ATTN + "pattern"][3, 4]
    z = T[ATTN + "z"][3, 4]
    both = np.concatenate([v.ravel(), z])
    unit = 64 / (max(0, both.max()) - min(0, both.min()))
    for name, numbers in {"tm-outer": v, "tm-inner": a[:, None] * v}.items():
        heights = np.array(laboratory.page.evaluate(BARS, [view, name]))[:, 0]
        np.testing.assert_allclose(heights, np.maximum(np.abs(numbers.ravel()) * unit, 0.5), atol=0.15)


def test_another_text_and_one_that_cannot_be_read(laboratory):
    view = laboratory
    write(view, "maria", name="Text")
    expect(view.locator(".tm-letter")).to_have_count(6)
    stays = read(view)
    write(view, "María", name="Text")
    assert_refused(view, "`María` is not in the vocabulary", stays)
    write(view, "anna", name="Text")
    expect(view.get_by_role("alert")).to_have_count(0)
    expect(view.locator(".tm-letter")).to_have_count(5)


def test_where_there_is_little_room_each_letter_is_a_row(lesson, laboratory):
    top = """view => [...view.querySelectorAll(".tm-letter")].map((it) => it.getBoundingClientRect().top)"""
    assert len(set(laboratory.evaluate(top))) == 1
    lesson.look(width=700)
    soon(lambda: len(set(laboratory.evaluate(top))), 5)
    assert_shows(laboratory, 3, 4)
    lesson.look()
    soon(lambda: len(set(laboratory.evaluate(top))), 1)


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, laboratory, look):
    lesson.look(**LOOKS[look])
    laboratory.locator("[data-focus='letter 2']").press("Enter")  # something is hidden
    expect(laboratory.locator(".tm-hidden")).to_have_count(2)
    assert lesson.violations(laboratory) == [] and lesson.untidy() == []
    lesson.look()
    laboratory.locator("[data-focus='letter 4']").press("Enter")
    expect(laboratory.locator(".tm-hidden")).to_have_count(0)
