"""The attention view, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, soon
from .reading import (
    CHANGED,
    PICKED,
    USED,
    Picture,
    assert_bad_sentences_are_answered,
    assert_tab_leads_through,
    cell,
    changes,
    counting,
    has_focus,
    labelled,
    press,
    reach,
    read,
    read_sum,
    spoken,
    texts,
    write,
    written_out,
)

ATTN = "blocks.0.attn."
START = {"text": "o gato subiu no", "n_heads": 2, "causal": True, "stage": "pattern", "head": 0, "query": 4, "key": 0}
STAGES = {  # what a button says, and the row of a table
    "dots": ("dots q·k", "dots q·k"),
    "scores": ("scores", "scores: ÷ √d_head"),
    "masked_scores": ("masked scores", "masked scores"),
    "exp_scores": ("e^score", "e^score"),
    "pattern": ("weights", "weights: ÷ their sum"),
}
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Attention()\nview", "view", "view.query, view.stage = 1, 'scores'"
CELLS = [counting("attention", "run"), MAKE, SHOW_AGAIN, STEER]  # the runs of the model are counted


def begins(view):
    assert_shows(view, START)


# ---- what toymodel's numbers make of it


def expected(text, n_heads, causal, stage, head, query, key):
    """The picture, but for what has changed."""
    t = tm.run(text, n_heads, causal)
    tokens, n = [spoken(token) for token in t.tokens], len(t.tokens)
    a = {name: t[ATTN + name] for name in ("q", "k", "v", "z", "out", *STAGES)}
    tables, marks = {}, {}
    for h in range(n_heads):
        tables[head_caption(h, stage, n)] = [["query ↓ key →", *tokens], *labelled(tokens, texts(a[stage][h]))]
        marks[head_caption(h, stage, n), 1 + query, 0] = {"bold"}

    q, k = a["q"][head, query], a["k"][head, key]
    products = texts([q, k, [*(q * k), np.dot(q, k)]])
    product, wide = f"Query {tokens[query]} and key {tokens[key]} by dimension", len(q)
    tables[product] = [
        ["d_head", *map(str, range(wide)), "sum"],
        *labelled(["q of the query", "k of the key"], [[*numbers, ""] for numbers in products[:2]]),
        ["q × k", *products[2]],
    ]
    for h in range(n_heads):
        happens = texts([a[it][h, query] for it in STAGES])
        sums = texts([[a[it][h, query].sum()] for it in ("exp_scores", "pattern")])
        happens = [[*row, *last] for row, last in zip(happens, [[""], [""], [""], *sums], strict=True)]
        rows = labelled([words for _button, words in STAGES.values()], happens)
        tables[row_caption(h, tokens[query])] = [["key →", *tokens, "sum"], *rows]
    row, at = row_caption(head, tokens[query]), 1 + list(STAGES).index(stage)
    marks[head_caption(head, stage, n), 1 + query, 1 + key] = marks[row, at, 1 + key] = PICKED
    used = {
        "dots": [(product, j, 1 + i) for j in (1, 2) for i in range(wide)],
        "masked_scores": [(row, 2, 1 + key)] if key <= query or not causal else [],
        "pattern": [*((row, 3, 1 + j) for j in range(n)), (row, 4, 1 + key), (row, 4, 1 + n)],
    }
    marks |= dict.fromkeys(used.get(stage, [(row, at - 1, 1 + key)]), USED)

    for h in range(n_heads):
        values = labelled(tokens, texts(a["v"][h]))
        tables[f"Head {h}: values ({n} × {wide})"] = [["", *map(str, range(wide))], *values]
    mixed = [[""] * wide * h + texts([a["z"][h, query]])[0] + [""] * wide * (n_heads - 1 - h) for h in range(n_heads)]
    ends = texts([a["z"][:, query].ravel(), a["out"][query]])
    tables[f"What {tokens[query]} receives"] = [
        ["", "0", "1", "2", "3"],
        *labelled([f"head {h}: weights × values" for h in range(n_heads)], mixed),
        *labelled(["side by side", "times W_O: what attention adds"], ends),
    ]
    return Picture(tables, marks)


def expected_sum(text, n_heads, causal, stage, head, query, key):
    t = tm.run(text, n_heads, causal)
    place = f"head {head} query {spoken(t.tokens[query])} key {spoken(t.tokens[key])}"
    return written_out(f"{ATTN}{stage}: {place}", tm.explain(t, ATTN + stage, (head, query, key)))


def head_caption(head, stage, n):
    return f"Head {head}: {STAGES[stage][0]} ({n} × {n})"


def row_caption(head, token):
    return f"Head {head}, the row of {token}"


def name(caption):
    """What a head's table is called, however large."""
    return caption.split(" (")[0]


def assert_shows(view, settings, before=None):
    """Pictures, marks, sentences and controls are those of these settings.

    `before` are the settings before the last change of sentence, heads or mask, where such a change is marked.
    """
    picture, said = (
        expected(**settings),
        "Change the sentence, the heads or the mask: a dot then marks each number that is another one.",
    )
    if before:
        heads = [f"Head {h}: {STAGES[settings['stage']][0]}" for h in range(4)]
        old, new = (
            {it: rows for it, rows in p.tables.items() if name(it) in heads} for p in (expected(**before), picture)
        )
        changed, said = changes(old, new, name)
        for place in changed:
            picture.marks[place] = picture.marks.get(place, set()) | CHANGED
    soon(lambda: read(view), picture)
    expect(view.get_by_role("status").first).to_have_text(said)
    expect(view.get_by_role("alert")).to_have_count(0)
    assert read_sum(view) == expected_sum(**settings)
    expect(view.get_by_role("textbox")).to_have_value(settings["text"])
    expect(view.get_by_role("radio", name=str(settings["n_heads"]), exact=True)).to_be_checked()
    expect(view.get_by_role("checkbox")).to_be_checked(checked=settings["causal"])
    expect(view.get_by_role("radio", name=STAGES[settings["stage"]][0], exact=True)).to_be_checked()
    expect(view.get_by_role("combobox")).to_have_value(str(settings["query"]))
    names = view.get_by_role("option").evaluate_all("all => all.map((it) => it.ariaLabel)")
    tokens = tm.run(settings["text"]).tokens
    assert names == [f"{k}: {spoken(token)}" for k, token in enumerate(tokens)]


# ---- the controls

MOVES = [
    (write, "o gato subiu no muro", {"text": "o gato subiu no muro", "query": 5}),  # the last is followed
    (write, START["text"], {"text": START["text"], "query": 4}),
    (press, "checkbox", "Causal mask", "Space", {"causal": False}),
    (press, "combobox", "Query", "ArrowUp", {"query": 3}),
    (press, "radio", "2", "ArrowRight", {"n_heads": 4}),
    (press, "radio", "weights", "ArrowLeft", {"stage": "exp_scores"}),
    (press, "radio", "e^score", "ArrowUp", {"stage": "masked_scores"}),
    (press, "combobox", "Query", "Home", {"query": 0}),
    (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
    (press, "checkbox", "Causal mask", "Space", {"causal": True}),
    (press, "combobox", "Query", "End", {"query": 5}),
    (press, "radio", "masked scores", "ArrowLeft", {"stage": "scores"}),
    (write, "o gato", "Tab", {"text": "o gato", "query": 1}),  # there is no query 5
    (press, "radio", "4", "ArrowRight", {"n_heads": 1}),
    (press, "radio", "scores", "ArrowLeft", {"stage": "dots"}),
    (press, "radio", "dots q·k", "ArrowLeft", {"stage": "pattern"}),
]


def test_every_control_moves_the_numbers(view):
    settings, before = START, None
    for move, *how, moved in MOVES:
        move(view, *how)
        if "stage" in moved:
            before = None
        elif set(moved) & {"text", "n_heads", "causal"}:
            before = settings
        settings = settings | moved
        assert_shows(view, settings, before)


def test_tab_leads_through_the_controls_into_each_head_and_back(lesson, view):
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, START)
    groups = [view.get_by_role("group", name=name, exact=True) for name in ("Heads", "Show")]
    heads, show = (group.get_by_role("radio", checked=True) for group in groups)
    stops = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        *[heads, view.get_by_role("checkbox", name="Causal mask", exact=True), show],
        view.get_by_role("combobox", name="Query", exact=True),
        *[cell(view, head_caption(0, "pattern", 5), 4, 0), cell(view, head_caption(1, "pattern", 5), 0, 0)],
        *[cell(view, row_caption(0, "space no"), 4, 0), cell(view, row_caption(1, "space no"), 0, 0)],
    ]
    assert_tab_leads_through(lesson, stops)


# ---- the cells

WALK = [
    *[("ArrowRight", 4, 1), ("ArrowUp", 3, 1), ("End", 3, 4), ("ArrowRight", 3, 4), ("ArrowDown", 4, 4)],
    *[("ArrowDown", 4, 4), ("ArrowLeft", 4, 3), ("Home", 4, 0), ("ArrowLeft", 4, 0)],
]


def enter_heads(view):
    """Go to the picked cell with the Tab key."""
    press(view, "combobox", "Query", "Tab")


def test_arrow_keys_pick_and_the_focus_stays(view):
    enter_heads(view)
    for key, query, column in WALK:
        view.page.keyboard.press(key)
        assert_shows(view, START | {"query": query, "key": column})
        assert has_focus(cell(view, head_caption(0, "pattern", 5), query, column))


def test_arrow_keys_may_come_faster_than_the_answers(lesson, view):
    enter_heads(view)
    for key in ["ArrowUp"] * 4 + ["ArrowRight"] * 3:
        view.page.keyboard.press(key)
    lesson.ask("0")  # comes when all is answered
    assert_shows(view, START | {"query": 0, "key": 3})
    assert has_focus(cell(view, head_caption(0, "pattern", 5), 0, 3))


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_cell_of_another_head_is_picked_by_key(view, key):
    enter_heads(view)
    view.page.keyboard.press("Tab")
    assert_shows(view, START)  # to come to it picks nothing
    view.page.keyboard.press(key)
    assert_shows(view, START | {"head": 1, "query": 0})
    assert has_focus(cell(view, head_caption(1, "pattern", 5), 0, 0))


def test_a_click_picks_at_every_stage(view):
    settings = START
    for stage in reversed(STAGES):
        if stage != "pattern":
            press(view, "radio", STAGES[settings["stage"]][0], "ArrowLeft")
        for head, query, key in [(1, 2, 3), (0, 3, 1)]:  # one of them behind the mask
            cell(view, head_caption(head, stage, 5), query, key).click()
            settings = settings | {"stage": stage, "head": head, "query": query, "key": key}
            assert_shows(view, settings)


def test_the_table_of_a_row_leads_through_the_stages(view):
    enter_heads(view)
    for key in ["Tab", "Tab", "ArrowUp", "ArrowUp", "ArrowRight"]:
        view.page.keyboard.press(key)
    assert_shows(view, START | {"stage": "masked_scores", "key": 1})
    assert has_focus(cell(view, row_caption(0, "space no"), 2, 1))
    cell(view, row_caption(1, "space no"), 0, 3).click()
    assert_shows(view, START | {"stage": "dots", "head": 1, "key": 3})


def test_marks_of_a_change_stay_while_cells_are_picked(view):
    press(view, "checkbox", "Causal mask", "Space")
    enter_heads(view)
    view.page.keyboard.press("ArrowUp")
    assert_shows(view, START | {"causal": False, "query": 3}, before=START)


def test_a_picked_cell_that_is_no_more_gives_way_to_the_nearest_and_hands_it_the_focus(lesson, view):
    enter_heads(view)
    view.page.keyboard.press("End")
    assert_shows(view, START | {"key": 4})
    lesson.ask("setattr(view, 'text', 'o gato')")
    assert_shows(view, START | {"text": "o gato", "query": 1, "key": 1}, before=START)
    assert has_focus(cell(view, head_caption(0, "pattern", 2), 1, 1))


def test_jupyterlab_leaves_the_keys_to_the_view(lesson, view):
    stops = [("textbox", "Sentence"), ("radio", "2"), ("checkbox", "Causal mask"), ("radio", "weights")]
    enter_heads(view)  # that makes its cell the active one
    before = lesson.notebook()
    for key in ["b", "a", "d", "d", "x", "m", "ArrowUp", "ArrowDown", "End", "Enter", "ControlOrMeta+Enter"]:
        view.page.keyboard.press(key)
    for stop in [*stops, ("combobox", "Query")]:
        reach(view, *stop)
        for key in ["b", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]:
            view.page.keyboard.press(key)
    press(view, "textbox", "Sentence", "ControlOrMeta+Enter")
    assert lesson.notebook() == before


def test_the_focus_is_seen_wherever_tab_leads(view):
    view.get_by_role("textbox").focus()
    for _ in range(7):
        outline = "() => getComputedStyle(document.activeElement).outline"
        assert view.page.evaluate(outline) == "rgb(213, 94, 0) solid 2px"
        view.page.keyboard.press("Tab")


def test_a_grid_says_how_it_is_moved_in_and_its_tokens_are_portuguese(view):
    grid = view.get_by_role("grid").first
    expect(grid).to_have_accessible_description("Arrow keys pick a number.")
    said = grid.locator("[lang=pt]").all_inner_texts()
    assert said == 2 * [token.removeprefix("␣") for token in tm.run(START["text"]).tokens]


def test_a_number_is_shaded_by_its_size_and_in_another_colour_below_0(lesson, view):
    lesson.ask("setattr(view, 'stage', 'scores')")
    assert_shows(view, START | {"stage": "scores"})
    for head, scores in enumerate(tm.run(START["text"])[ATTN + "scores"]):
        grid = view.get_by_role("grid", name=head_caption(head, "scores", 5))
        shades = grid.locator(".tm-number").evaluate_all("all => all.map((it) => getComputedStyle(it).backgroundColor)")
        for x, shade in zip(scores.ravel(), shades, strict=True):
            red, green, blue, depth = map(float, shade.removeprefix("rgba(").rstrip(")").split(", "))
            is_below = shown(x).startswith("-")
            assert (red, green, blue) == ((213, 94, 0) if is_below else (0, 114, 178))
            share = abs(x) / np.abs(scores).max()
            assert depth == pytest.approx(0.05 + share * (0.4 if is_below else 0.5), abs=0.01)


def test_tables_that_scroll_stay_where_they_were_and_show_what_is_picked(lesson, view):
    lesson.look(**LOOKS["narrow"])
    write(view, "o gato subiu no telhado.<eot>")
    picked = view.get_by_role("gridcell", selected=True)  # in the head, and in what happens to its row
    cell(view, head_caption(0, "pattern", 8), 4, 0).press("End")
    expect(cell(view, head_caption(0, "pattern", 8), 4, 7)).to_have_attribute("aria-selected", "true")
    assert picked.evaluate_all(IN_SIGHT) == [True, True]
    far = picked.evaluate_all(SCROLLED)
    assert min(far) > 0
    view.page.keyboard.press("ArrowLeft")
    expect(cell(view, head_caption(0, "pattern", 8), 4, 6)).to_have_attribute("aria-selected", "true")
    assert picked.evaluate_all(IN_SIGHT) == [True, True]
    assert picked.evaluate_all(SCROLLED) == far


IN_SIGHT = """all => all.map((td) => {
    const parts = [td.parentElement.firstChild, td, td.closest(".tm-scroll")];
    const [name, it, box] = parts.map((part) => part.getBoundingClientRect());
    return name.right <= it.left + 1 && it.right <= box.right + 1;
})"""
SCROLLED = "all => all.map((td) => td.closest('.tm-scroll').scrollLeft)"


# ---- what a view keeps to


def test_two_displays_of_a_view_follow_each_other(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    press(second, "radio", "2", "ArrowRight")
    assert_shows(second, START | {"n_heads": 4}, before=START)  # else the click might meet what is just being replaced
    cell(second, head_caption(1, "pattern", 5), 2, 1).click()
    settings = START | {"n_heads": 4, "head": 1, "query": 2, "key": 1}
    assert_shows(view, settings, before=START)
    press(view, "radio", "weights", "ArrowLeft")
    assert_shows(second, settings | {"stage": "exp_scores"})


def test_a_cell_steers_the_view(lesson, view):
    lesson.run(3)
    assert_shows(view, START | {"query": 1, "stage": "scores"})


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: assert_shows(view, START))


def test_a_move_is_one_run_of_the_model_however_often_the_cell_was_run(lesson, view):
    for _ in range(3):
        lesson.run(1)
    expect(lesson.views).to_have_count(2)
    runs = lesson.ask("len(calls)")
    write(view, "o gato")  # its last row is another one
    assert_shows(view, START | {"text": "o gato", "query": 1}, before=START)
    cell(view, head_caption(1, "pattern", 2), 0, 0).click()
    settings = START | {"text": "o gato", "head": 1, "query": 0}
    assert_shows(view, settings, before=START)
    press(view, "checkbox", "Causal mask", "Space")
    assert_shows(view, settings | {"causal": False}, before=settings)
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato', 2, True), ('o gato', 2, True), ('o gato', 2, False)]"


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    press(view, "radio", "2", "ArrowRight")
    write(view, "o gato subiu no telhado.<eot>")
    press(view, "radio", "weights", "ArrowLeft")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"attention-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
