"""The path, walked by keyboard alone in JupyterLab, Notebook 7 and Voila: every matrix and every sum is toymodel's."""

from contextlib import contextmanager

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown
from toymodel.views.path.path_steps import PATH_STEPS, PER_HEAD, TRANSPOSED, is_key

from .lab import LOOKS, SETUP, VIEW, soon
from .reading import HEARD, cell, labelled, read, read_sum, spoken, sticks_out, texts, write, written_out

about = tm.run("o").about
TEXT = "o gato subiu no"
MAKE = "view = tm.views.Path()\nview"
CELLS = [SETUP, MAKE]


@contextmanager
def in_lab(lab):
    with lab.lesson("path.ipynb") as lesson:
        lesson.run_all()
        lesson.look(width=1600)
        yield lesson.views.first


@contextmanager
def another_page(lab):
    """A page of a program that asks for fonts of its own and complains of things that are not ours."""
    page = lab.context.new_page()
    try:
        yield page
    finally:
        page.close()
        lab.clear()  # else its kernel would live on
        lab.faults.clear()


@contextmanager
def in_notebook(lab):
    with another_page(lab) as page:
        page.goto(f"{lab.address}/notebooks/notebooks/path.ipynb")
        page.wait_for_function(
            "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        )
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells') && null")
        yield page.locator(VIEW).first


@contextmanager
def in_voila(lab):
    with another_page(lab) as page:
        page.goto(f"{lab.address}/voila/render/notebooks/path.ipynb")
        yield page.locator(".tm-view").first


@pytest.fixture(scope="module", params=[in_lab, in_notebook, in_voila], ids=lambda it: it.__name__)
def somewhere(lab, request):
    """The view in one of the three programs."""
    lab.write("path.ipynb", SETUP, MAKE)
    with request.param(lab) as view:
        expect(view).to_be_visible(timeout=60_000)
        if request.param is not in_lab:
            lab.faults.clear()
        yield view


@pytest.fixture
def view(lesson):
    """The view as it begins, in JupyterLab."""
    lesson.look(width=1600)
    lesson.run(1)
    expect(title(lesson.views.first)).to_have_text(PATH_STEPS["embed"].name)
    return lesson.views.first


def title(view):
    return view.locator(".tm-title")


def button(view, name):
    return view.get_by_role("button", name=name, exact=True)


# ---- what toymodel's numbers make of it


def matrix(t, key, head=0):
    """A step or weight as a screen reader hears it: [caption, rows with their labels]."""
    key, is_transposed = key.removesuffix(TRANSPOSED), key.endswith(TRANSPOSED)
    array, axes, symbol = t[key], about(key).axes, about(key).symbol
    if axes[0] == "head":
        array, axes = array[head], axes[1:]
    names = [[spoken(str(it)) for it in t.labels(axis, n)] for axis, n in zip(axes, array.shape, strict=True)]
    rows, columns = names[0], names[1] if array.ndim == 2 else [symbol]
    array = array.reshape(len(array), -1)
    if key in PER_HEAD:
        array, columns = array[:, 2 * head : 2 * head + 2], columns[2 * head : 2 * head + 2]
    if is_transposed:
        array, rows, columns, symbol = array.T, columns, rows, "kᵀ"
    return f"{symbol} ({array.shape[0]} × {array.shape[1]})", [["", *columns], *labelled(rows, texts(array))]


def where(t, place):
    """Where a number stands, as it is said aloud."""
    key, *index = place
    names = zip(about(key).axes, t[key].shape, index, strict=True)
    return f"{key}: " + " ".join(f"{axis} {spoken(str(t.labels(axis, n)[i]))}" for axis, n, i in names)


def assert_written_out(view, t, place):
    key, *index = place
    wanted = written_out(where(t, place), tm.explain(t, key, tuple(index)))
    soon(lambda: read_sum(view.locator(".tm-panel")), wanted)


def first_place(t, key, before):
    """The number that a step begins with: in the column of the one before, where both have the same axes."""
    row = [0, 4] if about(key).axes[0] == "head" else [4]
    if before and about(before[0]).axes == about(key).axes:
        return [key, *row, before[-1]]
    return [key, *row, int(np.argmax(t[key][tuple(row)]))]


def test_next_step_leads_through_every_matrix_and_sum(somewhere):
    t, place = tm.run(TEXT), None
    following = button(somewhere, "Next step")
    following.focus()
    for step in PATH_STEPS.values():
        expect(title(somewhere)).to_have_text(step.name)
        keys = [part for line in step.lines for part in line if is_key(part)]
        expected = dict(matrix(t, key) for key in keys)
        soon(lambda expected=expected: read(somewhere.locator(".tm-matrices")).tables, expected)
        place = first_place(t, step.key, place)
        assert_written_out(somewhere, t, place)
        assert not sticks_out(somewhere), step.name
        assert following.evaluate("it => it === document.activeElement")
        somewhere.page.keyboard.press("Enter")
    expect(following).to_have_attribute("aria-disabled", "true")
    expect(title(somewhere)).to_have_text(PATH_STEPS["probs"].name)


def test_arrow_keys_are_the_views_own_wherever_it_stands(somewhere):
    """Notebook 7 takes keys before the view gets them, JupyterLab after it, Voila not at all."""
    somewhere.get_by_role("radio", name="2", exact=True).press("ArrowDown")
    expect(somewhere.get_by_role("radio", name="4", exact=True)).to_be_checked()
    expect(somewhere.get_by_role("radio", name="4", exact=True)).to_be_focused()
    somewhere.page.keyboard.press("ArrowUp")
    expect(somewhere.get_by_role("radio", name="2", exact=True)).to_be_checked()
    picked = somewhere.locator(".tm-matrices [aria-selected=true]")
    picked.focus()
    before = picked.evaluate("it => it.parentElement.rowIndex")
    somewhere.page.keyboard.press("ArrowUp")
    expect(picked).to_be_focused()
    soon(lambda: picked.evaluate("it => it.parentElement.rowIndex"), before - 1)


def test_the_open_step_stands_on_the_lanes_and_a_pick_there_is_written_out(view):
    t = tm.run(TEXT)
    button(view, "Attention weights, a 5 × 5").click()
    caption, rows = matrix(t, "blocks.0.attn.pattern")
    soon(lambda: read(view.locator(".tm-lanes")).tables, {caption: rows})
    grid = view.locator(".tm-lanes").get_by_role("grid", name=caption)
    grid.get_by_role("gridcell", selected=True).press("ArrowRight")
    assert_written_out(view, t, ["blocks.0.attn.pattern", 0, 4, 3])
    assert grid.get_by_role("gridcell", selected=True).evaluate("it => it === document.activeElement")
    cell(view.locator(".tm-lanes"), caption, 0, 0).click()
    assert_written_out(view, t, ["blocks.0.attn.pattern", 0, 0, 0])


def test_the_blocks_are_reached_by_arrow_keys_and_open_and_close_by_enter(view):
    keyboard = view.page.keyboard
    first = button(view, "Token embedding, tok 5 × 4")
    first.focus()
    keyboard.press("ArrowRight")
    keyboard.press("ArrowRight")
    keyboard.press("Enter")
    expect(title(view)).to_have_text("LayerNorm")
    expect(view.get_by_role("button", name="Token embedding, tok, place 5 × 4")).to_be_visible()
    assert view.locator("[aria-expanded=true]").evaluate("it => it === document.activeElement")
    keyboard.press("End")
    keyboard.press("Enter")
    expect(title(view)).to_have_text("Probabilities")
    keyboard.press("Home")
    keyboard.press("Enter")
    expect(title(view)).to_have_text("Token embedding")
    keyboard.press("Enter")
    expect(view.locator("[aria-expanded=true]")).to_have_count(0)
    expect(title(view)).to_be_hidden()


def test_a_walk_leads_from_a_probability_to_a_weight_and_escape_forward_again(view):
    t, keyboard = tm.run(TEXT), view.page.keyboard
    view.get_by_role("row", name="space telhado").get_by_role("button").press("Enter")
    places = [["probs", 4, 6]]
    assert_written_out(view, t, places[-1])
    way = view.locator("[data-focus='ways input 0']")
    way.focus()
    while tm.explain(t, places[-1][0], tuple(places[-1][1:])).inputs:
        key, index, _value = tm.explain(t, places[-1][0], tuple(places[-1][1:])).inputs[0]
        places.append([key, *index])
        keyboard.press("Enter")
        assert_written_out(view, t, places[-1])
    assert places[-1][0] == "W_E" and len(places) == 8
    for place in reversed(places[:-1]):
        keyboard.press("Escape")
        assert_written_out(view, t, place)
    keyboard.press("Escape")
    expect(view.locator("[aria-expanded=true]")).to_have_count(0)


def test_the_numbers_on_the_way_lead_back(view):
    t, places = tm.run(TEXT), [["probs", 4, 6], ["logits", 4, 0], ["W_U", 0, 0]]
    view.get_by_role("row", name="space telhado").get_by_role("button").press("Enter")
    for place in places[1:]:
        key, *index = place
        text = f"{about(key).symbol}[{','.join(map(str, index))}] = {shown(t[key][tuple(index)])}"
        view.locator("[data-focus^='ways input']").get_by_text(text, exact=True).press("Enter")
        assert_written_out(view, t, place)
    trail = view.locator("[data-focus^='ways trail']")
    expect(trail).to_have_count(2)
    trail.first.press("Enter")
    assert_written_out(view, t, places[0])
    expect(trail).to_have_count(0)


def test_back_and_the_steps_of_the_same_block_open_a_step_and_what_it_does_is_said(view):
    said = view.get_by_role("status")
    button(view, "Next step").press("Enter")
    button(view, "Next step").press("Enter")
    expect(said.filter(has_text=PATH_STEPS["resid_pre"].gloss)).to_be_visible()
    button(view, "Back").press("Enter")
    expect(said.filter(has_text=PATH_STEPS["pos_embed"].gloss)).to_be_visible()
    view.get_by_role("button", name=PATH_STEPS["embed"].name, exact=True, pressed=False).press("Enter")
    expect(said.filter(has_text=PATH_STEPS["embed"].gloss)).to_be_visible()
    expect(view.get_by_role("button", name=PATH_STEPS["embed"].name, exact=True, pressed=True)).to_have_count(1)
    expect(button(view, "Back")).to_have_attribute("aria-disabled", "true")


def test_all_digits_are_told_of_the_picked_number_and_of_each_in_the_matrices(view):
    key = "blocks.0.attn.pattern"
    a = tm.run(TEXT)[key][0]
    button(view, "Attention weights, a 5 × 5").click()
    expect(view.get_by_text("All digits: ")).to_have_text(f"All digits: {float(a[4].max())!r}")
    grid = view.locator(".tm-matrices").get_by_role("grid", name=matrix(tm.run(TEXT), key)[0], exact=True)
    digits = grid.locator("tbody td").evaluate_all("all => all.map((it) => it.title)")
    assert digits == [repr(x) for x in a.ravel().tolist()]


def bars(view):
    """The tokens that could come next, each with its probability and what that was: {token: text}."""
    rows = read(view.locator(".tm-end")).tables["What comes next"]
    return dict(rows)


def expected_bars(t, before=None, row=-1, word="was"):
    pairs = [(shown(p), shown(q)) for p, q in zip(t["probs"][row], (before or t)["probs"][row], strict=True)]
    said = [p if p == q else f"{p} {word} {q}" for p, q in pairs]
    return dict(zip(map(spoken, t.vocab), said, strict=True))


def test_every_control_moves_the_numbers_and_says_what_it_reached(view):
    t = tm.run(TEXT)
    soon(lambda: bars(view), expected_bars(t))
    changes = view.get_by_role("status").first
    view.get_by_role("checkbox", name="Causal mask").press("Space")
    free = tm.run(TEXT, causal=False)
    soon(lambda: bars(view), expected_bars(free, t))
    expect(changes).to_have_text("Your last change reached Heads to Next token: 4 of 5 rows. All else stayed.")
    view.get_by_role("slider", name="Temperature").press("ArrowLeft")
    cold = tm.run(TEXT, causal=False, temperature=0.9)
    soon(lambda: bars(view), expected_bars(cold, free))
    expect(changes).to_have_text("Your last change reached Next token: 5 of 5 rows. All else stayed.")
    view.get_by_role("radio", name="2").press("ArrowRight")
    four = tm.run(TEXT, 4, False, 0.9)
    soon(lambda: bars(view), expected_bars(four, cold))
    view.get_by_role("button", name="space gato", exact=True).first.press("Enter")
    soon(lambda: bars(view), expected_bars(four, cold, row=1))
    write(view, "o gato")
    soon(lambda: bars(view), expected_bars(tm.run("o gato", 4, False, 0.9), four, row=1))


def test_an_example_and_the_head_in_front_are_chosen_from_lists(view):
    button(view, "Attention weights, a 5 × 5").press("Enter")
    for text in ("o gato subiu", "o gato no muro"):
        view.get_by_role("combobox", name="Examples").select_option(text)
        expect(view.get_by_role("textbox", name="Sentence")).to_have_value(text)
        t = tm.run(text)
        soon(lambda t=t: {token: it.split()[0] for token, it in bars(view).items()}, expected_bars(t))
    view.get_by_role("combobox", name="In front").select_option("head 1")
    soon(lambda: read(view.locator(".tm-lanes")).tables, dict([matrix(t, "blocks.0.attn.pattern", head=1)]))


def test_the_picture_shows_which_row_is_followed_what_changed_and_what_is_off(view):
    followed = view.locator(".tm-tokens").get_by_role("button", pressed=True)
    assert followed.evaluate_all(SPOKEN) == ["space no"]
    view.get_by_role("button", name="space gato", exact=True).press("Enter")
    soon(lambda: followed.evaluate_all(SPOKEN), ["space gato"])
    made = tm.views.Path()
    for name, value in [("causal", False), ("off", ["mlp"])]:
        setattr(made, name, value)
        control = {"causal": "Causal mask", "off": "MLP"}[name]
        view.get_by_text("Switch parts off").evaluate("it => (it.parentElement.open = true)")
        view.get_by_role("checkbox", name=control, exact=True).press("Space")
        dots = sum(len(block["changed"]) for block in made.state["blocks"][:-1])
        expect(view.locator("svg circle")).to_have_count(dots)
    off = [block["name"] for block in made.state["blocks"] if block["off"]]
    soon(lambda: view.locator("svg rect").evaluate_all(DASHED), len(off))
    pale = "all => all.filter((it) => getComputedStyle(it).opacity < 1).map((it) => it.textContent)"
    assert view.locator(".tm-name").evaluate_all(pale) == off


SPOKEN = f"all => all.map({HEARD})"
DASHED = "all => all.filter((it) => getComputedStyle(it).strokeDasharray !== 'none').length"


def set_weight(view, text):
    box = view.get_by_role("textbox", name="Set this weight")
    box.fill(text)
    box.press("Enter")


def test_a_part_is_switched_off_and_a_weight_set_by_hand(view):
    t = tm.run(TEXT)
    view.get_by_text("Switch parts off").press("Enter")
    view.get_by_role("checkbox", name="attention", exact=True).press("Space")
    without = tm.run(TEXT, replace={"blocks.0.attn.out": np.zeros((5, 4))})
    soon(lambda: bars(view), expected_bars(without, t, word="all on:"))
    yours = view.get_by_text("Changed by you")
    expect(yours).to_contain_text("attention off")
    view.get_by_role("checkbox", name="attention", exact=True).press("Space")
    expect(yours).to_be_hidden()
    view.get_by_role("button", name="Logits, z 5 × 12").press("Enter")
    button(view, "W_U[1,6] = 1.000").press("Enter")
    set_weight(view, "-1,5")
    w = tm.toy_weights()
    w["W_U"][1, 6] = -1.5
    by_hand = expected_bars(tm.run(TEXT, weights=w), t, word="all on:")
    soon(lambda: bars(view), by_hand)
    set_weight(view, "many")
    expect(view.get_by_role("alert")).to_contain_text("many is not a number")
    expect(view.get_by_role("textbox", name="Set this weight")).to_have_value("many")  # to be mended
    soon(lambda: bars(view), by_hand)
    view.get_by_role("textbox", name="Set this weight").fill("9")
    view.page.keyboard.press("Escape")  # takes back what was typed, and no more
    expect(view.get_by_role("textbox", name="Set this weight")).to_have_value("-1.500")
    assert bars(view) == by_hand
    expect(yours).to_contain_text("W_U[1,6] = -1.500")
    button(view, "Put all back").press("Enter")
    expect(yours).to_be_hidden()
    expect(view.get_by_role("alert")).to_have_count(0)
    soon(lambda: {token: it.split()[0] for token, it in bars(view).items()}, expected_bars(t))


@pytest.mark.parametrize("text", ["xyz", "", "o" * 9, "o 👩🏽‍🚀"])
def test_a_bad_sentence_is_answered_and_the_path_can_still_be_walked(view, text):
    stays = bars(view)
    write(view, text)
    expect(view.get_by_role("alert")).to_contain_text("What worked last is still shown below.")
    button(view, "Next step").press("Enter")
    expect(title(view)).to_have_text("Position embedding")
    assert bars(view) == stays
    write(view, "o gato")
    expect(view.get_by_role("alert")).to_have_count(0)
    soon(lambda: {token: it.split()[0] for token, it in bars(view).items()}, expected_bars(tm.run("o gato")))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out_whatever_is_open(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    for step in ("qkv", "pattern", "logits"):
        lesson.ask(f"setattr(view, 'opened', {step!r})")
        expect(title(view)).to_have_text(PATH_STEPS[step].name)
        lesson.photograph(view, screenshots, f"path-{look}-{step}.png")
        assert lesson.untidy() == []
    lesson.ask("setattr(view, 'off', ['head 0', 'mlp'])")
    assert lesson.violations(view) == []


def test_another_width_is_drawn_anew(lesson, view):
    expect(view.locator("svg")).to_have_count(1)
    lesson.look(**LOOKS["narrow"])
    expect(view.locator("svg")).to_have_count(0)
    lesson.look(width=1600)
    expect(view.locator("svg")).to_have_count(1)


def test_large_type_leaves_the_picture_the_sum_and_what_moves_it(view):
    view.get_by_role("checkbox", name="Large type").press("Space")
    expect(view.get_by_role("textbox", name="Sentence")).to_be_hidden()
    expect(view.locator(".tm-matrices")).to_be_hidden()
    for seen in (view.locator("svg").first, title(view), view.locator(".tm-sum"), button(view, "Next step")):
        expect(seen).to_be_visible()
    button(view, "Next step").press("Enter")
    expect(title(view)).to_have_text("Position embedding")
    view.get_by_role("checkbox", name="Large type").press("Space")
    expect(view.get_by_role("textbox", name="Sentence")).to_be_visible()
