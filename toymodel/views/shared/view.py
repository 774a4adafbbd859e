"""What every live view shares: Python computes, JavaScript draws, and an error becomes a sentence in the view."""

from contextlib import nullcontext
from difflib import get_close_matches
from inspect import signature
from math import isfinite
from pathlib import Path

import anywidget
import traitlets
from IPython.display import display

from ...language import _
from .traits import Text

VIEWS = Path(__file__).parents[1]
COMMON_WORDS = {"space": _("space"), "changed": _("changed"), "used": _("used here"), "picked": _("picked")}
COMMON_WORDS |= {"arrows": _("Arrow keys pick a number."), "made": _("made just now"), "likeliest": _("likeliest")}
COMMON_WORDS["gone"] = _("The kernel was restarted or stopped: run this cell again.")


WIDGET = "application/vnd.jupyter.widget-view+json"
# Of how a view begins and the view itself, one is shown: the view, where it lives. (What came too late is no flash.)
SHOW_ONE = """<style>
.jp-OutputArea-child:has(.tm-still):has(+ .jp-OutputArea-child .tm-view),
.jp-OutputArea-child:has(.tm-still) + .jp-OutputArea-child:not(:has(.jp-OutputArea-output > *)) { display: none }
.jp-OutputArea-child .tm-still { animation: tm-still 1ms 0.7s backwards }
@keyframes tm-still { from { visibility: hidden } }
</style>"""

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
    `picture()` returns the JSON that the JavaScript draws; what it raises is shown as a sentence, the last good picture
    stays, and the controls go back to it: all but texts, which a reader may want to mend. Where a control has no
    meaning any more (a row of a text that is shorter now), it calls `settle`.
    `fallback()` is that picture as HTML, for a notebook that has not been run.
    """

    _css = css()
    controls = sliders = ()
    labels = traitlets.Dict().tag(sync=True)  # words, in the reader's language
    state = traitlets.Dict().tag(sync=True)  # the last good picture
    warning = ""
    problem = traitlets.Unicode().tag(sync=True)  # what is wrong with the controls as they stand, or ""

    def __init__(self, **settings):
        for name in settings:
            if name not in settings_of(type(self)) and not anywidget.AnyWidget.class_traits().get(name):
                raise ValueError(no_such_setting(type(self), name))
        super().__init__(labels=COMMON_WORDS | self.words(), **settings)
        self._pictured, self._good, self._moved, self.before = {}, {}, [], {}
        self.state = self.picture()  # a mistake in the cell itself is raised there
        self._pictured = self._good = self._settings()
        self.observe(self._follow, names=list(self.controls))

    def _settings(self):
        return {name: getattr(self, name) for name in self.controls}

    def settle(self, **controls):
        """Set controls from within `picture`, to what it is about to draw; they are not drawn once more for that."""
        self._pictured = self._pictured | controls
        with self.hold_trait_notifications():
            for name, value in controls.items():
                setattr(self, name, value)

    def put_back(self, error, *names):
        """After a refusal, set these controls, or all, to what they were at the last good picture: all but texts.

        While a text waits to be mended and the sentence is still the same, what else moves is not to blame: it stays.
        """
        texts = {name for name in self.controls if isinstance(self.traits()[name], Text)}
        waits = self.problem == still_shown(error) and any(getattr(self, name) != self._good[name] for name in texts)
        refused = [name for name in names or self.controls if name not in texts]
        self.settle(**{it: self._good[it] for it in refused if not waits or is_not_finite(getattr(self, it))})

    def notify_change(self, change):
        """Tell of a move, and of all that follows from it, in one message: nothing is sent that is then refused."""
        with self.hold_sync() if change.name in self.controls else nullcontext():
            super().notify_change(change)

    def _follow(self, _change):
        if self._settings() == self._pictured:
            return  # two controls in one message: the first call has drawn both
        moved = [name for name, it in self._settings().items() if it != self._pictured[name]]
        if moved != self._moved or not set(moved) <= set(self.sliders):
            self.before = self.state
        self._pictured, self._moved, self.warning = self._settings(), moved, ""
        try:
            self.state = self.picture()
            self._good = self._good if self.warning else self._settings()
            self.problem = self.warning and still_shown(self.warning)
        except ValueError as error:
            self.put_back(error)
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

    def _ipython_display_(self):
        """Show how it begins, and the live view, as two outputs: of one alone, a saved page would keep an error."""
        data, metadata = self._repr_mimebundle_()
        still = f'{SHOW_ONE}<div class="tm-still">{data["text/html"]}</div>'
        display({"text/plain": data["text/plain"], "text/html": still}, raw=True)
        display({WIDGET: data[WIDGET]}, metadata=metadata, raw=True)


def settings_of(view):
    """What a view may be given: its controls, what else it can be set to, and what it begins with."""
    begins = [it.name for it in signature(view.__init__).parameters.values() if it.kind is it.POSITIONAL_OR_KEYWORD]
    return list(dict.fromkeys([*view.controls, *view.class_own_traits(), *begins[1:]]))


def no_such_setting(view, name):
    """The sentence for an argument that a view does not have."""
    known = settings_of(view)
    near = get_close_matches(str(name), known, 1)
    meant = _(": did you mean `{near}`?", near=near[0]) if near else "."
    it, names = view.__name__, ", ".join(known)
    return _("{view} has no `{name!s}`{meant} It has {names}.", view=it, name=name, meant=meant, names=names)


def is_not_finite(value):
    """Whether it is a number that JSON does not have."""
    return isinstance(value, float) and not isfinite(value)


def still_shown(error):
    error = str(error)
    ended = error if error.endswith((".", "?", "!")) else f"{error}."  # some end with a list
    return _("{error} What worked last is still shown below.", error=ended)


def within(i, n):
    """The place nearest to i, of n places that count from 0."""
    return max(0, min(i, n - 1))


def placed(i, n):
    """The place that i picks, of n that count from 0: -1 is the last; else the nearest."""
    return n - 1 if i == -1 else within(i, n)


def nearest(i, n):
    """What a control that picks a place is set to: -1, the last, as it is; else the nearest that there is."""
    return i if i == -1 else within(i, n)
