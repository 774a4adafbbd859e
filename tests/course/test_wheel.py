"""`pip install .` brings the package, all of it and nothing else: a wheel is built as pip builds it, but offline."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

COURSE = Path(__file__).parents[2]
SETTINGS = tomllib.loads((COURSE / "pyproject.toml").read_text(encoding="utf-8"))
# Left by Git, by course.py and by running: a student's folder holds them, and no wheel may.
LEFTOVERS = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", ".ipynb_checkpoints", "build", "*-info")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of the course, made from a copy: building leaves folders behind."""
    course, shop = tmp_path_factory.mktemp("course") / "o gato é", tmp_path_factory.mktemp("shop")
    shutil.copytree(COURSE, course, ignore=LEFTOVERS)
    (course / "toymodel/__pycache__").mkdir()
    (course / "toymodel/__pycache__/shown.cpython-311.pyc").touch()
    # What pip does, too, once it has fetched what [build-system] requires; an environment made by uv has no pip.
    build = f"import sys; from {SETTINGS['build-system']['build-backend']} import build_wheel; build_wheel(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", build, shop], cwd=course, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = shop.glob("*.whl")
    return zipfile.ZipFile(wheel)


def test_the_tools_at_hand_are_those_that_pip_would_fetch():
    for requirement in map(Requirement, SETTINGS["build-system"]["requires"]):
        assert requirement.specifier.contains(version(requirement.name)), requirement


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    files = {path for path in (COURSE / "toymodel").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {Path(file).suffix for file in files} >= {".py", ".js", ".css", ".txt"}
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == {file.relative_to(COURSE).as_posix() for file in files}


def test_the_wheel_asks_for_what_the_lessons_ask_for(wheel):
    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    lines = wheel.read(metadata).decode().split("\n\n")[0].splitlines()
    asked = {Requirement(line.removeprefix("Requires-Dist: ")) for line in lines if line.startswith("Requires-Dist")}
    lines = (COURSE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert asked == {Requirement(line.split("#")[0]) for line in lines if line.split("#")[0].strip()}


def test_what_the_wheel_brings_works_far_from_the_course(wheel, tmp_path):
    wheel.extractall(tmp_path / "packages")
    code = "import toymodel as tm, toymodel.views; print(tm.__file__, len(tm.corpus()) > 0, tm.views.Path())"
    variables = os.environ | {"PYTHONPATH": str(tmp_path / "packages"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=variables, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.stdout.startswith(f"{tmp_path / 'packages' / 'toymodel' / '__init__.py'} True Path("), done.stderr
