"""The Trace that a run leaves: every step, by name, and what made it."""

from collections.abc import Mapping

from ..language import _
from .arguments import read_only
from .steps import LOSS, derivative_of, near, without_words


class UnknownStep(KeyError, ValueError):
    """A name that is no step and no weight of a run. The message suggests near ones of those that are known."""

    def __init__(self, name, known):
        similar = ", ".join(near(name, known))
        hint = _("Did you mean {similar}?", similar=similar) if similar else _("t.keys() lists the steps.")
        super().__init__(_("There is no step `{name!s}`. {hint}", name=name, hint=hint))

    def __str__(self):
        return self.args[0]  # a KeyError would show the repr


class Trace:
    """One run of a model: `t[key]` is a read-only array, for each step and each weight.

    `tokens` and `ids` say what was read, `vocab` what could come next, `settings` how it was run (the toy: n_heads,
    causal, temperature), and `chosen` the token that generation went on with (None for a plain run). `earlier` are the
    tokens that were read before and whose keys and values are `kept`: none, except in a run that `extend` made.
    `texts` are what was read besides, such as what is to be translated: the tokens along an axis, by its name.
    `model` is what was run; None where numbers were only compared, without one.
    """

    def __init__(self, inputs, tokens, about, model=None, settings=None, leaves=None, replace=None, kept=None):
        replace = {} if replace is None else replace
        if not isinstance(replace, Mapping):
            raise ValueError(_("replace must be a dict, step: numbers or step: earlier step, not {it!r}.", it=replace))
        self.inputs, self.tokens, self.model = inputs, tokens, model
        self.settings = {} if settings is None else settings  # the very dict: the temperature comes later
        self.vocab, self.chosen = model.vocab if model else (), None
        self.earlier, self.kept = kept or ([], {})
        self.leaves, self.steps, self.replaced = leaves or {}, {}, dict(replace)
        self.texts = {}
        self._about = about

    @property
    def ids(self):
        """The tokens' places in the vocabulary; where there is none, they are counted."""
        return list(self.inputs) if self.vocab else list(range(len(self.tokens)))

    @property
    def next_ids(self):
        """What comes after each token, as far as the text itself tells."""
        return self.model.next_ids(self.ids)

    @property
    def length(self):
        """How many tokens have been read, earlier ones included."""
        return len(self.earlier) + len(self.tokens)

    def keys(self):
        """The names of the steps, in the order of the path."""
        return list(self.steps)

    def __iter__(self):
        return iter(self.keys())

    @property
    def weights(self):
        """The weights of this run: name -> read-only array."""
        return {name: read_only(leaf.value) for name, leaf in self.leaves.items()}

    def array(self, key):
        """The step or weight `key` as an Array, with the operation behind it. Raises UnknownStep."""
        try:
            return self.steps[key] if key in self.steps else self.leaves[key]
        except (KeyError, TypeError):
            if isinstance(key, str) and key == "loss":
                raise ValueError(_("the loss belongs to gradients: g = tm.gradients(t, target=...).")) from None
            raise UnknownStep(key, {known: self.about(known) for known in [*self.steps, *self.leaves]}) from None

    def __getitem__(self, key):
        return read_only(self.array(key).value)

    def about(self, key):
        """What is said of a step or weight: its symbol, axes and gloss; with `∂` before its name, of its derivative."""
        if key.startswith("∂"):
            return derivative_of(self.about(key[1:]))
        if key == "loss":
            return LOSS
        return self._about.get(key) or without_words(key, self.array(key).value.ndim)

    def labels(self, axis, n):
        """What the n places along an axis are called: tokens where there are tokens, otherwise 0, 1, 2 ..."""
        if axis in self.texts:
            return self.texts[axis]
        if axis in ("pos", "query", "key", "vector", "other"):
            return [*self.earlier, *self.tokens][-n:]
        return self.vocab if axis == "d_vocab" else range(n)

    def again(self, ids=None, weights=None, replace=None, **settings):
        """The same run, but for what is named: other `ids`, some other `weights`, more steps set by hand, settings.

        t.again(temperature=0.5), t.again(weights={"W_E": numbers}), t.again(replace={"blocks.0.mlp.out": numbers}).
        Of a run that `extend` made, `ids` are those of the new row. Raises ValueError as the run itself does, where no
        model was run, and where kept keys and values would not be those of the same run.
        """
        if self.model is None:
            raise ValueError(_("no model was run here: there is nothing to run again."))
        if self.earlier and (weights or replace or settings.keys() - {"temperature"}):
            raise ValueError(_("a run that `extend` made has kept keys and values: only its temperature can change."))
        for name, it in {"weights": weights, "replace": replace}.items():
            if not isinstance(it, (Mapping, type(None))):
                raise ValueError(_("{name} must be a dict of named arrays, not {it!r}.", name=name, it=it))
        return self.model.run(
            self.inputs if ids is None else ids,
            weights={**self.leaves, **(weights or {})},
            replace={**self.replaced, **(replace or {})},
            kept=(self.earlier, self.kept),
            **{**self.settings, **settings},
        )

    def finish(self):
        """Raise UnknownStep where `replace` names a step that the run does not have, ValueError where a weight."""
        for key in self.replaced:
            if key in self.leaves:
                raise ValueError(_("`{key}` is a weight, not a step: change it with weights=.", key=key))
            if key not in self.steps:
                raise UnknownStep(key, {known: self.about(known) for known in self.steps})

    def __repr__(self):
        how = "".join(f", {name}={value}" for name, value in self.settings.items())
        return f"<Trace of {' '.join(self.tokens)}: {len(self.keys())} named arrays{how}>"


def require_trace(given, kinds=Trace):
    """Raise ValueError for anything but a Trace, or one of `kinds`, as the first argument of a call."""
    if not isinstance(given, kinds):
        raise ValueError(_("the first argument must be a Trace, t = tm.run('o gato'), not {given!r}.", given=given))


def require_model(trace):
    """Raise ValueError for anything but the run of a model that says what comes next."""
    require_trace(trace)
    if not trace.vocab or trace.model is None:
        raise ValueError(_("this needs the run of a model that says what comes next, not {it!r}.", it=trace))
