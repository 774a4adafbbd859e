"""Choosing the next token, and the loop that writes."""

import numpy as np

from ..core.arguments import checked_count, finite
from ..core.array import path_to
from ..core.moves import causal_mask
from ..core.ops import softmax
from ..core.trace import require_model
from ..language import _
from ..shown import without_last_bits
from ..text.tokenizer import token_id


def extend(trace, token):
    """Read one more token after a run: a Trace of one row, that of `token`.

    The keys and values of the tokens before are not worked out again: they are those of `trace` (a key-value cache).
    Raises ValueError without the causal mask, after steps set by hand, for what is no token, and where the context is
    full.
    """
    require_model(trace)
    if trace.replaced:
        raise ValueError(_("a run with steps set by hand cannot be extended: they would be missing in the new row."))
    require_causal(trace)
    rows = {key: trace[key] for key in trace if key.endswith((".k", ".v"))}
    if not rows:
        raise ValueError(_("a cache needs keys and values, and this model has none."))
    ids, kept = [token_id(token, trace.vocab)], ([*trace.earlier, *trace.tokens], rows)
    return trace.model.run(ids, weights=trace.leaves, kept=kept, **trace.settings)


def require_causal(trace):
    """Raise ValueError for a run without the causal mask."""
    patterns = [it for it in path_to(trace.array("logits")) if it.op is softmax and not reads_another_text(trace, it)]
    if not all(it.inputs[0].op is causal_mask for it in patterns):
        raise ValueError(_("a cache needs the causal mask: without it, earlier rows change with each new token."))


def reads_another_text(trace, pattern):
    """Whether the keys are those of a text that is read besides, and stays as it is."""
    return bool(pattern.name) and trace.about(pattern.name).axes[-1] in trace.texts


def is_over(trace, token):
    """Whether nothing comes after this token: it is the end, or the context is full."""
    return token == trace.model.end or trace.length == trace.model.n_ctx


def write_on(trace, draw, top_k=None, top_p=None, cache=False):
    """Choose a token, read it, and so on to the end or a full context: yields Traces."""
    while True:
        chosen = next_id(trace, draw, top_k, top_p)
        trace.chosen = trace.vocab[chosen]
        yield trace
        if is_over(trace, trace.chosen):
            return
        trace = extend(trace, trace.chosen) if cache else trace.again([*trace.ids, chosen])


def next_probs(trace, top_k=None, top_p=None):
    """The probabilities that the token after the last position is drawn from: (d_vocab).

    `top_k` keeps that many of the likeliest (Fan et al. 2018), `top_p` the fewest of these whose probabilities reach
    that sum (Holtzman et al. 2020); those kept share the whole. On ties the lower id is the likelier. At temperature 0
    one token has it all. Raises ValueError for a cut that cannot be, and for probabilities that were set by hand.
    """
    require_model(trace)
    top_p = _checked_top(top_k, top_p)
    if trace.array("probs").op is not softmax:
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


def _checked_top(top_k, top_p):
    """top_p as a float, or None."""
    if top_k is not None:
        checked_count("top_k", top_k)
    if top_p is not None and not 0 < (finite(top_p) or 0) <= 1:
        raise ValueError(_("top_p must be a number above 0 and up to 1, or None for all tokens, not {it!r}.", it=top_p))
    return None if top_p is None else float(top_p)


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
