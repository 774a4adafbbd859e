"""Numbers of the path by their places, [key, *index]: which there are, and which is picked when a reader moves on."""

import numpy as np

from ...core.arguments import is_index
from .path_steps import HOME, PATH_STEPS, PER_HEAD, columns_of


def is_place(t, place):
    """Whether there is such a number in this run, and a step that shows it."""
    return bool(place) and isinstance(place[0], str) and place[0] in HOME and is_index(t[place[0]], place[1:])


def first_pick(t, key, head, row):
    """The number of a step that is written out to begin with: the largest of the followed row."""
    place = [head, row] if t.about(key).axes[0] == "head" else [row]
    return [key, *place, int(np.argmax(np.nan_to_num(t[key][tuple(place)], neginf=-1e9)))]


def moved(t, place, opened, head, row):
    """The picked number after another step, head or row was chosen: in the same column, where that is like the old."""
    key, *index = place
    new = key if HOME[key] == opened else PATH_STEPS[opened].key
    axes = t.about(new).axes
    if axes != t.about(key).axes:
        return first_pick(t, new, head, row)
    if key in PER_HEAD:
        return [new, index[0], columns_of(t, head).start + index[1] % t["blocks.0.attn.q"].shape[2]]
    to = {"head": head, "pos": row, "query": row}
    return [new, *(to.get(axis, i) for axis, i in zip(axes, index, strict=True))]


def head_of(t, key, index, head):
    """The head that a number belongs to; where it belongs to none, `head`."""
    if key in PER_HEAD:
        return index[1] // t["blocks.0.attn.q"].shape[2]
    return index[0] if t.about(key).axes[0] == "head" else head
