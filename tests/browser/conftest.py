"""One JupyterLab and one browser for these tests, in each process that runs some.

Variables: COURSE_BROWSER=required makes it a failure that there is no browser, else the tests are skipped;
COURSE_SCREENSHOTS names a folder for the pictures that test_lessons.py takes.
"""

import os
from pathlib import Path

import pytest

from .lab import NoBrowser, running_lab


@pytest.fixture(scope="package")
def lab(tmp_path_factory):
    try:
        with running_lab(tmp_path_factory.mktemp("lab")) as lab:
            yield lab
    except NoBrowser as error:
        (pytest.fail if os.environ.get("COURSE_BROWSER") == "required" else pytest.skip)(f"Not tested: {error}.")


@pytest.fixture(autouse=True)
def without_fault(lab):
    """No page may write an error to its console, or ask for anything but what the server has."""
    yield
    faults, lab.faults[:] = lab.faults[:], []
    assert faults == []


@pytest.fixture
def screenshots(tmp_path):
    """The folder for pictures that a person may want to look at."""
    folder = Path(os.environ.get("COURSE_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
