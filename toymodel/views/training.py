"""Training from random weights, as it happens: the loss curve, and what the model writes after each step."""

import math

from ..calls import checked_model, generate, run, train
from ..language import _
from ..learning.backprop import loss_of
from ..models.toy import TOY
from ..reading.tables import Table
from ..shown import shown
from .shared.curve import curve
from .shared.derivatives import Learning
from .shared.grids import grid, token
from .shared.slices import InSlices
from .shared.traits import Choice, Float, Text, Whole
from .shared.view import css, esm

TEXTS = 6  # more would not fit beside each other


class Training(InSlices, Learning):
    """Training from random weights, live: Training(texts="o gato subiu no telhado.<eot>", learning_rate=0.01).

    Traits: texts, a sentence in each line; learning_rate; optimizer, "adam" or "sgd"; seed, of the random weights; n,
    running, asked and restarts, as in InSlices: 10 steps at a time, 300 at one go, at most 1500. Another text, rate,
    optimizer or seed begins anew.
    """

    _esm = esm("shared/grids.js", "shared/curve.js", "shared/slices.js", "training.js")
    _css = css("shared/curve.css")
    controls = ("texts", "learning_rate", "optimizer", "seed", "n", "running", "asked", "restarts")
    texts = Text("o gato subiu no telhado.<eot>\no cão subiu no muro.<eot>")
    learning_rate = Float(0.01, min=0)
    optimizer = Choice(Learning.optimizer.values, "adam")
    seed = Whole(0, min=0, max=2**32 - 1)

    def __init__(self, model=TOY, **settings):
        """`model` is what is taught."""
        self.taught = checked_model(model)
        super().__init__(**settings)

    @property
    def guessing(self):
        """The loss of a guess, all tokens alike."""
        return math.log(len(self.taught.vocab))

    def words(self):
        own = {"texts": _("Sentences, one in a line (then Ctrl+Enter)"), "seed": _("Seed")}
        return InSlices.words(self) | Learning.words(self) | own

    def picture(self):
        """The curve, what is written after n steps, and where training stands; keeps what was learned as `trained`."""
        texts = sentences(self.texts)
        is_new = self.learn(self.taught_by, texts, self.learning_rate, self.optimizer, self.seed)
        losses, n = self.trained.losses, self.n
        return (
            self.choices()
            | self.stands(is_new)
            | {
                "here": _("After {n} steps, the mean loss is {loss}.", n=n, loss=shown(losses[n])),
                "warning": in_trouble(losses, self.guessing),
                "curve": curve(losses, n, self._goal, self.guessing),
                "tables": list(tables_of(self.taught, texts, self.trained.weights[n])),
                "seed": str(self.seed),
            }
        )

    def taught_by(self, *settings):
        return train(*settings, model=self.taught)

    def fallback(self):
        weights, texts = self.trained.weights[self.n], sentences(self.texts)
        begins, goes_on = zip(*(written(self.taught, text, weights) for text in texts), strict=True)
        return Table({_("it writes"): goes_on}, index=begins)._repr_html_()


def sentences(texts):
    """The lines of a text, empty ones left out. Raises ValueError for too many."""
    lines = [line.strip() for line in texts.splitlines() if line.strip()]
    if len(lines) > TEXTS:
        raise ValueError(_("there are {n} sentences; there is room for {room}.", n=len(lines), room=TEXTS))
    return lines


def in_trouble(losses, guessing):
    """What a rate that is too large does: where the loss was worse than guessing, and whether it has come back."""
    worst, n = losses.index(max(losses)), len(losses) - 1
    if losses[worst] < max(guessing, losses[0]) + 0.1:
        return ""
    was = _("After {n} steps the loss was {loss}, worse than guessing:", n=worst, loss=shown(losses[worst]))
    if losses[-1] < guessing:
        now = _("there the moves were too large. After {n} steps it is better than guessing.", n=n)
    else:
        now = _("with this rate the moves are too large. After {n} steps it has not come back.", n=n)
    return f"{was} {now}"


# ---- what the model writes


def written(model, text, weights):
    """The first tokens of a text, and how the model goes on: two texts."""
    ids = model.encode(text)
    begin = model.decode(ids[: min(2, len(ids) - 1)])
    *_before, last = generate(begin, weights=weights, model=model)
    return begin, model.decode([*last.ids, model.vocab.index(last.chosen)]).removeprefix(begin)


def tables_of(model, texts, weights):
    """A grid of what is written, and one for each text: how probable each of its tokens is after those before it."""
    begins, goes_on = (
        [token(it) for it in column] for column in zip(*(written(model, text, weights) for text in texts), strict=True)
    )
    yield grid("written", [_("What it writes")], [_("after"), _("it writes")], begins, [[it] for it in goes_on])
    for k, text in enumerate(texts, start=1):
        t = run(text, weights=weights, model=model)
        caption = [_("Sentence {k}: loss {loss}", k=k, loss=shown(loss_of(t).value))]
        rows = [[shown(t["probs"][pos, i])] for pos, i in enumerate(t.next_ids)]
        yield grid(f"text {k}", caption, [_("next"), "p"], [token(t.vocab[i]) for i in t.next_ids], rows)
