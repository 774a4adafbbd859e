"""What a control may hold, as types of traits that are sent to the browser; anything else is refused in a sentence."""

from numbers import Integral, Real

import traitlets
from traitlets import TraitError

from ...language import _

INFINITY = float("inf")


class Told:
    """For each type: its traits are sent to the browser, and a refusal names the trait and what it may be."""

    metadata = {"sync": True}  # noqa: RUF012 (each trait takes a copy)

    def error(self, obj, value, error=None, info=None):
        if self.name is None:  # the elements of a list: the list tells it
            super().error(obj, value, error, info)
        if error is not None:
            value, kind, *_types = error.args
            raise TraitError(_("in {name} each must be {kind}, not {it!r}.", name=self.name, kind=kind, it=value))
        raise TraitError(_("{name} must be {kind}, not {it!r}.", name=self.name, kind=self.info(), it=value))


class Text(Told, traitlets.Unicode):
    info_text = _("a text")


class Switch(Told, traitlets.Bool):
    info_text = _("True or False")


class Choice(Told, traitlets.Enum):
    def info(self):
        return _("one of {values}", values=", ".join(map(repr, self.values)))

    def validate(self, obj, value):
        if isinstance(value, bool):  # True == 1
            self.error(obj, value)
        return super().validate(obj, value)


class ChoiceOf(Told, traitlets.TraitType):
    """One of the values that the view's run has: `of(view)` lists them. It begins with `usual`, or else the first."""

    def __init__(self, of, usual):
        self.of, self.usual = of, usual
        super().__init__()

    def default(self, obj=None):
        values = list(self.of(obj))
        return self.usual if self.usual in values else values[0]

    def validate(self, obj, value):
        values = list(self.of(obj))
        if value not in values or isinstance(value, bool):
            kind = _("one of {values}", values=", ".join(map(repr, values)))
            raise TraitError(_("{name} must be {kind}, not {it!r}.", name=self.name, kind=kind, it=value))
        return values[values.index(value)]  # 2 for 2.0


class ListOf(Told, traitlets.List):
    info_text = _("a list")


class Whole(Told, traitlets.Int):
    """A whole number, from `min` to `max`. (True is none.)"""

    def info(self):
        return _("a whole number{bounds}", bounds=bounds(self.min, self.max))

    def validate(self, obj, value):
        if not is_within(value, Integral, self.min, self.max):
            self.error(obj, value)
        return int(value)


class Float(Told, traitlets.Float):
    """A number, from `min` to `max`."""

    def info(self):
        return _("a number{bounds}", bounds=bounds(self.min, self.max))

    def validate(self, obj, value):
        if not is_within(value, Real, self.min, self.max):
            self.error(obj, value)
        try:
            return float(value)
        except OverflowError:  # a whole number of more than 308 digits
            self.error(obj, value)


def is_within(value, kind, low, high):
    """Whether it is such a number between these bounds, where there are some. What is not finite, the views refuse."""
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    return is_number and not (low is not None and value < low) and not (high is not None and value > high)


def bounds(low, high):
    """Words for them: nothing where there are none."""
    if low in (None, -INFINITY):
        return ""
    return _(" from {low} up", low=low) if high in (None, INFINITY) else _(" from {low} to {high}", low=low, high=high)
