"""What a reader gave, quoted: little of it, in one line, whatever it is."""

import numpy as np
import pytest

import toymodel as tm
from toymodel.language import _, plural
from toymodel.quoted import listed, quoted, short


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
