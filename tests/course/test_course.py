"""Sets up copies of the course with stand-ins for uv and for what the network would bring, and watches what happens."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
needs_ensurepip = pytest.mark.skipif(
    not getattr(importlib.util.find_spec("ensurepip"), "origin", None), reason="this Python has no ensurepip"
)

# What the stand-ins for JupyterLab and pytest do: say who runs them, how, and end with a code of their own.
PROGRAM = "import sys, os; print(__file__, os.environ.get('VIRTUAL_ENV'), *sys.argv[1:], sep='|'); sys.exit(3)"
# A uv that notes what it is asked to install, and puts these programs into the environment.
UV = f"""[ "$1" = pip ] || exit 0
echo "$@" >> "${{0%/*}}/installs"
for folder in .venv/lib/python*/site-packages; do
    echo "{PROGRAM}" > "$folder/jupyterlab.py"
    echo "{PROGRAM}" > "$folder/pytest.py"
done
"""


class Course:
    """A small course in a folder of its own, and a PATH with nothing on it but `bin`."""

    def __init__(self, folder, bin):
        self.folder, self.bin = folder, bin
        for name in ("notebooks", "tests"):
            (folder / name).mkdir(parents=True)
        bin.mkdir()
        shutil.copy(COURSE / "course.py", folder)
        (folder / "requirements.txt").write_text("jupyterlab\n")
        (folder / "tests/requirements.txt").write_text("pytest\n")
        (folder / "tests/refresh_notebooks.py").write_text(PROGRAM)
        (folder / "notebooks/02_later.ipynb").touch()
        (folder / "notebooks/01_first.ipynb").touch()

    def uv(self, script=UV):
        path = self.bin / "uv"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)

    def run(self, *arguments, python=sys.executable, first="", **variables):
        """Run course.py; `first` is Python code that changes the Python it meets."""
        site = self.bin / "site"
        site.mkdir(exist_ok=True)
        (site / "sitecustomize.py").write_text(first)
        variables = {"PYTHONPATH": str(site), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull} | variables
        return subprocess.run(
            [python, self.folder / "course.py", *arguments],
            env={"PATH": str(self.bin), "HOME": str(self.bin), **variables},
            capture_output=True,
            text=True,
            cwd=self.bin,
            timeout=60,
        )

    def installs(self):
        """What uv was asked to install, one line a set-up."""
        return (self.bin / "installs").read_text().splitlines()

    @property
    def stamp(self):
        return self.folder / ".venv/course-stamp.txt"


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path / "o gato é", tmp_path / "bin")


def assert_one_sentence(done, sentence):
    """It failed, said why in its first line, and showed no traceback."""
    assert done.returncode != 0
    assert sentence in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stdout + done.stderr


def test_every_python_3_can_read_it():
    ast.parse((COURSE / "course.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_so(course):
    done = course.run(first="import sys; sys.version_info = (3, 9, 18)")
    assert_one_sentence(done, "needs Python 3.11 or newer, and this is Python 3.9")


def test_an_unknown_command_is_answered(course):
    assert_one_sentence(course.run("tset"), "There is no command `tset`")
    assert "python3 course.py test" in course.run("--help").stdout


def test_uv_fills_the_environment_and_the_first_notebook_opens(course):
    course.uv()
    done = course.run()
    python = course.folder / ".venv/bin/python"
    assert course.installs() == [f"pip install --quiet --compile-bytecode --python {python} -r requirements.txt"]
    assert done.stdout.startswith("Setting up (once, about a minute)")
    assert done.stdout.rstrip().endswith("--LabApp.default_url=/lab/tree/notebooks/01_first.ipynb")
    (course.folder / "notebooks/00_start_here.ipynb").touch()
    assert "/lab/tree/notebooks/00_start_here.ipynb|--no-browser" in course.run("open", "--no-browser").stdout
    assert len(course.installs()) == 1


def test_arguments_and_exit_code_pass_through(course):
    course.uv()
    done = course.run("test", "-k", "softmax")
    assert done.returncode == 3
    assert re.search(r"/pytest.py\|.*\|--dist\|loadfile\|-k\|softmax$", done.stdout, re.MULTILINE)
    done = course.run("refresh", "notebooks/01_first.ipynb")
    assert done.returncode == 3
    assert re.search(r"refresh_notebooks.py\|.*\|notebooks/01_first.ipynb$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", ["test", "refresh"])
def test_an_environment_for_the_tests_serves_the_lessons_but_not_the_reverse(course, command):
    course.uv()
    course.run()
    course.run(command)
    assert [line.split("-r ")[1:] for line in course.installs()] == [
        ["requirements.txt"],
        ["requirements.txt ", "tests/requirements.txt"],
    ]
    course.run()
    assert len(course.installs()) == 2


def replace_python(course, script):
    python = course.folder / ".venv/bin/python"
    python.unlink()
    python.write_text("#!/bin/sh\n" + script)
    python.chmod(0o755)


SPOILED = {
    "a requirement changed": lambda c: (c.folder / "requirements.txt").write_text("jupyterlab>=4\n"),
    "no stamp": lambda c: c.stamp.unlink(),
    "an empty stamp": lambda c: c.stamp.write_text(""),
    "half a stamp": lambda c: c.stamp.write_text(c.stamp.read_text()[:-9]),
    "made by another Python": lambda c: c.stamp.write_text(
        re.sub(r"Python 3\.\d+", "Python 3.10", c.stamp.read_text())
    ),
    "its Python is gone": lambda c: replace_python(c, "exit 127"),
    "its Python is another now": lambda c: replace_python(c, "echo Python 3.99.0"),
    "moved": lambda c: setattr(c, "folder", c.folder.rename(c.folder.with_name("moved"))),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_environment_is_set_up_anew(course, how):
    course.uv()
    course.run()
    (course.folder / ".venv/left over").touch()
    SPOILED[how](course)
    course.run()
    assert len(course.installs()) == 2
    assert not (course.folder / ".venv/left over").exists()
    course.run()
    assert len(course.installs()) == 2


FAILURES = {
    "error: Failed to fetch: `https://pypi.org/simple/numpy/`": "Is this computer connected to the network?",
    "ERROR: No matching distribution found for numpy (from versions: none)": "Is this computer connected",
    "ERROR: No matching distribution found for numpy<3,>=2.1": "not made for Python",
    "ERROR: Ignored: versions that require a different python version (from versions: none)": "not made for Python",
    "  cause: failed to copy file: No space left on device (os error 28)": "The disk is full",
    "OSError: [Errno 30] Read-only file system: .venv": "This folder is read-only",
    "ERROR: [WinError 32] The process cannot access the file, it is being used by another process": "Is JupyterLab",
    "something nobody has seen before": "could not be set up",
}


@pytest.mark.parametrize("message", FAILURES)
def test_a_failed_installation_is_explained_and_leaves_nothing_behind(course, message):
    course.uv(f"[ $1 = pip ] || exit 0; echo 'Traceback (most recent call last):'; echo '{message}' >&2; exit 1")
    done = course.run()
    assert_one_sentence(done, FAILURES[message])
    assert done.stderr.splitlines()[-1].strip() == message.strip()
    assert not (course.folder / ".venv").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's own")
def test_a_disk_that_is_full_at_the_last_moment(course):
    course.uv(UV + "/bin/ln -s /dev/full .venv/course-stamp.txt")
    assert_one_sentence(course.run(), "The disk is full")
    assert not (course.folder / ".venv").exists()


def test_a_set_up_that_was_killed_is_done_again(course):
    course.uv(UV + "kill -KILL $PPID")
    course.run()
    assert (course.folder / ".venv/bin/python").exists()
    course.uv()
    assert "jupyterlab.py" in course.run().stdout
    assert len(course.installs()) == 2


def test_ctrl_c_stops_a_set_up(course):
    course.uv(UV + "kill -INT $PPID; exec /bin/sleep 20")
    assert_one_sentence(course.run(), "Stopped.")
    assert not (course.folder / ".venv").exists()


def test_a_locked_environment_is_left_as_it_is(course):
    course.uv()
    course.run()
    (course.folder / "requirements.txt").write_text("jupyterlab>=4\n")
    done = course.run(
        first="import os\ndef unlink(*_, **__): raise PermissionError(13, 'Access is denied')\nos.unlink = unlink"
    )
    assert_one_sentence(done, "Is JupyterLab still running from it")
    assert course.stamp.exists()
    assert len(course.installs()) == 1


@pytest.mark.parametrize("name, sentence", [("requirements.txt", "A file is missing"), ("notebooks", "no notebook")])
def test_half_a_course_is_noticed(course, name, sentence):
    course.uv()
    (course.folder / name).rename(course.folder / "elsewhere")
    assert_one_sentence(course.run(), sentence)


def test_another_environment_does_not_matter(course, tmp_path):
    course.uv()
    (tmp_path / "jupyterlab.py").write_text("print('the wrong one')")
    done = course.run(PYTHONPATH=str(tmp_path), VIRTUAL_ENV="/home/me/env", CONDA_PREFIX="/opt/conda")
    assert f"site-packages/jupyterlab.py|{course.folder}/.venv|" in done.stdout


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A folder from which pip can install: the stand-in for the network."""
    folder = tmp_path_factory.mktemp("shop")
    with zipfile.ZipFile(folder / "jupyterlab-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("jupyterlab.py", PROGRAM)
        wheel.writestr("jupyterlab-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: jupyterlab\nVersion: 1\n")
        wheel.writestr("jupyterlab-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("jupyterlab-1.dist-info/RECORD", "")
    return str(folder)


@pytest.fixture(scope="module")
def without_uv(tmp_path_factory, shop):
    """A course that was set up with a pip of its own, and what was said: such an installation takes long."""
    folder = tmp_path_factory.mktemp("course without uv")
    course = Course(folder / "o gato é", folder / "bin")
    return course, course.run(PIP_FIND_LINKS=shop)


@pytest.fixture
def python_with_pip(without_uv):
    course, _done = without_uv
    return course.folder / ".venv/bin/python"


@pytest.fixture
def bare_python(tmp_path):
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    return tmp_path / "bare/bin/python"


NO_ENSUREPIP = "import sys; sys.modules['ensurepip'] = None"


@needs_ensurepip
def test_without_uv_the_environment_gets_a_pip(without_uv):
    course, done = without_uv
    assert "jupyterlab.py" in done.stdout
    assert list(course.folder.glob(".venv/lib/*/site-packages/pip"))


@needs_ensurepip
def test_without_ensurepip_the_pip_of_the_system_fills_it(course, shop, python_with_pip):
    done = course.run(python=python_with_pip, first=NO_ENSUREPIP, PIP_FIND_LINKS=shop)
    assert "jupyterlab.py" in done.stdout
    assert not list(course.folder.glob(".venv/lib/*/site-packages/pip"))


@needs_ensurepip
def test_the_real_pip_without_a_network(course, python_with_pip):
    nobody_listens = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
    done = course.run(python=python_with_pip, first=NO_ENSUREPIP, **nobody_listens)
    assert_one_sentence(done, "Is this computer connected to the network?")


def test_without_any_installer_it_says_what_to_install(course, bare_python):
    course.uv("echo 'pyenv: uv: command not found'; exit 127")
    done = course.run(python=bare_python, first=NO_ENSUREPIP)
    assert_one_sentence(done, "python3-venv")
    assert not (course.folder / ".venv").exists()


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_each_requirement_has_bounds_and_a_reason(name):
    lines = [line for line in (COURSE / name).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    for line in lines:
        assert re.fullmatch(r"[a-z\d-]+(==[\d.]+|>=[\d.]+,<[\d.]+) +# .+", line), line
