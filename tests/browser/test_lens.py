"""The view of the logit lens, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.reading.stream import read_off, stages

from .lab import LOOKS, soon
from .reading import (
    CHANGED,
    HEARD,
    LIKELIEST,
    Picture,
    assert_bad_sentences_are_answered,
    assert_tab_leads_through,
    changes,
    counting,
    labelled,
    press,
    read,
    spoken,
    texts,
    write,
)

START = {"text": "o gato subiu no", "row": 4}
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Lens()\nview", "view", "view.text, view.row = 'o gato', 0"
STAGES = ["token", "+ position", "+ attention", "+ MLP"]
CELLS = [counting("lens", "run"), MAKE, SHOW_AGAIN, STEER]  # the runs of the model are counted


def begins(view):
    soon(lambda: read(view), expected(**START))


def expected(text, row):
    """The table that toymodel's numbers make, the likeliest of each stage framed (of two as likely, both)."""
    t = tm.run(text)
    lens = tm.lens(t, row)
    caption = f"What would be said after {spoken(t.tokens[row])}"
    table = [["next", *STAGES], *labelled(list(map(spoken, t.vocab)), texts(lens.T.to_numpy()))]
    return Picture(
        {caption: table}, {(caption, i + 1, k + 1): LIKELIEST for k, best in likeliest(t, row) for i in best}
    )


def likeliest(t, row):
    """Each stage, and the ids that are likeliest there."""
    for k, p in enumerate(read_off(t, key)[row] for key in stages(t)):
        yield k, [i for i in range(12) if p.max() - p[i] < 1e-9]


def name(caption):
    return caption.split(" after")[0]


def assert_moved(view, before, after):
    """The view shows, marks and says what a move between these settings makes of it."""
    old, new = expected(**before), expected(**after)
    changed, said = [], "A dot will mark what another text changes here."
    if before["row"] == after["row"] and old.tables.keys() == new.tables.keys():  # the same token in the same row
        changed, said = changes(old.tables, new.tables, name)
    marks = {
        place: new.marks.get(place, set()) | (CHANGED if place in changed else set())
        for place in [*new.marks, *changed]
    }
    soon(lambda: read(view), Picture(new.tables, marks))
    expect(view.get_by_role("status").last).to_have_text(said)
    t = tm.run(after["text"])
    told = view.get_by_role("status").first.evaluate(HEARD)
    for stage, best in likeliest(t, after["row"]):
        names = " and ".join(spoken(t.vocab[i]) for i in best) + (" , each" if len(best) > 1 else "")
        assert f"{names} {tm.lens(t, after['row']).iloc[stage].max():.3f}" in told.replace(", each", " , each")
    expect(view.get_by_role("alert")).to_have_count(0)
    expect(view.get_by_role("combobox")).to_have_value(str(after["row"]))


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in [
        (write, "o gato subiu no muro", {"text": "o gato subiu no muro", "row": 5}),  # the last is followed
        (write, START["text"], START),
        (press, "combobox", "Row", "ArrowUp", {"row": 3}),
        (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
        (press, "combobox", "Row", "Home", {"row": 0}),
        (write, START["text"], {"text": START["text"]}),  # the first reads no other: nothing changes
        (press, "combobox", "Row", "End", {"row": 4}),
        (write, "o gato", "Tab", {"text": "o gato", "row": 1}),  # there is no row 4
    ]:
        move(view, *how)
        before, settings = settings, settings | moved
        assert_moved(view, before, settings)


def test_tab_leads_through_the_controls_and_back(lesson, view):
    lesson.run(1)  # the focus is on its cell now
    soon(lambda: read(view), expected(**START))
    stops = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("combobox", name="Row", exact=True),
    ]
    assert_tab_leads_through(lesson, stops)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_run(lesson, view):
    for _ in range(2):
        lesson.run(1)
    lesson.run(2)
    second, runs = lesson.views.nth(1), lesson.ask("len(calls)")
    press(second, "combobox", "Row", "ArrowUp")
    assert_moved(view, START, START | {"row": 3})
    lesson.run(3)
    soon(lambda: read(second).tables, expected("o gato", 0).tables)
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato subiu no',), ('o gato',), ('o gato',)]"


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: soon(lambda: read(view), expected(**START)))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    press(view, "combobox", "Row", "Home")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"lens-{look}-moved.png")
    assert view.locator(".tm-scroll[tabindex]").count() == 0  # it fits, however narrow
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
