"""Questions on lessons 6 and 7, asked again at the beginning of lesson 9."""

import numpy as np

from ..language import _
from . import Item


def moved_logit():
    f, by = -1.2, 0.5
    return Item(
        _("The last row before W_U has the number {f} in place 2. The weight W_U[2,7] grows by {by}. By how much does "
          "logit 7 grow?", f=f, by=by),
        f * by,
        _("The logit is a sum of products, and this weight stands in one of them."),
        {
            _("Mind the sign: what the weight is multiplied by is below 0."): -f * by,
            _("Divide where you look for the weight's move. Here the weight moves, and is multiplied."): by / f,
            _("So far moves the weight. In the logit it is multiplied by the row's number."): by,
            _("That is the number of the row. By how much does its product grow?"): f,
        },
        (
            _("Write the logit as a sum of products. Which of them changes?"),
            _("That product is the row's number times the weight. Only the weight moves, by {by}.", by=by),
            _("({f}) × {by} = {answer:g}.", f=f, by=by, answer=f * by),
        ),
    )  # fmt: skip


def adam():
    weight, slope, rate = 0.4, -3.0, 0.05
    return Item(
        _("A weight is {weight}, the derivative of the loss by it {slope:g}. Where is it after Adam's first step, with "
          "a learning rate of {rate}?", weight=weight, slope=slope, rate=rate),
        weight + rate,
        _("A first step of Adam is as long as the rate, however steep the slope; only the sign of the slope counts."),
        {
            _("That is gradient descent. Adam divides the slope by its own size."): weight - rate * slope,
            _("That is with the slope: a step goes against it."): weight - rate,
            _("That is gradient descent, and with the slope."): weight + rate * slope,
            _("The slope is not 0, so the weight moves."): weight,
        },
        (
            _("In the first step m̂ is the slope, and v̂ its square. What is m̂ over the root of v̂?"),
            _("{slope:g} over the root of {square:g} is {sign:g}. The weight moves against it.", slope=slope,
              square=slope**2, sign=np.sign(slope)),
            _("{slope:g} / √{square:g} = {sign:g}, and {weight} - {rate} × ({sign:g}) = {answer:.2f}.", slope=slope,
              square=slope**2, sign=np.sign(slope), weight=weight, rate=rate, answer=weight + rate),
        ),
    )  # fmt: skip
