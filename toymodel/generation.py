"""Choosing the next token, and the loop that writes."""

from operator import index

import numpy as np

from .language import _
from .models.sizes import TOY
from .models.toy import encode, run_ids

END = "<eot>"


def generate(text, temperature=0.0, seed=0, n_heads=2, causal=True, weights=None):
    """Let the toy go on with `text`, one token at a time: yields the Trace that each new token was chosen from.

    `trace.chosen` is the new token; the next Trace has it at its end. Stops after choosing `<eot>`, or when the context
    is full. Temperature 0 is greedy (the most likely token, the lowest id on ties); above, tokens are drawn from the
    unrounded probabilities, the same ones for the same seed. Raises ValueError as `run` does, before the first token.
    """
    first = run_ids(encode(text), n_heads, causal, temperature, weights)
    try:
        draw = np.random.RandomState(index(seed))
    except (TypeError, ValueError):
        raise ValueError(_("seed must be a whole number from 0 up, not {it!r}.", it=seed)) from None
    return _write(first, draw)


def _write(trace, draw):
    while True:
        chosen = next_id(trace, draw)
        trace.chosen = trace.vocab[chosen]
        yield trace
        ids = [*trace.ids, chosen]
        if trace.chosen == END or len(ids) > TOY.n_ctx:
            return
        trace = run_ids(ids, **trace.settings, weights=trace.weights)


def next_id(trace, draw):
    """The id chosen after the last position: greedy at temperature 0, otherwise drawn from the probabilities."""
    if trace.settings["temperature"] == 0:
        return int(likeliest(trace["logits"][-1]))
    edges = np.cumsum(trace["probs"][-1])
    return int(np.searchsorted(edges, draw.random_sample() * edges[-1], side="right"))


def likeliest(logits):
    """The id of each row's largest logit, the lowest on ties: (..., d_vocab) -> (...).

    Logits nearer than 1e-9 count as a tie, so that the last bits of a processor decide nothing.
    """
    return np.round(logits, 9).argmax(-1)
