"""Whatever is changed is noticed: on copies of the course, one digit, one weight, and a refresh that is cut short."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import nbformat.v4 as v4
import pytest
import refresh_notebooks
from prose import PLOTLY, unshown
from refresh_notebooks import WIDGET

COURSE = Path(__file__).parents[2]
LESSON = "notebooks/07_end_to_end.ipynb"
PRINTED = """print("the largest of all:", t["probs"].max().round(3))"""
FIGURE = """import plotly.graph_objects as go
go.Figure(go.Bar(y=[0.25, 0.5, 0.75]), layout={"template": "none"})"""


def copied(folder):
    """A copy of the course: what the notebooks and their checks need."""
    for name in ("notebooks", "toymodel"):
        shutil.copytree(COURSE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("tests/refresh_notebooks.py", "pyproject.toml"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(COURSE / name, folder / name)
    return folder


@pytest.fixture
def course(tmp_path):
    return copied(tmp_path)


def python(course, *arguments, **options):
    return subprocess.run([sys.executable, *arguments], cwd=course, capture_output=True, encoding="utf-8", **options)


def refresh(course, *paths):
    done = python(course, "tests/refresh_notebooks.py", *paths)
    assert done.returncode == 0, done.stderr


def read(path):
    return nbformat.read(path, as_version=4)


def write(nb, path):
    path.write_text(nbformat.writes(nb) + "\n", encoding="utf-8", newline="\n")


# ---- one digit


def differing_cells(course, *paths):
    """For each notebook the code cells, counted from 0, of which nbval says that they differ from what is stored."""
    done = python(course, "-m", "pytest", *paths, "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--tb=no", "-rf")
    found = re.findall(r"^FAILED (.*)::Cell (\d+)", done.stdout, re.MULTILINE)
    return [[int(number) for name, number in found if name == path] for path in paths]


RICH = ["text/html", "text/latex", PLOTLY, "stream"]
PLAIN = ["text/plain", "stream"]


def change_a_digit(output, forms):
    """Add 1 to the last digit of the first of these forms that an output has: which it was, or None without a digit."""
    shown = {"stream": output.text} if output.output_type == "stream" else output.data
    form = next((form for form in forms if form in shown), None)
    if form == PLOTLY:
        shown[form]["data"][0]["y"][-1] += 0.01
        return form
    text = shown.get(form, "")
    changed = re.sub(r"\d(?=\D*\Z)", lambda digit: str((int(digit[0]) + 1) % 10), text)
    if form == "stream":
        output.text = changed
    elif form:
        shown[form] = changed
    return form if changed != text else None


def test_a_digit_changed_in_any_output_is_noticed(course):
    """In a lesson that shows each kind of output, a figure twice: once in each form."""
    nb = read(course / LESSON)
    nb.cells += map(v4.new_code_cell, [PRINTED, FIGURE, FIGURE])
    write(nb, course / LESSON)
    refresh(course, LESSON)
    every, copies = {}, ["notebooks/rich.ipynb", "notebooks/plain.ipynb"]
    for forms, copy in zip([RICH, PLAIN], copies, strict=True):
        nb = read(course / LESSON)
        *cells, _as_it_was = [cell for cell in nb.cells if cell.cell_type == "code"]
        shown = {i: [it for it in cell.outputs if WIDGET not in it.get("data", {})] for i, cell in enumerate(cells)}
        changed = {i: change_a_digit(outputs[-1], forms) for i, outputs in shown.items() if outputs}
        assert {*changed.values()} >= {*forms}
        assert forms is PLAIN or changed[view_in(cells)] == "text/html"
        every[copy] = [i for i, form in changed.items() if form]
        write(nb, course / copy)
    assert dict(zip(copies, differing_cells(course, *copies), strict=True)) == every


def view_in(cells):
    return next(i for i, cell in enumerate(cells) if any(WIDGET in it.get("data", {}) for it in cell.outputs))


# ---- one weight

CHANGE = """
TOY_WEIGHTS["W_U"] = toy_weights()["W_U"]
TOY_WEIGHTS["W_U"][3, VOCAB.index("␣telhado")] += 0.5
"""
# Sentences for the lesson, by heading: with its weights, all are true.
TRUE_AT_ANY_W_U = {
    "## Step 1": ["Here ␣gato has the id 2, and iu the id 5."],
    "## Step 5": ["Head 1 reads ␣gato with 0.882, or 88 %.", "The score of ␣sub is 2.4, that of ␣no −1.414."],
    "## Step 8": ["The logit of ␣muro is 1.463."],
    "## Step 9": ["For o it is 0.03."],
    "## Where the weights are": ["The toy has 256 weights, GPT-2 small 124.3 M."],
}
TRUE_AT_THIS_W_U = {
    "## Step 8": ["The logit of ␣telhado is 2.491.", "Its probability is 0.395, or 40 %.", "That leaves ␣muro 14.1 %."],
    "## Step 9": ["The loss is 0.928.", "At the logit of ␣telhado it is −0.605.", "After the step p is 0.396."],
}


def test_a_changed_weight_makes_exactly_these_sentences_false(course):
    nb = read(course / LESSON)
    own = [it.sentence for it in unshown(nb)]
    for heading, sentences in [*TRUE_AT_ANY_W_U.items(), *TRUE_AT_THIS_W_U.items()]:
        (cell,) = [cell for cell in nb.cells if cell.source.startswith(heading)]
        cell.source += "\n\n" + " ".join(sentences)
    assert [it.sentence for it in unshown(nb)] == own
    write(nb, course / LESSON)
    with (course / "toymodel/models/toy_weights.py").open("a", encoding="utf-8") as weights:
        weights.write(CHANGE)
    refresh(course, LESSON)
    found = [it.sentence for it in unshown(read(course / LESSON))]
    expected = [sentence for sentences in TRUE_AT_THIS_W_U.values() for sentence in sentences]
    assert list(dict.fromkeys(sentence for sentence in found if sentence not in own)) == expected


# ---- a refresh


REFRESHED = ["00_start_here.ipynb", "07_end_to_end.ipynb"]


def test_to_refresh_again_changes_no_byte(course):
    """What is stored came from a refresh, so this is the second in a row. (steadiness.py does it with every lesson.)"""
    for path in (course / "notebooks").glob("*.ipynb"):
        if path.name not in REFRESHED:
            path.unlink()
    refresh(course)  # without names: whatever there is
    for name in REFRESHED:
        assert (course / "notebooks" / name).read_bytes() == (COURSE / "notebooks" / name).read_bytes(), name


@pytest.fixture
def slow(tmp_path):
    """A notebook that was never run; when it is, it says so and takes its time."""
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks/00_slow.ipynb"
    source = f"open({str(tmp_path / 'running')!r}, 'w').close()\nimport time; time.sleep(120)"
    write(v4.new_notebook(cells=[v4.new_code_cell(source)]), path)
    return path


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_refresh_stopped_in_the_middle_leaves_the_notebook_as_it_was(slow, by):
    before = slow.read_bytes()
    refreshing = subprocess.Popen([sys.executable, refresh_notebooks.__file__, slow], stderr=subprocess.DEVNULL)
    while not (slow.parents[1] / "running").exists():
        assert refreshing.poll() is None
        time.sleep(0.05)
    refreshing.send_signal(by)
    assert refreshing.wait(timeout=60) != 0
    assert slow.read_bytes() == before
    assert list(slow.parent.iterdir()) == [slow]


def write_half(path, text, **_options):
    path.write_bytes(text.encode()[:99])
    raise OSError("No space left on device")


def refuse(*_paths):
    raise OSError("The file is in use")


@pytest.mark.parametrize(("where", "name", "fails"), [(Path, "write_text", write_half), (os, "replace", refuse)])
def test_a_refresh_that_cannot_write_leaves_the_notebook_as_it_was(slow, monkeypatch, where, name, fails):
    before = slow.read_bytes()
    monkeypatch.setattr(refresh_notebooks.NotebookClient, "execute", lambda self: None)
    monkeypatch.setattr(where, name, fails)
    with pytest.raises(OSError):
        refresh_notebooks.refresh(slow)
    assert slow.read_bytes() == before
    assert list(slow.parent.iterdir()) == [slow]
