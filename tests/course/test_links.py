"""Every link that opens the course names its public address and a file that is there; one command moves them all."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

COURSE = Path(__file__).parents[2]
START = "notebooks/00_start_here.ipynb"
LINKS = {
    "Binder": "https://mybinder.org/v2/gh/{}/main?urlpath=lab/tree/" + START,
    "Colab": "https://colab.research.google.com/github/{}/blob/main/" + START,
    "nbgitpuller": "https://your.hub/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgithub.com%2F{}&branch=main"
    "&targetpath=course&urlpath=lab%2Ftree%2Fcourse%2Fnotebooks%2F00_start_here.ipynb",
    "GitHub": "https://github.com/{}/blob/main/README.md",
}


def written(kind, repository):
    """A launch link of that kind."""
    return LINKS[kind].format(repository.replace("/", "%2F") if kind == "nbgitpuller" else repository)


def repository(course):
    """OWNER/REPOSITORY, from the one place where it stands."""
    project = tomllib.loads((course / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Repository"].removeprefix("https://github.com/")


def target(link, ours):
    """What a launch link opens: (kind, owner/repository, path), or None for any other link."""
    parts = urlsplit(link)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    where = unquote(parts.path).strip("/")
    if parts.netloc == "mybinder.org" and where.startswith("v2/"):
        opened = re.fullmatch(r"v2/gh/([^/]+/[^/]+)/main", where)
        path = query.get("urlpath", "").removeprefix("lab/tree/")
        return "Binder", opened and opened[1], path
    if parts.netloc == "colab.research.google.com" and not where.startswith("assets/"):
        opened = re.fullmatch(r"github/([^/]+/[^/]+)/blob/main/(.+)", where)
        return "Colab", opened and opened[1], opened and opened[2]
    if where.endswith("git-pull"):
        repo = query.get("repo", "").removeprefix("https://github.com/")
        folder = query.get("targetpath", repo.split("/")[-1])
        path = query.get("urlpath", "").removeprefix(f"lab/tree/{folder}/")
        return "nbgitpuller", query.get("branch") == "main" and repo, path
    if parts.netloc == "github.com" and f"{where}/".startswith(f"{ours}/"):
        return "GitHub", ours, re.sub(rf"{re.escape(ours)}(/(blob|tree)/main)?/?", "", where)
    return None


def texts(course):
    """What is written in the README and the notebooks: (file, text), a cell at a time."""
    yield "README.md", (course / "README.md").read_text(encoding="utf-8")
    for path in sorted((course / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            yield "notebooks/" + path.name, "".join(cell["source"])


def launches(course):
    """Every launch link: (file, link, kind, owner/repository, path)."""
    for file, text in texts(course):
        for link in re.findall(r"https?://[^\s()<>\"'\\`]+", text):
            if found := target(link, repository(course)):
                yield file, link, *found


def mistakes(course):
    """A line for every link to another repository, to no file, or on Colab to a lesson that fetches no course."""
    ours = repository(course)
    for file, link, kind, repo, path in launches(course):
        if repo != ours:
            yield f"{file}: {link} does not open the branch main of {ours}"
        elif path is None or not (course / path).exists() or (kind != "GitHub" and not path):
            yield f"{file}: {link} opens what is not there"
        elif kind == "Colab" and f"git clone -q https://github.com/{ours} " not in first_code(course / path):
            yield f"{file}: {link} opens a lesson whose first code cell does not say how to get the course"
    for file, text in texts(course):
        for link in re.findall(r"\]\((?!\w+:|#)([^)\s#]+\.\w+)[)#]", text):
            if not (course / file).parent.joinpath(link).exists():
                yield f"{file}: {link} is not there"


def first_code(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_every_link_opens_what_is_there():
    assert not list(mistakes(COURSE))


@pytest.mark.parametrize("kind", ["Binder", "Colab", "nbgitpuller"])
def test_the_readme_opens_the_course(kind):
    assert kind in [kind for file, _, kind, *_ in launches(COURSE) if file == "README.md"]


@pytest.fixture
def course(tmp_path):
    """A small course with a link of every kind, in the README and in a lesson."""
    (tmp_path / "notebooks").mkdir()
    shutil.copy(COURSE / "course.py", tmp_path)
    shutil.copy(COURSE / "pyproject.toml", tmp_path)
    ours = repository(COURSE)
    links = "".join(f"* [{kind}]({written(kind, ours)})\n" for kind in LINKS)
    get = f"# On Colab, first: !git clone -q https://github.com/{ours} course\nimport toymodel as tm"
    cells = [{"cell_type": "markdown", "source": [links, "o gato é"]}, {"cell_type": "code", "source": [get]}]
    (tmp_path / START).write_text(json.dumps({"cells": cells}, ensure_ascii=False), encoding="utf-8", newline="\n")
    thanks = f"[Lesson]({START}). Thanks: https://github.com/other/thing, https://github.com/{ours}-answers\n"
    (tmp_path / "README.md").write_text(links + thanks, encoding="utf-8", newline="\n")
    return tmp_path


def move(course, *address):
    command = [sys.executable, course / "course.py", "links", *address]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)


def content(course):
    return {path: path.read_bytes() for path in course.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_one_command_moves_every_link_and_back(course):
    before, home = content(course), repository(course)
    done = move(course, "https://github.com/who/what.ever")
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["README.md: 4 links", f"{Path(START)}: 5 links", "pyproject.toml: 1 link"]
    assert repository(course) == "who/what.ever"
    assert not list(mistakes(course))
    assert len(list(launches(course))) == 9
    assert f"https://github.com/{home}-answers" in (course / "README.md").read_text(encoding="utf-8"), "another's"
    after = content(course)
    assert move(course, "https://github.com/who/what.ever/").returncode == 0
    assert content(course) == after, "twice is once"
    move(course, f"https://github.com/{home}.git")
    assert content(course) == before


@pytest.mark.parametrize(
    "address", ["who/what", "https://github.com/who", "https://example.org/who/what", "https://github.com/a/b/c"]
)
def test_what_is_no_address_is_refused_with_a_sentence(course, address):
    before = content(course)
    done = move(course, address)
    assert done.stderr == f"`{address}` is not a repository's address, such as https://github.com/who/what.\n"
    assert done.returncode == 1
    assert content(course) == before


def spoil(course, file, old, new):
    path = course / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return list(mistakes(course))


@pytest.mark.parametrize("kind", ["Binder", "Colab", "nbgitpuller"])
@pytest.mark.parametrize("file", ["README.md", START])
def test_a_link_that_was_missed_is_found(course, file, kind):
    assert not list(mistakes(course))
    link, missed = written(kind, repository(course)), written(kind, "someone/else")
    said = f"{file}: {missed} does not open the branch main of {repository(course)}"
    assert spoil(course, file, link, missed) == [said]


@pytest.mark.parametrize("kind", LINKS)
def test_a_path_that_does_not_exist_is_found(course, kind):
    link = written(kind, repository(course))
    wrong = link.replace("00_start", "00_begin").replace("README", "READ")
    assert spoil(course, "README.md", link, wrong) == [f"README.md: {wrong} opens what is not there"]


def test_another_branch_a_lost_file_and_a_lesson_without_the_course_are_found(course):
    assert "branch main" in spoil(course, "README.md", "/blob/main/notebooks", "/blob/master/notebooks")[0]
    assert f"README.md: {START[:-5]}x is not there" in spoil(course, "README.md", f"({START})", f"({START[:-5]}x)")
    assert "first code cell" in spoil(course, START, "git clone -q", "git pull")[-2]
