"""The views' JavaScript, without a browser: it can be read, it makes no number, and the picture's layout holds.

Where there is no Node.js the tests that need it are skipped; with COURSE_BROWSER=required that is a failure.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from toymodel import views

HERE = Path(__file__).parent
FOLDER = Path(views.__file__).parent
SCRIPTS = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.js")}


def node(*arguments):
    """Run Node.js; what it wrote is shown where it fails."""
    program = shutil.which("node")
    if program is None:
        required = os.environ.get("COURSE_BROWSER") == "required"
        (pytest.fail if required else pytest.skip)("Not tested: there is no Node.js.")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=120)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    return done.stdout


@pytest.mark.parametrize("of", ["layout", "plane", "ribbons", "sizes"])
def test_the_layout_of_a_picture(of):
    said = node("--test", "--test-reporter=tap", str(HERE / f"{of}.test.mjs"))
    assert re.search(r"^# pass [1-9]", said, re.MULTILINE) and "# skipped 0" in said


@pytest.mark.parametrize("name", views.__all__)
def test_the_script_of_a_view_can_be_read(name, tmp_path):
    """As the browser gets it: its files in one module, where no name may be taken twice."""
    script = tmp_path / "view.mjs"
    script.write_text(getattr(views, name)._esm, encoding="utf-8")
    node("--check", str(script))


def test_every_script_is_part_of_a_view():
    scripts = "".join(getattr(views, name)._esm for name in views.__all__)
    assert SCRIPTS and all(text in scripts for text in SCRIPTS.values())


def test_every_stylesheet_is_part_of_a_view_and_closes_what_it_opens():
    """Styles are put together, too: what stays open would swallow the rules of the file after it, without a word."""
    styles = "".join(getattr(views, name)._css for name in views.__all__)
    files = [file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.css")]
    assert files and all(text in styles for text in files)
    assert all(text.count("{") == text.count("}") and text.endswith("}\n") for text in files)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_formats_no_number_and_knows_no_model(name):
    """Python computes and rounds; a script compares, places and shades."""
    code = re.sub(r"//.*", "", SCRIPTS[name])
    assert set(re.findall(r"\bMath\.?(\w*)", code)) <= {"abs", "max", "min", "random"}
    assert not re.search(r"\b(Intl|toFixed|toPrecision|toExponential|toLocaleString|parseFloat)\b|\*\*", code)
