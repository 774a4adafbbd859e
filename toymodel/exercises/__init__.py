"""The questions at the end of a lesson: one file for each lesson, one function for each question.

`attention.score()` makes the Item of `tm.check("attention.score", ...)`. What is asked, the answer, and
where the usual mistakes lead are computed from the same numbers, so they cannot disagree.
"""

from typing import NamedTuple


class Item(NamedTuple):
    """A question, its answer, and what to say to each reply. `answer` is a number, a word, numbers, or a list of ids.

    Of ids (a list of int) the reader is not told how many are asked.
    """

    question: str
    answer: object
    why: str  # said to a right answer
    mistakes: dict  # where a usual mistake leads: what to say -> the answer it gives, of the same form
    hints: tuple  # two sentences for any other answer: the first time, and from then on
    tolerance: float = 0.002
    probability: bool = False  # whether the answer is one: then a number that cannot be is told so
