"""The formula view, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, soon
from .reading import (
    PICKED,
    USED,
    Picture,
    assert_refused,
    assert_tab_leads_through,
    cell,
    counting,
    has_focus,
    labelled,
    press,
    reach,
    read,
    read_sum,
    texts,
    write,
    written_out,
)

MATRICES = {
    "X": [[1, 0, 2, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 2]],
    "W_Q": [[1, 0], [0, 1], [1, 0], [0, 1]],
    "W_K": [[1, 1], [0, 2], [0, 0], [1, 0]],
    "W_V": [[1, 0, 0], [0, 2, 0], [0, 0, 1], [1, 0, 1]],
}
STEPS = ["1 Input", "2 Projections", "3 Transpose", "4 Dots", "5 Scale", "6 Mask", "7 Softmax", "8 Weighted sum"]
MAKE, SHOW_AGAIN = "view = tm.views.Formula()\nview", "view"
STEER = "view.W_Q, view.causal, view.step = [[0, 1], [0, 0.5], [1, 0], [0, 0]], True, 4"
CELLS = [counting("formula", "attend"), MAKE, SHOW_AGAIN, STEER]  # the runs of the model are counted


def begins(view):
    assert_shows(view, 1)


# ---- what toymodel's numbers make of it

SHOWN = {  # for each step, the captions of its matrices, by the names of their arrays, with the signs between them
    1: {"x": "X"},
    2: {"x": "X", "W_Q": "W_Q", "q": "Q", "W_K": "W_K", "k": "K", "W_V": "W_V", "v": "V"},
    3: {"k": "K", "kT": "Kᵀ"},
    4: {"q": "Q", "kT": "Kᵀ", "dots": "D = QKᵀ"},
    5: {"dots": "D", "scores": "S = D / √d_k"},
    6: {"scores": "S", "M": "M", "masked_scores": "Ŝ = S + M"},
    7: {"masked_scores": "Ŝ", "exp_scores": "E = e^Ŝ", "exp_scores_sum": "ΣE", "pattern": "A = softmax(Ŝ)"},
    8: {"pattern": "A", "v": "V", "z": "A V"},
}
MADE = {1: "x", 2: "qkv", 3: ["kT"], 4: ["dots"], 5: ["scores"], 6: ["masked_scores"], 8: "z"}
MADE[7] = ["exp_scores", "exp_scores_sum", "pattern"]
AXES = {"x": "pos d_model", "q": "pos d_k", "k": "pos d_k", "v": "pos d_v", "z": "pos d_v", "exp_scores_sum": "query"}
SIGNS = {1: [], 2: ["·", "=", "X ·", "=", "X ·", "="], 3: ["→"], 4: ["·", "="], 5: ["÷ √2", "="], 6: ["+", "="]}
SIGNS |= {7: ["→", "÷", "="], 8: ["·", "="]}
LIT = {
    1: [],
    2: ["Q", "K", "V"],
    3: ["ᵀ"],
    4: ["Q", "K", "ᵀ"],
    5: ["/ √d_k"],
    6: ["+ M"],
    7: ["softmax(", ")"],
    8: ["V"],
}


def arrays(causal, matrices):
    """Every matrix that the view may show, by name."""
    t = tm.attend(**matrices, causal=causal)
    n = len(t.tokens)
    more = {"kT": t["k"].T, "M": np.where(np.tri(n) == 0, -np.inf, 0.0) if causal else np.zeros((n, n))}
    return {**t.weights, **{key: t[key] for key in t}, "exp_scores_sum": t["exp_scores_sum"][:, None], **more}


def labels(key, axis, n):
    """What the rows and the columns of a matrix are called."""
    if key == "exp_scores_sum" and axis:
        return ["ΣE"]
    tokens = {"x": (0,), "q": (0,), "k": (0,), "v": (0,), "z": (0,), "kT": (1,)}.get(key, (0, 1))
    return [f"t{k}" if axis in tokens and not key.startswith("W_") else str(k) for k in range(n)]


def caption(step, key, array):
    return f"{SHOWN[step][key]} ({array.shape[0]} × {array.shape[1]})"


def used(step, key, i, j, causal):
    """The arrays and places that a number was computed from, where None is a whole row or column."""
    if step == 2:
        return [("x", i, None), (f"W_{key.upper()}", None, j)]
    if step == 6:
        return [("M", i, j), *([] if causal and j > i else [("scores", i, j)])]
    return {
        "x": [],
        "kT": [("k", j, i)],
        "dots": [("q", i, None), ("kT", None, j)],
        "scores": [("dots", i, j)],
        "exp_scores": [("masked_scores", i, j)],
        "exp_scores_sum": [("exp_scores", i, None)],
        "pattern": [("masked_scores", i, None), ("exp_scores", i, j), ("exp_scores_sum", i, 0)],
        "z": [("pattern", i, None), ("v", None, j)],
    }[key]


def expected(step, key, i, j, causal, matrices):
    tables, marks, a = {}, {}, arrays(causal, matrices)
    for it in SHOWN[step]:
        rows, columns = (labels(it, axis, n) for axis, n in enumerate(a[it].shape))
        tables[caption(step, it, a[it])] = [["", *columns], *labelled(rows, texts(a[it]))]
    marks[caption(step, key, a[key]), 1 + i, 1 + j] = PICKED
    for it, row, column in used(step, key, i, j, causal):
        rows, columns = (range(n) if at is None else [at] for n, at in zip(a[it].shape, (row, column), strict=True))
        marks |= {(caption(step, it, a[it]), 1 + y, 1 + x): USED for y in rows for x in columns}
    return Picture(tables, marks)


def expected_sum(key, i, j, causal, matrices):
    if key == "kT":
        return [f"Kᵀ[{i},{j}] is K[{j},{i}]: the same number, in its new place."]
    t = tm.attend(**matrices, causal=causal)
    axes = AXES.get(key, "query key").split()
    names = [f"t{n}" if axis in ("pos", "query", "key") else n for axis, n in zip(axes, (i, j), strict=False)]
    place = " ".join(f"{axis} {name}" for axis, name in zip(axes, names, strict=True))
    return written_out(f"{key}: {place}", tm.explain(t, key, (i, j)[: len(axes)]))


def assert_shows(view, step, key=None, i=0, j=0, causal=False, matrices=MATRICES):
    """Pictures, marks, sentences and controls are those of this step, with this number picked."""
    key = key or ("pattern" if step == 7 else MADE[step][0])
    soon(lambda: read(view), expected(step, key, i, j, causal, matrices))
    assert read_sum(view) == expected_sum(key, i, j, causal, matrices)
    expect(view.get_by_role("alert")).to_have_count(0)
    assert [it.strip() for it in view.locator("strong").all_inner_texts()] == LIT[step]
    root = f"÷ √{len(matrices['W_Q'][0])}"
    assert view.locator(".tm-sign").all_inner_texts() == [root if it == "÷ √2" else it for it in SIGNS[step]]
    expect(view.get_by_role("radio", name=STEPS[step - 1], exact=True)).to_be_checked()
    expect(view.get_by_role("checkbox")).to_be_checked(checked=causal)


def typed(matrix):
    return "\n".join(" ".join(map(str, row)) for row in matrix)


def grid_cell(view, step, key, i, j, matrices=MATRICES):
    return cell(view, caption(step, key, arrays(False, matrices)[key]), i, j)


# ---- the controls


def test_every_step_shows_its_numbers_with_and_without_the_mask(view):
    for step in range(1, 9):
        assert_shows(view, step)
        press(view, "checkbox", "Causal mask", "Space")
        assert_shows(view, step, causal=True)
        press(view, "checkbox", "Causal mask", "Space")
        press(view, "radio", STEPS[step - 1], "ArrowRight")
    assert_shows(view, 1)  # after the last one, the first


WRITTEN = [
    ("X", "1 0,5 2 0\n-1 1/2 0 1\n3 1 0 .25", [[1, 0.5, 2, 0], [-1, 0.5, 0, 1], [3, 1, 0, 0.25]]),
    ("W_Q", "1 0\n0 1\n1 -1\n0 -2", [[1, 0], [0, 1], [1, -1], [0, -2]]),
    ("W_K", "[[1, 0], [0, 0.5], [0, 1], [0, 0]]", [[1, 0], [0, 0.5], [0, 1], [0, 0]]),
    ("W_V", "1\n2\n3\n4", [[1], [2], [3], [4]]),
]


@pytest.mark.parametrize("leave", ["ControlOrMeta+Enter", "Tab"])
def test_every_matrix_can_be_written(view, leave):
    go_to(view, 8)
    matrices = MATRICES
    for name, text, matrix in WRITTEN:
        write(view, text, leave, name)
        matrices = matrices | {name: matrix}
        assert_shows(view, 8, matrices=matrices)
        expect(view.get_by_role("textbox", name=name, exact=True)).to_have_value(text)
    go_to(view, 2, 8)
    assert_shows(view, 2, "k", matrices=matrices)  # K was picked on the way, to be transposed


def go_to(view, step, now=1):
    """Go to a step with the arrow keys, and see each on the way."""
    if step != now:
        before = step - 1 if step > now else step + 1
        go_to(view, before, now)
        press(view, "radio", STEPS[before - 1], "ArrowRight" if step > now else "ArrowLeft")
    expect(view.get_by_role("grid", name=f"{SHOWN[step][MADE[step][-1]]} (")).to_have_count(1)


def test_tab_leads_through_the_controls_into_the_result_and_back(lesson, view):
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, 1)
    stops = [
        view.locator("summary"),
        *[view.get_by_role("textbox", name=name, exact=True) for name in MATRICES],
        view.get_by_role("checkbox", name="Causal mask", exact=True),
        view.get_by_role("group", name="Step", exact=True).get_by_role("radio", checked=True),
        grid_cell(view, 1, "x", 0, 0),
    ]
    assert_tab_leads_through(lesson, stops)


# ---- the cells


def test_every_result_can_be_picked_by_keyboard(view):
    keyboard = view.page.keyboard
    for step in range(1, 9):
        expect(grid_cell(view, step, MADE[step][-1], 0, 0)).to_be_visible()  # the step is drawn: Tab leads into it
        reach(view, "radio", STEPS[step - 1])
        for key in MADE[step]:
            last = arrays(False, MATRICES)[key].shape[1] - 1
            for pressed in ["Tab", "Enter", "End", "ArrowDown"]:
                keyboard.press(pressed)
            assert_shows(view, step, key, 1, last)
            assert has_focus(grid_cell(view, step, key, 1, last))
            for pressed in ["ArrowUp", "Home", "ArrowUp", "ArrowLeft"]:
                keyboard.press(pressed)
            assert_shows(view, step, key, 0, 0)
        press(view, "radio", STEPS[step - 1], "ArrowRight")


def test_arrow_keys_may_come_faster_than_the_answers(lesson, view):
    go_to(view, 3)
    view.page.keyboard.press("Tab")
    for key in ["ArrowRight"] * 3 + ["ArrowDown"]:
        view.page.keyboard.press(key)
    lesson.ask("0")  # comes when all is answered
    assert_shows(view, 3, "kT", 1, 3)
    assert has_focus(grid_cell(view, 3, "kT", 1, 3))


def test_the_focus_stays_in_a_grid_that_can_be_picked_in_when_the_step_changes(lesson, view):
    lesson.ask("setattr(view, 'step', 2)")
    grid_cell(view, 2, "q", 1, 1).click()
    assert_shows(view, 2, "q", 1, 1)
    for step, key in [(3, "kT"), (4, "dots"), (8, "z")]:
        lesson.ask(f"setattr(view, 'step', {step})")
        assert_shows(view, step, key, 1, 1)
        assert has_focus(grid_cell(view, step, key, 1, 1))


def test_a_click_picks(view):
    go_to(view, 7)
    for key, i, j in [("exp_scores", 2, 1), ("exp_scores_sum", 3, 0), ("pattern", 1, 3)]:
        grid_cell(view, 7, key, i, j).click()
        assert_shows(view, 7, key, i, j)
    go_to(view, 8, 7)
    assert_shows(view, 8, i=1, j=2)  # there is no column 3


def test_a_picked_cell_that_is_no_more_gives_way_to_the_nearest(view):
    grid_cell(view, 1, "x", 3, 3).click()
    assert_shows(view, 1, i=3, j=3)
    smaller = MATRICES | {"X": [[1, 0, 2, 0], [0, 1, 0, 1]]}
    write(view, typed(smaller["X"]), "Tab", "X")
    assert_shows(view, 1, i=1, j=3, matrices=smaller)


def test_jupyterlab_leaves_the_keys_to_the_view(lesson, view):
    reach(view, "textbox", "X")  # that makes its cell the active one
    before = lesson.notebook()
    for name in MATRICES:
        reach(view, "textbox", name)
        for key in ["b", "a", "d", "d", "ArrowDown", "ArrowUp", "Enter", "ControlOrMeta+Enter"]:
            view.page.keyboard.press(key)
    for stop in [("checkbox", "Causal mask"), ("radio", STEPS[0])]:
        reach(view, *stop)
        for key in ["b", "ArrowDown", "ArrowUp"]:
            view.page.keyboard.press(key)
    view.page.keyboard.press("Tab")
    for key in ["b", "a", "d", "d", "x", "m", "ArrowUp", "ArrowDown", "End", "Enter", "ControlOrMeta+Enter"]:
        view.page.keyboard.press(key)
    assert lesson.notebook() == before


# ---- what a view keeps to


def test_two_displays_of_a_view_follow_each_other(lesson, view):
    lesson.run(2)
    second, matrices = lesson.views.nth(1), MATRICES | {"W_V": [[1], [2], [3], [4]]}
    go_to(second, 8)
    write(second, typed(matrices["W_V"]), "Tab", "W_V")
    grid_cell(second, 8, "z", 2, 0, matrices).click()
    press(view, "checkbox", "Causal mask", "Space")
    for it in [view, second]:
        assert_shows(it, 8, i=2, causal=True, matrices=matrices)
        expect(it.get_by_role("textbox", name="W_V", exact=True)).to_have_value("1\n2\n3\n4")


def test_a_cell_steers_the_view(lesson, view):
    lesson.run(3)
    assert_shows(view, 4, causal=True, matrices=MATRICES | {"W_Q": [[0, 1], [0, 0.5], [1, 0], [0, 0]]})
    expect(view.get_by_role("textbox", name="W_Q", exact=True)).to_have_value("0 1\n0 0.5\n1 0\n0 0")


BAD = [  # one of each kind; in-process, there are more
    ("X", "1 x 2 0", "X: x is not a number."),
    ("W_Q", "", "W_Q is empty"),
    ("X", "1 0 2 0\n" * 9, "X is 9 × 4; there is room for 8 × 8."),
    ("X", "x" * 60, f"X: {'x' * 40}… is not a number."),
    ("X", "1 👩🏽‍🚀", "X: 👩🏽\\u200d🚀 is not a number."),  # what cannot be seen is made visible
    ("X", "<img src=x>", "X: <img is not a number."),
    ("W_K", "1\n0\n0\n1", "W_K needs as many columns as W_Q: 2, not 1."),
    ("X", "1e200 0 1e200 0", "larger than float64 can hold"),
]


def test_a_bad_matrix_is_answered_and_the_last_good_picture_stays(view):
    go_to(view, 4)
    assert_shows(view, 4)
    stays = read(view)
    for name, text, answer in BAD:
        write(view, text, "ControlOrMeta+Enter", name)
        assert_refused(view, answer, stays)
        expect(view.get_by_role("textbox", name=name, exact=True)).to_have_value(text)  # to be mended
        write(view, typed(MATRICES[name]), "Tab", name)
        assert_shows(view, 4)


def test_a_move_is_one_run_of_the_model_however_often_the_cell_was_run(lesson, view):
    for _ in range(3):
        lesson.run(1)
    expect(lesson.views).to_have_count(2)
    grid_cell(view, 1, "x", 3, 2).click()
    assert_shows(view, 1, i=3, j=2)
    runs = int(lesson.ask("len(calls)"))
    smaller = MATRICES | {"X": [[1, 0, 2, 0], [0, 1, 0, 1]]}
    write(view, typed(smaller["X"]), "Tab", "X")  # its last row is another one
    assert_shows(view, 1, i=1, j=2, matrices=smaller)
    press(view, "radio", STEPS[0], "ArrowRight")
    assert_shows(view, 2, i=1, j=1, matrices=smaller)
    press(view, "checkbox", "Causal mask", "Space")
    assert_shows(view, 2, i=1, j=1, causal=True, matrices=smaller)
    assert int(lesson.ask("len(calls)")) == runs + 3


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    for name in MATRICES:
        write(view, "100 -20.25 3 0.004 5 6 7 8\n" * 8, "Tab", name)
    press(view, "checkbox", "Causal mask", "Space")
    for step in range(1, 9):
        go_to(view, step, max(1, step - 1))
        assert lesson.untidy() == []
        if step in (2, 7):
            lesson.photograph(view, screenshots, f"formula-{look}-wide-{step}.png")
    write(view, "x", "Tab", "X")
    expect(view.get_by_role("alert")).to_contain_text("is not a number")
    assert lesson.violations(view) == []
