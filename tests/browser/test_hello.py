"""The first control of the course, moved by keyboard alone."""

import re

from playwright.sync_api import expect

from .lab import SETUP

CELLS = [SETUP, "tm.views.Hello()"]


def test_python_answers_every_move(lesson):
    view = lesson.views.first
    slider, answer = view.get_by_role("slider", name="Move me", exact=True), view.get_by_role("status")
    expect(answer).to_contain_text("3 × 3 = 9")
    slider.focus()
    for key, n in [("ArrowRight", 4), ("End", 12), ("ArrowRight", 12), ("Home", 0), ("ArrowLeft", 0), ("ArrowUp", 1)]:
        slider.press(key)
        expect(answer).to_contain_text(re.compile(rf"\b{n} × {n} = {n * n}\b"))
