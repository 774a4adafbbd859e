"""A model that learns names as it happens: the loss, and the names that it makes up on the way."""

import numpy as np

from .. import names
from ..language import _, plural
from ..learning.names import from_the_start
from ..reading.tables import Table
from ..shown import shown
from ..text.names import NAMES, checked_names
from .shared.curve import curve
from .shared.grids import grid, mark_changes, token
from .shared.slices import InSlices
from .shared.traits import Float, Text, Whole
from .shared.view import css, esm

SAMPLES, LAST = 10, 50  # names that are made up; losses that a mean is taken of


class Names(InSlices):
    """A model that learns to write names, live: Names(own="ana\\nbia\\nclara", temperature=0.5).

    Traits: own, names of a reader's, one in a line, in place of those of the census; temperature, of what it makes up;
    draws, for others at the same temperature; seed, of the random weights and the order; n, running, asked and
    restarts, as in InSlices: 100 steps at a time, up to 1000.
    """

    _esm = esm("shared/grids.js", "shared/curve.js", "shared/slices.js", "names.js")
    _css = css("shared/curve.css")
    controls = ("own", "seed", "n", "running", "asked", "restarts", "temperature", "draws")
    sliders = ("temperature",)
    SLICE, GOAL, LAST_STEP = 100, 1000, 1000
    own = Text("")
    temperature = Float(0.5, min=0)
    draws = Whole(0, min=0, max=2**32 - 1)
    seed = Whole(0, min=0, max=2**32 - 1)

    def words(self):
        own = {"own": _("Names of your own, one in a line (then Ctrl+Enter)"), "seed": _("Seed")}
        return super().words() | own | {"temperature": _("Temperature"), "draws": _("Other names")}

    def picture(self):
        """The curve of the loss, and names that are made up; the weights of the step looked at as `weights`."""
        is_new = self.learn(self.learned, self.own, self.seed, every=self.SLICE)
        weights = self.weights = self.trained.weights[self.n]
        self.made = names.samples(SAMPLES, weights, self.temperature, self.draws)
        losses, documents = means(self.trained.losses), self.documents()
        table = made_up(self.made, set(documents))
        before = self.before.get("tables")
        said = _("A dot will mark what the next move changes.")
        return self.stands(is_new) | {
            "here": standing(self.n, losses[self.n]),
            "of": _("{n:,} names, {m} characters and the end's sign.", n=len(documents), m=len(weights.vocab) - 1),
            "changes": mark_changes([table], before) if before else said,
            "curve": curve(losses[: 1 + self.trained.last], self.n, self.GOAL, np.log(len(weights.vocab))),
            "tables": [table],
            "seed": str(self.seed),
            "temperature": shown(self.temperature),
            "draws": str(self.draws),
            "slice": self.SLICE,
        }

    def documents(self):
        return checked_names(self.own.splitlines()) if self.own.strip() else NAMES

    def learned(self, _own, seed):
        """A training, step by step."""
        return from_the_start(self.documents(), self.GOAL, seed)

    def fallback(self):
        return Table({_("it makes up"): self.made})._repr_html_()


def standing(n, loss):
    """Where training stands, in words."""
    n_losses = min(n + 1, LAST)
    mean = plural("Loss of a name: {loss}.", "Mean loss of the last {n} names: {loss}.", n_losses, loss=shown(loss))
    return f"{plural('After {n} step.', 'After {n} steps.', n)} {mean}"


def means(losses):
    """For each step, the mean of the last losses: one of a single name says little."""
    sums = np.cumsum([0.0, *losses])
    first = np.maximum(np.arange(1, len(sums)) - LAST, 0)
    return ((sums[1:] - sums[first]) / (np.arange(1, len(sums)) - first)).tolist()


def made_up(made, known):
    """A grid of names, and whether each is one of those that were read."""
    rows = [[token(name or "–", lang=""), _("yes") if name in known else _("no")] for name in made]
    return grid(
        "made", [_("What it makes up")], ["", _("name"), _("in the list?")], map(str, range(1, len(made) + 1)), rows
    )
