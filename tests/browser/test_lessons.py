"""Every lesson, and every view by itself: before they are run, when all has run, and how it looks then."""

import re
from html import unescape
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from toymodel import views

from .lab import COURSE, LOOKS, SETUP, VIEW

LESSONS = sorted(path.stem for path in (COURSE / "notebooks").glob("*.ipynb"))
ALL_VIEWS = "all_views"  # each as it begins
BROKEN = re.compile("model not found|error (displaying|creating|rendering|loading) widget|javascript error", re.I)


def stored_views(file):
    """The cells that show a view, by their place, each with what stands for it in a notebook that was not run."""
    cells = nbformat.read(file, as_version=4).cells
    shown = [(k, output.get("data", {})) for k, cell in enumerate(cells) for output in cell.get("outputs", [])]
    return {k: data["text/html"] for k, data in shown if "tm-still" in data.get("text/html", "")}


@pytest.fixture(scope="module", params=[*LESSONS, ALL_VIEWS])
def lesson(lab, request):
    """A lesson in which every cell has run; `unrun` is what stood in the cells of its views before."""
    name = request.param
    if name == ALL_VIEWS:
        lab.write(f"{name}.ipynb", SETUP, *[f"tm.views.{it}()" for it in views.__all__])
    with lab.lesson(f"{name}.ipynb") as lesson:
        lesson.name, lesson.stored = name, stored_views(lab.course / "notebooks" / f"{name}.ipynb")
        lesson.unrun = {
            k: words(lesson.cell(k).locator(".jp-OutputArea-output").first.inner_html()) for k in lesson.stored
        }
        lesson.showing = range(1, 1 + len(views.__all__)) if name == ALL_VIEWS else list(lesson.stored)
        lesson.run_all()
        yield lesson


def test_an_unrun_copy_shows_numbers_and_says_what_to_do(lesson):
    for k, html in lesson.stored.items():
        assert "Run this cell" in html
        assert words(html) == lesson.unrun[k]


def words(html):
    """The words that a reader sees."""
    return unescape(re.sub("<[^>]*>", " ", re.sub("(?s)<style.*?</style>", " ", html))).split()


def test_all_cells_run_without_an_error(lesson):
    outputs = [(tags, output) for tags, outputs in lesson.outputs() for output in outputs]
    errors = [output for tags, output in outputs if output["output_type"] == "error" and "raises-exception" not in tags]
    warnings = [output for _tags, output in outputs if output.get("name") == "stderr"]
    assert errors == warnings == []


def expect_every_view(lesson):
    for k in lesson.showing:
        expect(lesson.cell(k).locator(VIEW).first).to_be_visible()


def test_every_view_is_there(lesson):
    expect_every_view(lesson)
    expect(lesson.page.get_by_text(BROKEN)).to_have_count(0)


def test_views_on_one_page_leave_each_other_alone(lesson):
    """To move one group of buttons by keyboard moves no other."""
    expect_every_view(lesson)
    groups = lesson.views.get_by_role("group").filter(has=lesson.page.get_by_role("radio"))
    before = groups.evaluate_all(CHOSEN)
    assert all(before)
    for k, group in enumerate(groups.all()):
        for key, moved in [("ArrowRight", [k]), ("ArrowLeft", [])]:
            group.get_by_role("radio", checked=True).press(key)
            now = groups.evaluate_all(CHOSEN)
            assert [j for j, was in enumerate(before) if now[j] != was] == moved


# The values of the buttons that are chosen: one in each group.
CHOSEN = "all => all.map((it) => [...it.querySelectorAll('input:checked')].map((it) => it.value).join())"


@pytest.mark.parametrize("look", LOOKS)
def test_looks(lesson, look, screenshots):
    """Nothing sticks out of a view, axe-core objects to nothing, nothing moves by itself; and pictures to look at."""
    expect_every_view(lesson)
    lesson.look(**LOOKS[look])
    assert lesson.untidy() == []
    if lesson.name == ALL_VIEWS:
        return  # the tests of each view look closer
    if screenshots:
        lesson.page.locator(".jp-WindowedPanel-outer").evaluate("it => (it.scrollTop = 0)")
        lesson.page.screenshot(path=screenshots / f"{lesson.name}-{look}.png")
    for j, view in enumerate(lesson.views.all()):
        lesson.photograph(view, screenshots, f"{lesson.name}-{look}-view-{j}.png")
    if lesson.showing:
        assert lesson.violations() == []


def test_every_view_has_browser_tests_of_its_own():
    for name in views.__all__:
        module = getattr(views, name).__module__.split(".")[-1]
        assert (Path(__file__).parent / f"test_{module}.py").exists()
