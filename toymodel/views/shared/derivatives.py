"""What the views of lesson 6 share: a table of derivatives to draw and to pick from, and the choice of a rate."""

import numpy as np

from ...language import _
from ...learning.optimizers import OPTIMIZERS
from ...shown import shown_small
from .grids import step_grid
from .runs import RunView
from .traits import Choice, ChoiceOf, Float
from .view import View, within

RATES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
OPTIMIZER_NAMES = ["SGD", "Adam"]


class Judged(RunView):
    """The base of a view of a loss: -ln p of the token `target` at the last position."""

    target = ChoiceOf(lambda view: view.base.vocab, "␣telhado")


class Learning(View):
    """The base of a view that learns: how far it moves the weights in a step, and in which way."""

    learning_rate = Float(0.1, min=0)
    optimizer = Choice(OPTIMIZERS, "sgd")

    def words(self):
        return {"learning_rate": _("Learning rate"), "optimizer": _("Optimizer")}

    def choices(self):
        """What there is to choose from, and the rate as it is shown."""
        rate = f"{self.learning_rate:.12g}"
        return {"rates": RATES, "rate": rate, "optimizers": list(OPTIMIZERS), "optimizer_names": OPTIMIZER_NAMES}


def within_shape(index, shape):
    """The nearest index in an array of this shape, as a list: 0 along an axis that `index` says nothing of."""
    given = [*index, *[0] * len(shape)]
    return [within(i, n) for i, n in zip(given, shape, strict=False)]


def upright(source, key, head=None, name=None, caption=(), **more):
    """A step or weight as a grid: a wide one stands upright, so that it needs less room, and says so."""
    symbol, *others = caption or [source.about(key).symbol]
    if head is not None:
        others = [_("head {head}", head=head), *others]
    shape = source[key].shape[-2:]
    is_wide = shape[1] > shape[0]
    caption = [symbol + "ᵀ" if is_wide else symbol, *others]
    return step_grid(source, key, head, name, caption, transposed=is_wide, **more)


def derivative_grid(g, key, head=None, caption=()):
    """The derivatives of a step or weight, to be picked: an exact 0 is written 0, a small number 0.000337."""
    caption = ["∂" + g.about(key).symbol, *caption]
    made = upright(g, key, head, "derivatives" if head is None else f"derivatives {head}", caption, pickable=True)
    derivatives = g[key] if head is None else g[key][head]
    derivatives = derivatives.T if made["transposed"] else derivatives
    for row, numbers in zip(made["rows"], derivatives, strict=True):
        row["cells"] = list(map(shown_small, numbers))
    return made


def place_of_largest(array):
    """The index of the largest size in an array; of some that differ in their last bits only, the first."""
    return [int(i) for i in np.unravel_index(np.argmax(np.abs(array).round(9)), array.shape)]
