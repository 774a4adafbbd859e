"""What a reader gave, quoted: little of it, in one line, whatever it is."""

import numpy as np
import pytest

import toymodel as tm
from toymodel.language import _, plural
from toymodel.quoted import in_latex, in_markdown, listed, quoted, short


class Unspeakable:
    def __repr__(self):
        raise RuntimeError("not now")


def nested(depth):
    return [nested(depth - 1)] if depth else []


QUOTED = {
    "a word": ("gato", "'gato'"),
    "nothing": (None, "None"),
    "40 symbols": ("x" * 38, f"'{'x' * 38}'"),
    "41 symbols": ("x" * 39, f"'{'x' * 39}…"),
    "a million numbers": (list(range(10**6)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1…"),
    "an array, in one line": (np.eye(2), "array([[1., 0.], [0., 1.]])"),
    "more digits than Python writes": (10**5000, "<int>"),
    "deeper than Python writes": (nested(900), "[" * 40 + "…"),
    "what cannot be written": (Unspeakable(), "<Unspeakable>"),
}


@pytest.mark.parametrize("what", QUOTED)
def test_a_little_of_what_was_given_is_quoted_in_one_line(what):
    it, written = QUOTED[what]
    assert quoted(it) == written
    assert _("{it!r} is none.", it=it) == plural("{it!r} is none.", "", 1, it=it) == f"{written} is none."


def test_a_text_is_quoted_as_it_is_with_what_is_invisible_made_visible():
    assert _("{it!s}, not {n:,}: {it}", it="a\u200b  b" + "c" * 90, n=1000) == (
        rf"a\u200b  b{'c' * 35}…, not 1,000: a" + "\u200b  b" + "c" * 90
    )
    assert short("a\tb") == r"a\u0009b"


def test_of_many_words_as_many_are_listed_as_fit():
    assert listed(["o", "␣no"]) == "o ␣no"
    assert listed(["no"] * 1000) == "no " * 133 + "…"
    assert listed(["gato", "cao"], most=6) == "gato …"


def test_a_token_is_quoted_in_short_and_so_are_the_tokens_there_are():
    with pytest.raises(ValueError, match=r"^'é{39}… is no token\. Known tokens") as refused:
        tm.extend(tm.run("o"), "é" * 20_000)
    assert len(str(refused.value)) < 200
    bpe = tm.train_bpe("".join(map(chr, range(0x4E00, 0x5E00))), 0)
    with pytest.raises(ValueError, match="the corpus has no `x`") as refused:
        bpe.encode("x")
    assert len(str(refused.value)) < 600


def test_a_step_that_is_none_is_quoted_in_short():
    for ask in (lambda name: tm.run("o")[name], lambda name: tm.run("o", replace={name: 0})):
        with pytest.raises(tm.UnknownStep, match=r"^There is no step `é{40}…`\. t\.keys\(\) lists the steps\.$"):
            ask("é" * 20_000)
    with pytest.raises(ValueError, match=r"^`é{40}…` cannot stand in for `probs`"):
        tm.run("o", replace={"probs": "é" * 20_000})
    with pytest.raises(ValueError, match=r"^\(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12…\) is no such place"):
        tm.explain(tm.run("o"), "logits", tuple(range(10**6)))


# ---- what acts in LaTeX, HTML and Markdown: tests/browser/test_names.py sees it on the screen

# A name, and how it is written in LaTeX and in Markdown.
WRITTEN = {
    "␣gato": ("␣gato", "`␣gato`"),
    "50% off": (r"50\% off", "`50% off`"),
    "c_d": (r"c\_d", "`c_d`"),
    "$a$ & {b}": (r"\$a\$ \& \{b\}", "`$a$ & {b}`"),
    "~ ^ #": (r"\~{} \^{} \#", "`~ ^ #`"),
    r"\frac": (r"$\backslash$frac", r"`\frac`"),
    "a`b``c": ("a`b``c", "```a`b``c```"),
    "`": ("`", "`` ` ``"),
    "**a**": ("**a**", "`**a**`"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_name_stays_as_it_is_in_latex_and_markdown(name):
    assert (in_latex(name), in_markdown(name)) == WRITTEN[name]


@pytest.mark.parametrize("name", WRITTEN)
def test_it_does_so_in_a_written_out_sum_and_in_a_reply(name):
    c = tm.cosines({name: [1, 1], "x": [1, 0]})
    latex, markdown = WRITTEN[name]
    assert rf"&\textsf{{cosines: vector {latex}, other x}} \\" in tm.explain(c, "cosines", (0, 1)).latex
    reply = tm.check("attention.score", [name])
    assert f"**I cannot read this answer.** {markdown} is not a number." in reply
    answer = type(name, (), {})()
    assert f"it is of the type {markdown}." in tm.check("attention.score", answer)


def test_line_ends_in_an_answer_make_no_paragraph_of_the_reply():
    assert r"`a\u000a\u000a# b` is not a number." in tm.check("attention.score", ["a\n\n# b"])


def test_code_that_holds_a_piece_of_markdown_stays_one_piece():
    source = tm.source(test_code_that_holds_a_piece_of_markdown_stays_one_piece)
    fence = "`" * 4
    assert source._repr_markdown_() == f"{fence}python\n{source}\n{fence}"
    """This docstring has ``` in it."""


def test_a_table_stays_as_it_is_where_mathjax_would_typeset_it():
    c = tm.cosines({"$a$": [1, 1], "<b>": [1, 0]})
    html = tm.table(c, "cosines")._repr_html_()
    assert '<table border="1" class="dataframe tex2jax_ignore mathjax_ignore">' in html  # MathJax 2, and 3 and 4
    assert html.count("<th>$a$</th>") == html.count("<th>&lt;b&gt;</th>") == 2
