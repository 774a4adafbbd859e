"""The derivative of the loss for any weight: written out by the chain rule, and got by nudging the weight."""

from itertools import pairwise

import numpy as np

from ..core.arguments import is_index
from ..language import _, plural
from ..learning.backprop import central_difference, gradients
from ..reading.sums import explain
from ..reading.tables import table
from ..shown import shown, shown_small
from .shared.derivatives import Judged, derivative_grid, place_of_largest, upright, within_shape
from .shared.grids import grid, mark, named, token, written_out
from .shared.traits import ChoiceOf, ListOf, Whole
from .shared.view import esm

H = 1e-5
BEGINNING = _("Here the chain begins: with the probability, less 1 for the right token.")


class Gradient(Judged):
    """d loss / d any weight or step, live: Gradient(target="␣telhado", key="blocks.0.attn.W_Q", index=[1, 0]).

    Traits: text, as in `run`; target, the token whose -ln p at the last position is the loss; key and index, the number
    whose derivative is written out (if there is no such place, the nearest; of another key, chosen without an index,
    the largest); trail, those walked through to get there, [key, *index] each.
    """

    _esm = esm("shared/grids.js", "gradient.js")
    controls = ("text", "target", "key", "index", "trail")
    key = ChoiceOf(lambda view: view.derivatives(), "blocks.0.attn.W_Q")
    index = ListOf(Whole(), [1, 0])
    trail = ListOf(ListOf())
    _picked = None  # key, index and trail of the last picture

    def words(self):
        return {
            "text": _("Sentence"),
            "target": _("Right next token"),
            "key": _("Weight or step"),
            "inputs": _("Computed from"),
            "trail": _("You came from"),
        }

    def derivatives(self):
        """What has a derivative: the same for every text."""
        return gradients(self.base, self.base.vocab[0]).keys()

    def picture(self):
        """Values and derivatives, the picked one written out, and the same by nudging; keeps them as `gradients`."""
        t = self.run()
        g = self.gradients = gradients(t, self.target)
        index = place_of_largest(g[self.key]) if self.is_only_chosen() else within_shape(self.index, g[self.key].shape)
        self.settle(index=index, trail=self.trail if is_way(g, [*self.trail, [self.key, *index]]) else [])
        self._picked = (self.key, index, self.trail)
        lines = [[upright(t, self.key, head), derivative_grid(g, self.key, head)] for head in heads(g, self.key)]
        mark([it for line in lines for it in line], "picked", self.key, index)
        sum_ = explain(g, self.key, tuple(index))
        return {
            "loss": loss_in_words(t, g, self.target),
            "zeros": zeros_in_words(g),
            "lines": lines,
            "sum": written_out(g, sum_) | ({"note": BEGINNING} if begins_with(sum_, "probs") else {}),
            "inputs": [{"place": place, "text": "∂" + named(g, place, shown_small)} for place in leads_to(sum_)],
            "trail": [{"place": place, "text": "∂" + named(g, place, shown_small)} for place in self.trail],
            "check": [check_grid(t, sum_.value, self.key, tuple(index), self.target)],
            "targets": list(t.vocab),
            "keys": g.keys(),
        }

    def is_only_chosen(self):
        """Whether there is another key than before, and the index is still that of the key before."""
        key, *others = self._picked or [self.key]
        return self.key != key and [self.index, self.trail] == others

    def fallback(self):
        return table(self.gradients, self.key)._repr_html_()


def heads(g, key):
    """The heads of a step, each of which has a grid of its own; None for what has none."""
    return range(len(g[key])) if g.about(key).axes[0] == "head" else [None]


def begins_with(sum_, key):
    """Whether a number of this step is what a sum was computed from."""
    return any(name == key for name, _at, _value in sum_.inputs)


def leads_to(sum_):
    """The derivatives that a derivative was computed from, one step nearer to the loss: [key, *index] each."""
    return [[key.removeprefix("∂"), *at] for key, at, _value in sum_.inputs if key.startswith("∂")]


def is_way(g, places):
    """Whether each of these numbers leads on to the next."""
    return all(is_place(g, a) and b in leads_to(explain(g, a[0], tuple(a[1:]))) for a, b in pairwise(places))


def is_place(g, place):
    key, *index = place or [""]
    return key in list(g) and is_index(g[key], index)


def loss_in_words(t, g, target):
    """The loss, in parts. (At temperature 1, as every loss.)"""
    loss = _(") = −ln {p} = {loss}.", p=shown(np.exp(-g.loss)), loss=shown(g.loss))
    return [_("The loss is −ln p("), token(target), loss]


def zeros_in_words(g):
    """How many of the weights the loss does not move with at all."""
    n, of = sum(int((g[key] == 0).sum()) for key in g.weights), sum(g[key].size for key in g.weights)
    exactly = plural(
        "Of the {of} weights, {n} has a derivative of exactly 0.",
        "Of the {of} weights, {n} have a derivative of exactly 0.",
        n,
        of=of,
    )
    return exactly + " " + _("In the table of derivatives an exact 0 is written 0.")


def check_grid(t, derivative, key, index, target):
    """The same derivative without the chain rule: the loss on both sides of the number, and the slope between."""
    below, above, slope = central_difference(t, key, index, target, H)
    labels = [
        _("loss, the number smaller by δ"),
        _("loss, the number larger by δ"),
        _("slope: their difference / 2δ"),
        _("by the chain rule"),
    ]
    rows = [[f"{round(x, 9) + 0.0:.9f}"] for x in (below, above, slope, derivative)]
    return grid("check", [_("Nudged by δ = {h}", h=f"{H:.5f}")], ["", ""], labels, rows, full=None)
