"""The first control of the course: does it move, and does Python answer?"""

import platform
from importlib.metadata import PackageNotFoundError, version

from ..language import _
from .shared.traits import Whole
from .shared.view import View, esm


class Hello(View):
    """A slider and Python's answer: Hello(). Trait: number, 0 to 12."""

    _esm = esm("hello.js")
    controls = ("number",)
    number = Whole(3, min=0, max=12)

    def words(self):
        return {"number": _("Move me")}

    def picture(self):
        answer = _("Python answers: {n} × {n} = {square}. Controls work here.", n=self.number, square=self.number**2)
        return {"answer": answer, "versions": ", ".join([f"Python {platform.python_version()}", *installed()])}

    def fallback(self):
        return f"<p>{_('A slider. If this stays after a run, this program cannot show controls.')}</p>"


def installed():
    """The packages a reader may be asked about, with their versions. (JupyterLab may live in another environment.)"""
    for name in ("jupyterlab", "ipywidgets", "anywidget", "numpy", "pandas"):
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
