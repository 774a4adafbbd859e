"""The recorder that a model is handed, and the Trace it leaves: every step of one run, by name."""

from collections.abc import Mapping

import numpy as np

from ..language import _
from .arguments import checked_numbers, read_only
from .array import Aside
from .ops import append, given, identity
from .steps import near


class UnknownStep(KeyError, ValueError):
    """A name that is no step and no weight of a run. The message suggests near ones."""

    def __init__(self, name, known):
        similar = ", ".join(near(name, known))
        hint = _("Did you mean {similar}?", similar=similar) if similar else _("t.keys() lists the steps.")
        super().__init__(_("There is no step `{name!s}`. {hint}", name=name, hint=hint))

    def __str__(self):
        return self.args[0]  # a KeyError would show the repr


class Recorder:
    """Gives a model its weights, writes down its steps in order, and sets steps by hand.

    `step("q", array)` records a step, `step.weight("W_Q")` gives a weight, and `step.within("blocks.0.attn")` is the
    same recorder inside a part of the path, where names are relative to it. `before` are rows that an earlier run has
    made, {step: array}, to stand in front of this run's, and `start` is how many tokens that run had read.
    """

    def __init__(self, weights, replace=None, before=None, start=0):
        replace = {} if replace is None else replace
        if not isinstance(replace, Mapping):
            raise ValueError(_("replace must be a dict, step: numbers or step: earlier step, not {it!r}.", it=replace))
        self.replace, self.steps, self.weights, self.prefix = dict(replace), {}, {}, ""
        self.before, self.start = before or {}, start
        note = _("a weight: nothing computes it")
        for name, w in weights.items():
            array = self.weights[name] = given(numbers=w)
            array.name, array.note = name, note

    def within(self, place):
        """This recorder, for the steps and weights whose names begin with `place` and a dot."""
        inner = object.__new__(Recorder)
        inner.__dict__.update(self.__dict__, prefix=f"{self.prefix}{place}.")
        return inner

    def weight(self, name):
        """The weight `name` of this part of the path, an Array."""
        return self.weights[self.prefix + name]

    def __call__(self, name, array):
        """Record an Array, or what `replace` puts in its place, under a new name, and return what was recorded.

        Raises ValueError for a name that was taken, and for a replacement that does not fit.
        """
        key = self.prefix + name
        if key in self.steps:
            raise ValueError(f"the model recorded the step {key} twice")
        if key in self.before:
            array = append(given(numbers=self.before[key]), array)
        if key in self.replace:
            array = self._replaced(key, array)
        elif array.name:
            array = identity(array)
        array.name = key
        self.steps[key] = array
        return array

    def _replaced(self, key, array):
        """What `replace` puts in the place of a step: numbers, or an earlier step by its name."""
        if issubclass(array.op, Aside):
            raise ValueError(_("`{key}` is an aside: it only shows part of a later sum. Replace that step.", key=key))
        new, shape, may_be_masked = self.replace[key], array.value.shape, key.endswith("masked_scores")
        if not isinstance(new, str):
            array = given(numbers=checked_numbers(new, f"replace[{key!r}]", shape, may_be_masked))
            array.note = _("set by hand")
            return array
        fitting = [name for name, earlier in self.steps.items() if can_stand_in(earlier, shape, may_be_masked)]
        if new not in fitting:
            these = ", ".join(fitting) or _("none")
            raise ValueError(_("`{new!s}` cannot stand in for `{key}`. Fit: {these}.", new=new, key=key, these=these))
        array = identity(self.steps[new])
        array.note = _("set by hand: an earlier step in its place")
        return array

    def finish(self):
        """Raise UnknownStep where `replace` names a step that the model does not have, ValueError where a weight."""
        for key in self.replace:
            if key in self.weights:
                raise ValueError(_("`{key}` is a weight, not a step: change it with weights=.", key=key))
            if key not in self.steps:
                raise UnknownStep(key, self.steps)


def can_stand_in(step, shape, may_be_masked):
    """Whether an earlier step can take the place of one of this shape: no aside, and -inf in masked scores only."""
    fits = step.value.shape == shape and not issubclass(step.op, Aside)
    return fits and (may_be_masked or np.isfinite(step.value).all())


class Trace:
    """One run of a model: `t[key]` is a read-only array, for each step and each weight.

    `tokens` and `ids` say what was read, `vocab` what could come next, `settings` how it was run (n_heads, causal,
    temperature), and `chosen` the token that generation went on with (None for a plain run). `earlier` are the tokens
    that were read before and whose keys and values were kept: none, except in a run that `extend` made.
    """

    def __init__(self, recorder, tokens, ids, vocab, settings, earlier=()):
        self.tokens, self.ids, self.vocab, self.settings, self.chosen = tokens, ids, vocab, settings, None
        self.earlier, self._recorder = list(earlier), recorder

    @property
    def length(self):
        """How many tokens have been read, earlier ones included."""
        return len(self.earlier) + len(self.tokens)

    @property
    def replaced(self):
        """The steps that were set by hand, as they were given to `run`."""
        return self._recorder.replace

    def keys(self):
        """The names of the steps, in the order of the path."""
        return list(self._recorder.steps)

    def __iter__(self):
        return iter(self.keys())

    @property
    def weights(self):
        """The weights of this run: name -> read-only array."""
        return {name: self[name] for name in self._recorder.weights}

    def array(self, key):
        """The step or weight `key` as an Array, with the operation behind it. Raises UnknownStep."""
        steps, weights = self._recorder.steps, self._recorder.weights
        try:
            return steps[key] if key in steps else weights[key]
        except (KeyError, TypeError):
            if isinstance(key, str) and key == "loss":
                raise ValueError(_("the loss belongs to gradients: g = tm.gradients(t, target=...).")) from None
            raise UnknownStep(key, [*steps, *weights]) from None

    def __getitem__(self, key):
        return read_only(self.array(key).value)

    def labels(self, axis, n):
        """What the n places along an axis are called: tokens where there are tokens, otherwise 0, 1, 2 ..."""
        if axis in ("pos", "query", "key", "vector", "other"):
            return [*self.earlier, *self.tokens][-n:]
        return self.vocab if axis == "d_vocab" else range(n)

    def __repr__(self):
        how = "".join(f", {name}={value}" for name, value in self.settings.items())
        return f"<Trace of {' '.join(self.tokens)}: {len(self.keys())} named arrays{how}>"


def require_trace(given, kinds=Trace):
    """Raise ValueError for anything but a Trace, or one of `kinds`, as the first argument of a call."""
    if not isinstance(given, kinds):
        raise ValueError(_("the first argument must be a Trace, t = tm.run('o gato'), not {given!r}.", given=given))
