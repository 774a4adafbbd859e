"""The questions of the lessons: a file for each lesson, and what later ones ask again; one function for each question.

`attention.score()` makes the Item of `tm.check("attention.score", ...)`. What is asked, the answer, and
where the usual mistakes lead are computed from the same numbers, so they cannot disagree.
"""

from collections.abc import Callable
from typing import NamedTuple


class Item(NamedTuple):
    """A question, its answer, and what to say to each reply. `answer` is a number, a word, numbers, or a list of ids.

    Of ids (a list of int) the reader is not told how many are asked.
    """

    question: str
    answer: object
    why: str  # said to a right answer
    mistakes: dict  # where a usual mistake leads: what to say -> the answer it gives, of the same form
    hints: tuple  # three sentences for any other answer, one after the other; the last works it out
    tolerance: float = 0.002
    probability: bool = False  # whether the answer is one: then a number that cannot be is told so
    weigh: Callable | None = None  # what to say to a number that no list of mistakes can name, or "": for a hunt


def in_a_row(them):
    """Numbers or words as one says them, numbers with three decimals where they have any: "0.909, -0.416"."""
    return ", ".join(f"{it:.3f}" if isinstance(it, float) else str(it) for it in them)
