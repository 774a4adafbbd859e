"""Every word a student reads passes through `_`, so that a second language is a catalogue, not a fork.

The course decides which one it is, never the settings of the computer, which would change half of a lesson. A second
language is a file, locale/pt/LC_MESSAGES/toymodel.mo, and LANGUAGE = "pt" below: many words are made while the package
is imported, so it cannot be chosen later.

In a message, `{it!r}` and `{it!s}` quote what a reader gave, as Python writes it or as it is: the beginning of it.
"""

import gettext
from pathlib import Path
from string import Formatter

from .quoted import quoted

LANGUAGE = "en"
_catalogue = gettext.translation("toymodel", Path(__file__).parent / "locale", languages=[LANGUAGE], fallback=True)


class _Message(Formatter):
    def convert_field(self, value, conversion):
        return quoted(value, {"r": repr, "s": str}[conversion]) if conversion else value


def plural(one, many, n, **values):
    """The message for one, or the one for n, with n and the values put into its {places}."""
    return _Message().format(_catalogue.ngettext(one, many, n), n=n, **values)


def _(message, **values):
    """The message in the reader's language, with the values put into its {places}."""
    text = _catalogue.gettext(message)
    return _Message().format(text, **values) if values else text
