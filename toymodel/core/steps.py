"""What is said of a step or weight: its symbol, its axes, what it is; and which one a misspelt name may have meant."""

import re
from typing import NamedTuple

from ..language import _
from ..quoted import quoted


class Step(NamedTuple):
    symbol: str  # in formulas and written-out sums
    axes: tuple
    gloss: str  # one sentence
    aliases: str = ""  # other names, so that a question for one of them finds its way


LOSS = Step("L", (), _("-ln of the probability given to the right token."))


def under(place, steps):
    """A part's steps by their full names: under("blocks.0.attn", {"q": it}) is {"blocks.0.attn.q": it}."""
    return {f"{place}.{name}": step for name, step in steps.items()}


def without_words(key, n_axes):
    """The Step for what a model says nothing of: its name, which no other has, as symbol, and axes that are counted."""
    return Step(re.sub(r"[^\w.]", "", key) or "x", tuple(f"axis {k}" for k in range(n_axes)), "")


def derivative_of(step):
    """The Step for the derivative of the loss by each number of a step."""
    return step._replace(symbol="∂" + step.symbol, gloss=_("How the loss moves with each of these numbers."))


def near(name, known):
    """Up to three keys of known {key: Step} that `name` may have meant: by an alias, by the last part, by spelling."""
    from difflib import get_close_matches  # only needed for a message

    word = quoted(name, str).lower().replace("'", "′")  # the prime of u′ is easier to type as an apostrophe
    end = word.split(".")[-1]
    last = {key: key.lower().split(".")[-1] for key in known}
    other = {key: [step.symbol, *step.aliases.split(", ")] for key, step in known.items()}
    aliased = [key for key in known if word and word in map(str.lower, other[key])]
    ending = [key for key in known if last[key] == end]
    spelled = [key for part in get_close_matches(end, last.values()) for key in known if last[key] == part]
    return list(dict.fromkeys(aliased + ending + spelled))[:3]
