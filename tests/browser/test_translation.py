"""The view of a translation, by keyboard: it learns in sight, its ribbons cross, and each word leads to its sum."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, SETUP, soon
from .reading import (
    assert_refused,
    has_focus,
    labelled,
    learn,
    press,
    reach,
    read,
    read_sum,
    sticks_out,
    texts,
    write,
    written_out,
)

MAKE = "view = tm.views.Translation(text='the white cat')\nview"
CELLS = [SETUP, MAKE]
BOX = "Source"
DONE = "All 1,500 steps are done: another seed begins anew."
CROSS = "decoder.0.cross.pattern"
# Where each ribbon in front leaves and arrives: the middle of the word above, and of the one below.
FRONT = (
    """view => [...view.querySelectorAll(".tm-band.tm-front")].map((it) => it.getAttribute("d").match(/-?[\\d.]+/g))"""
)


@pytest.fixture(scope="module")
def learned(lesson):
    view = learn(lesson, DONE)
    assert has_focus(view.get_by_role("button", name="Continue", exact=True))
    return view


def assert_shows(view, source, head, word, key):
    """The translation, its weights and the sum of one, as a run with the stored weights gives them."""
    target = tm.translation.translate(source)
    t, words = tm.translation.run(source, target), [*target.split(), "EOS"]
    rows = [f"{a} → {b}" for a, b in zip(t.tokens, words, strict=True)]
    name = f"cross-attention head {head}"
    expected = [["", *source.split()], *labelled(rows, texts(t[CROSS][head]))]
    soon(lambda: read(view).tables.get(name), expected)
    expect(view.get_by_text(f"After 1500 steps: {source} → {' '.join(words)}")).to_be_visible()
    place = f"{CROSS}: head {head} query {t.tokens[word]} source key {source.split()[key]}"
    soon(lambda: read_sum(view), written_out(place, tm.explain(t, CROSS, (head, word, key))))
    assert not sticks_out(view)
    pressed = view.locator(".tm-wordrow > button[aria-pressed='true']")
    expect(pressed).to_contain_text(words[word])
    bands = np.array(view.evaluate(FRONT), float)
    shares = (bands[:, 8] - bands[:, 6]) / (bands[:, 8] - bands[:, 6]).sum()
    np.testing.assert_allclose(shares, t[CROSS][head, word], atol=0.002)


def test_it_learns_what_it_never_saw(learned):
    assert_shows(learned, "the white cat", head=1, word=1, key=2)
    for source, target in tm.translation.held_out[1:3]:
        write(learned, source, name=BOX)
        expect(learned.get_by_text(f"→ {target} EOS")).to_be_visible()
    write(learned, "the white cat", name=BOX)


def test_a_written_word_is_picked_and_a_weight_of_it_with_the_arrow_keys(learned):
    button = learned.locator(".tm-wordrow > button").nth(2)
    button.focus()
    button.press("Enter")
    assert_shows(learned, "the white cat", head=1, word=2, key=2)
    assert has_focus(learned.locator(".tm-wordrow > button").nth(2))
    learned.get_by_role("grid").locator("[tabindex='0']").press("ArrowLeft")
    assert_shows(learned, "the white cat", head=1, word=2, key=1)
    press(learned, "radio", "1", "ArrowLeft")
    assert_shows(learned, "the white cat", head=0, word=2, key=1)
    press(learned, "radio", "0", "ArrowRight")
    assert_shows(learned, "the white cat", head=1, word=2, key=1)


def test_an_unknown_word_is_answered_and_the_last_picture_stays(learned):
    expect(learned.get_by_text("→ el gato blanco EOS")).to_be_visible()
    stays = read(learned)
    write(learned, "the white mouse", name=BOX)
    assert_refused(learned, "`mouse` is not a word of this model.", stays)
    write(learned, "the white cat", name=BOX)
    expect(learned.get_by_role("alert")).to_have_count(0)


def test_a_step_back_is_looked_at(learned):
    slider = learned.get_by_role("slider", name="Look at step")
    slider.press("Home")
    expect(learned.get_by_text("After 0 steps: the white cat →")).to_be_visible()
    slider.press("End")
    assert_shows(learned, "the white cat", head=1, word=2, key=1)
    row = tm.translation.run("the white cat", "el gato blanco")[CROSS][1, 2]
    said = ", ".join(f"{word} {shown(share)}" for word, share in zip(("the", "white", "cat"), row, strict=True))
    expect(learned.get_by_text(f"The row that writes blanco reads: {said}.")).to_be_visible()


def test_whatever_is_moved_while_it_runs_it_runs_on(lesson, learned):
    first = learned.get_by_role("status").first
    trained = lesson.ask("id(view.trained)")
    reach(learned, "button", "Start again").press("Enter")
    soon(lambda: lesson.ask("id(view.trained)") != trained, True)
    press(learned, "radio", "1", "ArrowLeft")
    write(learned, "the black dog", name=BOX)
    expect(first).to_have_text(DONE)
    expect(learned.get_by_text("After 1500 steps: the black dog → el perro negro EOS")).to_be_visible()
    trained = lesson.ask("id(view.trained)")
    reach(learned, "button", "Start again").press("Enter")
    soon(lambda: lesson.ask("id(view.trained)") != trained, True)
    learned.get_by_role("checkbox", name="Weight decay").press("Space")  # it begins anew, and goes on
    expect(first).to_have_text(DONE)
    assert lesson.ask("view.weight_decay, view.running, view.trained.last") == "(False, False, 1500)"


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, learned, look):
    lesson.look(**LOOKS[look])
    assert lesson.violations(learned) == [] and lesson.untidy() == []
    assert learned.locator("svg[aria-hidden]").evaluate("it => it.getBoundingClientRect().width") > 180
    lesson.look()
