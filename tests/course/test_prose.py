"""The prose check finds what no output shows, and lets pass what it should."""

import nbformat.v4 as v4
import pytest
from prose import CONSTANTS, PLOTLY, unshown


def notebook(*cells):
    """A str is a Markdown cell, a dict the data of a code cell's output."""
    nb = v4.new_notebook()
    for it in cells:
        if isinstance(it, str):
            nb.cells.append(v4.new_markdown_cell(it))
        else:
            nb.cells.append(v4.new_code_cell("...", outputs=[v4.new_output("display_data", it)]))
    return nb


def found(*cells):
    return [it.number for it in unshown(notebook(*cells))]


def text(shown):
    return {"text/plain": shown}


@pytest.mark.parametrize(
    ("prose", "shown"),
    [
        ("p is 0.395.", "p 0.395"),
        ("It is 3.000.", "3 and 3.000"),
        ("p is 0.4, or 0.40, or 39.5 %, or 39.5%, or 39.5 percent.", "0.395"),
        ("**94 %** of it, *0.940*, _0.94_, (0.94), “0.94”, p=0.94", "0.940"),
        ("It is −0.5, or -0.5, or –0.5.", "-0.500"),
        ("It is -0.5.", "−0.500"),
        ("It is +0.5, ±0.5, 0.5.", "0.500"),
        ("It is minus 0.5; n − 1, minus 1.", "-0.500  1"),
        ("A tie: 0.12 or 0.13.", "0.125"),
        ("The 5-token text, tokens 1-3 and 1–3.", "5 1 3"),
        ("1,024 of 50,257.5 tokens", "1024 50257.500"),
        ("1024 tokens", "1,024"),
        ("38.6 M, 39 M, 124 million, 786 k", "38.6 M 124.3 M 786 k"),
        ("38.6 M", "38597376"),
        ("0.00001, or 1e-5", "1e-05"),
        ("Exactly 2.", "2.000"),
        ("d[4,2] is at 4 and 2", "d[4,2]"),
        ("Two, twelve, none.", ""),
        ("GPT-2, GPT‑2, float64, W_2, blocks.0.attn, Python 3.11.2", ""),
        ("Since 2017 (Radford et al. 2019), as in section 3.2, pp. 3–7 of [12], arXiv:1706.03762", ""),
        ("[here](https://example.org/7/8.html), https://example.org/9", ""),
        ("Lesson 7, step 3, lessons 7 and 10, steps 1-3, question 4", ""),
        ("1 Tokens → **2 Embeddings** → [3 Attention](03_attention.ipynb)", ""),
        ("1. One\n2. Two\n   10) Ten\n\n**3. Three** (1) a (2) b", ""),
        ("$x = 0.3$ and $$y = 7\n+ 8$$", ""),
        ("`0.3` and ``a ` 4``\n```python\nx = 5\n```\n~~~\n6\n~~~", ""),
        ('<h2>Two</h2> <img src="a.png" width="300" alt="a roof"> &#8594; <!-- 7 --> <span style="x:3">', ""),
        *[(constant, "") for constant in CONSTANTS],
    ],
)
def test_these_agree(prose, shown):
    assert found(f"## Here\n\n{prose}", text(shown)) == []


@pytest.mark.parametrize(
    ("prose", "shown", "numbers"),
    [
        ("p is 0.396.", "0.395", ["0.396"]),
        ("p is 0.3950.", "0.395", ["0.3950"]),
        ("p is .5", "5", [".5"]),
        ("2 and 3", "2.400 3.000", ["2"]),
        ("0.5 and −0.6", "-0.500 0.600", ["0.5", "−0.6"]),
        ("minus 0.5", "0.400", ["0.5"]),
        ("39.6 %, 39 M, 1,025", "0.395 38.4 M 1024", ["39.6%", "39M", "1,025"]),
        ("10 times, 3x, 2nd, 4th, n−5, 6-token", "", ["10", "3", "2", "4", "5", "6"]),
        ("2000 and 2048 are no years, 0.2017 is none", "", ["2000", "2048", "0.2017"]),
        ("100 steps of 3 lessons; the figure 0.395, p 0.4", "", ["100", "3", "0.395", "0.4"]),
        ("| a | 7 |\n|---|---|\n| b | 0.25 |", "", ["7", "0.25"]),
        ("![a roof at 0.3](roof.png 'and 4') <img alt='5 cats'>", "", ["0.3", "4", "5"]),
        ("-  3 cats\n* 4 dogs\n1. 5 roofs", "", ["3", "4", "5"]),
    ],
)
def test_these_do_not(prose, shown, numbers):
    assert found(f"## Here\n\n{prose}", text(shown)) == numbers


@pytest.mark.parametrize(
    "data",
    [
        {"text/html": "<style>td {width: 9px}</style><table><tr><td>-0.500</td><td>0.395</td></tr></table>"},
        {"text/latex": r"$\begin{aligned}z &= -0.500 \\[9pt]&= \frac{0.395}{8}\end{aligned}$"},
        {"image/svg+xml": '<svg width="9"><text x="9">-0.500</text><text>0.395</text></svg>'},
        {PLOTLY: {"data": [{"y": [-0.5, 0.395], "marker": {"size": 9}}], "layout": {"template": {"x": 9}}}},
        {PLOTLY: {"data": [{"z": [[-0.5], [None]], "text": ["p 0.395"]}], "layout": {"width": 9}}},
        {PLOTLY: {"data": [], "layout": {"annotations": [{"x": 9, "text": "-0.500 and 0.395"}]}}},
    ],
)
def test_every_kind_of_output_is_read_but_for_its_style(data):
    assert found("−0.50 and 0.395, not 9", data) == ["9"]


def test_a_printed_line_is_read():
    nb = notebook("0.395 and 0.396")
    nb.cells.append(v4.new_code_cell("...", outputs=[v4.new_output("stream", text="p = 0.395\n")]))
    assert [it.number for it in unshown(nb)] == ["0.396"]


def test_the_titles_of_figures_are_prose():
    layout = {"title": {"text": "At <b>0.3</b>", "x": 7}, "xaxis": {"title": {"text": "of 12"}, "range": [0, 8]}}
    assert found({PLOTLY: {"data": [{"y": [12]}], "layout": layout}}) == ["0.3"]


def test_a_number_is_looked_for_under_its_own_heading():
    assert found("## A\n7", text("8"), "## B\n8", text("7")) == ["7", "8"]
    assert found("## A", text("7"), "seven is 7\n\n## B\n8", text("8")) == []
    assert found("## A", "6 and 7", "### A1", text("6"), "## B", text("7")) == ["7"]
    assert found("## A", text("6"), "### A1\n6", text("7")) == ["6"]
    assert found("# Title\n6 and 7 and 8", "## A", text("6"), "# Title", text("7")) == ["7", "8"]
    assert found("6, 7, 8", text("6"), "# Title", text("7")) == ["8"]
    assert found("## Of 7", text("6"), "```\n# no heading\n```\n6") == ["7"]


def test_the_sentence_is_named():
    (it,) = unshown(notebook("# Title", "All is well, e.g. here. Then p is 0.395, *or so.* And on.\nA line."))
    assert it == (1, "0.395", "Then p is 0.395, *or so.*")
    assert str(it) == "cell 1: no output under this heading shows the 0.395 of “Then p is 0.395, *or so.*”"
