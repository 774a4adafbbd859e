"""The words of a picture that is told in phases."""

from ...language import _


def words():
    """What the buttons are called, and why one may lead nowhere."""
    return {
        "phase": _("Phases"),
        "play": _("Play"),
        "pause": _("Pause"),
        "back": _("Back"),
        "next": _("Next"),
        "first": _("This is the first phase."),
        "last": _("This is the last phase."),
    }
