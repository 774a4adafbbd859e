"""A small model that learns names: `tm.names.train(tm.names.documents)`, then `tm.names.samples()`.

`documents` are the names that it learns from: the first names of the 1990 US census, in small letters.
"""

from .core.arguments import checked_count, dice
from .learning.loading import load
from .learning.names import to_read, train
from .models.names import model_of, stored
from .text.names import NAMES, read
from .writing.generation import write_on

__all__ = ["documents", "load", "model_of", "read", "run", "samples", "train", "weights"]

MOST_SAMPLES = 1000

documents = list(NAMES)


def run(text="", weights=None, replace=None, temperature=1.0):
    """Read the end's sign, then `text`: a Trace, whose last row says which letter comes next.

    Without weights, those that `train(documents)` leaves are used; a plain dict is taken for weights of the letters
    a to z. `replace` and `temperature` are as in
    `toymodel.run`. Raises ValueError with a sentence for unknown characters, and for more than 15.
    """
    model = model_of(weights)
    return model.run(to_read(model, text), replace=replace, temperature=temperature)


def samples(n=10, weights=None, temperature=0.5, seed=0):
    """Names that it makes up, each until it chooses the end, or 16 characters: a list of n texts.

    At temperature 0 it always takes the likeliest letter. Raises ValueError as `run` does, and for an n that is no
    whole number from 1 to 1,000.
    """
    n, draw = checked_count("n", n, MOST_SAMPLES), dice(seed)
    first = run("", weights, temperature=temperature)
    return [_written(first, draw) for _name in range(n)]


def _written(first, draw):
    end, letters = first.model.end, [t.chosen for t in write_on(first, draw, cache=True)]
    return first.model.decode([first.vocab.index(it) for it in letters if it != end])


def weights():
    """The weights that `train(documents)` leaves at its end; a fresh copy: name -> array."""
    return stored()
