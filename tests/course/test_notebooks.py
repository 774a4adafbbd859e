"""Every notebook is what a lesson should be: short, run from top to bottom, in one form, and true to its outputs."""

import ast
import re
from copy import deepcopy
from pathlib import Path

import nbformat
import nbformat.v4 as v4
import pytest
from prose import CONSTANTS, PLOTLY, unshown
from refresh_notebooks import NOTEBOOKS, WIDGET, tidy

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))

# Words from and to, by the number of the lesson. Folded answers and the line on time and route are not counted, but
# together they may have no more than 400 words.
ASIDE, MOST_ASIDE = re.compile(r"<details>.*?</details>|^\*\*Time:.*$", re.DOTALL | re.MULTILINE), 400
WORDS = {"00": (0, 1400)} | dict.fromkeys(("07", "08", "09", "10"), (900, 2200))
USUAL_WORDS = (900, 1400)

# Cells that nbval does not compare, {(file name, cell): reason}, and the words that would tell it so.
NOT_COMPARED = {}
NBVAL = re.compile(r"nbval|pytest_validate|raises-exception", re.IGNORECASE)

MAP = re.compile(r"^.*\b1 [A-Z].* → .*\b2 [A-Z].* → .*$", re.MULTILINE)
LINK = re.compile(r"\]\(([^\s)#]+)|\b(?:href|src)=[\"']([^\"'#]+)")


def read(path):
    return nbformat.read(path, as_version=4)


def of_type(nb, cell_type):
    """[(place, cell)] of the Markdown cells or the code cells."""
    return [(i, cell) for i, cell in enumerate(nb.cells) if cell.cell_type == cell_type]


def faults(path):
    """A sentence for everything that is wrong with one notebook."""
    nb = read(path)
    yield from form_faults(path, nb)
    yield from text_faults(path, nb)
    for place, cell in of_type(nb, "code"):
        here = f"cell {place}: "
        found = [*code_faults(cell.source), *output_faults(cell.outputs), *guess_faults(cell)]
        yield from (here + fault for fault in found)
        if NBVAL.search(cell.source + str(cell.metadata)) and (path.name, place) not in NOT_COMPARED:
            yield here + "nbval does not compare it, and NOT_COMPARED gives no reason"
    yield from map(str, unshown(nb))


def form_faults(path, nb):
    text = path.read_bytes().decode("utf-8")
    if text != nbformat.writes(tidy(deepcopy(nb), path.stem)) + "\n":
        yield "the file is not as `course.py refresh` writes it"
    if len(text.encode()) >= 1_000_000:
        yield "the file has 1 MB or more"
    counts = [cell.execution_count for _place, cell in of_type(nb, "code")]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the code cells were not all run once, from top to bottom: {counts}"


def text_faults(path, nb):
    words = {place: count(ASIDE.sub("", cell.source)) for place, cell in of_type(nb, "markdown")}
    aside = sum(count(cell.source) for _place, cell in of_type(nb, "markdown")) - sum(words.values())
    if aside > MOST_ASIDE:
        yield f"{aside} words in folds and on the time it takes; {MOST_ASIDE} are allowed"
    least, most = WORDS.get(path.name[:2], USUAL_WORDS)
    if not least <= sum(words.values()) <= most:
        yield f"{sum(words.values())} words; {least} to {most} are allowed"
    for place, cell in of_type(nb, "markdown"):
        if words[place] > 120:
            yield f"cell {place}: {words[place]} words; 120 are allowed"
        for target in filter(None, (t for link in LINK.findall(cell.source) for t in link)):
            if not re.match("[a-z]+:", target) and not (NOTEBOOKS / target).exists():
                yield f"cell {place}: there is no {target}"


def count(text):
    return len(re.findall(r"\S*\w\S*", text))


def guess_faults(cell):
    """What is tagged `predict` is sealed, by one call, with the dots where a guess belongs; and nothing else is."""
    is_guess = re.search(r"^tm\.guess\(\s*\.\.\.,", cell.source, re.MULTILINE)
    if ("predict" in cell.metadata.get("tags", [])) != bool(is_guess):
        yield "a guess is tagged `predict` and begins tm.guess(..., and what is tagged so is one"
    elif is_guess:
        html = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
        if len(html) != 1 or '<details class="tm-guess"><summary' not in html[0]:
            yield "its answer is not sealed"


def code_faults(source):
    if len(source.splitlines()) > 8:
        yield f"{len(source.splitlines())} lines; 8 are allowed"
    try:
        nodes = [type(node) for node in ast.walk(ast.parse(source))]
    except SyntaxError:
        yield "it is not plain Python"
        return
    if nodes.count(ast.FunctionDef) > 1:
        yield "more than one def"
    if ast.ClassDef in nodes:
        yield "a class"


def output_faults(outputs):
    is_still = any('<div class="tm-still">' in it.get("data", {}).get("text/html", "") for it in outputs)
    for output in outputs:
        data = output.get("data", {})
        if output.output_type == "error" or output.get("name") == "stderr":
            yield "an error or a warning is stored"
        if WIDGET in data and not is_still:
            yield "a widget without a table to compare"
        if {"image/png", "image/jpeg"} & data.keys():
            yield "a picture that nbval does not compare"
        if "bdata" in str(data.get(PLOTLY)):
            yield "a figure made from unrounded arrays (pass rounded lists)"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_has_no_fault(path):
    found = "\n".join(faults(path))
    assert not found, f"{path.name}\n{found}"


def test_the_first_code_cell_is_the_same_two_lines_everywhere():
    firsts = {of_type(read(path), "code")[0][1].source for path in PATHS}
    lines = [[line for line in first.splitlines() if not line.startswith("#")] for first in firsts]
    assert [len(code) for code in lines] == [2], firsts


def test_the_map_is_the_same_everywhere_and_the_lesson_itself_is_bold():
    maps = {path.stem: MAP.findall("\n".join(c.source for _i, c in of_type(read(path), "markdown"))) for path in PATHS}
    assert {stem: len(lines) for stem, lines in maps.items()} == dict.fromkeys(maps, 1)
    lines = {stem: line.split(" → ") for stem, (line,) in maps.items()}
    for stem, entries in lines.items():
        bold = [re.sub(r"\D.*", "", plain(entry)) for entry in entries if "**" in entry]
        assert bold == [str(int(stem[:2]))], stem
    for same in zip(*lines.values(), strict=True):
        assert len({plain(entry) for entry in same}) == 1, same
        # Links are the same, too, but for the lesson's own, which may have none.
        assert len({entry for entry in same if "**" not in entry}) <= 1, same


def plain(entry):
    return re.sub(r"\*\*|\[|\]\(.*?\)", "", entry)


def test_each_constant_is_used_and_has_a_reason():
    prose = "\n".join(cell.source for path in PATHS for _place, cell in of_type(read(path), "markdown"))
    assert all(constant in prose and reason for constant, reason in CONSTANTS.items())


def test_each_reason_for_not_comparing_is_of_a_cell_that_is_not_compared():
    for (name, place), reason in NOT_COMPARED.items():
        cell = read(NOTEBOOKS / name).cells[place]
        assert reason and NBVAL.search(cell.source + str(cell.metadata))


# ---- the checks themselves can fail


def lesson():
    """A small notebook without a fault: Markdown in cell 0, a code cell in cell 1."""
    cell = v4.new_code_cell("print(7)", execution_count=1, outputs=[v4.new_output("stream", text="7\n")])
    nb = v4.new_notebook(cells=[v4.new_markdown_cell("# Title\n\nSeven is 7. " + "word " * 99), cell])
    return tidy(nb, "00_small")


def change(place, **fields):
    return lambda nb: nb.cells[place].update(fields)


def append_output(kind, **fields):
    return lambda nb: nb.cells[1].outputs.append(v4.new_output(kind, **fields))


def of_data(data):
    return append_output("display_data", data=data)


SPOILINGS = {
    "metadata.widgets": (lambda nb: nb.metadata.update(widgets={}), "not as `course.py refresh` writes"),
    "another kernel": (lambda nb: nb.metadata.kernelspec.update(name="python311"), "not as `course.py refresh` writes"),
    "cell metadata": (change(0, metadata={"editable": False}), "not as `course.py refresh` writes"),
    "a cell id": (change(0, id="a1b2c3"), "not as `course.py refresh` writes"),
    "megabytes": (append_output("stream", text="x" * 999_999), "1 MB or more"),
    "never run": (change(1, execution_count=None), "not all run once"),
    "run twice": (change(1, execution_count=2), "not all run once"),
    "an empty cell": (lambda nb: nb.cells.append(v4.new_code_cell("", id="cell-02")), "not all run once"),
    "long": (lambda nb: nb.cells.extend([v4.new_markdown_cell("word " * 99)] * 15), "words; 0 to 1400"),
    "a long cell": (change(0, source="word " * 121), "cell 0: 121 words"),
    "a dead link": (change(0, source="[next](02_nothing.ipynb#here)"), "cell 0: there is no 02_nothing.ipynb"),
    "a dead picture": (change(0, source="<img src='nothing.png'>"), "cell 0: there is no nothing.png"),
    "long code": (change(1, source="# line\n" * 9), "cell 1: 9 lines"),
    "two functions": (change(1, source="def f(): ...\ndef g(): ..."), "cell 1: more than one def"),
    "a magic": (change(1, source="%time 7"), "cell 1: it is not plain Python"),
    "a class": (change(1, source="class A: ..."), "cell 1: a class"),
    "a warning": (append_output("stream", name="stderr", text="!"), "cell 1: an error or a warning"),
    "an error": (append_output("error", ename="E", evalue=""), "cell 1: an error or a warning"),
    "a bare widget": (of_data({WIDGET: {}, "text/plain": "IntSlider()"}), "cell 1: a widget without"),
    "a PNG": (of_data({"image/png": "AAAA", "text/plain": "<Figure>"}), "cell 1: a picture that nbval"),
    "binary arrays": (of_data({PLOTLY: {"data": [{"y": {"bdata": ""}}], "layout": {}}}), "cell 1: a figure made from"),
    "a skip tag": (change(1, metadata={"tags": ["nbval-skip"]}), "cell 1: nbval does not"),
    "an ignore comment": (change(1, source="# NBVAL_IGNORE_OUTPUT\n1"), "cell 1: nbval does not"),
    "an expected error": (change(1, metadata={"tags": ["raises-exception"]}), "cell 1: nbval does not"),
    "another number": (change(0, source="# Title\n\nSeven is 8."), "cell 0: no output under this heading shows the 8"),
}


def faults_of(nb, folder):
    path = Path(folder, "00_small.ipynb")
    path.write_text(nbformat.writes(nb) + "\n", encoding="utf-8", newline="\n")
    return list(faults(path))


def test_the_small_notebook_has_no_fault(tmp_path):
    assert faults_of(lesson(), tmp_path) == []


@pytest.mark.parametrize("how", SPOILINGS)
@pytest.mark.filterwarnings("ignore::nbformat.warnings.DuplicateCellId")
def test_a_spoiled_notebook_has_a_fault(how, tmp_path):
    spoil, fault = SPOILINGS[how]
    nb = lesson()
    spoil(nb)
    assert any(fault in it for it in faults_of(nb, tmp_path))


def test_a_file_without_its_last_newline_has_a_fault(tmp_path):
    path = tmp_path / "00_small.ipynb"
    path.write_text(nbformat.writes(lesson()), encoding="utf-8", newline="\n")
    assert list(faults(path)) == ["the file is not as `course.py refresh` writes it"]
