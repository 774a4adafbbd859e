"""What the views that choose a next token share: with which temperature, cuts and dice, and bars beside numbers."""

import traitlets

from ...language import _
from ...shown import rounded, shown
from .grids import grid, sign
from .runs import RunView
from .traits import Float, Whole
from .view import css


class Choosing(RunView):
    """The base of such a view: its sentence, temperature, top_k, top_p and seed, as in `generate`."""

    _css = css("shared/bars.css")
    sliders = ("temperature", "top_k", "top_p")
    temperature = Float(1.0)
    top_k = Whole()
    top_p = Float(1.0)
    seed = Whole(0)

    @traitlets.default("top_k")
    def _all(self):
        return len(self.base.vocab)

    def words(self):
        words = {"text": _("Sentence"), "temperature": _("Temperature"), "top_k": _("Top-k"), "top_p": _("Top-p")}
        return words | {"seed": _("Next seed")}

    def idle(self):
        """Which controls change nothing at temperature 0, in parts."""
        return [] if self.temperature else [_("At temperature 0 top-k, top-p and the seed change nothing.")]

    def controls_shown(self):
        """The controls' values as they are shown, and how many tokens there are to choose from."""
        return {
            "temperature": shown(self.temperature),
            "top_k": str(self.top_k),
            "top_p": shown(self.top_p),
            "seed": _("seed {seed}", seed=self.seed),
            "of": len(self.base.vocab),
        }


def is_cut(t, kept):
    """Which tokens top-k or top-p have cut. (At temperature 0 the others have nothing that could be cut.)"""
    return (kept == 0) & (t["probs"][-1] > 0)


def what_is_kept(t, kept, order):
    """The cells of a column: what is kept of each token, a dash for those that are cut."""
    dash, cut = sign("–", _("cut")), is_cut(t, kept)
    return [dash if cut[i] else shown(kept[i]) for i in order]


def bars_grid(name, caption, columns, labels, bars, keys, **more):
    """A grid of these columns, {heading: cells}, with two bars in each row: numbers from 0 to 1, in two columns.

    `keys` says what the solid and what the striped ones are.
    """
    rows = zip(*columns.values(), strict=True)
    more |= {"keys": keys, "scale": _("0 to 1"), "full": None}
    made = grid(name, caption, [_("next"), *columns], labels, rows, **more)
    for row, lengths in zip(made["rows"], rounded(bars).T.tolist(), strict=True):
        row["bars"] = lengths
    return made
