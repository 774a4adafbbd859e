"""What every live view shares: Python computes, JavaScript draws, and an error becomes a sentence in the view."""

from pathlib import Path

import anywidget
import traitlets

from ...language import _

VIEWS = Path(__file__).parents[1]
COMMON_WORDS = {"space": _("space"), "changed": _("changed"), "used": _("used here"), "picked": _("picked")}
COMMON_WORDS |= {"arrows": _("Arrow keys pick a number."), "made": _("made just now"), "likeliest": _("likeliest")}


SCRIPTS = ("shared/elements.js", "shared/controls.js", "shared/view.js")  # of all views
STYLES = ("shared/view.css", "shared/controls.css", "shared/grids.css")


def esm(*files):
    """A view's JavaScript, with what all views share before it. (A widget's module cannot import a file beside it.)"""
    return "".join((VIEWS / file).read_text(encoding="utf-8") for file in (*SCRIPTS, *files))


def css(*files):
    """What all views look like, and what a view has besides."""
    return "".join((VIEWS / file).read_text(encoding="utf-8") for file in (*STYLES, *files))


class View(anywidget.AnyWidget):
    """The base of a view: `x.py` names its JavaScript, `_esm = esm("x.js")`, its controls as traits, and what to draw.

    `controls` names the traits that a reader moves (or a cell sets, or `link`s); `words()` what they are called.
    `sliders` names those of which a row of steps is one move: `before` is the picture before it, or {}.
    `picture()` returns the JSON that the JavaScript draws; what it raises is shown as a sentence, and the last good
    picture stays. Where a control has no meaning any more (a row of a text that is shorter now), it calls `settle`.
    `fallback()` is that picture as HTML, for a notebook that has not been run.
    """

    _css = css()
    controls = sliders = ()
    labels = traitlets.Dict().tag(sync=True)  # words, in the reader's language
    state = traitlets.Dict().tag(sync=True)  # the last good picture
    warning = ""
    problem = traitlets.Unicode().tag(sync=True)  # what is wrong with the controls as they stand, or ""

    def __init__(self, **settings):
        super().__init__(labels=COMMON_WORDS | self.words(), **settings)
        self._pictured, self._moved, self.before = {}, [], {}
        self.state, self._pictured = self.picture(), self._settings()  # a mistake in the cell itself is raised there
        self.observe(self._follow, names=list(self.controls))

    def _settings(self):
        return {name: getattr(self, name) for name in self.controls}

    def settle(self, **controls):
        """Set controls from within `picture`, to what it is about to draw; they are not drawn once more for that."""
        self._pictured |= controls
        with self.hold_trait_notifications():
            for name, value in controls.items():
                setattr(self, name, value)

    def _follow(self, _change):
        if self._settings() == self._pictured:
            return  # two controls in one message: the first call has drawn both
        moved = [name for name, it in self._settings().items() if it != self._pictured[name]]
        if moved != self._moved or not set(moved) <= set(self.sliders):
            self.before = self.state
        self._pictured, self._moved = self._settings(), moved
        with self.hold_sync():  # all in one message: no control is ahead of the picture
            try:
                self.warning = ""
                self.state = self.picture()
                self.problem = self.warning and still_shown(self.warning)
            except ValueError as error:
                self.problem = still_shown(error)
            except Exception as error:  # a fault of ours: nothing else would show it to the reader
                error = repr(error)
                self.problem = _("The course made a mistake here ({error}). Please tell its authors.", error=error)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={it!r}' for name, it in self._settings().items())})"

    def _repr_mimebundle_(self, **options):
        data, metadata = super()._repr_mimebundle_(**options)
        note = _("Run this cell, and its controls move. Until then, this is how it begins:")
        html = f"<p><em>{note}</em></p>{self.fallback()}"
        return {**data, "text/plain": repr(self), "text/html": html}, metadata  # some versions cut the text


def still_shown(error):
    return _("{error} What worked last is still shown below.", error=error)


def within(i, n):
    """The place nearest to i, of n places that count from 0."""
    return max(0, min(i, n - 1))


def placed(i, n):
    """The place that i picks, of n that count from 0: -1 is the last; else the nearest."""
    return n - 1 if i == -1 else within(i, n)


def nearest(i, n):
    """What a control that picks a place is set to: -1, the last, as it is; else the nearest that there is."""
    return i if i == -1 else within(i, n)
