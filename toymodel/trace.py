"""The recorder that a model is handed, and the Trace it leaves: every step of one run, by name."""

import numpy as np

from .language import _
from .ops import Aside, by_hand, given, identity, wired
from .steps import near


class UnknownStep(KeyError, ValueError):
    """A name that is no step and no weight of a run. The message suggests near ones."""

    def __init__(self, name, known):
        self.name, self.near = name, near(name, known)
        hint = _("Did you mean {near}?", near=", ".join(self.near)) if self.near else _("t.keys() lists the steps.")
        super().__init__(_("There is no step `{name}`. {hint}", name=name, hint=hint))

    def __str__(self):
        return self.args[0]  # a KeyError would show the repr


class Recorder:
    """Gives a model its weights, writes down its steps in order, and sets steps by hand.

    `step("q", array)` records a step, `step.weight("W_Q")` gives a weight, and `step.within("blocks.0.attn")` is the
    same recorder inside a part of the path, where names are relative to it.
    """

    def __init__(self, weights, replace=None):
        self.steps, self.weights, self.prefix = {}, {}, ""
        self.replace = dict(replace or {})
        for name, numbers in weights.items():
            self.weights[name] = given(numbers=numbers)
            self.weights[name].name = name

    def within(self, place):
        inner = object.__new__(Recorder)
        inner.__dict__.update(self.__dict__, prefix=f"{self.prefix}{place}.")
        return inner

    def weight(self, name):
        return self.weights[self.prefix + name]

    def __call__(self, name, array):
        key = self.prefix + name
        if key in self.steps:
            raise ValueError(f"the model recorded the step {key} twice")
        if key in self.replace:
            array = self._replaced(key, array)
        elif array.name:
            array = identity(array)
        array.name = key
        self.steps[key] = array
        return array

    def _replaced(self, key, array):
        """What `replace` puts in the place of a step: numbers, or an earlier step by its name."""
        new = self.replace[key]
        if issubclass(array.op, Aside):
            raise ValueError(_("`{key}` is an aside: no later step reads it, so it cannot be replaced.", key=key))
        if isinstance(new, str):
            if new not in self.steps:  # a later step is not there yet either
                raise UnknownStep(new, self.steps)
            if issubclass(self.steps[new].op, Aside):
                raise ValueError(_("`{new}` is an aside: it cannot stand in for another step.", new=new))
            replaced = wired(self.steps[new])
        else:
            allowed = key.endswith("masked_scores")
            replaced = by_hand(numbers=checked_numbers(new, f"replace[{key!r}]", minus_infinity=allowed))
        given, expected = replaced.value.shape, array.value.shape
        if given != expected:
            raise ValueError(
                _(
                    "replace[{key!r}] has the shape {given}; this step has {expected}.",
                    key=key,
                    given=given,
                    expected=expected,
                )
            )
        return replaced


def checked_numbers(values, what, minus_infinity=False):
    """A fresh float64 array of `values`; ValueError, naming `what`, for anything but finite numbers."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            _("{what} must be a rectangle of numbers (every row of the same length).", what=what)
        ) from None
    if not (np.isfinite(array) | (minus_infinity & np.isneginf(array))).all():
        raise ValueError(_("{what} must hold finite numbers only; it has a NaN or an infinity.", what=what))
    return array


class Trace:
    """One run of a model: `t[key]` is a read-only array, for each step and each weight.

    `tokens` and `ids` say what was read, `vocab` what could come next, `settings` how it was run (n_heads, causal,
    temperature), and `chosen` the token that generation went on with (None for a plain run).
    """

    def __init__(self, recorder, tokens, ids, vocab, settings):
        self.tokens, self.ids, self.vocab, self.settings, self.chosen = tokens, ids, vocab, settings, None
        self._recorder = recorder

    def keys(self):
        """The names of the steps, in the order of the path."""
        return list(self._recorder.steps)

    @property
    def weights(self):
        """The weights of this run: name -> read-only array."""
        return {name: self[name] for name in self._recorder.weights}

    def is_aside(self, key):
        return issubclass(self.array(key).op, Aside)

    def array(self, key):
        """The step or weight `key` with the operation behind it. Raises UnknownStep."""
        steps, weights = self._recorder.steps, self._recorder.weights
        try:
            return steps[key] if key in steps else weights[key]
        except (KeyError, TypeError):
            raise UnknownStep(key, [*steps, *weights]) from None

    def __getitem__(self, key):
        return read_only(self.array(key).value)

    def __repr__(self):
        how = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"<Trace of {' '.join(self.tokens)!r}: {len(self.keys())} steps, {how}>"


def read_only(array):
    view = array.view()
    view.flags.writeable = False
    return view
