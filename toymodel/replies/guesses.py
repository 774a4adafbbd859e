"""`guess` seals what a cell shows until a guess has been typed into it; then guess and truth stand beside each other.

A sealed output is a real one: its text is what the cell shows, so it is compared as ever. Its HTML is closed, whoever
runs the cell, saves the page or reads it on the web, until it is opened or a guess was made. It never raises.
"""

from html import escape

import numpy as np

from ..language import _, plural
from ..quoted import quoted, short
from ..reading.sums import Sum
from ..shown import shown
from .answers import TWO_NUMBERS, as_numbers, same

_is_open = False  # whether `open_guesses` was called

# The line that stands for a closed answer tells nothing of it. What comes below it, in outputs of its own, is closed
# with it: invisible, not gone, so that a figure has its size when it is opened.
STYLE = """<style>
.tm-guess > summary { cursor: pointer; padding: 4px 0; font-weight: 600; }
.jp-OutputArea-child:has(.tm-guess:not([open])) ~ .jp-OutputArea-child
{ max-height: 0; overflow: hidden; visibility: hidden; }
</style>"""


class Sealed:
    """What `guess` shows; `said` is the line above it, and `is_open` whether it can be read at once.

    Figures and views draw themselves, in outputs of their own below: STYLE closes these, too.
    """

    def __init__(self, parts, said, is_open):
        self.parts, self.said, self.is_open = [it for it in parts if not is_live(it)], said, is_open
        self.live = [it for it in parts if is_live(it)]

    def __repr__(self):
        return "\n".join(map(str, self.parts))

    def _ipython_display_(self):
        if not self.live:
            raise NotImplementedError  # then it is shown as any other result of a cell
        from IPython.display import display  # who asks for this has it loaded

        display({"text/plain": repr(self), "text/html": self._repr_html_()}, raw=True)
        for it in self.live:
            display(it)

    def _repr_html_(self):
        opened = " open" if self.is_open else ""
        summary = f'<summary data-lm-suppress-shortcuts="true">{escape(self.said)}</summary>'
        return f'{STYLE}<details class="tm-guess"{opened}>{summary}{"".join(map(as_html, self.parts))}</details>'


class Opened:
    """The answer to `open_guesses`: in the page, it opens what is closed."""

    def __repr__(self):
        return _("All answers are open from now on: for a class. Start the kernel anew to close them again.")

    def _repr_html_(self):
        opens = "document.querySelectorAll('details.tm-guess').forEach((it) => (it.open = true))"
        return f"<p>{self!r}</p><script>{opens}</script>"


def guess(mine, *shown, truth=None):
    """Seal what a cell shows until `mine` is a guess: guess(..., tm.table(t, "logits"), truth=2.4).

    `mine` is `...` until one has guessed; then a number, a word, or a list of them. `shown` are tables, written-out
    sums, arrays, texts, figures, views: the answer. `truth` is what the guess is compared with; of a cell that shows
    one sum, its value is. Without a truth, guess and answer stand beside each other. A guess of another kind is told
    so. Raises ValueError for a truth that is neither a number, a word, nor a list of them.
    """
    truth = default_truth(shown) if truth is None else checked_truth(truth)
    if mine is ... or mine is None:
        return Sealed(shown, _("Guess first: put it in place of the dots, and run the cell. Or open."), _is_open)
    if type(mine) is int and type(next(iter(shown), None)) is int:
        return Sealed(shown, TWO_NUMBERS, _is_open)
    said, is_guess = compared(mine, truth)
    return Sealed(shown, said, is_guess or _is_open)


def open_guesses():
    """Open all answers, those on the page and those that will come: for a class."""
    global _is_open
    _is_open = True
    return Opened()


def default_truth(parts):
    """The value of the one sum that a cell shows; None where there is none, or more than one."""
    sums = [it.value for it in parts if isinstance(it, Sum)]
    return sums[0] if len(sums) == 1 else None


def checked_truth(truth):
    """The truth. Raises ValueError for what no guess can be compared with."""
    if isinstance(truth, str) or is_words(truth):
        return truth
    try:
        return as_numbers(truth)
    except ValueError:
        raise ValueError(_("truth must be a number, a word, or a list of them, not {it!r}.", it=truth)) from None


def compared(mine, truth):
    """What to say to a guess, and whether it was one."""
    if truth is None:
        you = quoted(mine, lambda it: it if isinstance(it, str) else str(it))
        return _("You said {mine}. Compare:", mine=you), True
    try:
        given = readable(mine, truth)
    except ValueError as error:
        return _("I cannot read this guess. {error}", error=error), False
    said, is_right = verdict(given, truth)
    return said if is_right else f"{said} {_('Why? One sentence of your own, before you go on.')}", True


def verdict(given, truth):
    """How a guess compares with the truth, and whether it is right: a word, a number, or a list of them."""
    if isinstance(truth, str):
        is_right = same(given, truth, 0)
        return (
            _("You said {mine}, and it is.", mine=short(given))
            if is_right
            else _("You said {mine}; it is {truth}.", mine=short(given), truth=truth)
        ), is_right
    if is_words(truth):
        n = sum(same(a, b, 0) for a, b in zip(given, truth, strict=True))
        return right_of(n, len(truth)), n == len(truth)
    truth = np.asarray(truth, float)
    near = np.array([shown(a) == shown(b) for a, b in zip(given.flat, truth.flat, strict=True)])  # -inf, too
    if near.size > 1:
        near |= rounds(given, truth).ravel()
        return right_of(int(near.sum()), near.size), bool(near.all())
    mine, it = float(given.flat[0]), float(truth.flat[0])
    if near[0]:
        return _("You said {mine}, and it is.", mine=short_number(mine)), True
    if rounds(mine, it):
        return _("You said {mine}; rounded, it is. With three decimals: {it}.", mine=f"{mine:g}", it=shown(it)), True
    gap = short_number(abs(mine - it))
    return _("You said {mine}, it is {it}: off by {gap}.", mine=short_number(mine), it=short_number(it), gap=gap), False


def right_of(n, of):
    """How many of some answers are right."""
    return plural("Of {of}, {n} is right.", "Of {of}, {n} are right.", n, of=of)


def rounds(mine, truth):
    """Whether a number is what another one is with one or two decimals: any shape."""
    return (mine == np.round(truth, 1)) | (mine == np.round(truth, 2))


def short_number(x):
    """A number as all are shown; a whole one without decimals."""
    return f"{int(x):,}" if float(x).is_integer() and abs(x) < 1e15 else shown(x)


def readable(mine, truth):
    """A guess in the form of the truth: a word, words, or an array of its shape. Raises ValueError for another kind."""
    if isinstance(truth, str):
        if not isinstance(mine, str):
            raise ValueError(_("A word in quotation marks is asked for."))
        return mine
    if is_words(truth):
        if not isinstance(mine, (list, tuple)) or [*map(type, mine)] != [str] * len(truth):
            raise ValueError(_("{n} words in a list are asked for.", n=len(truth)))
        return mine
    numbers, n = as_numbers(mine), np.size(truth)
    if n == 1 < numbers.size:
        raise ValueError(_("One number is asked for."))
    if numbers.size != n:
        raise ValueError(_("{n} numbers are asked for, in a list.", n=n))
    return numbers.reshape(np.shape(truth))


def is_words(truth):
    """Whether a truth is a list of words."""
    return isinstance(truth, (list, tuple)) and bool(truth) and all(isinstance(it, str) for it in truth)


def is_live(part):
    """Whether it draws itself in the page, as figures and views do."""
    return hasattr(part, "_ipython_display_")


def as_html(part):
    """One thing that a cell shows, as HTML; a formula is left to the page's typesetter."""
    if hasattr(part, "_repr_html_"):
        return part._repr_html_()
    if hasattr(part, "_repr_latex_"):
        return f"<p>{escape(part._repr_latex_())}</p>"
    return f"<pre>{escape(str(part))}</pre>"
