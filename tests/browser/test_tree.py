"""The view of the tree, moved by keyboard and mouse: its branches and ends are compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, soon
from .reading import (
    HEARD,
    assert_bad_sentences_are_answered,
    assert_tab_leads_through,
    counting,
    has_focus,
    press,
    read,
    spoken,
    write,
)

START = {"text": "o gato subiu no", "width": 3, "depth": 3, "temperature": 1, "branch": [0, 0, 0]}
MAKE, SHOW_AGAIN = "view = tm.views.Tree()\nview", "view"
STEER = "view.width, view.depth, view.branch = 2, 4, [1, 0, 1]"
ITEMS = """view => [...view.querySelectorAll("[role=treeitem]")].map((it) => {
    const node = getComputedStyle(it.firstElementChild);
    const level = [...view.querySelectorAll("[role=group]")].filter((group) => group.contains(it)).length;
    const frame = { solid: "framed", dashed: "dashed" }[node.outlineStyle] ?? "";
    const bold = getComputedStyle(it.firstElementChild.firstElementChild).fontWeight >= 700;
    return [level, it.ariaLabel, it.ariaSelected === "true", frame, bold];
})"""
CELLS = [counting("tree", "grown"), MAKE, SHOW_AGAIN, STEER]  # the trees that are grown are counted


def begins(view):
    assert_shows(view, START)


def items(branches, picked, before=()):
    """Each branch: its level, name, whether it is selected, its frame, and whether it is set bold (the greedy path)."""
    for i, it in enumerate(branches):
        place = [*before, i]
        numbers = f"· {shown(it.p)} = {shown(it.product)}" if before else shown(it.p)
        greedy = not any(place)
        name = f"{spoken(it.token)}, {numbers}{', greedy' if greedy else ''}"
        frame = "framed" if place == picked else "dashed" if picked[: len(place)] == place else ""
        yield [len(before), name, place == picked, frame, greedy]
        yield from items(it.branches, picked, place)


def ends(branches, before=()):
    for it in branches:
        yield from ends(it.branches, (*before, it)) if it.branches else [(*before, it)]


def assert_shows(view, settings, cut=None):
    """Every branch, the product of the picked one, and the likeliest ends. `cut` is the depth that is drawn."""
    text, width, depth, temperature, branch = settings.values()
    branches = tm.tree(text, width, cut or depth, temperature=temperature)
    soon(lambda: view.evaluate(ITEMS), list(items(branches, branch)))
    way, there = [], branches
    for k in branch:
        way.append(there[k])
        there = there[k].branches
    place, product = view.locator(".tm-place"), shown(way[-1].product)
    assert place.evaluate(HEARD) == f"p( {' '.join(spoken(it.token) for it in way)} | {text} ) = {product}"
    expect(view.get_by_text(f"its probability at temperature {shown(temperature)}.")).to_be_visible()
    lines = "".join(view.locator(".tm-lines").text_content().split())
    assert lines == f"p={'·'.join(shown(it.p) for it in way)}={product}"
    every = sorted(ends(branches), key=lambda it: -round(it[-1].product, 9))[:8]
    listed = [[" ".join(spoken(it.token) for it in end), shown(end[-1].product)] for end in every]
    assert read(view).tables == {"Likeliest ends": [["end", "product"], *listed]}
    expect(view.get_by_text(f"64 can be drawn: the tree is cut after {cut}")).to_have_count(1 if cut else 0)
    expect(view.get_by_text("it does not tell whether another end is likelier")).to_have_count(1 if cut else 0)
    is_full = depth > 9 - len(tm.encode(text)) and not cut
    expect(view.get_by_text("the context is full.")).to_have_count(1 if is_full else 0)
    for name, value in {"Width": width, "Depth": depth, "Temperature": shown(temperature)}.items():
        expect(view.get_by_role("slider", name=name, exact=True)).to_have_attribute("aria-valuetext", str(value))
    expect(view.get_by_role("alert")).to_have_count(0)


def item(view, branch):
    """The branch at this place."""
    return view.locator(f"[data-focus='branch {','.join(map(str, branch))}']")


def node(view, branch):
    """What of a branch is to be seen, without what follows it."""
    return item(view, branch).locator(".tm-node").first


def test_every_control_grows_another_tree(view):
    settings = START
    for move, *how, moved, cut in [
        (press, "slider", "Width", "ArrowRight", {"width": 4}, None),
        (press, "slider", "Depth", "ArrowLeft", {"depth": 2, "branch": [0, 0]}, None),
        (press, "slider", "Width", "Home", {"width": 1}, None),
        (press, "slider", "Depth", "End", {"depth": 5}, None),
        (press, "slider", "Width", "ArrowRight", {"width": 2}, None),
        (press, "slider", "Temperature", "ArrowRight", {"temperature": 1.1}, None),
        (press, "slider", "Temperature", "Home", {"temperature": 0}, None),
        (press, "slider", "Width", "End", {"width": 4}, 3),
        (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}, None),
    ]:
        move(view, *how)
        settings = settings | moved
        assert_shows(view, settings, cut)


def test_arrow_keys_walk_through_the_tree_and_the_focus_stays(view):
    item(view, [0, 0, 0]).focus()
    for key, branch in [
        *[("ArrowDown", [0, 0, 1]), ("ArrowDown", [0, 0, 2]), ("ArrowDown", [0, 1]), ("ArrowRight", [0, 1, 0])],
        *[("ArrowRight", [0, 1, 0]), ("ArrowLeft", [0, 1]), ("ArrowLeft", [0]), ("ArrowLeft", [0]), ("ArrowUp", [0])],
        *[("End", [2, 2, 2]), ("ArrowDown", [2, 2, 2]), ("ArrowUp", [2, 2, 1]), ("Home", [0])],
    ]:
        view.page.keyboard.press(key)
        assert_shows(view, START | {"branch": branch})
        assert has_focus(item(view, branch))


def test_a_click_picks_the_branch_that_was_met(view):
    for branch in [[1], [1, 2], [2, 0, 1]]:
        node(view, branch).click()
        assert_shows(view, START | {"branch": branch})


def test_a_click_between_the_branches_picks_nothing(view):
    view.get_by_role("tree").dispatch_event("click")
    assert_shows(view, START)


def test_a_line_is_as_thick_as_its_product(view):
    heights = """view => [...view.querySelectorAll("[role=treeitem]")].map(
        (it) => parseFloat(getComputedStyle(it, "::before").height)
    )"""
    branches = tm.tree(START["text"])
    products = [float(it[1].split(", ")[1].split(" = ")[-1]) for it in items(branches, [])]
    wanted = [1 + 11 * it / branches[0].product for it in products]
    assert view.evaluate(heights) == pytest.approx(wanted, abs=0.1)


def test_jupyterlab_leaves_the_keys_to_the_view(lesson, view):
    node(view, [1]).click()
    before = lesson.notebook()
    for key in ["b", "a", "d", "d", "x", "m", "ArrowUp", "ArrowDown", "End", "Enter", "ControlOrMeta+Enter"]:
        view.page.keyboard.press(key)
    assert lesson.notebook() == before


def test_tab_leads_through_the_controls_to_the_picked_branch_and_back(lesson, view):
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, START)
    sliders = [view.get_by_role("slider", name=name, exact=True) for name in ("Width", "Depth", "Temperature")]
    stops = [view.get_by_role("textbox", name="Sentence", exact=True), *sliders, item(view, START["branch"])]
    assert_tab_leads_through(lesson, stops)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_tree(lesson, view):
    for _ in range(2):
        lesson.run(1)
    lesson.run(2)
    second, before = lesson.views.nth(1), int(lesson.ask("len(calls)"))
    node(second, [1, 1]).click()
    for it in (view, second):
        assert_shows(it, START | {"branch": [1, 1]})
    assert int(lesson.ask("len(calls)")) == before + 1
    lesson.run(3)
    for it in (view, second):
        assert_shows(it, START | {"width": 2, "depth": 4, "branch": [1, 0, 1]})


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: assert_shows(view, START))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_nothing_sticks_out_and_a_narrow_tree_is_indented(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    node(view, [1, 1]).click()
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"tree-{look}-moved.png")
    parent, child = (node(view, branch).bounding_box() for branch in ([1], [1, 0]))
    below, right = child["y"] > parent["y"] + parent["height"], child["x"] > parent["x"] + parent["width"]
    assert (below, right) == ((True, False) if look == "narrow" else (False, True))
    assert view.locator(".tm-scroll[tabindex]").count() == 0  # it fits
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
