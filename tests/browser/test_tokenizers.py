"""The view of four tokenizers, moved by keyboard alone: what it shows and says is compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import soon
from .reading import HEARD, assert_tab_leads_through, counting, has_focus, press, read, write

MAKE, SHOW_AGAIN = "view = tm.views.Tokenizers()\nview", "view"
START = {"text": "o gato subiu no telhado.", "merges": 50}
WAYS = f"""view => [...view.querySelectorAll(".tm-title")].map((title) => {{
    const heard = {HEARD}, parts = [title.textContent];
    for (let it = title.nextElementSibling; it && !it.matches(".tm-title"); it = it.nextElementSibling)
        parts.push(it.matches("ol") ? [...it.children].map(heard) : it.textContent);
    return parts;
}})"""
CELLS = [counting("tokenizers", "counts_grid"), MAKE, SHOW_AGAIN]  # the pictures that are computed are counted


def begins(view):
    assert_shows(view, **START)


def expected(text, merges):
    """What is heard under each title, and the rows of the table."""
    bpe = tm.train_bpe(tm.corpus(), merges)
    ways = {"Words": tm.Words(tm.corpus()), "Characters": bpe.with_merges(0)}
    for name, way in {**ways, "The toy's vocabulary": tm, "Byte-pair encoding": bpe}.items():
        vocab, under = tm.run("o").vocab if way is tm else way.vocab, []
        try:
            ids = way.encode(text)
        except ValueError as error:
            ids, length, note = [], "", f"Refused: {error}".replace("`", "")
        else:
            under = [[f"{vocab[i].replace('␣', 'space ')} {i}".replace("  ", " ") for i in ids]] if ids else []
            length, note = str(len(ids)), ""
            if not ids:
                note = "No tokens."
            elif way.decode(ids) != text:
                note = f"From these ids comes another text: {way.decode(ids)}"
        yield [name, *under, *filter(None, [note])], [name, length, str(len(vocab))]


def assert_shows(view, text, merges):
    ways, rows = zip(*expected(text, merges), strict=True)
    soon(lambda: view.evaluate(WAYS), list(ways))
    soon(lambda: read(view).tables, {"How many tokens": [["", "tokens", "vocabulary"], *rows]})
    expect(view.get_by_role("alert")).to_have_count(0)


TEXT, MERGES = "Text (then Enter)", "Merges of the byte-pair encoding"
MOVES = [
    (press, "slider", MERGES, "ArrowLeft", {"merges": 49}),
    (write, "the dogs and sdsfs_ff", "Enter", TEXT, {"text": "the dogs and sdsfs_ff"}),
    (press, "slider", MERGES, "Home", {"merges": 0}),
    (write, "O <b>gato</b> 👍", "Tab", TEXT, {"text": "O <b>gato</b> 👍"}),
    (write, "", "Enter", TEXT, {"text": ""}),
    (write, "os cães", "Enter", TEXT, {"text": "os cães"}),
    (press, "slider", MERGES, "End", {"merges": 89}),
    (press, "slider", MERGES, "ArrowRight", {}),  # there is no more
]


def test_every_control_moves_tokens_and_counts_and_a_refusal_leaves_the_others(view):
    settings = START
    for move, *how, moved in MOVES:
        move(view, *how)
        settings = settings | moved
        assert_shows(view, **settings)
        slider = view.get_by_role("slider", name=MERGES)
        expect(slider).to_have_attribute("aria-valuetext", f"{settings['merges']} merges")


def test_what_changed_is_marked_and_said(view):
    press(view, "slider", MERGES, "Home")
    expect(view.get_by_role("status")).to_have_text("How many tokens: 1 of 4 rows changed.")
    marks = {("How many tokens", 4, 1): {"changed", "●"}, ("How many tokens", 4, 2): {"changed", "●"}}
    soon(lambda: read(view).marks, marks)


def test_text_of_any_language_is_not_said_to_be_portuguese(view):
    expect(view.get_by_role("textbox")).to_have_attribute("lang", "")
    assert view.locator(".tm-pieces [lang]").evaluate_all("all => all.every((it) => it.lang === '')")


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    lesson.run(1)
    assert_shows(view, **START)
    assert_tab_leads_through(lesson, [view.get_by_role("textbox"), view.get_by_role("slider")])


def test_too_long_a_text_is_answered_and_the_last_good_picture_stays(view):
    write(view, "o" * 301, name=TEXT)
    expect(view.get_by_role("alert")).to_contain_text("301 symbols; there is room for 300.")
    soon(lambda: view.evaluate(WAYS), [way for way, _row in expected(**START)])
    write(view, "o", name=TEXT)
    assert_shows(view, "o", 50)


def test_two_displays_follow_each_other_and_a_move_is_one_picture(lesson, view):
    for _ in range(3):
        lesson.run(1)
    lesson.run(2)
    second, pictures = lesson.views.nth(1), int(lesson.ask("len(calls)"))
    press(second, "slider", MERGES, "ArrowRight")
    for it in (view, second):
        assert_shows(it, START["text"], 51)
    write(view, "o gato", name=TEXT)
    assert_shows(second, "o gato", 51)
    assert has_focus(view.get_by_role("textbox"))
    assert int(lesson.ask("len(calls)")) == pictures + 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_objects_to_nothing_after_a_move_and_a_refusal(lesson, view, theme, screenshots):
    lesson.look(theme)
    write(view, "the dogs and sdsfs_ff", name=TEXT)
    assert_shows(view, "the dogs and sdsfs_ff", 50)
    lesson.photograph(view, screenshots, f"tokenizers-{theme}-moved.png")
    assert lesson.violations(view) == []
