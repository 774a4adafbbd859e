"""How the names model learns: Adam, one name a step."""

from itertools import islice, pairwise

from ..core.arguments import checked_choice, checked_count, dice
from ..language import _
from ..models.names import Weights, drawn, model_of
from ..text.names import END, characters, checked_names
from .optimizers import adam
from .training import Progress, learn, loss_for

MOST_STEPS = 20_000  # some twenty seconds' work
RATE, BETAS = 0.01, (0.85, 0.99)


def train(documents, steps=1000, seed=0, weights=None, shuffle=True):
    """Learn to write some names: yields a Progress after each step.

    `documents` are texts of at most 15 characters, in any alphabet of up to 500. A step reads one: they are shuffled
    once, or else (shuffle=False) come in their order, and begin anew when all were read. `loss` is the mean of
    -ln p(next) over that name's letters and its end, before the step. The rate falls in a line from 0.01; after the
    last step it would be 0. `weights` are those to begin with, in place of random ones: what `load` or another training
    gave. Raises ValueError for what cannot be learned from, before the first step.
    """
    records = from_the_start(documents, steps, seed, weights, shuffle)
    return (after._replace(loss=before.loss) for before, after in pairwise(records))


def from_the_start(documents, steps=1000, seed=0, weights=None, shuffle=True):
    """The same, but a Progress before the first step, too; `loss` is the one that the next step goes against."""
    steps, draw = checked_count("steps", steps, MOST_STEPS), dice(seed)
    shuffle, names = checked_choice("shuffle", shuffle, (True, False)), checked_names(documents)
    if weights is None:
        weights = drawn(draw, (*characters(names), END))
    model = model_of(weights)
    losses = [loss_for(model, to_read(model, name)) for name in names]
    if shuffle:
        losses = [losses[i] for i in draw.permutation(len(losses))]
    return _records(
        islice(learn(losses, model.weights, adam(*BETAS), lambda n: rate(n, steps)), steps + 1), model.vocab
    )


def rate(n, steps):
    """The learning rate of step n, counted from 1."""
    return RATE * (1 - (n - 1) / steps)


def to_read(model, name):
    """The ids of a name, the end before it. Raises ValueError for one that is too long, and for unknown characters."""
    ids = model.encode(name)
    if len(ids) > model.n_ctx:
        n, most = len(ids) - 1, model.n_ctx - 1
        raise ValueError(_("`{name!s}` has {n} characters; a name can have {most} at most.", name=name, n=n, most=most))
    return ids


def _records(learning, vocab):
    for n, loss, leaves in learning:
        yield Progress(n, float(loss.value), Weights({name: it.value.copy() for name, it in leaves.items()}, vocab))
