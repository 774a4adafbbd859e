"""Choosing the next token, and the loop that writes."""

import numpy as np

from .models.toy import checked_temperature, encode, run_ids
from .models.toy_weights import VOCAB


def generate(text, temperature=0.0, seed=0, n_heads=2, causal=True, weights=None):
    """Let the toy go on with `text`, one token at a time: yields the Trace that each new token was chosen from.

    `trace.chosen` is the new token; the next Trace has it at its end. Stops after choosing `<eot>`, or when the context
    is full. Temperature 0 is greedy (the most likely token, the lowest id on ties); above, tokens are drawn from the
    unrounded probabilities, the same ones for the same seed. Raises ValueError as `run` does, before the first token.
    """
    ids, temperature = encode(text), checked_temperature(temperature)
    first = run_ids(ids, n_heads, causal, temperature, weights)
    return _write(first, np.random.RandomState(seed), weights)


def _write(trace, draw, weights):
    while True:
        chosen = next_id(trace, draw)
        trace.chosen = VOCAB[chosen]
        yield trace
        ids = [*trace.ids, chosen]
        if trace.chosen == "<eot>" or len(ids) > len(trace.weights["W_pos"]):
            return
        trace = run_ids(ids, **trace.settings, weights=weights)


def next_id(trace, draw):
    """The id chosen after the last position: greedy at temperature 0, otherwise drawn from the probabilities."""
    if trace.settings["temperature"] == 0:
        return int(np.argmax(trace["logits"][-1]))  # argmax takes the first of equals
    edges = np.cumsum(trace["probs"][-1])
    return int(np.searchsorted(edges, draw.random_sample() * edges[-1], side="right"))
