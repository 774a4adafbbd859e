"""A curve to draw: its points, the scales with what stands beside them, and the same in words."""

import numpy as np

from ...language import _
from ...shown import shown

POINTS = 150  # more could not be told apart; the highest is one of them
ROUND = (1, 2, 5, 10, 20)


def curve(losses, looked_at, most, guessing):
    """The losses after 0, 1, 2 ... steps, up to `most` steps; one of them looked at, and the loss of guessing."""
    n = len(losses) - 1
    kept = {*np.linspace(0, n, min(n + 1, POINTS - 1)).astype(int).tolist(), int(np.argmax(losses))}
    high = max(*losses, 1.1 * guessing)
    return {
        "points": [[k, round(losses[k], 4)] for k in sorted(kept)],
        "at": [looked_at, round(losses[looked_at], 4)],
        "right": most,
        "top": high,
        "x": ticks(most),
        "y": ticks(high),
        "guessing": [guessing, _("as good as guessing: {loss}", loss=shown(guessing))],
        "axes": [_("step"), _("loss")],
        "words": curve_in_words(losses),
    }


def ticks(most, at_most=6):
    """Round numbers from 0 up to `most`, a few, each with its text."""
    size = 10.0 ** np.floor(np.log10(most / at_most))
    step = next(size * k for k in ROUND if most / (size * k) <= at_most)
    return [[float(x), f"{x:.10g}"] for x in np.arange(0, most * 1.0001, step)]


def curve_in_words(losses):
    """The curve for those who do not see it: the loss at the beginning, on the way, and now."""
    n = len(losses) - 1
    places = sorted({0, n // 4, n // 2, 3 * n // 4, n})
    told = "; ".join(_("step {n}: {loss}", n=k, loss=shown(losses[k])) for k in places)
    return _("Loss curve. {told}", told=told)
