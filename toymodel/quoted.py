"""What a reader gave, where the course says it again: a little of it, and every sign of it as it was typed."""

import re

MOST = 40  # symbols of it


def quoted(it, write=repr):
    """The beginning of it, as Python writes it, in one line; invisible symbols are made visible."""
    try:
        text = write(it)
    except Exception:  # whatever an object of the reader's does; and a whole number of more than 4,300 digits
        text = f"<{type(it).__name__}>"
    return short(re.sub(r"\s*\n\s*", " ", text))


def short(text, most=MOST):
    """The beginning of a text, with every invisible symbol made visible."""
    text = text if len(text) <= most else text[:most] + "…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def listed(words, most=400):
    """Words, with a space between each two, as many as fit into so many symbols."""
    text = " ".join(words)
    return text if len(text) <= most else text[: text.rfind(" ", 0, most)] + " …"
