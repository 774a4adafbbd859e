"""Choosing the next token, and the loop that writes."""

import numpy as np

from ..core.arguments import checked_count, dice, finite
from ..core.ops import given
from ..core.trace import require_trace
from ..language import _
from ..models.sizes import TOY
from ..models.toy import encode, extend, require_causal, run_ids
from ..shown import without_last_bits

END = "<eot>"


def generate(text, temperature=0.0, seed=0, n_heads=2, causal=True, weights=None, top_k=None, top_p=None, cache=False):
    """Let the toy go on with `text`, one token at a time: yields the Trace that each new token was chosen from.

    `trace.chosen` is the new token; the next Trace has it at its end. Stops after choosing `<eot>`, or when the context
    is full. Temperature 0 is greedy (the most likely token, the lowest id on ties); above, tokens are drawn from
    `next_probs(trace, top_k, top_p)`, the same ones for the same seed. With `cache` each Trace after the first has one
    row, that of the new token (see `extend`). Raises ValueError as `run` does, before the first token.
    """
    first = run_ids(encode(text), n_heads, causal, temperature, weights)
    next_probs(first, top_k, top_p)
    if cache:
        require_causal(first)
    return write_on(first, dice(seed), top_k, top_p, cache)


def write_on(trace, draw, top_k=None, top_p=None, cache=False):
    """Choose a token, read it, and so on to `<eot>` or a full context: yields Traces."""
    while True:
        chosen = next_id(trace, draw, top_k, top_p)
        trace.chosen = trace.vocab[chosen]
        yield trace
        if trace.chosen == END or trace.length == TOY.n_ctx:
            return
        if cache:
            trace = extend(trace, trace.chosen)
        else:
            trace = run_ids([*trace.ids, chosen], **trace.settings, weights=trace.weights)


def next_probs(trace, top_k=None, top_p=None):
    """The probabilities that the token after the last position is drawn from: (d_vocab).

    `top_k` keeps that many of the likeliest (Fan et al. 2018), `top_p` the fewest of these whose probabilities reach
    that sum (Holtzman et al. 2020); those kept share the whole. On ties the lower id is the likelier. At temperature 0
    one token has it all. Raises ValueError for a cut that cannot be, and for probabilities that were set by hand.
    """
    require_trace(trace)
    _check_top(top_k, top_p)
    if trace.array("probs").op is given:
        raise ValueError(_("the probabilities were set by hand: set the logits, of which they are made."))
    if trace.settings["temperature"] == 0:
        top_k = 1  # greedy, where several share the first place, too
    p, order = trace["probs"][-1], by_likelihood(trace["logits"][-1])
    if top_k is not None:
        p = _only(order[:top_k], p)
    if top_p is not None and top_p < 1:
        p = _only(order[: 1 + np.sum(p[order].cumsum() < top_p - 1e-12)], p)
    return p


def _only(ids, p):
    """The probabilities of these ids alone, made to sum to 1."""
    kept = np.zeros_like(p)
    kept[ids] = p[ids]
    return kept / kept.sum()


def _check_top(top_k, top_p):
    if top_k is not None:
        checked_count("top_k", top_k)
    if top_p is not None and not 0 < (finite(top_p) or 0) <= 1:
        raise ValueError(_("top_p must be a number above 0 and up to 1, or None for all tokens, not {it!r}.", it=top_p))


def next_id(trace, draw, top_k=None, top_p=None):
    """The id chosen after the last position: greedy at temperature 0, otherwise drawn."""
    if trace.settings["temperature"] == 0:
        return int(likeliest(trace["logits"][-1]))
    return int(drawn(next_probs(trace, top_k, top_p), draw.random_sample()))


def drawn(p, number):
    """The id that a number from 0 to 1 falls on, if each id has as much of that line as is probable; also of many."""
    edges = np.cumsum(p)
    return np.searchsorted(edges, number * edges[-1], side="right")


def by_likelihood(logits):
    """The ids of each row, the likeliest first, on ties the lowest: (..., d_vocab) -> (..., d_vocab).

    Logits that are the same to nine decimals are a tie, so that the last bits of a processor decide nothing.
    """
    return np.argsort(-without_last_bits(logits), axis=-1, kind="stable")


def likeliest(logits):
    """The id of each row's largest logit, the lowest on ties: (..., d_vocab) -> (...)."""
    return by_likelihood(logits)[..., 0]


def all_likeliest(numbers):
    """The ids of a row's largest logits or probabilities, the lowest first: on ties there are several (see above)."""
    rounded = without_last_bits(numbers)
    return np.flatnonzero(rounded == rounded.max())
