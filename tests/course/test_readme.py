"""The README says what is so: its example runs and prints what stands there, and its numbers are the model's."""

import contextlib
import io
import re
from pathlib import Path

import nbformat
import pytest

import toymodel as tm
from toymodel.models.sizes import TOY_SIZES

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_stands_below_it():
    code, printed = re.search(r"```python\n(.*?)```\s+```\n(.*?)```", README, re.DOTALL).groups()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(code, {})
    assert output.getvalue() == printed


def test_the_sizes_it_names_are_the_toys():
    tokens, numbers, weights = re.search(r"(\d+)\s+tokens, (\d+) numbers for each, (\d+) weights", README).groups()
    assert (int(tokens), int(numbers)) == (TOY_SIZES.d_vocab, TOY_SIZES.d_model)
    assert int(weights) == sum(w.size for w in tm.toy_weights().values())


def test_the_commands_it_names_are_there():
    course = (Path(__file__).parents[2] / "course.py").read_text(encoding="utf-8")
    commands, scripts = re.findall(r"python3 course\.py (\w+)", README), re.findall(r"`(tests/[\w/]+\.py)`", README)
    assert set(commands) >= {"test", "refresh", "links"} and scripts
    for command in commands:
        assert f'command == "{command}"' in course, command
    for script in scripts:
        assert (Path(__file__).parents[2] / script).exists(), script


def test_the_table_of_what_is_where_names_each_room_and_file_of_the_package():
    table = README.split("## What is where")[1]
    for it in Path(tm.__file__).parent.iterdir():
        if not it.name.startswith("_"):
            assert f"toymodel/{it.name}" in table or f"`{it.name}`" in table, it.name


LESSONS = sorted((Path(__file__).parents[2] / "notebooks").glob("0[1-9]_*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_minutes_of_a_lesson_are_those_of_its_sections(path):
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    headings = re.findall(r"^## (.+)$", "\n".join(cells), re.MULTILINE)
    (row,) = re.findall(rf"^\| {int(path.stem[:2])} \| ([^|]+) \|", README, re.MULTILINE)
    sections = re.findall(r"(\S.*?) (\d+)(?: · |$)", row)
    (total,) = re.findall(r"^\*\*Time:\*\* about (\d+) minutes", "\n".join(cells), re.MULTILINE)
    assert sum(int(minutes) for _name, minutes in sections) == int(total)
    named = [name for name, _minutes in sections if not name.startswith("steps ")]
    assert named == [it for it in headings if it in named] and len(named) >= 5
