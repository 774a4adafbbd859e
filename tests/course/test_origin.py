"""git's origin: `course.py links` takes the address from it, and `course.py test` points out links to another place."""

import shutil
import subprocess
import sys

import pytest
from test_course import COURSE, Course
from test_links import repository

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(not GIT, reason="there is no git here")

ON_GITHUB = [
    "https://github.com/who/what.ever",
    "https://github.com/who/what.ever.git",
    "https://someone:secret@github.com/who/what.ever.git",
    "git@github.com:who/what.ever.git",
    "ssh://git@github.com/who/what.ever",
]
ELSEWHERE = [
    "https://someone:secret@gitlab.com/who/what.git",
    "https://example.org/github.com/who/what",
    "git@github.com.example.org:who/what",
    "/home/me/course",
]
NOT_FOUND = (
    "For this folder, git knows no origin on github.com. "
    "Give the address: `python3 course.py links https://github.com/who/what`.\n"
)


@pytest.fixture
def course(tmp_path):
    """A small course with links, and with a git on the PATH."""
    course = Course(tmp_path / "o gato é", tmp_path / "bin")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(COURSE / name, course.folder)
    (course.bin / "git").symlink_to(GIT)
    course.uv()
    return course


def git(folder, *arguments):
    subprocess.run([GIT, *arguments], cwd=folder, check=True, capture_output=True)


def compared(course):
    """What `course.py test` says before the tests, without setting up for them."""
    compare = f"import sys; sys.path.insert(0, {str(course.folder)!r}); import course; course.compare_links()"
    variables = {"PATH": str(course.bin), "PYTHONIOENCODING": "utf-8"}
    return subprocess.check_output([sys.executable, "-B", "-c", compare], env=variables, encoding="utf-8")


def clone(course, address):
    git(course.folder, "init")
    git(course.folder, "remote", "add", "origin", address)


@pytest.mark.parametrize("address", ON_GITHUB)
def test_links_move_to_gits_origin(course, address):
    clone(course, address)
    done = course.run("links")
    assert done.stdout.splitlines()[0] == "https://github.com/who/what.ever, from git's origin:"
    assert done.stdout.splitlines()[-1] == "pyproject.toml: 1 link"
    assert repository(course.folder) == "who/what.ever"
    assert "https://mybinder.org/v2/gh/who/what.ever/main?" in (course.folder / "README.md").read_text("utf-8")


def test_an_address_that_is_given_goes_first(course):
    clone(course, ON_GITHUB[0])
    assert "origin" not in course.run("links", "https://github.com/some/other").stdout
    assert repository(course.folder) == "some/other"


def around(course):
    """The course was unpacked in a folder that is itself a clone, of something else."""
    git(course.folder.parent, "init")
    git(course.folder.parent, "remote", "add", "origin", ON_GITHUB[0])


WITHOUT = {address: lambda course, address=address: clone(course, address) for address in ELSEWHERE} | {
    "no clone": lambda course: None,
    "no origin": lambda course: git(course.folder, "init"),
    "no clone, in another's": around,
    "no git": lambda course: (clone(course, ON_GITHUB[0]), (course.bin / "git").unlink()),
}


@pytest.mark.parametrize("how", WITHOUT)
def test_without_an_origin_on_github_links_stay_and_a_sentence_says_why(course, how):
    WITHOUT[how](course)
    done = course.run("links")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", NOT_FOUND)
    assert repository(course.folder) == repository(COURSE)
    assert compared(course) == ""


WARNING = (
    f"The links of the course open {repository(COURSE)}, and git's origin is who/what.ever. "
    "In a fork that is as it should be; if the course has moved, `python3 course.py links` moves its links.\n"
)


@pytest.mark.parametrize("address", ON_GITHUB)
def test_links_to_another_place_are_pointed_out(course, address):
    clone(course, address)
    assert compared(course) == WARNING
    course.run("links")
    assert compared(course) == ""


def test_that_is_said_before_the_tests_run_and_they_do(course):
    clone(course, ON_GITHUB[0])
    done = course.run("test")
    assert 0 < done.stdout.index(WARNING) < done.stdout.index("site-packages/pytest.py")
    assert done.returncode == 3


def test_github_does_not_tell_capitals_from_small_letters(course):
    clone(course, "https://github.com/Who/What")
    course.run("links", "https://github.com/who/what")
    assert compared(course) == ""
