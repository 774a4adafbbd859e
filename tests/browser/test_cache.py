"""The view of the key-value cache, moved by keyboard alone: rows, counts and marks are compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, soon
from .reading import (
    CHANGED,
    Picture,
    assert_bad_sentences_are_answered,
    assert_tab_leads_through,
    counting,
    has_focus,
    labelled,
    press,
    reach,
    read,
    spoken,
    texts,
    write,
)

START = {"text": "o gato subiu no telhado.", "n": 1, "n_heads": 2, "head": 0}
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Cache()\nview", "view", "view.n_heads, view.head, view.n = 4, 3, 6"
COUNTED = ["q", "k", "v", "dots q·k", "weights × v", "times W_O", "times W_in", "times W_out", "logits"]
CELLS = [counting("cache", "extend"), MAKE, SHOW_AGAIN, STEER]  # the tokens that are read with a cache are counted


def begins(view):
    assert_shows(view, START, [])
    expect(view.get_by_role("status").last).to_have_text("A dot will mark each new number of k and v.")


def expected(text, n, n_heads, head):
    """The tables that toymodel's numbers make. What a cache saves is all rows but the last."""
    t = tm.run(tm.decode(tm.encode(text)[:n]), n_heads)
    at = {name: t[f"blocks.0.attn.{name}"][head] for name in ("q", "k", "v", "pattern")}
    labels, d_head = list(map(spoken, t.tokens)), 4 // n_heads
    ages, heading = ["kept"] * (n - 1) + ["new"], ["", *map(str, range(d_head)), ""]
    kept = {
        f"{words} ({n} × {d_head})": [
            heading,
            *([label, *row, age] for label, row, age in zip(labels, texts(at[name]), ages, strict=True)),
        ]
        for name, words in {"k": "Keys k", "v": "Values v"}.items()
    }
    steps = [tm.run(tm.decode(tm.encode(text)[:m]), n_heads) for m in range(1, n + 1)]
    counts = [list(tm.multiplications(step).values()) for step in steps]
    ways = [(whole, [it // m for it in whole]) for m, whole in enumerate(counts, start=1)]
    so_far = [[sum(it) for it in zip(*way, strict=True)] for way in zip(*ways, strict=True)]
    return {
        f"Query q (1 × {d_head})": [heading, [labels[-1], *texts(at["q"][-1:])[0], "new"]],
        **kept,
        f"Attention weights (1 × {n})": [["query ↓ key →", *labels], [labels[-1], *texts(at["pattern"][-1:])[0]]],
        "Multiplications of this step": count_table(*ways[-1]),
        "All steps so far": count_table(*so_far),
    }


def count_table(*ways):
    rows = [*zip(*ways, strict=True), tuple(map(sum, ways))]
    return [["", "without cache", "with cache"], *labelled([*COUNTED, "sum"], [list(map(str, row)) for row in rows])]


def assert_shows(view, settings, new):
    """The tables of these settings; in k and v, the rows with these labels are marked as changed, and no others."""
    tables, marks = expected(**settings), {}
    for caption, rows in tables.items():
        if caption.startswith(("Keys", "Values")):
            places = [(j, k) for j, row in enumerate(rows) if row[0] in new for k in range(1, len(row) - 1)]
            marks |= {(caption, j, k): CHANGED for j, k in places}
        if not caption.startswith("Attention"):
            marks[caption, len(rows) - 1, 0] = {"bold"}
    soon(lambda: read(view), Picture(tables, marks))
    assert_says(view, **settings)


def assert_says(view, text, n, n_heads, head):
    """What stands above and below the tables, and the controls."""
    expect(view.get_by_text(f"holds 2 · {n} · 4 = {8 * n} numbers")).to_be_visible()
    expect(view.get_by_text("Counted are all heads")).to_be_visible()
    expect(view.get_by_text("0.000 (less than 10⁻¹²)")).to_be_visible()
    expect(view.get_by_role("slider")).to_have_attribute("aria-valuetext", f"{n} of {len(tm.encode(text))}")
    expect(view.get_by_role("radio", name=str(n_heads), exact=True)).to_be_checked()
    expect(view.get_by_role("combobox")).to_have_value(str(head))
    expect(view.get_by_role("alert")).to_have_count(0)


def test_the_slider_adds_a_row_and_nothing_else_changes(view):
    slider, tokens = reach(view, "slider", "Tokens read"), tm.run(START["text"]).tokens
    for n in range(2, 8):
        slider.press("ArrowRight")
        assert_shows(view, START | {"n": n}, [spoken(tokens[n - 1])])
        said = "Keys k: 1 row is new, the others stayed; Values v: 1 row is new, the others stayed."
        expect(view.get_by_role("status").last).to_have_text(said)
        assert has_focus(slider)
    slider.press("Home")
    assert_shows(view, START, [])


def test_the_other_controls_move_the_numbers(view):
    settings = START
    for move, *how, moved in [
        (press, "slider", "Tokens read", "End", {"n": 7}),
        (press, "combobox", "Show head", "ArrowDown", {"head": 1}),
        (write, "o gato subiu no muro", {"text": "o gato subiu no muro", "n": 6}),
        (press, "radio", "2", "ArrowLeft", {"n_heads": 1, "head": 0}),
        (press, "radio", "1", "ArrowLeft", {"n_heads": 4}),
        (write, "o gato", "Tab", {"text": "o gato", "n": 2}),
    ]:
        move(view, *how)
        settings = settings | moved
        soon(lambda: read(view).tables, expected(**settings))
        assert_says(view, **settings)


def test_tab_leads_through_the_controls_and_back(lesson, view):
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, START, [])
    stops = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("radio", name="2", exact=True),
        view.get_by_role("combobox", name="Show head", exact=True),
        view.get_by_role("slider", name="Tokens read", exact=True),
    ]
    assert_tab_leads_through(lesson, stops)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_picture(lesson, view):
    for _ in range(2):
        lesson.run(1)
    lesson.run(2)
    second, before = lesson.views.nth(1), int(lesson.ask("len(calls)"))
    press(second, "slider", "Tokens read", "ArrowRight")
    for it in (view, second):
        assert_shows(it, START | {"n": 2}, ["space gato"])
    assert int(lesson.ask("len(calls)")) == before + 1
    lesson.run(3)
    for it in (view, second):
        soon(lambda it=it: read(it).tables, expected(START["text"], 6, 4, 3))


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: assert_shows(view, START, []))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    press(view, "slider", "Tokens read", "End")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    expect(view.locator(".tm-number").get_by_text("kept")).to_have_count(0)  # a word is not drawn as a number
    lesson.photograph(view, screenshots, f"cache-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
