"""What a reader types, as numbers: 0.5 or 0,5 or 1/2, with spaces between; a matrix has a line for each row."""

import math
import re

import numpy as np

from .language import _
from .quoted import in_markdown, short

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


class NoNumber(ValueError):
    """A text that is no number, or no finite one."""


def number(text):
    """A number as a float: "0,395" == "0.395", "-1/2" == -0.5. Raises NoNumber with the text that is none."""
    text = text.strip()
    in_code = in_markdown(short(text))  # for a Reply, which is Markdown
    parts = text.replace("−", "-").split("/")
    if len(parts) > 2 or not all(_NUMBER.fullmatch(part.strip()) for part in parts):
        raise NoNumber(_("{text} is not a number. Write 0.5 or 0,5 or 1/2, with spaces between.", text=in_code))
    top, below = [float(part.replace(",", ".")) for part in [*parts, "1"][:2]]
    if not below or not math.isfinite(top / below):
        raise NoNumber(_("{text} is not a finite number.", text=in_code))
    return top / below


def numbers(text):
    """A row of numbers as a list: "1 0,5 -2", "[1, 0.5, -2]", "1; 0,5; -2". Raises NoNumber.

    A comma inside a word is a decimal comma, except in brackets and beside a decimal point: there it separates.
    A semicolon always does.
    """
    if re.search(r"[][()]", text):
        text = re.sub(r"[\[\](),]", " ", text)
    words = re.split(r"[\s;]+|,(?=\s)", re.sub(r"\s*/\s*", "/", text))
    parts = [part for word in words for part in (word.split(",") if "." in word else [word.rstrip(",")])]
    return [number(part) for part in parts if part]


def matrix(text, what):
    """Lines of numbers as an array (row, column): "1 0\\n0 1", "1 0; 0 1", "[[1, 0], [0, 1]]". Raises ValueError.

    `what` names the matrix in a message.
    """
    in_brackets = re.search(r"[\])]\s*[,;]?\s*[\[(]", text)
    lines = re.split(r"[\])]", text.replace("\n", " ")) if in_brackets else re.split(r"[\n;]", text)
    try:
        rows = [row for row in map(numbers, lines) if row]
    except ValueError as error:
        raise ValueError(_("{what}: {error}", what=what, error=error)) from None
    if not rows:
        raise ValueError(_("{what} is empty: write a line of numbers for each row.", what=what))
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(
                _("{what}: row 0 is {n} long, row {i} is {m} long.", what=what, n=len(rows[0]), i=i, m=len(row))
            )
    return np.array(rows)


def written(array):
    """A matrix as it would be typed: "1 0.5\\n0 1"."""
    return "\n".join(" ".join(repr(x).removesuffix(".0") for x in row) for row in np.asarray(array, float).tolist())
