"""The view of neurons, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, soon
from .reading import (
    PICKED,
    USED,
    Picture,
    assert_bad_sentences_are_answered,
    assert_tab_leads_through,
    cell,
    counting,
    has_focus,
    labelled,
    press,
    read,
    read_sum,
    spoken,
    texts,
    write,
    written_out,
)

START = {"text": "o gato subiu no", "row": 4, "result": "mlp.out", "column": 1}
ENDS = ["m, their sum", "h, the stream", "y = h + m"]
SPREAD, NEURONS, HANDED = "Its mean and spread", "The neurons", "What they hand on"
W_OUT = "W_out: what each hands on (8 × 4)"
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Neurons()\nview", "view", "view.row, view.result = 2, 'ln2.out'"
CELLS = [counting("neurons", "run"), MAKE, SHOW_AGAIN, STEER]  # the runs of the model are counted


def begins(view):
    assert_shows(view, START)


# ---- what toymodel's numbers make of it


def norm_caption(text, row):
    return f"LayerNorm of {spoken(tm.run(text).tokens[row])}"


def expected(text, row, result, column):
    t = tm.run(text)
    a = {key.removeprefix("blocks.0."): t[key][row] for key in t if ".ln2." in key or ".mlp." in key or "resid" in key}
    norm, numbers = norm_caption(text, row), list("0123")
    on = [f"{n}: {'on' if pre > 0 else 'off'}" for n, pre in enumerate(a["mlp.pre"])]
    handed = texts([*(a["mlp.post"][:, None] * t["blocks.0.mlp.W_out"]), a["mlp.out"], a["resid_mid"], a["resid_post"]])
    tables = {
        norm: [
            ["", *numbers],
            *labelled(["h, the stream", "u′ = (h − μ′) / σ′"], texts([a["resid_mid"], a["ln2.out"]])),
        ],
        SPREAD: [["", ""], *labelled(["mean μ′", "std σ′"], texts([[a["ln2.mean"]], [a["ln2.std"]]]))],
        NEURONS: [
            ["neuron", "before", "after GELU"],
            *labelled(on, texts(np.array([a["mlp.pre"], a["mlp.post"]]).T)),
        ],
        W_OUT: [["", *numbers], *labelled(list("01234567"), texts(t["blocks.0.mlp.W_out"]))],
        HANDED: [["", *numbers], *labelled([*(f"neuron {n}" for n in range(8)), *ENDS], handed)],
    }
    h = {i: [(norm, 1, 1 + i), (HANDED, 10, 1 + i)] for i in range(4)}
    spread, c = [(SPREAD, 1, 1), (SPREAD, 2, 1)], column
    stream = [place for places in h.values() for place in places]
    picked, used = {
        "resid_mid": (h.get(c), []),
        "ln2.mean": (spread[:1], stream),
        "ln2.std": (spread[1:], [*stream, spread[0]]),
        "ln2.out": ([(norm, 2, 1 + c)], [*h.get(c, []), *spread]),
        "mlp.pre": ([(NEURONS, 1 + c, 1)], [(norm, 2, 1 + i) for i in range(4)]),
        "mlp.post": ([(NEURONS, 1 + c, 2)], [(NEURONS, 1 + c, 1)]),
        "mlp.out": (
            [(HANDED, 9, 1 + c)],
            [it for n in range(8) for it in [(NEURONS, 1 + n, 2), (W_OUT, 1 + n, 1 + c), (HANDED, 1 + n, 1 + c)]],
        ),
        "resid_post": ([(HANDED, 11, 1 + c)], [*h.get(c, []), (HANDED, 9, 1 + c)]),
    }[result]
    return Picture(tables, dict.fromkeys(used, USED) | dict.fromkeys(picked, PICKED))


def expected_sum(text, row, result, column):
    t, key = tm.run(text), f"blocks.0.{result}"
    place, index = f"{key}: pos {spoken(t.tokens[row])}", (row,)
    if t[key].ndim > 1:
        axis = "d_mlp" if result in ("mlp.pre", "mlp.post") else "d_model"
        place, index = f"{place} {axis} {column}", (row, column)
    return written_out(place, tm.explain(t, key, index))


def assert_shows(view, settings):
    """Pictures, marks, the sum and the controls are those of these settings."""
    soon(lambda: read(view), expected(**settings))
    expect(view.get_by_role("alert")).to_have_count(0)
    assert read_sum(view) == expected_sum(**settings)
    expect(view.get_by_role("textbox")).to_have_value(settings["text"])
    expect(view.get_by_role("combobox")).to_have_value(str(settings["row"]))
    names = view.get_by_role("option").evaluate_all("all => all.map((it) => it.ariaLabel)")
    assert names == [f"{k}: {spoken(token)}" for k, token in enumerate(tm.run(settings["text"]).tokens)]


# ---- the controls, and the cells


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in [
        (write, "o gato subiu no muro", {"text": "o gato subiu no muro", "row": 5}),  # the last is followed
        (write, START["text"], START),
        (press, "combobox", "Row", "ArrowUp", {"row": 3}),
        (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
        (press, "combobox", "Row", "End", {"row": 5}),
        (write, "o gato", "Tab", {"text": "o gato", "row": 1}),  # there is no row 5
        (press, "combobox", "Row", "Home", {"row": 0}),
    ]:
        move(view, *how)
        settings = settings | moved
        assert_shows(view, settings)


def test_tab_leads_through_the_controls_into_each_table_and_back(lesson, view):
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, START)
    stops = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("combobox", name="Row", exact=True),
        *[cell(view, norm_caption("o gato subiu no", 4), 0, 0), cell(view, SPREAD, 0, 0)],
        *[cell(view, NEURONS, 0, 0), cell(view, HANDED, 8, 1)],
    ]  # the sum of eight products breaks into lines: nothing has to be scrolled
    assert_tab_leads_through(lesson, stops)


def test_a_click_picks_in_every_table(view):
    norm, settings = norm_caption("o gato subiu no", 4), START
    for caption, row, column, result in [
        *[(norm, 0, 3, "resid_mid"), (norm, 1, 2, "ln2.out"), (SPREAD, 0, 0, "ln2.mean"), (SPREAD, 1, 0, "ln2.std")],
        *[(NEURONS, 7, 0, "mlp.pre"), (NEURONS, 4, 1, "mlp.post"), (HANDED, 8, 0, "mlp.out")],
        *[(HANDED, 10, 3, "resid_post"), (HANDED, 9, 1, "resid_mid"), (HANDED, 2, 2, "mlp.out")],
    ]:
        cell(view, caption, row, column).click()
        picked = row if caption == NEURONS else column
        settings = settings | {"result": result, "column": picked}
        assert_shows(view, settings)


def test_arrow_keys_walk_through_the_neurons_and_the_focus_stays(view):
    cell(view, NEURONS, 0, 0).click()
    for key, neuron, stage in [
        *[("ArrowDown", 1, 0), ("ArrowRight", 1, 1), ("ArrowRight", 1, 1), ("ArrowDown", 2, 1), ("Home", 2, 0)],
        *[("ArrowUp", 1, 0), ("End", 1, 1)],
    ]:
        view.page.keyboard.press(key)
        assert_shows(view, START | {"result": ["mlp.pre", "mlp.post"][stage], "column": neuron})
        assert has_focus(cell(view, NEURONS, neuron, stage))


def test_jupyterlab_leaves_the_keys_to_the_view(lesson, view):
    cell(view, HANDED, 8, 1).click()
    before = lesson.notebook()
    for key in ["b", "a", "d", "d", "x", "m", "ArrowUp", "ArrowDown", "End", "Enter", "ControlOrMeta+Enter"]:
        view.page.keyboard.press(key)
    assert lesson.notebook() == before


# ---- what a view keeps to


def test_two_displays_of_a_view_follow_each_other_and_a_cell_steers_both(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    cell(second, NEURONS, 3, 0).click()
    settings = START | {"result": "mlp.pre", "column": 3}
    assert_shows(view, settings)
    press(view, "combobox", "Row", "Home")
    assert_shows(second, settings | {"row": 0})
    lesson.run(3)
    assert_shows(view, settings | {"row": 2, "result": "ln2.out"})


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: assert_shows(view, START))


def test_a_move_is_one_run_of_the_model_however_often_the_cell_was_run(lesson, view):
    for _ in range(3):
        lesson.run(1)
    expect(lesson.views).to_have_count(2)
    runs = lesson.ask("len(calls)")
    write(view, "o gato")  # its last row is another one
    assert_shows(view, START | {"text": "o gato", "row": 1})
    cell(view, NEURONS, 2, 0).click()
    assert_shows(view, START | {"text": "o gato", "row": 1, "result": "mlp.pre", "column": 2})
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato',), ('o gato',)]"


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    write(view, "o gato subiu no telhado.<eot>")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"neurons-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
