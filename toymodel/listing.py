"""The code that a lesson talks about, shown in the lesson."""

import inspect


class Source(str):
    """A piece of Python that a notebook shows highlighted, in its own theme's colours."""

    def _repr_markdown_(self):
        return f"```python\n{self}\n```"

    def __repr__(self):
        return str(self)


def source(thing):
    """The source of a function or an operation of the course: source(tm.attention)."""
    return Source(inspect.getsource(thing).rstrip())
