"""Every word a student reads passes through `_`, so that a second language is a catalogue, not a fork."""

import gettext
from pathlib import Path

_catalogue = gettext.translation("toymodel", Path(__file__).parent / "locale", fallback=True)


def plural(one, many, n, **values):
    """The message for one, or the one for n, with n and the values put into its {places}."""
    return _catalogue.ngettext(one, many, n).format(n=n, **values)


def _(message, **values):
    """The message in the reader's language, with the values put into its {places}."""
    text = _catalogue.gettext(message)
    return text.format(**values) if values else text
