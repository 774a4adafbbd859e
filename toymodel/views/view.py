"""What every live view shares: Python computes, JavaScript draws, and an error becomes a sentence in the view."""

from pathlib import Path

import anywidget
import traitlets

from ..language import _

HERE = Path(__file__).parent


class View(anywidget.AnyWidget):
    """A view `x.py` draws with `x.js` and `x.css`. It adds its controls as traits, and says what to draw.

    `controls` names the traits that a reader moves (or a cell sets, or `link`s). `picture()` returns the JSON that the
    JavaScript draws; what it raises is shown as a sentence, and the last good picture stays. `fallback()` is HTML for
    a notebook that has not been run: the tables at the settings in force.
    """

    controls = ()
    state = traitlets.Dict().tag(sync=True)  # the last good picture
    problem = traitlets.Unicode().tag(sync=True)  # what is wrong with the controls as they stand now, or ""

    def __init_subclass__(cls, **options):
        if not hasattr(cls, "_esm"):  # anywidget makes subclasses of its own, which have it
            name = cls.__module__.rsplit(".", 1)[-1]
            cls._esm, cls._css = HERE / f"{name}.js", HERE / f"{name}.css"
        super().__init_subclass__(**options)

    def __init__(self, **settings):
        super().__init__(**settings)
        self.state = self.picture()  # a mistake in the cell itself is raised there
        self.observe(self._follow, names=list(self.controls))

    def _follow(self, _change):
        try:
            self.state, self.problem = self.picture(), ""
        except ValueError as error:
            self.problem = str(error)
        except Exception as error:  # a fault of ours: nothing else would show it to the reader
            self.problem = _("The course made a mistake here ({error}). Please report it.", error=repr(error))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.controls)})"

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        note = _("These are the numbers at the settings in the cell. Run the cell to move the controls.")
        return {**data, "text/html": f"<p><em>{note}</em></p>{self.fallback()}"}, metadata
