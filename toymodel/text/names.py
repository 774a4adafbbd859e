"""Names, one in a line: those that the course ships, and those of a reader. Their characters are an alphabet."""

from pathlib import Path

from ..language import _
from .tokenizer import SPACE, composed, symbol_at

END = "•"  # before and after each name, unwritten
MOST_CHARACTERS, MOST_BYTES = 500, 10_000_000
_FILE = Path(__file__).parents[1] / "data" / "names.txt"


def read(path):
    """The names in a text file (UTF-8, one in a line; empty lines are skipped): a list.

    Raises ValueError for a file that is not there, is no text, is larger than 10 MB, or has no name.
    """
    try:
        file = Path(path)
        size = file.stat().st_size
        text = file.read_bytes().decode("utf-8-sig") if size <= MOST_BYTES else ""
    except TypeError:
        raise ValueError(_("the path must be a text, such as 'names.txt', not {it!r}.", it=path)) from None
    except UnicodeDecodeError as error:
        at = error.start
        raise ValueError(_("{path!s} is not UTF-8: see byte {at}. Save it as UTF-8.", path=path, at=at)) from None
    except OSError as error:
        raise ValueError(_("{path!r} cannot be read: {why!s}.", path=str(path), why=error.strerror or "")) from None
    except ValueError:  # a sign that no path may have
        raise ValueError(_("{path!r} is no path.", path=path)) from None
    if size > MOST_BYTES:
        raise ValueError(_("{path!s} has {size:,} bytes; {most:,} can be read.", path=path, size=size, most=MOST_BYTES))
    return checked_names(text.splitlines())


def checked_names(documents):
    """Names as a list, stripped, accents composed, empty ones left out. Raises ValueError for what is no list of texts.

    Also for none, for one that holds the sign of the end, and for more than 500 different characters.
    """
    if isinstance(documents, str):
        raise ValueError(_("names must be a list of texts, such as ['ana', 'bia']: text.splitlines() makes one."))
    try:
        names = [composed(name).strip() for name in documents]
    except TypeError:
        raise ValueError(
            _("names must be a list of texts, such as ['ana', 'bia'], not {it!r}.", it=documents)
        ) from None
    names = [name for name in names if name]
    if not names:
        raise ValueError(_("there must be at least one name to learn from."))
    for sign in (END, SPACE):
        if name := next((name for name in names if sign in name), None):
            symbol = symbol_at(name, name.index(sign))
            raise ValueError(_("`{name!s}` has {symbol}, which the model uses itself.", name=name, symbol=symbol))
    if (n := len(characters(names))) > MOST_CHARACTERS:
        raise ValueError(
            _("these names have {n} different characters; there is room for {most}.", n=n, most=MOST_CHARACTERS)
        )
    return names


def characters(names):
    """The different characters of some names, sorted, a space as `␣`: a tuple."""
    return tuple(it.replace(" ", SPACE) for it in sorted(set("".join(names))))


NAMES = tuple(_FILE.read_text(encoding="utf-8").split())
