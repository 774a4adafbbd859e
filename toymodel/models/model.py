"""What a model is: everything else asks the Trace of its run, and knows no model by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arguments import checked_numbers, checked_settings, checked_temperature, within_float64
from ..core.array import Array
from ..core.moves import given
from ..core.recorder import Recorder
from ..core.trace import Trace
from ..language import _
from ..text.tokenizer import checked_ids, longest_match, text_of
from .layers import next_token


@dataclass(frozen=True, eq=False)
class Model:
    """A computation on inputs, usually token ids, and what is to be known of it.

    `forward(step, inputs, **settings)` records its steps; of a model with a vocabulary, the logits come last, and it
    returns them. `weights` are those of a run that brings none of its own, and say the shape of all others. `choices`
    are the settings and what each may be, the usual first, or a function that checks one; `about` tells what each step
    and weight is. Raises ValueError for weights that are no arrays of finite numbers, and for a vocabulary without an
    end or a context.
    """

    forward: Callable
    weights: Mapping  # name -> array; kept as read-only arrays of its own
    choices: Mapping  # name -> tuple, of one type each; or a function that checks what is given
    about: Mapping  # key -> Step
    vocab: tuple = ()  # where there is one, n_ctx and end are needed
    n_ctx: int | None = None  # how many tokens it can read
    end: str = ""  # the token after which nothing comes
    ends_every_text: bool = False  # it stands at both ends of each text, unwritten

    def __post_init__(self):
        if self.vocab and (self.n_ctx is None or self.end not in self.vocab):
            raise ValueError("a model with a vocabulary needs n_ctx, and the token of it that is the end")
        own = {name: checked_numbers(w, f"weights[{name!r}]", np.shape(w)) for name, w in self.weights.items()}
        for array in own.values():
            array.flags.writeable = False  # every run without weights of its own reads these very arrays
        object.__setattr__(self, "weights", own)

    def encode(self, text):
        """The ids of a text, each time the longest token that fits. Raises ValueError for any other text."""
        if not self.ends_every_text:
            return longest_match(text, self.vocab)
        ids = longest_match(text, self.vocab) if text != "" else []
        end = self.vocab.index(self.end)
        if end in ids:
            raise ValueError(_("`{end}` stands before and after each text by itself: leave it out.", end=self.end))
        return [end, *ids]

    def decode(self, ids):
        """The text that ids spell; the end that stands before each text unwritten is left out."""
        is_unwritten = self.ends_every_text and list(ids[:1]) == [self.vocab.index(self.end)]
        return text_of(ids[1:] if is_unwritten else ids, self.vocab)

    def next_ids(self, ids):
        """What comes after each token, as far as the text itself tells; last the end, where that follows every text."""
        end = [self.vocab.index(self.end)] if self.ends_every_text else []
        return [*ids[1:], *(end if list(ids[1:][-1:]) != end else [])]

    @cached_property
    def leaves(self):
        """The weights as Arrays, made once for all runs."""
        return {name: leaf(name, w) for name, w in self.weights.items()}

    def run(self, inputs, weights=None, replace=None, kept=None, **settings):
        """Run it and keep every step: a Trace. (A text is run by `toymodel.run`, which says what may be given.)

        `inputs` are token ids; of a model without a vocabulary, rows of numbers. `kept` is (tokens, {step: rows}): what
        was read before, and the rows that then stand before those of this run.
        """
        temperature = checked_temperature(settings.pop("temperature", 1.0)) if self.vocab else None
        settings = checked_settings(self.choices, settings)
        if self.vocab:
            inputs = checked_ids(inputs, self.vocab)
            tokens = [self.vocab[i] for i in inputs]
        else:
            inputs = checked_numbers(inputs, "X", (None, None))
            tokens = [f"t{i}" for i in range(len(inputs))]
        if not tokens:
            raise ValueError(_("there are no tokens to read: at least one is needed."))
        leaves = self.leaves if weights is None else self.checked_weights(weights)
        trace = Trace(inputs, tokens, self.about, self, settings, leaves, replace, kept)
        if self.n_ctx and trace.length > self.n_ctx:
            raise ValueError(
                _("the text has {n} tokens; the model's context holds {n_ctx}.", n=trace.length, n_ctx=self.n_ctx)
            )
        step = Recorder(trace)
        with within_float64():
            out = self.forward(step, inputs, **settings)
            if self.vocab:
                next_token(step, out, temperature)
                settings["temperature"] = temperature
        trace.finish()
        return trace

    def logits(self, inputs, leaves, settings):
        """The logits alone, an Array, from settings and weights that were checked: what a loss reads."""
        return self.forward(Recorder(Trace(inputs, (), self.about, self, settings, leaves)), inputs, **settings)

    def checked_weights(self, weights):
        """Weights of one's own as Arrays; those of an earlier run stay. ValueError names what is wrong."""
        if not isinstance(weights, Mapping):
            kind = type(weights).__name__
            raise ValueError(_("weights must be a dict of named arrays, like t.weights, not {kind}.", kind=kind))
        for name in {**dict.fromkeys(weights), **self.weights}:
            if name not in weights:
                raise ValueError(_("weights has no `{name}`: start from a copy of t.weights and change it.", name=name))
            if name not in self.weights:
                known = ", ".join(self.weights)
                raise ValueError(_("weights has an unknown name, {name!r}. There are {known}.", name=name, known=known))
        return {name: self._checked(name, weights[name]) for name in self.weights}

    def _checked(self, name, numbers):
        if isinstance(numbers, Array) and numbers.op is given and numbers.name == name:
            return numbers
        return leaf(name, checked_numbers(numbers, f"weights[{name!r}]", self.weights[name].shape))


A_WEIGHT = _("a weight: nothing computes it")


def leaf(name, numbers):
    """A weight as an Array: nothing computes it."""
    array = Array(given, (), {"numbers": numbers})
    array.value, array.name, array.note = numbers, name, A_WEIGHT
    return array
