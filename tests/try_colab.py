"""Run every lesson with the versions that Google Colab brings, older than requirements.txt asks for.

    python tests/try_colab.py

It needs a Python 3.11 to 3.13 and a network, and takes some two minutes. A notebook that is saved there must keep
something to read: the exit code is 1 if a cell raises, or if a view leaves no `text/html` behind.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from refresh_notebooks import WIDGET
from steadiness import NOTEBOOKS, copy_course

BRINGS = ["ipywidgets==7.7.1", "pandas==2.2.2", "numpy==2.0.2", "plotly==5.24.1"]
BESIDES = ["anywidget", "ipykernel", "nbclient"]  # the first as the lessons' own line installs it there


def main():
    with tempfile.TemporaryDirectory() as folder:
        course, python = copy_course(Path(folder, "course")), Path(folder, "environment", "bin", "python")
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *BRINGS, *BESIDES], check=True)
        lost = [it for path in NOTEBOOKS for it in tried(course / "notebooks" / path.name, python)]
    sys.exit("\n".join(lost) or None)


def tried(path, python):
    """Run one lesson; what is missing in it afterwards, as sentences."""
    lesson = nbformat.read(path, as_version=4)
    for cell in lesson.cells:
        if cell.cell_type == "code":
            cell.outputs = []  # what is read below was made here
    nbformat.write(lesson, path)
    run = subprocess.run([python.with_name("jupyter-execute"), "--inplace", path], capture_output=True, text=True)
    if run.returncode:
        return [f"{path.stem}: {run.stderr.strip().splitlines()[-1]}"]
    shown = [(i, [it.get("data", {}) for it in cell.get("outputs", [])]) for i, cell in enumerate(read_cells(path))]
    views = [(i, outputs) for i, outputs in shown if any(WIDGET in data for data in outputs)]
    print(f"{path.stem}: {len(views)} views")
    bare = [i for i, outputs in views if not any(data.get("text/html") for data in outputs)]
    return [f"{path.stem}, cell {i}: a view leaves nothing to read" for i in bare]


def read_cells(path):
    return nbformat.read(path, as_version=4).cells


if __name__ == "__main__":
    main()
