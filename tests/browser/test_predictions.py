"""The predictions view, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import soon

START = {"text": "o gato subiu no", "n_heads": 2, "causal": True, "temperature": 1.0}
COUNT = """
import sys; sys.path[:0] = [".", ".."]
import toymodel as tm
from toymodel.views import predictions

calls, run = [], predictions.run
predictions.run = lambda *settings: calls.append(settings) or run(*settings)
"""
MAKE, SHOW_AGAIN = "view = tm.views.Predictions()\nview", "view"


@pytest.fixture(scope="module")
def lesson(lab):
    """A notebook in which one view stands twice, and the runs of the model are counted."""
    with lab.lesson(lab.write("predictions.ipynb", COUNT, MAKE, SHOW_AGAIN)) as lesson:
        lesson.run_all()
        yield lesson


@pytest.fixture
def view(lesson):
    """The view as it begins."""
    lesson.look()
    lesson.run(1)
    lesson.run(2)
    expect(lesson.views).to_have_count(2)
    soon(lambda: read(lesson.views.first), (expected(**START), set(), set()))
    return lesson.views.first


# ---- what is to be seen and heard: {caption: [columns, *rows]}, the first cell of a row being its label

READ = """view => {
    const heard = (it) => {
        const copy = it.cloneNode(true);
        copy.querySelectorAll("[aria-hidden=true]").forEach((hidden) => hidden.remove());
        return copy.textContent.split(/\\s+/).filter(Boolean);
    };
    const dotted = (it) => getComputedStyle(it, "::before").content.startsWith('"●');
    return [...view.querySelectorAll("table")].map((table) => ({
        caption: heard(table.caption).join(" "),
        rows: [...table.rows].map((row) => [...row.cells].map((cell) => [heard(cell), dotted(cell)])),
    }));
}"""


def read(view):
    """The picture as a screen reader says it; the cells that it calls changed, and those that carry a dot."""
    picture, called, dotted = {}, set(), set()
    for table in view.evaluate(READ):
        rows = picture[table["caption"]] = []
        for j, row in enumerate(table["rows"]):
            rows.append([" ".join(word for word in words if word != "changed") for words, _dot in row])
            called |= {(table["caption"], j, k) for k, (words, _dot) in enumerate(row) if "changed" in words}
            dotted |= {(table["caption"], j, k) for k, (_words, dot) in enumerate(row) if dot}
    return picture, called, dotted


def expected(**settings):
    """The picture that toymodel's numbers make."""
    t = tm.run(**settings)
    tokens, places = [spoken(token) for token in t.tokens], range(len(t.tokens))
    best = [[spoken(token), f"{p:.3f}"] for token, p in tm.predictions(t).itertuples(index=False)]
    picture = {"What each position predicts": [["after", "likeliest next", "p"], *labelled(tokens, best)]}
    for head, a in enumerate(t["blocks.0.attn.pattern"]):
        cells = [[f"{a[q, k]:.3f}" if k <= q or not t.settings["causal"] else "" for k in places] for q in places]
        picture[f"Attention weights, head {head}"] = [["query ↓ key →", *tokens], *labelled(tokens, cells)]
    last = [[f"{p:.3f}"] for p in t["probs"][-1]]
    picture[f"{LAST} {tokens[-1]}"] = [["next", "p"], *labelled(map(spoken, t.vocab), last)]
    return picture


LAST = "All that may follow"


def spoken(token):
    return token.replace("␣", "space ")


def labelled(labels, rows):
    return [[label, *row] for label, row in zip(labels, rows, strict=True)]


def table_name(caption):
    return LAST if caption.startswith(LAST) else caption


def changes(before, after):
    """The cells that say something else than what stood in their place: in a row of another token, nothing did."""
    old = {table_name(caption): rows for caption, rows in before.items()}
    for caption, rows in after.items():
        was = old.get(table_name(caption), [])
        for j, row in enumerate(rows[1:], start=1):
            there = was[j] if j < len(was) and was[j][0] == row[0] else [row[0], *[""] * (len(row) - 1)]
            # Not strict, for a new column changes no old row.
            yield from ((caption, j, k) for k, (a, b) in enumerate(zip(there, row, strict=False)) if a != b)


def sentence(after, changed):
    """What the live region says of a move."""
    counts = {caption: len({j for where, j, _k in changed if where == caption}) for caption in after}
    parts = [f"{table_name(it)}: {n} of {len(after[it]) - 1} rows changed" for it, n in counts.items() if n]
    return "; ".join(parts) + "." if parts else "Nothing changed."


def assert_moved(view, before, after):
    """The view shows, marks and says what a move between these settings makes of it."""
    before, after = expected(**before), expected(**after)
    changed = set(changes(before, after))
    soon(lambda: read(view), (after, changed, changed))
    expect(view.get_by_role("status")).to_have_text(sentence(after, changed))
    expect(view.get_by_role("alert")).to_have_count(0)


# ---- hands on the keyboard


def reach(view, role, name):
    """Go to a control with the Tab key, from the first one on."""
    control = view.get_by_role(role, name=name, exact=True)
    view.get_by_role("textbox").focus()
    for _ in range(4):
        if has_focus(control):
            return control
        view.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to the {role} {name!r}")


def has_focus(control):
    return control.evaluate("it => it === document.activeElement")


def press(view, role, name, key):
    reach(view, role, name).press(key)


def write(view, text, end="Enter"):
    """Write another sentence, and leave it with this key."""
    reach(view, "textbox", "Sentence").press("ControlOrMeta+A")
    view.page.keyboard.press("Delete")
    view.page.keyboard.type(text)
    view.page.keyboard.press(end)


MOVES = [
    (press, "checkbox", "Causal mask", "Space", {"causal": False}),
    (press, "radio", "2", "ArrowRight", {"n_heads": 4}),
    (press, "slider", "Temperature", "ArrowLeft", {"temperature": 0.9}),
    (press, "slider", "Temperature", "Home", {"temperature": 0.0}),
    (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
    (press, "radio", "4", "ArrowRight", {"n_heads": 1}),
    (press, "slider", "Temperature", "End", {"temperature": 3.0}),
    (press, "checkbox", "Causal mask", "Space", {"causal": True}),
    (write, "o gato", "Tab", {"text": "o gato"}),
    (press, "slider", "Temperature", "ArrowRight", {}),  # there is no more
    (press, "radio", "1", "ArrowRight", {"n_heads": 2}),
]


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in MOVES:
        move(view, *how)
        if moved:
            before, settings = settings, settings | moved
        assert_moved(view, before, settings)
        slider = view.get_by_role("slider", name="Temperature")
        expect(slider).to_have_attribute("aria-valuetext", f"{settings['temperature']:.3f}")


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("group", name="Heads", exact=True).get_by_role("radio", checked=True),
        view.get_by_role("checkbox", name="Causal mask", exact=True),
        view.get_by_role("slider", name="Temperature", exact=True),
    ]
    lesson.run(1)  # the focus is on its cell now
    soon(lambda: read(view), (expected(**START), set(), set()))
    keyboard = lesson.page.keyboard
    for _ in range(5):
        keyboard.press("Tab")
        if has_focus(order[0]):
            break
    assert has_focus(order[0])
    for control in order[1:]:
        keyboard.press("Tab")
        assert has_focus(control)
    for control in reversed(order[:-1]):
        keyboard.press("Shift+Tab")
        assert has_focus(control)


def test_two_displays_of_a_view_follow_each_other(lesson, view):
    second = lesson.views.nth(1)
    press(second, "radio", "2", "ArrowRight")
    write(second, "o gato")
    settings = START | {"n_heads": 4, "text": "o gato"}
    assert_moved(view, START | {"n_heads": 4}, settings)
    expect(view.get_by_role("textbox")).to_have_value("o gato")
    expect(view.get_by_role("radio", name="4")).to_be_checked()
    press(view, "checkbox", "Causal mask", "Space")
    assert_moved(second, settings, settings | {"causal": False})
    expect(second.get_by_role("checkbox")).not_to_be_checked()


BAD = {
    "letters": "xyz",
    "capitals": "O GATO",
    "empty": "",
    "blanks": "   ",
    "too many tokens": "o" * 9,
    "very long": "o gato " * 20,
    "emoji": "o 👩🏽‍🚀",
    "zero-width space": "o\u200b gato",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view, text):
    press(view, "checkbox", "Causal mask", "Space")
    good = START | {"causal": False}
    assert_moved(view, START, good)
    stays = read(view)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(text)
    write(view, text)
    expect(view.get_by_role("alert")).to_have_text(
        f"{refused.value} Below still stands what worked last.".replace("`", "")  # in the view it is set as code
    )
    assert read(view) == stays
    write(view, "o gato")
    assert_moved(view, good, good | {"text": "o gato"})


def test_a_move_is_one_run_of_the_model_however_often_the_cell_was_run(lesson, view):
    for _ in range(3):
        lesson.run(1)
    expect(lesson.views).to_have_count(2)
    runs = lesson.ask("len(calls)")
    press(view, "slider", "Temperature", "ArrowRight")
    assert_moved(view, START, START | {"temperature": 1.1})
    # What the first move sets off has ended when a second one is answered.
    press(view, "checkbox", "Causal mask", "Space")
    assert_moved(view, START | {"temperature": 1.1}, START | {"temperature": 1.1, "causal": False})
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato subiu no', 2, True, 1.1), ('o gato subiu no', 2, False, 1.1)]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_objects_to_nothing_after_a_move_and_a_bad_sentence(lesson, view, theme, screenshots):
    lesson.look(theme)
    press(view, "checkbox", "Causal mask", "Space")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    view.screenshot(path=screenshots / f"predictions-{theme}-moved.png")
    assert lesson.violations() == ""
