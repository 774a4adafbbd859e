"""An answer that is a view or a figure: sealed with its line, and as large as ever when it is opened."""

import pytest

from .lab import SETUP, VIEW

FIGURE = "import plotly.graph_objects as go\nfigure = go.Figure(go.Scatter(y=[1, 3, 2]), layout={'height': 300})"
CELLS = [
    SETUP,
    "tm.views.Hello()",
    "tm.guess(..., tm.Table([[1]]), tm.views.Hello())",
    "tm.guess(4, tm.views.Hello(), truth=4)",
    FIGURE,
    "figure",
    "tm.guess(..., figure)",
]


def size(cell, what):
    """The width and height of what a cell shows, to a pixel."""
    box = cell.locator(what).first.bounding_box()
    return round(box["width"]), round(box["height"])


@pytest.mark.parametrize(("k", "alone", "what"), [(2, 1, ".jp-OutputArea-output .tm-view"), (6, 5, ".js-plotly-plot")])
def test_what_draws_itself_is_closed_with_its_line_and_opens_at_its_size(lesson, k, alone, what):
    sealed, answer = lesson.cell(k), lesson.cell(k).locator(what)
    answer.first.wait_for(state="attached")
    summary = sealed.locator("details.tm-guess > summary")
    assert summary.inner_text().startswith("Guess first") and not answer.first.is_visible()
    closed = sealed.bounding_box()["height"]
    assert closed < lesson.cell(alone).bounding_box()["height"]
    summary.focus()
    summary.press("Enter")
    answer.first.wait_for(state="visible")
    assert size(sealed, what) == size(lesson.cell(alone), what)
    summary.press("Enter")
    answer.first.wait_for(state="hidden")
    assert sealed.bounding_box()["height"] == pytest.approx(closed, abs=1)


def test_after_a_guess_it_can_be_seen_and_moved(lesson):
    view = lesson.cell(3).locator(VIEW)
    assert lesson.cell(3).locator("summary").inner_text() == "You said 4, and it is." and view.is_visible()
    view.get_by_role("slider").press("End")
    view.get_by_text("12 × 12 = 144").wait_for()
