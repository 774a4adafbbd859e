"""The view of embeddings, moved by keyboard alone: what it shows, marks and writes out is compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, SETUP, soon
from .reading import PICKED, USED, Picture, cell, has_focus, labelled, read, read_sum, spoken, texts, written_out

VOCAB = [spoken(token) for token in tm.run("o").vocab]
LEARNED = tm.learned_tables(["o gato subiu no muro", "o cão subiu no muro"])
TABLES = {
    "a fresh draw": LEARNED[0],
    "after 10 steps of learning": LEARNED[10],
    "after 30 steps": LEARNED[30],
    "the toy's, picked by hand": tm.toy_weights()["W_E"],
}
COSINES = "Cosines (12 × 12)"
CELLS = [SETUP, "view = tm.views.Embeddings()\nview"]


def begins(view):
    assert_shows(view, "the toy's, picked by hand", 2, 3)


def assert_shows(view, table, token, other):
    W_E = TABLES[table]
    c = tm.cosines(dict(zip(VOCAB, W_E, strict=True)))
    columns = [str(k) for k in range(4)]
    one_hot = ["1" if i == token else "0" for i in range(12)]
    tables = {
        "One-hot (1 × 12)": [["", *VOCAB], [VOCAB[token], *one_hot]],
        "W_E (12 × 4)": [["", *columns], *labelled(VOCAB, texts(W_E))],
        "The row that is read (1 × 4)": [["", *columns], [VOCAB[token], *texts(W_E[[token]])[0]]],
        COSINES: [["", *VOCAB], *labelled(VOCAB, texts(c["cosines"]))],
    }
    marks = {("W_E (12 × 4)", 1 + i, 1 + k): USED for i in (token, other) for k in range(4)}
    marks |= {("W_E (12 × 4)", 1 + token, 0): {"bold"}, (COSINES, 1 + token, 1 + other): PICKED}
    soon(lambda: read(view), Picture(tables, marks))
    place = f"cosines: vector {VOCAB[token]} other {VOCAB[other]}"
    assert read_sum(view) == written_out(place, tm.explain(c, "cosines", (token, other)))
    expect(view.get_by_role("radio", name=table, exact=True)).to_be_checked()
    expect(view.get_by_role("combobox", name="Token", exact=True)).to_have_value(str(token))
    expect(view.get_by_role("alert")).to_have_count(0)


def test_every_control_moves_the_numbers(view):
    names = list(TABLES)
    for k, name in enumerate(names):  # from the last one the arrow leads to the first
        view.get_by_role("radio", name=names[k - 1], exact=True).press("ArrowRight")
        assert_shows(view, name, 2, 3)
    view.get_by_role("combobox", name="Token", exact=True).press("ArrowDown")
    assert_shows(view, names[-1], 3, 3)
    view.get_by_role("combobox", name="Token", exact=True).press("End")
    assert_shows(view, names[-1], 11, 3)


def test_cosines_are_picked_by_keyboard_and_by_click_and_the_focus_stays(view):
    name = "the toy's, picked by hand"
    picked = cell(view, COSINES, 2, 3)
    picked.focus()
    for key, token, other in [
        ("ArrowDown", 3, 3),
        ("End", 3, 11),
        ("ArrowUp", 2, 11),
        ("Home", 2, 0),
        ("ArrowLeft", 2, 0),
    ]:
        view.page.keyboard.press(key)
        assert_shows(view, name, token, other)
        assert has_focus(cell(view, COSINES, token, other))
    cell(view, COSINES, 10, 6).click()
    assert_shows(view, name, 10, 6)


IN_SIGHT = """view => [...view.querySelectorAll("td.tm-picked")].every((td) => {
    const [box, it] = [td.closest(".tm-scroll"), td].map((element) => element.getBoundingClientRect());
    return it.left >= box.left && it.right <= box.right + 1;
})"""


def test_in_little_width_the_picked_cell_stays_in_sight(lesson, view):
    lesson.look(**LOOKS["narrow"])
    for column in (11, 0, 6):
        lesson.ask(f"setattr(view, 'other', {column})")
        assert_shows(view, "the toy's, picked by hand", 2, column)
        soon(lambda: view.evaluate(IN_SIGHT), True)


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    lesson.ask("setattr(view, 'table', 'fresh')")
    assert_shows(view, "a fresh draw", 2, 3)
    lesson.photograph(view, screenshots, f"embeddings-{look}.png")
    assert lesson.untidy() == [] and lesson.violations(view) == []
