"""Names that a reader gives, with signs that act in LaTeX, HTML and Markdown: on the screen they are as they were."""

import re

import pytest
from playwright.sync_api import expect

from .lab import SETUP

NAMES = [
    "50% off",
    "c_d",
    "$a$ and $b$",
    "{x}",
    "}{",
    "a & b",
    "#1",
    "~ ^",
    r"\frac{1}{2}",
    r"\(y\)",
    "<b>z</b>",
    "`*q*`",
]
ANSWER = "$a$ **b** `c` <i>d</i> \\(e\\)"
CELLS = [
    f"{SETUP}\nc = tm.cosines({{name: [1, i] for i, name in enumerate({NAMES!r})}})",
    *[f'tm.explain(c, "cosines", ({i}, {i}))' for i in range(len(NAMES))],
    'tm.table(c, "cosines")',
    f'tm.check("attention.score", [{ANSWER!r}])',
]


def plain(text):
    """Without spaces; as LaTeX has the signs of quotation and MathJax the backslash."""
    return re.sub(r"\s", "", text).replace("`", "‘").replace("∖", "\\")


@pytest.mark.parametrize("name", NAMES)
def test_in_a_formula(lesson, name):
    formula = lesson.cell(1 + NAMES.index(name)).locator(".jp-OutputArea-output mjx-container")
    expect(formula).to_be_visible()
    expect(formula.locator("mjx-merror")).to_have_count(0)
    first_row = formula.locator("mjx-assistive-mml mtr").first
    assert plain(first_row.text_content()) == plain(f"cosines: vector {name}, other {name}")


def test_in_a_table(lesson):
    table = lesson.cell(len(NAMES) + 1).locator(".jp-OutputArea-output table")
    assert table.locator("tbody th").all_inner_texts() == NAMES
    expect(table.locator("mjx-container, b")).to_have_count(0)


def test_in_a_reply(lesson):
    reply = lesson.cell(len(NAMES) + 2).locator(".jp-OutputArea-output")
    expect(reply.locator("code").last).to_have_text(ANSWER)
    expect(reply.locator("mjx-container, i")).to_have_count(0)
