"""The view of gradients, moved by keyboard: derivatives, their sums and the way to the loss are toymodel's."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown, shown_small

from .lab import LOOKS, soon
from .reading import (
    PICKED,
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

about = tm.run("o").about

START = {"text": "o gato subiu no", "target": "␣telhado", "key": "blocks.0.attn.W_Q", "index": (1, 0)}
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Gradient()\nview", "view", "view.key, view.index = 'W_U', [0, 6]"
CELLS = [counting("gradient", "run"), MAKE, SHOW_AGAIN, STEER]  # the runs are counted


def begins(view):
    assert_shows(view, **START)


def drawn(caption, array, rows, columns, is_derivative):
    """A table as it is drawn: upright, and derivatives with the digits that count."""
    cells = [[shown_small(x) for x in row] for row in array] if is_derivative else texts(array)
    if array.shape[1] > array.shape[0]:
        caption, cells, rows, columns = caption + "ᵀ", list(map(list, zip(*cells, strict=True))), columns, rows
    return f"{caption} ({len(rows)} × {len(columns)})", [["", *columns], *labelled(rows, cells)]


def expected(text, target, key, index):
    """The Picture that toymodel's numbers make, for what has no heads."""
    t = tm.run(text)
    g = tm.gradients(t, target)
    names = [
        [spoken(str(it)) for it in t.labels(axis, n)] for axis, n in zip(about(key).axes, t[key].shape, strict=True)
    ]
    symbol = about(key).symbol
    tables = dict([drawn(symbol, t[key], *names, False), drawn("∂" + symbol, g[key], *names, True)])
    i, j = index if t[key].shape[0] >= t[key].shape[1] else index[::-1]
    (values, derivatives), place = tables, (i + 1, j + 1)
    nudged = tm.central_difference(t, key, index, target)
    rows = ["loss, the number smaller by δ", "loss, the number larger by δ", "slope: their difference / 2δ"]
    numbers = [[f"{round(x, 9) + 0.0:.9f}"] for x in (*nudged, g[key][index])]
    tables["Nudged by δ = 0.00001"] = [["", ""], *labelled([*rows, "by the chain rule"], numbers)]
    return Picture(tables, {(values, *place): PICKED - {"selected"}, (derivatives, *place): PICKED})


def largest(text, target, key, **_index):
    """Where the largest derivative of a weight or step stands: where a reader who chooses it begins."""
    sizes = abs(tm.gradients(tm.run(text), target)[key]).round(9)
    return tuple(map(int, np.unravel_index(sizes.argmax(), sizes.shape)))


def assert_shows(view, text, target, key, index):
    soon(lambda: read(view), expected(text, target, key, index))
    t = tm.run(text)
    g = tm.gradients(t, target)
    names = zip(about(key).axes, t[key].shape, index, strict=True)
    place = f"∂{key}: " + " ".join(f"{axis} {spoken(str(t.labels(axis, n)[i]))}" for axis, n, i in names)
    sum_ = tm.explain(g, key, index)
    assert read_sum(view)[: len(sum_.text.splitlines())] == written_out(place, sum_)
    p = shown(t["probs"][-1, t.vocab.index(target)])
    said = spoken(target).replace("space ", "space ␣")
    expect(view.get_by_role("status").first).to_have_text(f"The loss is −ln p({said}) = −ln {p} = {shown(g.loss)}.")
    zeros = sum(int((g[name] == 0).sum()) for name in t.weights)
    expect(view.get_by_text(f"Of the 256 weights, {zeros} have a derivative of exactly 0.")).to_be_visible()
    expect(view.get_by_role("alert")).to_have_count(0)
    expect(view.get_by_role("combobox", name="Right next token")).to_have_value(target)
    expect(view.get_by_role("combobox", name="Weight or step")).to_have_value(key)


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in [
        (press, "combobox", "Right next token", "ArrowDown", {"target": "␣muro"}),
        (write, "o cão subiu", {"text": "o cão subiu"}),
        (press, "combobox", "Weight or step", "ArrowDown", {"key": "blocks.0.attn.W_K"}),
        (press, "combobox", "Weight or step", "Home", {"key": "W_E"}),
        (press, "combobox", "Weight or step", "End", {"key": "logits"}),
        (press, "combobox", "Right next token", "Home", {"target": "o"}),
    ]:
        move(view, *how)
        settings = settings | moved
        if "key" in moved:
            settings["index"] = largest(**settings)
        assert_shows(view, **settings)


def test_a_derivative_is_picked_by_arrow_keys_and_by_click_and_the_focus_stays(view):
    cell(view, "∂W_Q (4 × 4)", 1, 0).focus()
    for key, index in [("ArrowDown", (2, 0)), ("End", (2, 3)), ("ArrowUp", (1, 3)), ("Home", (1, 0))]:
        view.page.keyboard.press(key)
        assert_shows(view, **START | {"index": index})
        assert has_focus(cell(view, "∂W_Q (4 × 4)", *index))
    press(view, "combobox", "Weight or step", "Home")
    assert_shows(view, **START | {"key": "W_E", "index": (1, 3)})
    cell(view, "∂W_E (12 × 4)", 7, 2).click()  # ␣muro is not in the sentence
    assert_shows(view, **START | {"key": "W_E", "index": (7, 2)})
    expect(view.get_by_text("exactly 0: the loss does not move with this number")).to_be_visible()


def test_the_way_leads_to_the_loss_by_keyboard_and_back_again(view):
    keyboard, here = view.page.keyboard, START
    g = tm.gradients(tm.run(START["text"]), START["target"])
    walked = []
    while here["key"] != "logits":
        name, index, value = next(it for it in tm.explain(g, here["key"], here["index"]).inputs if "∂" in it[0])
        key = name.removeprefix("∂")
        walked.append(here)
        text = f"∂{about(key).symbol}[{','.join(map(str, index))}] = {shown_small(value)}"
        onward = view.get_by_text("Computed from:").get_by_role("button").first
        expect(onward).to_have_text(text)
        onward.press("Enter")
        here = START | {"key": key, "index": index}
        expect(view.get_by_role("combobox", name="Weight or step")).to_have_value(key)
        back = view.get_by_text("You came from:").get_by_role("button")
        expect(back).to_have_count(len(walked))
        assert key == "logits" or has_focus(onward)
    assert has_focus(back.last) and len(walked) > 5
    keyboard.press("Enter")  # once too often leads back by one
    expect(back).to_have_count(len(walked) - 1)
    expect(view.get_by_role("combobox", name="Weight or step")).to_have_value(walked[-1]["key"])
    back.first.focus()
    keyboard.press("Enter")
    assert_shows(view, **START)
    expect(view.get_by_text("You came from:")).to_have_count(0)


def test_tab_leads_from_the_cell_through_the_view_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        *[view.get_by_role("combobox", name=name, exact=True) for name in ("Right next token", "Weight or step")],
        cell(view, "∂W_Q (4 × 4)", 1, 0),
        view.get_by_text("Computed from:").get_by_role("button"),
    ]
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, **START)
    assert_tab_leads_through(lesson, order)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_picture(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    cell(second, "∂W_Q (4 × 4)", 3, 3).click()
    assert_shows(view, **START | {"index": (3, 3)})
    runs = lesson.ask("len(calls)")
    write(view, "o cão subiu")
    assert_shows(second, **START | {"text": "o cão subiu", "index": (3, 3)})
    assert lesson.ask(f"calls[{runs}:]") == "[('o cão subiu',)]"
    lesson.run(3)
    for it in (view, second):
        assert_shows(it, "o cão subiu", START["target"], "W_U", (0, 6))


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: assert_shows(view, **START))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    view.get_by_text("Computed from:").get_by_role("button").press("Enter")
    expect(view.get_by_text("You came from:")).to_be_visible()
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"gradient-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
