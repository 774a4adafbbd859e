"""The tree of likely continuations."""

from typing import NamedTuple

from ..language import _
from .generation import by_likelihood, is_over

MOST_ENDS = 5_000  # a second's work


class Branch(NamedTuple):
    """A continuation: its last token, that token's probability, the product of all so far, and what may follow it."""

    token: str
    p: float
    product: float
    branches: list


def grown(trace, width, depth):
    """The tree after a run, as `tree` describes it. Raises ValueError where it could have too many ends."""
    ends = min(width, len(trace.vocab)) ** min(depth, trace.model.n_ctx + 1 - trace.length)
    if ends > MOST_ENDS:
        raise ValueError(_("this tree could have {n:,} ends; {most:,} are allowed.", n=ends, most=MOST_ENDS))
    return _branches(trace, width, depth, 1.0)


def _branches(trace, width, depth, before):
    p, found = trace["probs"][-1], []
    for i in map(int, by_likelihood(trace["logits"][-1])[:width]):
        product, token = float(before * p[i]), trace.vocab[i]
        goes_on = depth > 1 and not is_over(trace, token)
        further = _branches(trace.again([*trace.ids, i]), width, depth - 1, product) if goes_on else []
        found.append(Branch(token, float(p[i]), product, further))
    return found


def paths(branches, before=()):
    """The way to each end of a tree, a tuple of Branches: the greedy one first, and so on from branch to branch."""
    for it in branches:
        path = (*before, it)
        yield from paths(it.branches, path) if it.branches else [path]


def likeliest_first(found):
    """Paths by the product on the way, the largest first; on ties in the order of the tree."""
    return sorted(found, key=lambda path: -round(path[-1].product, 9))
