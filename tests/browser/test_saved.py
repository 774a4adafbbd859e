"""What a saved page shows: each view as it began, an answer still sealed. And views of a kernel that is gone say so."""

import pytest
from playwright.sync_api import expect

from .lab import SETUP

GUESS = 't = tm.run("o gato")\ntm.guess(..., tm.table(t, "logits"), tm.explain(t, "logits", (1, 2)))'
CELLS = [SETUP, "tm.views.Attention()", GUESS, "tm.views.Hello()"]


@pytest.fixture
def lesson(lab):
    with lab.lesson(lab.write("saved.ipynb", *CELLS)) as lesson:
        lesson.run_all()
        expect(lesson.views).to_have_count(2)
        yield lesson


def still(lesson, k):
    return lesson.cell(k).locator(".tm-still")


def test_where_the_view_lives_its_beginning_is_hidden(lesson):
    for k in (1, 3):
        expect(lesson.cell(k).locator(".tm-view")).to_be_visible()
        expect(still(lesson, k)).to_be_hidden()


def reopened(lab, lesson):
    """Save the notebook, stop its kernel, and open it again: nothing is run. ipywidgets complains, unseen."""
    lesson.command("docmanager:save")
    lab.clear()
    lesson.command("docmanager:open", path="notebooks/saved.ipynb", factory="Notebook")
    lesson.wait_until_ready()
    expect(lesson.page.get_by_text("model not found")).to_have_count(2)
    lab.faults[:] = [it for it in lab.faults if "widget model not found" not in it]


def test_a_saved_lesson_shows_how_each_view_begins(lab, lesson):
    reopened(lab, lesson)
    for k, words in ((1, "gato"), (3, "A slider")):
        expect(still(lesson, k)).to_be_visible()
        expect(still(lesson, k)).to_contain_text("Run this cell")
        expect(still(lesson, k)).to_contain_text(words)
    assert lesson.page.get_by_text("model not found").filter(visible=True).count() == 0


def test_an_answer_stays_sealed_until_it_is_opened_by_keyboard(lab, lesson):
    for _time in ("as it was run", "saved and opened again"):
        sealed = lesson.cell(2).locator("details.tm-guess")
        expect(sealed.locator("table")).to_be_hidden()
        summary = sealed.locator("summary")
        expect(summary).to_have_text("Guess first: put it in place of the dots, and run the cell. Or open.")
        summary.focus()
        before = lesson.notebook()
        for key in ("a", "b", "ArrowDown"):  # JupyterLab's own keys
            lesson.page.keyboard.press(key)
        assert lesson.notebook()[1] == before[1]
        lesson.page.keyboard.press("Enter")
        expect(sealed.locator("table")).to_be_visible()
        lesson.page.keyboard.press("Enter")
        expect(sealed.locator("table")).to_be_hidden()
        reopened(lab, lesson)


def test_a_typed_guess_opens_the_answer(lesson):
    lesson.page.evaluate(
        """() => {
            const cell = jupyterapp.shell.currentWidget.content.model.cells.get(2);
            cell.sharedModel.setSource(cell.sharedModel.getSource().replace("...", "2"));
        }"""
    )
    lesson.run(2)
    sealed = lesson.cell(2).locator("details.tm-guess")
    expect(sealed.locator("summary")).to_contain_text("You said 2, it is ")
    expect(sealed.locator("table")).to_be_visible()


def test_a_restarted_kernel_is_told_in_every_view(lab, lesson):
    lesson.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    for k in (1, 3):
        told = lesson.cell(k).get_by_role("alert")
        expect(told).to_have_text("The kernel was restarted or stopped: run this cell again.")
    lesson.wait_until_ready()
    lesson.run_all()
    for k in (1, 3):
        expect(lesson.cell(k).locator(".tm-problem")).to_have_text("")
