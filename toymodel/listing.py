"""The code that a lesson talks about, shown in the lesson."""

import inspect
from textwrap import dedent

from .language import _
from .quoted import fence_around


class Source(str):
    """A piece of Python that a notebook shows highlighted, in its own theme's colours."""

    def _repr_markdown_(self):
        fence = fence_around(self, least=3)
        return f"{fence}python\n{self}\n{fence}"

    def __repr__(self):
        return str(self)


def source(thing):
    """The source of a function or an operation of the course: source(tm.attention). ValueError for what has none."""
    try:
        return Source(dedent(inspect.getsource(thing)).rstrip())
    except (OSError, TypeError):
        raise ValueError(
            _("{thing!r} is no function of the course: try tm.source(tm.attention).", thing=thing)
        ) from None
