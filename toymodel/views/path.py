"""The whole path in one picture: a step opens, a number is written out, and its inputs lead on to the weights."""

from itertools import chain

import numpy as np
import traitlets

from ..language import _
from ..models.arguments import HEADS
from ..models.toy import run
from ..models.toy_weights import toy_weights
from ..shown import rounded, shown, shown_rows
from ..steps import about
from ..sums import explain
from ..tables import predictions, table
from ..typed import number
from .grids import largest, mark, written_out
from .path_steps import BLOCKS, HOME, STEPS, drawn
from .view import View, esm, within

PARTS = {  # what can be switched off
    "positions": _("positions"),
    "ln1": _("first LayerNorm"),
    **{f"head {h}": _("head {h}", h=h) for h in range(max(HEADS))},
    "attention": _("attention"),
    "ln2": _("second LayerNorm"),
    "mlp": _("MLP"),
    "ln_final": _("last LayerNorm"),
}
SENTENCES = ["o gato subiu no", "o cão subiu no", "o gato subiu no telhado", "o gato subiu", "o gato no muro"]
PASSED_BY = {  # a LayerNorm that is switched off lets through what it would have read
    "ln1": ("blocks.0.ln1.out", "blocks.0.resid_pre"),
    "ln2": ("blocks.0.ln2.out", "blocks.0.resid_mid"),
    "ln_final": ("ln_final.out", "blocks.0.resid_post"),
}
ADDS_NOTHING = {"positions": "pos_embed", "attention": "blocks.0.attn.out", "mlp": "blocks.0.mlp.out"}


class Path(View):
    """From the text to the next token, live: Path(text="o gato subiu no", opened="pattern").

    Traits: text, n_heads, causal, temperature, as in `run`; row, the position that is followed (-1: the last); opened,
    a step by the end of its name ("q", "pattern", "logits"); head, the one in front; trail, the numbers walked through,
    [key, *index] each, the last one written out; off, the parts that are switched off, of `PARTS`; edits, weights set
    by hand, [name, row, column, value] each; presenting, large type for a projector.
    """

    _esm = esm("grids.js", "layout.js", "picture.js", "panel.js", "path.js")
    controls = ("text", "n_heads", "causal", "temperature", "row", "opened", "head", "trail", "off", "edits")
    text = traitlets.Unicode("o gato subiu no").tag(sync=True)
    n_heads = traitlets.Enum(HEADS, 2).tag(sync=True)
    causal = traitlets.Bool(True).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    row = traitlets.Int(-1).tag(sync=True)
    opened = traitlets.Enum(list(STEPS), "embed").tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    trail = traitlets.List().tag(sync=True)
    off = traitlets.List(traitlets.Enum(list(PARTS))).tag(sync=True)
    edits = traitlets.List().tag(sync=True)
    presenting = traitlets.Bool(False).tag(sync=True)
    _model = _before = _opened = None  # what is shown: the model's settings, the run before them, and the open step

    def words(self):
        return {
            "text": _("Sentence"),
            "n_heads": _("Heads"),
            "causal": _("Causal mask"),
            "temperature": _("Temperature"),
            "head": _("In front"),
            "presenting": _("Large type"),
            "parts": _("Switch parts off"),
            "off": _("Off"),
            "path": _("The path"),
            "back": _("Back"),
            "next": _("Next step"),
            "digits": _("All digits"),
            "inputs": _("Computed from"),
            "trail": _("You came from"),
            "edit": _("Set this weight"),
            "reset": _("Reset all weights"),
            "bars": _("What comes next"),
            "was": _("was"),
        }

    def picture(self):
        """The blocks of the path, the grids of the open step, and what the panel says; keeps the run as `trace`."""
        t = self.changed_run()
        n = len(t.tokens)
        row = n - 1 if self.row == -1 else within(self.row, n)
        head = within(self.head, self.n_heads)
        opened, trail = self.opened, [place for place in self.trail if is_place(t, place)]
        if trail and (self._opened is None or opened == self._opened):
            opened = HOME[trail[-1][0]]  # a walk leads to the step that makes the number
            head = trail[-1][1] if about(trail[-1][0]).axes[0] == "head" else head
        if not trail or HOME[trail[-1][0]] != opened:
            trail = [first_pick(t, STEPS[opened].key, head, row)]
        self._opened = opened
        self.settle(row=row, head=head, opened=opened, trail=trail)
        lines = drawn(t, STEPS[opened], head)
        blocks = [self.block(t, name, steps) for name, steps in BLOCKS]
        return {
            "tokens": t.tokens,
            "ids": t.ids,
            "blocks": blocks,
            "weights": shown_rows(t["blocks.0.attn.pattern"][head]),
            "bars": self.bars(t),
            "changes": self.changes(t, blocks),
            "parts": [[name, words] for name, words in PARTS.items() if name not in absent(self.n_heads)],
            "temperature": shown(self.temperature),
            "steps": list(STEPS),
            "heads": list(HEADS),
            "sentences": SENTENCES,
            "head_names": [PARTS[f"head {h}"] for h in range(self.n_heads)],
            **self.panel(t, lines),
        }

    def changed_run(self):
        """The run at these settings; where they differ from those before, the last run is kept to compare with."""
        off = [part for part in self.off if part not in absent(self.n_heads)]
        model = (self.text, self.n_heads, self.causal, self.temperature, *off, *map(tuple, self.edits))
        if model != self._model:
            t = switched(off, self.text, self.n_heads, self.causal, self.temperature, weights=edited(self.edits))
            self._before, self._model, self.trace = getattr(self, "trace", None), model, t
        return self.trace

    def block(self, t, name, steps):
        """One block of the picture: what it is called, and the numbers on its lanes."""
        step = STEPS[self.opened if self.opened in steps else steps[-1]]
        keys = [f"blocks.0.attn.{it}" for it in "qkv"] if steps == ["qkv"] else [step.key]
        arrays = [t[key][self.head] if about(key).axes[0] == "head" else t[key] for key in keys]
        return {
            "name": name,
            "steps": steps,
            "keys": keys,
            "symbol": ", ".join(about(key).symbol for key in keys),
            "shape": " × ".join(map(str, arrays[0].shape)),
            "cells": [shown_rows(array) for array in arrays],
            "full": max(map(largest, arrays)),
            "changed": sorted(set(chain(*(changed_rows(t, self._before, key) for key in keys)))),
        }

    def bars(self, t):
        """The probabilities after the followed position, and what they were before the last change."""
        before = self._before
        old = before["probs"][min(self.row, len(before.tokens) - 1)] if before else t["probs"][self.row]
        p = t["probs"][self.row]
        rows = [[it, shown(now), shown(was)] for it, now, was in zip(t.vocab, p, old, strict=True)]
        return {"rows": rows, "best": int(np.argmax(np.round(p, 9)))}

    def changes(self, t, blocks):
        """What the last change of the model's settings did: the blocks it reached, and how many rows of each."""
        if self._before is None:
            return _("A dot will mark what your next change reaches.")
        n, counts = len(t.tokens), [(block["name"], len(block["changed"])) for block in blocks]
        said = [_("{name}: {m} of {n} rows", name=name, m=m, n=n) for name, m in counts if m]
        if not said:
            return _("Nothing changed.")
        stayed = _("All else stayed.") if len(said) < len(BLOCKS) else ""
        return f"{_('Your last change reached')} {'; '.join(said)}. {stayed}"

    def panel(self, t, lines):
        """The open step explained: formula, sentence, matrices, and the picked number with its inputs."""
        step, (key, *index) = STEPS[self.opened], self.trail[-1]
        grids = [part for line in lines for part in line if isinstance(part, dict)]
        mark(grids, "picked", key, index)
        sum_ = explain(t, key, tuple(index))
        for other, place, _value in sum_.inputs:
            mark(grids, "used", other, place)
        inputs = [[name, *place] for name, place, _value in sum_.inputs]
        return {
            "title": step.name,
            "siblings": [[it, STEPS[it].name] for _name, steps in BLOCKS if self.opened in steps for it in steps],
            "formula": step.formula,
            "gloss": step.gloss,
            "lines": lines,
            "sum": written_out(t, sum_),
            "digits": repr(sum_.value),
            "inputs": [{"place": place, "text": self.named(t, place)} for place in inputs],
            "trail": [{"place": place, "text": self.named(t, place)} for place in self.trail[:-1]],
            "weight": shown(sum_.value) if key in t.weights else "",
            "edited": "; ".join(self.named(t, [name, i, j]) for name, i, j, _value in self.edits),
        }

    def named(self, t, place):
        """A number by its symbol and value: u[4,3] = 1.732."""
        key, *index = place
        return f"{about(key).symbol}[{','.join(map(str, index))}] = {shown(t[key][tuple(index)])}"

    def fallback(self):
        return predictions(self.trace)._repr_html_() + table(self.trace, "blocks.0.attn.pattern")._repr_html_()


def absent(n_heads):
    """The heads that a model with so many heads does not have."""
    return {f"head {h}" for h in range(n_heads, max(HEADS))}


def edited(edits):
    """The toy's weights with some set by hand. Raises ValueError for a value that is no number."""
    weights = toy_weights()
    for name, i, j, value in edits:
        weights[name][i, j] = number(value) if isinstance(value, str) else value
    return weights


def switched(off, *settings, **more):
    """The run with some parts switched off."""
    replace = dict(PASSED_BY[part] for part in off if part in PASSED_BY)
    t = run(*settings, **more)
    replace |= {key: np.zeros_like(t[key]) for part, key in ADDS_NOTHING.items() if part in off}
    heads = [int(part.removeprefix("head ")) for part in off if part.startswith("head ")]
    if heads:  # the other heads' results depend on what else is off
        z = run(*settings, replace=replace, **more)["blocks.0.attn.z"].copy()
        z[heads] = 0
        replace["blocks.0.attn.z"] = z
    return run(*settings, replace=replace, **more) if replace else t


def changed_rows(t, before, key):
    """The positions at which a step shows other numbers than before, or another token."""
    if before is None:
        return []
    new, old = (np.moveaxis(rounded(run[key]), -2, 0) for run in (t, before))
    width = min(new.shape[-1], old.shape[-1])  # a new key to the right changes no old row

    def stayed(i):
        same_token = i < len(old) and t.tokens[i] == before.tokens[i]
        return same_token and np.array_equal(new[i][..., :width], old[i][..., :width])

    return [i for i in range(len(new)) if not stayed(i)]


def is_place(t, place):
    """Whether there is such a number in this run, and a step that shows it."""
    key, *index = place
    if key not in HOME:
        return False
    shape = t[key].shape
    return len(index) == len(shape) and all(0 <= i < n for i, n in zip(index, shape, strict=True))


def first_pick(t, key, head, row):
    """The number of a step that is written out to begin with: the largest of the followed row."""
    place = [head, row] if about(key).axes[0] == "head" else [row]
    return [key, *place, int(np.argmax(np.nan_to_num(t[key][tuple(place)], neginf=-1e9)))]
