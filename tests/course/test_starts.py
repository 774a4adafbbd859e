"""Starts of course.py at the same time, and its end: one set-up for all, and nothing left running."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
from test_course import PROGRAM, UV, Course, needs_ensurepip

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts, and the signals POSIX's")

SETS_UP = "Setting up (once, about a minute) ...\n"
WAITS = "Another start is setting up the course. Waiting for it ...\n"
# A uv that first tells its process and waits for a file `go`, as the real one waits for the network.
SLOW_UV = f"""[ "$1" = pip ] || exit 0
echo $$ >> "${{0%/*}}/at work"
while [ ! -e "${{0%/*}}/go" ]; do /bin/sleep 0.05; done
{UV}"""
# A JupyterLab that runs on, and on Ctrl-C ends in good order, with an exit code of its own.
LONG_PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(5))
print("Here I am.", flush=True)
time.sleep(60)
"""


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path / "o gato é", tmp_path / "bin")


@pytest.fixture
def start(course):
    """Start course.py, in a group of its own as in a terminal of its own, and do not wait."""
    started = []

    def start(*arguments, before=()):
        command = [*before, sys.executable, str(course.folder / "course.py"), *arguments]
        variables = {"PATH": str(course.bin), "HOME": str(course.bin)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        started.append(subprocess.Popen(command, cwd=course.bin, env=variables, start_new_session=True, **pipes))
        return started[-1]

    yield start
    (course.bin / "go").touch()
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)


def soon(happens):
    """Wait until something happens, and return what it is."""
    deadline = time.monotonic() + 20
    while not (found := happens()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return found


def at_work(course):
    """The processes of the uvs that have begun to install."""
    file = course.bin / "at work"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def is_running(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def two_starts(course, start, *arguments):
    """A start that is setting up, and another that waits for it."""
    course.uv(SLOW_UV)
    one = start()
    soon(lambda: at_work(course))
    other = start(*arguments)
    assert one.stdout.readline() == SETS_UP
    assert other.stdout.readline() == WAITS
    return one, other


def test_of_two_starts_one_sets_up_and_the_other_waits(course, start):
    one, other = two_starts(course, start)
    (course.bin / "go").touch()
    for process in (one, other):
        (said, _) = process.communicate(timeout=20)
        assert "site-packages/jupyterlab.py" in said and SETS_UP not in said
        assert process.returncode == 3
    assert len(course.installs()) == 1


def test_after_a_set_up_that_was_killed_the_one_that_waits_does_it(course, start):
    one, other = two_starts(course, start)
    os.killpg(one.pid, signal.SIGKILL)
    assert other.stdout.readline() == SETS_UP
    (course.bin / "go").touch()
    assert "site-packages/jupyterlab.py" in other.communicate(timeout=20)[0]
    assert len(course.installs()) == 1


def test_one_that_waits_can_be_stopped_and_does_no_harm(course, start):
    one, other = two_starts(course, start)
    other.send_signal(signal.SIGINT)
    assert other.communicate(timeout=20)[1].startswith("Stopped.")
    (course.bin / "go").touch()
    one.communicate(timeout=20)
    assert one.returncode == 3


def test_one_that_waited_and_needs_more_packages_adds_them(course, start):
    one, other = two_starts(course, start, "test")
    (course.bin / "go").touch()
    one.communicate(timeout=20)
    assert "pytest.py" in other.communicate(timeout=20)[0]
    assert len(course.installs()) == 2


def test_packages_for_the_tests_join_those_of_the_lessons(course):
    course.uv()
    course.run()
    used = course.folder / ".venv/used by JupyterLab"
    used.touch()
    course.uv("[ $1 = pip ] || exit 0; echo 'error: Failed to fetch: `https://pypi.org/simple/numpy/`' >&2; exit 1")
    assert "connected to the network" in course.run("test").stderr
    assert "jupyterlab.py" in course.run().stdout
    course.uv()
    assert "pytest.py" in course.run("test").stdout
    assert used.exists()


@needs_ensurepip
def test_where_there_is_no_pip_to_add_them_all_is_made_anew(course):
    course.uv()
    course.run()
    (course.bin / "uv").unlink()
    pip = f"import glob; open(glob.glob('.venv/lib/python*/site-packages')[0] + '/pytest.py', 'w').write({PROGRAM!r})"
    # A stand-in for the venv module, which brings a pip: the real one takes its time.
    first = f"""import os, venv
def create(folder, with_pip, plainly=venv.create, **how):
    plainly(folder, **how)
    lib = os.path.join(folder, "lib", os.listdir(os.path.join(folder, "lib"))[0], "site-packages")
    open(os.path.join(lib, "pip.py"), "w").write({pip!r})
venv.create = create"""
    assert "pytest.py" in course.run("test", first=first).stdout


def test_a_drive_without_locks_is_no_obstacle(course):
    course.uv()
    done = course.run(first="import fcntl\ndef flock(*_): raise OSError(37, 'No locks available')\nfcntl.flock = flock")
    assert "jupyterlab.py" in done.stdout


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_stops_a_set_up_and_its_installer(course, start, name):
    course.uv(SLOW_UV)
    process = start()
    (installer,) = soon(lambda: at_work(course))
    process.send_signal(signal.Signals[name])
    said, wrong = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.Signals[name]
    assert (said, wrong) == (SETS_UP, "")
    assert not is_running(installer)
    assert not (course.folder / ".venv").exists()


def long_running(course, start, **how):
    """A start whose JupyterLab is running."""
    course.uv()
    course.run()
    (lab,) = course.folder.glob(".venv/lib/*/site-packages/jupyterlab.py")
    lab.write_text(LONG_PROGRAM)
    process = start(**how)
    assert process.stdout.readline() == "Here I am.\n"
    return process


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_what_ends_course_py_ends_jupyterlab(course, start, name):
    process = long_running(course, start)
    process.send_signal(signal.Signals[name])
    process.communicate(timeout=20)  # its output has an end only when nobody is left to write
    assert process.returncode == -signal.Signals[name]


def test_ctrl_c_is_for_jupyterlab_and_its_exit_code_is_told(course, start):
    process = long_running(course, start)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == 5


def test_under_nohup_a_closed_terminal_ends_neither(course, start):
    process = long_running(course, start, before=["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"])
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 5
