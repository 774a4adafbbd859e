"""What the tests of views share: hands on the keyboard, and what a screen reader and an eye make of the tables."""

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import SETUP, soon

COUNTING_RUNS = f"""{SETUP}
from toymodel.views.shared.runs import RunView

calls, run = [], RunView.run
def counted(view, *given, **named):
    calls.append((view.text, *(getattr(view, it) for it in view.base.settings if it in view.controls)))
    return run(view, *given, **named)
RunView.run = counted
"""


def counting(view, model):
    """A first cell that writes down every call of a view's function in `calls`; of "run", its text and settings."""
    if model == "run":
        return COUNTING_RUNS
    return f"""{SETUP}
from toymodel.views import {view}

calls, model = [], {view}.{model}
{view}.{model} = lambda *given, **named: calls.append((*given, *named.values())) or model(*given, **named)
"""


# ---- what is to be seen and heard

HEARD = """it => {
    const copy = it.cloneNode(true);
    copy.querySelectorAll("[aria-hidden=true]").forEach((hidden) => hidden.remove());
    return copy.textContent.split(/\\s+/).filter(Boolean).join(" ");
}"""
TABLES = f"""view => {{
    const heard = {HEARD};
    const frames = {{ solid: "framed", dashed: "dashed" }};
    const marks = (it) => [
        it.ariaSelected === "true" && "selected",
        getComputedStyle(it, "::before").content.startsWith('"●') && "●",
        it.firstElementChild && frames[getComputedStyle(it.firstElementChild).outlineStyle],
        it.scope === "row" && getComputedStyle(it).fontWeight >= 700 && "bold",
    ].filter(Boolean);
    return [...view.querySelectorAll("table")].map((table) => ({{
        caption: heard(table.caption),
        rows: [...table.rows].map((row) => [...row.cells].map((cell) => [heard(cell), marks(cell)])),
    }}));
}}"""
FLAGS = ("changed", "used here", "picked", "likeliest")  # what is said after a number
CHANGED, USED, PICKED = {"changed", "●"}, {"used here", "dashed"}, {"picked", "selected", "framed"}
LIKELIEST = {"likeliest", "framed"}


class Picture(NamedTuple):
    """The tables {caption: [columns, *rows]}, the first cell of a row being its label, and the cells that stand out.

    `marks` is {(caption, row, column): how}: "changed", "used here", "picked" and "selected" are heard; "●", a frame,
    dashes and a bold label are seen.
    """

    tables: dict
    marks: dict


def read(view):
    """The Picture that a view shows."""
    tables, marks = {}, {}
    for table in view.evaluate(TABLES):
        rows = tables[table["caption"]] = []
        for j, row in enumerate(table["rows"]):
            rows.append([])
            for k, (said, how) in enumerate(row):
                while flag := next((it for it in FLAGS if said.endswith(it)), None):
                    said = said.removesuffix(flag).strip()
                    how.append(flag)
                rows[-1].append(said)
                if how:
                    marks[table["caption"], j, k] = set(how)
    return Picture(tables, marks)


def spoken(token):
    return token.replace("␣", "space ")


def labelled(labels, rows):
    return [[label, *row] for label, row in zip(labels, rows, strict=True)]


def texts(array):
    """Rows of numbers as they are shown."""
    return [[shown(x) for x in row] for row in array]


def changes(before, after, name):
    """The cells that say something else than what stood in their place, and the sentence that the live region says.

    In a row of another token, nothing stood. Of two tables, `name` says of their captions that they are the same.
    """
    old, changed, said = {name(caption): rows for caption, rows in before.items()}, [], []
    for caption, rows in after.items():
        was, marked = old.get(name(caption), []), set()
        for j, row in enumerate(rows[1:], start=1):
            there = was[j] if j < len(was) and was[j][0] == row[0] else [row[0], *[""] * (len(row) - 1)]
            # Not strict, for a new column changes no old row.
            marked |= {(caption, j, k) for k, (a, b) in enumerate(zip(there, row, strict=False)) if a != b}
        changed += marked
        more, wider = len(rows) - len(was), len(rows[0]) - len((was or rows)[0])
        if not was or any(j < len(was) for _, j, _ in marked):
            said.append(f"{name(caption)}: {len({j for _, j, _ in marked})} of {len(rows) - 1} rows changed")
        elif n := more or wider:
            it = ("row" if more else "column") + "s"[: abs(n) > 1]
            what = f"{it} fewer" if n < 0 else f"{it} {'are' if n > 1 else 'is'} new"
            said.append(f"{name(caption)}: {abs(n)} {what}, the others stayed")
    return changed, "; ".join(said) + "." if said else "Nothing changed."


SUM = f"""place => {{
    const heard = {HEARD};
    const signs = {{ mfrac: "/", msup: "^", msub: "_" }};
    const text = (it) => {{
        const parts = [...it.childNodes].map((part) => (part.nodeType === Node.TEXT_NODE ? part.data : text(part)));
        return parts.join(signs[it.localName] ?? "");
    }};
    const [all, lines] = [[...place.parentElement.querySelector(".tm-lines").children].map(text), []];
    while (all.length) lines.push(all.splice(0, 3).join(""));  // what is summed up, the sign, the sum
    return [heard(place), ...lines, place.parentElement.lastElementChild.textContent].filter(Boolean);
}}"""


def read_sum(view):
    """The number that is written out: where it stands, as it is said aloud, its lines, and a note."""
    place, *lines = view.get_by_role("status").last.evaluate(SUM)
    return [place.replace(" ·", ""), *map(plain, lines)]


def written_out(place, sum_):
    """The same of a Sum, but for `place`, which says where it stands."""
    return [f"{place} = {sum_.shown(sum_.value)}", *map(plain, sum_.text.splitlines()[1:])]


def plain(line):
    """A line without the blanks and brackets that text needs and a fraction does not."""
    return re.sub(r"[\s()]", "", line).replace("∞", "inf").replace("−", "-")


def sticks_out(view):
    """Whether a sum is wider than its place: it should have broken into lines."""
    return view.locator(".tm-lines").evaluate("it => it.scrollWidth > it.clientWidth")


BARS = """view => {
    const width = (it) => it.getBoundingClientRect().width;
    const room = (td) => td.clientWidth - parseFloat(getComputedStyle(td).paddingLeft) - 2;
    return [...view.querySelectorAll(".tm-bars")].map((td) => [room(td), ...[...td.children].map(width)]);
}"""


def assert_bars(view, lengths):
    """The two bars of each row are as long as these shares of their place, but for a pixel."""
    for (room, *drawn), wanted in zip(view.evaluate(BARS), lengths, strict=True):
        assert drawn == pytest.approx([room * share for share in wanted], abs=max(1, 0.01 * room))


# ---- hands on the keyboard


def reach(view, role, name):
    """Go to a control with the Tab key, from the first one on."""
    control = view.get_by_role(role, name=name, exact=True)
    view.get_by_role("textbox").first.focus()
    for _ in range(12):
        if has_focus(control):
            return control
        view.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to the {role} {name!r}")


def has_focus(control):
    return control.evaluate("it => it === document.activeElement")


def press(view, role, name, key):
    reach(view, role, name).press(key)


def write(view, text, end="Enter", name="Sentence"):
    """Write something else into a textbox, and leave it with this key."""
    reach(view, "textbox", name).press("ControlOrMeta+A")
    view.page.keyboard.press("Delete")
    enter = view.page.keyboard.type if len(text) <= 20 else view.page.keyboard.insert_text  # what is long is pasted
    enter(text)
    view.page.keyboard.press(end)


def learn(lesson, done):
    """The lesson's first view, when it has learned all, by keyboard alone: then it says that it is `done`."""
    lesson.look()
    view = lesson.views.first
    expect(view.get_by_role("status").first).to_have_text("The weights are random: nothing has been learned yet.")
    reach(view, "button", "Start").press("Enter")
    expect(view.get_by_role("status").first).to_have_text(done)
    return view


def assert_tab_leads_through(lesson, stops):
    """Tab leads from the active cell to these stops and out again, Shift+Tab back."""
    keyboard = lesson.page.keyboard
    for _ in range(5):
        keyboard.press("Tab")
        if has_focus(stops[0]):
            break
    assert has_focus(stops[0])
    for stop in stops[1:]:
        keyboard.press("Tab")
        assert has_focus(stop)
    for stop in reversed(stops[:-1]):
        keyboard.press("Shift+Tab")
        assert has_focus(stop)
    stops[-1].press("Tab")
    assert not lesson.views.first.evaluate("it => it.contains(document.activeElement)")


def cell(view, caption, row, column):
    """A cell of the grid with this caption, counted from 0 without its labels."""
    grid = view.get_by_role("grid", name=caption, exact=True)
    return grid.get_by_role("row").nth(row + 1).get_by_role("gridcell").nth(column)


# ---- bad input

A_FEW = ("", "O GATO", "o" * 9)
BAD_SENTENCES = (*A_FEW, "xyz", "   ", "o gato " * 8, "o 👩🏽‍🚀", "o\u200b gato")


def assert_refused(view, message, stays):
    """The view says why, and still shows the Picture that worked last."""
    alert = view.get_by_role("alert")
    expect(alert).to_contain_text(str(message).replace("`", ""))  # in the view it is set as code
    expect(alert).to_contain_text("What worked last is still shown below.")
    soon(lambda: read(view), stays)
    assert all(table.is_visible() for table in view.locator("table").all())


def assert_bad_sentences_are_answered(view, good, assert_good, sentences=A_FEW):
    """Each gets the message of `run` and changes nothing; then the good sentence, written again, is drawn.

    One view answers all bad sentences; the others, which have the same control and the same run, a few.
    """
    for text in sentences:
        stays = read(view)
        with pytest.raises(ValueError, match=r"\w") as refused:
            tm.run(text)
        write(view, text)
        assert_refused(view, refused.value, stays)
        write(view, good, "Tab")
        assert_good()
