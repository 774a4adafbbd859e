"""The whole path in one picture: a step opens, a number is written out, and its inputs lead on to the weights."""

from itertools import groupby
from typing import NamedTuple

import numpy as np

from ...language import _, plural
from ...models.toy_parts import PARTS, is_there, switched
from ...reading.sums import explain
from ...reading.tables import predictions, table
from ...shown import shown, shown_rows
from ..shared.grids import mark, mark_changes, mark_inputs, named, written_out
from ..shared.runs import Heads
from ..shared.traits import Choice, Float, ListOf, Switch, Whole
from ..shared.view import css, esm, nearest, placed, within
from .blocks import BLOCKS, block
from .path_steps import HOME, PATH_STEPS, lines_of
from .places import first_pick, head_of, is_place, moved

SENTENCES = ["o gato subiu no", "o cão subiu no", "o gato subiu no telhado", "o gato subiu", "o gato no muro"]
AT_0 = ("p = softmax(z / T), T → 0", _("What it tends to at ever lower temperatures: the largest logit takes all."))
LEGEND = [
    _("Each token runs on a lane of its own, from left to right. The bold one is followed to the end: click another."),
    _("A block shows its numbers as stripes, blue above 0 and orange below; the deeper, the larger within the block."),
    _("A lane is as wide as its row has numbers. Arcs are the residual stream, carried past a part and added to it."),
    _("From Q K V: queries (blue) enter the heads from the left, keys (pink) from above, values (green) pass below."),
    _("Behind the heads, a green ribbon says who is read: as thick as the weight, in the head that is in front."),
    _("Cards behind each other are the other heads. What is switched off is dashed. A dot marks a change."),
]


class Where(NamedTuple):
    """What a reader looks at: the open step ("" for none), the head in front, the followed row, and the walk."""

    opened: str
    head: int
    row: int
    trail: list


class Path(Heads):
    """From the text to the next token, live: Path(text="o gato subiu no", opened="pattern").

    Traits: text, n_heads, causal, temperature, as in `run`; row, the position that is followed (-1: the last); opened,
    a step of `path_steps.PATH_STEPS` ("qkv", "pattern"), or "" for none; head, the one in front; trail, the numbers
    walked through, [key, *index] each, the last one written out; off, the parts that are switched off, of `PARTS`;
    edits, weights set by hand, [name, row, column, value] each; presenting, large type and one step at a time.
    """

    _esm = esm(
        *("shared/grids.js", "path/layout.js", "path/lanes.js", "path/picture.js", "path/panel.js", "path/path.js")
    )
    _css = css("path/picture.css", "path/lanes.css", "path/panel.css")
    controls = ("text", "n_heads", "causal", "temperature", "row", "opened", "head", "trail", "off", "edits")
    toy_alone = True
    causal = Switch(True)
    temperature = Float(1.0)
    row = Whole(-1)
    opened = Choice(["", *PATH_STEPS], "embed")
    head = Whole(0)
    trail = ListOf(ListOf())
    off = ListOf(Choice(list(PARTS)))
    edits = ListOf(ListOf())
    presenting = Switch(False)
    trace = None
    _model = _before = _shown = None  # what is drawn: the model's settings, the run before them, what was looked at

    def words(self):
        return {
            "text": _("Sentence"),
            "examples": _("Examples"),
            "n_heads": _("Heads"),
            "causal": _("Causal mask"),
            "temperature": _("Temperature"),
            "head": _("In front"),
            "presenting": _("Large type"),
            "parts": _("Switch parts off"),
            "off": _("Switched off"),
            "path": _("The path"),
            "back": _("Back"),
            "next": _("Next step"),
            "digits": _("All digits"),
            "inputs": _("Computed from"),
            "trail": _("You came from"),
            "edit": _("Set this weight"),
            "yours": _("Changed by you"),
            "reset": _("Put all back"),
            "bars": _("What comes next"),
            "legend": _("How to read the picture"),
        }

    def picture(self):
        """The blocks of the path, the grids of the open step, and what the panel says; keeps the run as `trace`."""
        t = self.changed_run()
        where = self.where(t)
        blocks = [block(t, self._before, it, where, self.off) for it in BLOCKS]
        return {
            "tokens": t.tokens,
            "blocks": blocks,
            "weights": shown_rows(t["blocks.0.attn.pattern"][where.head]),
            "bars": self.bars(t, where.row),
            "changes": self.changes(t, blocks),
            "yours": self.yours(t),
            "legend": LEGEND,
            "parts": [[name, words] for name, (words, *_step) in PARTS.items() if is_there(name, t)],
            "temperature": shown(self.temperature),
            "steps": list(PATH_STEPS),
            "heads": self.choices()["heads"],
            "head_names": [PARTS[f"head {h}"][0] for h in range(t.settings["n_heads"])],
            "sentences": SENTENCES,
            "opened": where.opened,
            "row": where.row,
            "head": where.head,
            "panel": self.panel(t, where) if where.opened else None,
        }

    def changed_run(self):
        """The run at these settings, or where they cannot be run, the last; the one before is kept to compare with."""
        model = (self.text, self.n_heads, self.causal, self.temperature, *self.off, *map(tuple, self.edits))
        if model == self._model:
            return self.trace
        try:
            t = switched(self.run(), self.off, self.edits)
        except ValueError as error:
            if self.trace is None:
                raise
            self.warning = str(error)
            self.put_back(error, "n_heads", "causal", "temperature", "off", "edits")  # one may look around meanwhile
            return self.trace
        self._before, self._model, self.trace = self.trace, model, t
        return t

    def where(self, t):
        """What is looked at now.

        A step, head or row that was just chosen leads, and the picked number follows; otherwise the trail leads, to the
        step that makes its last number.
        """
        n, n_heads = len(t.tokens), t.settings["n_heads"]
        row = placed(self.row, n)
        head, opened = within(self.head, n_heads), self.opened
        trail = [place for place in self.trail if is_place(t, place)]
        if trail and self._shown in (None, (opened, head, row)):
            key, *index = trail[-1]
            opened, head = HOME[key], head_of(t, key, index, head)
        elif not opened:
            trail = []
        elif trail:
            trail = [moved(t, trail[-1], opened, head, row)]
        else:
            trail = [first_pick(t, PATH_STEPS[opened].key, head, row)]
        self._shown = (opened, head, row)
        self.settle(opened=opened, head=head, trail=trail, row=nearest(self.row, n))
        return Where(opened, head, row, trail)

    def bars(self, t, row):
        """The probabilities after the followed position; and what they are with all parts on and no weight changed, or
        else what they were before the last change."""
        before = self.run() if self.off or self.edits else self._before
        same = before is not None and before.tokens[: row + 1] == t.tokens[: row + 1]
        p, old = t["probs"][row], before["probs"][row] if same else t["probs"][row]
        rows = [[it, shown(now), shown(was)] for it, now, was in zip(t.vocab, p, old, strict=True)]
        best = int(np.argmax(np.round(p, 9)))  # to 1e-9: of equal ones, the lowest id
        return {"rows": rows, "best": best, "before": _("all on:") if self.off or self.edits else _("was")}

    def yours(self, t):
        """What is not as the toy has it: parts that are off, and weights set by hand."""
        off = [_("{part} off", part=PARTS[name][0]) for name in self.off if is_there(name, t)]
        return "; ".join([named(t, edit[:3]) for edit in self.edits] + off)

    def changes(self, t, blocks):
        """What the last change of the model's settings did: the blocks it reached, and how many rows of each."""
        if self.warning:
            return ""  # what was said of an earlier change is no answer to this one
        if self._before is None:
            return _("A dot will mark what your next change reaches.")
        n, reached = len(t.tokens), []
        for m, group in groupby(blocks, key=lambda block: len(block["changed"])):
            first, *_others, last = [block["name"] for block in group] * 2
            if m:
                names = first if first == last else _("{first} to {last}", first=first, last=last)
                reached.append(_("{names}: {m} of {n} rows", names=names, m=m, n=n))
        gone = len(self._before.tokens) - n
        fewer = [plural("{n} row fewer", "{n} rows fewer", gone)] if gone > 0 else []
        if not reached + fewer:
            return _("Nothing changed.")
        stayed = "" if all(block["changed"] for block in blocks) else " " + _("All else stayed.")
        said = [_("Your last change reached {blocks}", blocks="; ".join(reached))] if reached else []
        return f"{'; '.join(said + fewer)}.{stayed}"

    def panel(self, t, where):
        """The open step explained: formula, sentence, matrices, and the picked number with its inputs."""
        step, (key, *index) = PATH_STEPS[where.opened], where.trail[-1]
        siblings = next(block.steps for block in BLOCKS if where.opened in block.steps)
        is_limit = where.opened == "probs" and t.settings["temperature"] == 0
        formula, gloss = AT_0 if is_limit else (step.formula, step.gloss)
        lines = lines_of(t, step, where.head)
        grids = [part for line in lines for part in line if isinstance(part, dict)]
        if self._before is not None and where.head < self._before.settings["n_heads"]:
            old = lines_of(self._before, step, where.head)
            mark_changes(grids, [part for line in old for part in line if isinstance(part, dict)])
        mark(grids, "picked", key, index)
        sum_ = explain(t, key, tuple(index))
        mark_inputs(grids, sum_)
        return {
            "title": step.name,
            "formula": formula,
            "gloss": gloss,
            "siblings": [[it, PATH_STEPS[it].name] for it in siblings],
            "lines": lines,
            "sum": written_out(t, sum_),
            "digits": repr(sum_.value),
            "inputs": [{"place": [name, *at], "text": named(t, [name, *at])} for name, at, _value in sum_.inputs],
            "trail": [named(t, place) for place in where.trail[:-1]],
            "weight": shown(sum_.value) if key in t.weights else "",
        }

    def fallback(self):
        return predictions(self.trace)._repr_html_() + table(self.trace, "blocks.0.attn.pattern")._repr_html_()
