"""One JupyterLab, one browser and one page for all these tests, in each process that runs some.

Variables: COURSE_BROWSER=required makes it a failure that there is no browser, else the tests are skipped;
COURSE_SCREENSHOTS names a folder for the pictures that test_lessons.py takes.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .lab import NoBrowser, running_lab

expect.set_options(timeout=30_000)  # ms: on a busy computer, what is right may take its time


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    try:
        with running_lab(tmp_path_factory.mktemp("lab")) as lab:
            yield lab
    except NoBrowser as error:
        (pytest.fail if os.environ.get("COURSE_BROWSER") == "required" else pytest.skip)(f"Not tested: {error}.")


@pytest.fixture(scope="module")
def lesson(lab, request):
    """A notebook of the CELLS of the test file, in which one view may stand twice. All have run."""
    name = request.module.__name__.rpartition("test_")[2]
    with lab.lesson(lab.write(f"{name}.ipynb", *request.module.CELLS)) as lesson:
        lesson.run_all()
        yield lesson


@pytest.fixture
def view(lesson, request):
    """The view as it begins: the test file's `begins` asserts that."""
    lesson.look()
    lesson.run(1)
    request.module.begins(lesson.views.first)
    return lesson.views.first


@pytest.fixture(autouse=True)
def without_fault(lab):
    """No page may write an error to its console, or ask for anything but what the server has."""
    yield
    faults, lab.faults[:] = lab.faults[:], []
    assert faults == []


@pytest.fixture(scope="session")
def screenshots():
    """The folder for pictures that a person may want to look at; None if nobody has named one."""
    folder = os.environ.get("COURSE_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    return folder and Path(folder)
