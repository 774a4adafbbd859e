"""The tree of likely continuations."""

from typing import NamedTuple

from ..core.arguments import checked_count
from ..language import _
from ..models.sizes import TOY
from ..models.toy import encode, run_ids
from .generation import END, by_likelihood

MOST_ENDS = 5_000  # a second's work


class Branch(NamedTuple):
    """A continuation: its last token, that token's probability, the product of all so far, and what may follow it."""

    token: str
    p: float
    product: float
    branches: list


def tree(text, width=3, depth=3, n_heads=2, causal=True, temperature=1.0, weights=None):
    """The `width` likeliest next tokens, for each of them those that may follow, `depth` tokens deep: [Branch, ...].

    A branch ends at `<eot>`, and where the context is full. Raises ValueError as `run` does, and for a tree that could
    have more than 5,000 ends.
    """
    width, depth = checked_count("width", width), checked_count("depth", depth)
    first = run_ids(encode(text), n_heads, causal, temperature, weights)
    ends = min(width, TOY.d_vocab) ** min(depth, TOY.n_ctx + 1 - first.length)
    if ends > MOST_ENDS:
        raise ValueError(_("this tree could have {n:,} ends; {most:,} are allowed.", n=ends, most=MOST_ENDS))
    return _branches(first, width, depth, 1.0)


def _branches(trace, width, depth, before):
    p, found = trace["probs"][-1], []
    for i in by_likelihood(trace["logits"][-1])[:width]:
        product, further = float(before * p[i]), []
        if depth > 1 and trace.vocab[i] != END and trace.length < TOY.n_ctx:
            longer = run_ids([*trace.ids, int(i)], **trace.settings, weights=trace.weights)
            further = _branches(longer, width, depth - 1, product)
        found.append(Branch(trace.vocab[i], float(p[i]), product, further))
    return found


def paths(branches, before=()):
    """The way to each end of a tree, a tuple of Branches: the greedy one first, and so on from branch to branch."""
    for it in branches:
        path = (*before, it)
        yield from paths(it.branches, path) if it.branches else [path]


def likeliest_first(found):
    """Paths by the product on the way, the largest first; on ties in the order of the tree."""
    return sorted(found, key=lambda path: -round(path[-1].product, 9))
