"""A translation as it is learned: ribbons from the words that are read to the words that are written."""

import numpy as np

from .. import translation
from ..language import _
from ..models.encoder_decoder import TRANSLATOR
from ..reading.sums import explain
from ..reading.tables import ranking
from ..shown import rounded, shown, shown_rows
from ..text.pairs import HELD_OUT, PAIRS
from .shared.curve import curve
from .shared.grids import grid, mark, mark_changes, token, written_out
from .shared.slices import InSlices
from .shared.traits import Choice, Switch, Text, Whole
from .shared.view import css, esm, placed, within

PARTS = {  # what a button says, and where it stands
    "cross": (_("cross-attention"), "decoder.0.cross."),
    "decoder": (_("the decoder's own"), "decoder.0.self."),
    "encoder": (_("the encoder's own"), "encoder.0.self."),
}
ENGLISH, SPANISH = ({word for pair in PAIRS for word in pair[side].split()} for side in (0, 1))
LIKELIEST = 5  # words that could have been written


class Translation(InSlices):
    """An encoder-decoder that learns to translate, live: Translation(text="the white cat").

    Traits: text, the source, 1 to 8 words that the model knows; weight_decay, on or off; seed, of the random weights
    and the order; n, running, asked and restarts, as in InSlices: 50 steps at a time, up to 1500. part, whose attention
    is shown: "cross", "decoder" or "encoder"; head; word, the row that is picked (-1 is the last), and key, the place
    that it reads.
    """

    _esm = esm("shared/grids.js", "shared/curve.js", "shared/slices.js", "shared/ribbons.js", "translation.js")
    _css = css("shared/curve.css", "shared/ribbons.css")
    controls = ("text", "weight_decay", "seed", "n", "running", "asked", "restarts", "part", "head", "word", "key")
    SLICE, GOAL = 50, 1500
    text = Text("the white cat")
    weight_decay = Switch(True)
    seed = Whole(0, min=0, max=2**32 - 1)
    part = Choice(list(PARTS), "cross")
    head = Whole(1)
    word = Whole(1)
    key = Whole(2)

    def words(self):
        own = {"text": _("Source"), "weight_decay": _("Weight decay"), "seed": _("Seed")}
        return super().words() | own | {"part": _("Attention"), "head": _("Head")}

    def picture(self):
        """What is written, who reads what, one weight written out, the curve of the loss; the run as `trace`."""
        translation.run(self.text)  # a text that cannot be read is told before anything is learned
        is_new = self.learn(learned, self.weight_decay, self.seed, every=self.SLICE)
        t, written = read(self.text, self.trained.weights[self.n])
        self.trace, self.written = t, written
        return self.stands(is_new) | {
            "sentence": [_("After {n} steps:", n=self.n), *in_words(self.text.split()), "→", *in_words(written)],
            **self.attention(t, written),
            "curve": curve(self.trained.losses[: 1 + self.trained.last], self.n, self._goal, np.log(len(t.vocab))),
            "seed": str(self.seed),
            "slice": self.SLICE,
            "examples": [source for source, _target in HELD_OUT],
            "examples_said": _("Never seen in training"),
            "parts": list(PARTS),
            "part_names": [name for name, _place in PARTS.values()],
            "heads": list(range(len(t["decoder.0.cross.pattern"]))),
        }

    def attention(self, t, written):
        """Ribbons, the table of the same weights, one of them written out, and what could be written at its row."""
        name, place = PARTS[self.part]
        key = place + "pattern"
        weights, sources = t[key], t.texts["source pos"]
        read = t.tokens if self.part == "decoder" else sources
        feet = sources if self.part == "encoder" else written
        # What is picked stays picked while translations come and go: it is drawn at the nearest place that there is.
        self.settle(head=within(self.head, len(weights)))
        word, read_at = placed(self.word, len(feet)), within(self.key, len(read))
        index = (self.head, word, read_at)
        rows = weights[self.head]
        best = [int(row.argmax()) for row in np.round(rows, 9)]
        sum_ = explain(t, key, index)
        labels = in_words(feet)
        if self.part != "encoder":
            labels = [[in_word(a), "→", in_word(b)] for a, b in zip(t.tokens, written, strict=True)]
        made = weights_grid(name, key, self.head, read, labels, rows)
        changes = self.changes(made)
        mark([made], "picked", key, index)
        return {
            "ribbons": {
                "name": name,
                "above": list(in_words(read)),
                "below": [
                    [in_word(it), f"{read[i]} {shown(row[i])}"] for it, row, i in zip(feet, rows, best, strict=True)
                ],
                "rows": rounded(rows).tolist(),
                "picked": word,
            },
            "reads": reads(feet[word], read, rows[word], writes=self.part != "encoder"),
            "weights": made,
            "changes": changes,
            "sum": in_languages(written_out(t, sum_)),
            "next": [] if self.part == "encoder" else [next_grid(t, word)],
        }

    def changes(self, made):
        """Mark what is another weight than at the last move that changed some, of the same words, part and head."""
        before = self.before.get("weights") if self.before else None
        labels = [row["label"] for row in made["rows"]]
        if not before or before["name"] != made["name"] or [row["label"] for row in before["rows"]] != labels:
            return _("A dot will mark what more learning changes here.")
        return mark_changes([made], [before])

    def fallback(self):
        row = f"<tr><td>{self.text}</td><td>→</td><td>{' '.join(self.written)}</td></tr>"
        return f"<table><tbody>{row}</tbody></table>"


def learned(weight_decay, seed):
    """A training, step by step: see `toymodel.translation.train`."""
    return translation.train(PAIRS, Translation.GOAL, seed, 0.5 if weight_decay else 0.0)


def read(text, weights):
    """The run in which each row writes the next word, and the words that are written, the end among them."""
    words = translation.written(text, weights)
    ids = [*TRANSLATOR.encode(""), *(TRANSLATOR.vocab.index(it) for it in words[:-1])]  # it may have written SOS, too
    return TRANSLATOR.run(ids, weights, source=text), words


# ---- in words


def in_word(word):
    """A word with its language; the marks at the ends of a text have none."""
    return token(word, lang="en" if word in ENGLISH else "es" if word in SPANISH else "")


def in_words(words):
    return map(in_word, words)


def in_languages(written):
    """A written-out sum in which each word of a text has its language."""
    place = [in_word(it["token"]) if isinstance(it, dict) else it for it in written["place"]]
    return written | {"place": place}


def reads(foot, above, row, writes):
    """The sentence of one row, in parts: how much it reads of each word. One that writes is named by what it writes."""
    said = [_("The row that writes"), in_word(foot), _("reads:")] if writes else [in_word(foot), _("reads:")]
    for word, share in zip(above, row, strict=True):
        said += [in_word(word), f"{shown(share)},"]
    return [*said[:-1], said[-1].replace(",", ".")]


# ---- tables


def weights_grid(name, key, head, above, labels, rows):
    """One head's weights: a row for each place that reads, a column for each word that is read."""
    caption, columns = [name, _("head {head}", head=head)], ["", *in_words(above)]
    more = {"key": key, "head": head, "axes": 2, "transposed": False, "pickable": True}
    return grid(f"{key} {head}", caption, columns, labels, shown_rows(rows), **more)


def next_grid(t, pos):
    """The likeliest words at one row, and how probable they are."""
    p = ranking(t, pos)["p"].head(LIKELIEST)
    caption = [_("What may be written after"), in_word(t.tokens[pos])]
    return grid("next", caption, [_("next"), "p"], in_words(p.index), [[shown(it)] for it in p])
