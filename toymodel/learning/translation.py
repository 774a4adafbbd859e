"""How the encoder-decoder learns to translate: AdamW, one pair after the other."""

from collections import deque
from itertools import islice

import numpy as np

from ..core.arguments import checked_count, dice, finite
from ..language import _
from ..models.encoder_decoder import TRANSLATOR, drawn, shapes
from ..text.pairs import checked_pairs
from .optimizers import adam
from .training import Progress, learn, loss_for

MOST_STEPS = 20_000  # half a minute's work
RATE, WARM_UP, BETAS = 0.005, 100, (0.9, 0.99)


def train(pairs, steps=1500, seed=0, weight_decay=0.5):
    """Learn to translate some pairs from random weights: yields a Progress before the first step and after each.

    A step reads one pair, each once a round, in an order that is drawn for the round. `loss` is the mean over the last
    as many losses as there are pairs, each that of a pair before its step. `weight_decay` (from 0 up) times the rate is
    the share that every number of a matrix loses in a step. The rate rises to 0.005 in 100 steps, and falls in a line
    from there: after the last step it would be 0. (With 100 steps or fewer, it only rises.) Raises ValueError for what
    cannot be learned from, before the first step.
    """
    steps, decay = checked_count("steps", steps, MOST_STEPS), finite(weight_decay)
    if decay is None or decay < 0:
        raise ValueError(_("weight_decay must be a finite number from 0 up, not {it!r}.", it=weight_decay))
    pairs, draw = checked_pairs(pairs), dice(seed)
    losses = [loss_for(TRANSLATOR, TRANSLATOR.encode(target), source=source) for source, target in pairs]
    weights = drawn(draw, shapes(len(TRANSLATOR.vocab)))
    rounds = 1 + steps // len(losses)
    order = [losses[i] for _round in range(rounds) for i in draw.permutation(len(losses))]
    decays = np.concatenate([np.full(w.size, decay * (w.ndim == 2)) for w in weights.values()])
    learning = learn(order, weights, adam(*BETAS, decays), lambda n: rate(n, steps), _("try a smaller weight_decay"))
    return _with_means(islice(learning, steps + 1), len(losses))


def rate(n, steps):
    """The learning rate of step n, counted from 1."""
    return RATE * min(n / WARM_UP, (steps + 1 - n) / max(1, steps - WARM_UP), 1)


def _with_means(learning, a_round):
    last = deque(maxlen=a_round)
    for n, loss, leaves in learning:
        last.append(float(loss.value))
        yield Progress(n, sum(last) / len(last), {name: it.value.copy() for name, it in leaves.items()})
