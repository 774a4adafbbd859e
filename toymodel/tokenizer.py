"""Text to token ids and back. A token that begins with a space is written with `␣`, so that the space can be seen."""

import re
import unicodedata
from functools import cache
from numbers import Integral

from .language import _

SPACE = "␣"


def longest_match(text, vocab):
    """Read `text` from left to right, each time the longest token that fits: a list of ids (places in `vocab`).

    Accents may come composed or decomposed (the text is brought to Unicode's NFC form first); spaces, capitals and all
    else must match exactly. Raises ValueError, with the symbol, its code point and its position, where no token fits.
    """
    if not isinstance(text, str):
        raise ValueError(_("the text must be a string, not {kind}.", kind=type(text).__name__))
    if not text:
        raise ValueError(_("the text is empty: write at least one token. {known}", known=_known(vocab)))
    text = unicodedata.normalize("NFC", text)
    spelled, longest = _spelled(tuple(vocab))
    ids, start = [], 0
    while start < len(text):
        token = longest.match(text, start)
        if token is None:
            raise ValueError(_unknown(text, start, spelled, vocab))
        ids.append(spelled[token[0]])
        start = token.end()
    return ids


@cache
def _spelled(vocab):
    """Each token with its space as a space, and its id; and the pattern that finds the longest that fits."""
    spelled = {token.replace(SPACE, " "): i for i, token in enumerate(vocab)}
    return spelled, re.compile("|".join(map(re.escape, sorted(spelled, key=len, reverse=True))))


def text_of(ids, vocab):
    """The text that the tokens spell, spaces as spaces. Raises ValueError for an id outside the vocabulary."""
    for i in ids:
        if isinstance(i, bool) or not isinstance(i, Integral) or not 0 <= i < len(vocab):
            raise ValueError(
                _("{id!r} is no token id: ids are whole numbers from 0 to {last}.", id=i, last=len(vocab) - 1)
            )
    return "".join(vocab[i] for i in ids).replace(SPACE, " ")


def token_id(token, vocab):
    """The id of one token, given as it is shown (`␣gato`). Raises ValueError, and suggests the spelling with `␣`."""
    if token in vocab:
        return vocab.index(token)
    spaced = SPACE + str(token).lstrip()
    hint = _("Did you mean {token}?", token=spaced) if spaced in vocab else _known(vocab)
    raise ValueError(_("{token!r} is no token. {hint}", token=token, hint=hint))


def _unknown(text, start, spelled, vocab):
    """The sentence for text in which no token fits at `start`."""
    end = text.find(" ", start + 1)
    piece = text[start : end if end > 0 else len(text)]
    alphabet = set("".join(spelled))
    first_letter = 1 if piece[0] == " " and len(piece) > 1 else 0
    at = next((i for i, symbol in enumerate(piece) if symbol not in alphabet), first_letter)
    return _(
        "`{piece}` is not in the vocabulary: see position {position}, {symbol}. {known}",
        piece=_visible(piece),
        position=start + at,
        symbol=_symbol(text, start + at),
        known=_known(vocab),
    )


def _known(vocab):
    return _("Known tokens ({space} is a space): {tokens}", space=SPACE, tokens=" ".join(vocab))


def _visible(text):
    """`text` with every space and every invisible symbol made visible."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text.replace(" ", SPACE))


def _symbol(text, at):
    """What a reader sees as one symbol, with the code points it is made of: `r` (U+0072 LATIN SMALL LETTER R)."""
    end = at + 1
    while end < len(text) and _joins(text[end - 1], text[end]):
        end += 1
    names = " + ".join(f"U+{ord(c):04X} {unicodedata.name(c, _('control character'))}" for c in text[at:end])
    return f"`{_visible(text[at:end])}` ({names})"


def _joins(before, c):
    """Whether `c` continues the symbol before it: accents, variation marks, skin tones, joined emoji, flags."""
    flag = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= c <= "\U0001f1ff"
    return (
        unicodedata.category(c) in ("Mn", "Me") or "\U0001f3fb" <= c <= "\U0001f3ff" or "\u200d" in (before, c) or flag
    )
