"""Text to token ids and back. A token that begins with a space is written with `␣`, so that the space can be seen."""

import re
import unicodedata
from functools import cache
from numbers import Integral

from ..language import _
from ..quoted import listed, short

SPACE, UNKNOWN = "␣", "<unk>"


def longest_match(text, vocab):
    """Read `text` from left to right, each time the longest token that fits: a list of ids (places in `vocab`).

    Accents may come composed or decomposed (the text is brought to Unicode's NFC form first); spaces, capitals and all
    else must match exactly. Raises ValueError, with the symbol, its code point and its position, where no token fits.
    """
    text = composed(text)
    if not text:
        raise ValueError(_("the text is empty: write at least one token. {known}", known=_known(vocab)))
    spelled, longest = _spelled(tuple(vocab))
    ids, start = [], 0
    while start < len(text):
        token = longest.match(text, start)
        if token is None:
            raise ValueError(_unknown(text, start, spelled, vocab))
        ids.append(spelled[token[0]])
        start = token.end()
    return ids


def composed(text):
    """The text with composed accents, Unicode's NFC form. Raises ValueError for what is no text."""
    if not isinstance(text, str):
        raise ValueError(_("the text must be a string, not {kind!s}.", kind=type(text).__name__))
    return unicodedata.normalize("NFC", text)


@cache
def _spelled(vocab):
    """Each token with its space as a space, and its id; and the pattern that finds the longest that fits."""
    spelled = {token.replace(SPACE, " "): i for i, token in enumerate(vocab)}
    return spelled, re.compile("|".join(map(re.escape, sorted(spelled, key=len, reverse=True))))


def text_of(ids, vocab):
    """The text that the tokens spell, spaces as spaces. Raises ValueError for an id outside the vocabulary."""
    return "".join(tokens_of(ids, vocab)).replace(SPACE, " ")


def tokens_of(ids, vocab):
    """The tokens with these ids. Raises ValueError for an id outside the vocabulary."""
    return [vocab[i] for i in checked_ids(ids, vocab)]


def checked_ids(ids, vocab):
    """The ids as a list. Raises ValueError for an id outside the vocabulary."""
    try:
        ids = list(ids)
    except TypeError:
        raise ValueError(_("ids must be a list of whole numbers, not {given!r}.", given=ids)) from None
    for i in ids:
        if isinstance(i, bool) or not isinstance(i, Integral) or not 0 <= i < len(vocab):
            raise ValueError(
                _("{id!r} is no token id: ids are whole numbers from 0 to {last}.", id=i, last=len(vocab) - 1)
            )
    return ids


class Words:
    """A tokenizer whose tokens are the words and signs of a corpus; any other word is `<unk>`. Spaces are not kept."""

    def __init__(self, corpus):
        self.vocab = (UNKNOWN, *dict.fromkeys(_words(corpus)))
        self._ids = {word: i for i, word in enumerate(self.vocab)}

    def tokens(self, text):
        """The words and signs of a text, `<unk>` for those that are not in the vocabulary."""
        return [self.vocab[i] for i in self.encode(text)]

    def encode(self, text):
        """The ids of the words and signs of a text, 0 for those that are not in the vocabulary."""
        return [self._ids.get(word, 0) for word in _words(text)]

    def decode(self, ids):
        """The words with these ids, with a space between each two."""
        return " ".join(tokens_of(ids, self.vocab))


def _words(text):
    return re.findall(r"\w+|[^\w\s]", composed(text))


def token_id(token, vocab):
    """The id of one token, given as it is shown (`␣gato`). Raises ValueError, and suggests the spelling with `␣`."""
    it = unicodedata.normalize("NFC", token) if isinstance(token, str) else ""
    if it in vocab:
        return vocab.index(it)
    spaced = SPACE + it.lstrip()
    hint = _("Did you mean {token}?", token=spaced) if spaced in vocab else _known(vocab)
    raise ValueError(_("{token!r} is no token. {hint}", token=token, hint=hint))


def _unknown(text, start, spelled, vocab):
    """The sentence for text in which no token fits at `start`."""
    end = text.find(" ", start + 1)
    piece = text[start : end if end > 0 else len(text)]
    if piece == " ":
        return _("there is a space (U+0020) too many, at position {at}. {known}", at=start, known=_known(vocab))
    alphabet = set("".join(spelled))
    strange = (i for i, symbol in enumerate(piece) if symbol not in alphabet and not symbol.isalpha())
    at = start + next(strange, piece[0] == " ")  # what cannot be meant for a letter, or else the first letter
    bare = _bare(piece)
    meant = [token for token in vocab if _bare(token) == bare]
    hint = "".join(_("Did you mean `{token}`? ", token=token) for token in meant[:1])
    return _(
        "`{piece}` is not in the vocabulary: see position {at}, {symbol}. {hint}{known}",
        piece=_visible(piece),
        at=at,
        symbol=symbol_at(text, at),
        hint=space_typed_as_sign(text[at]) or hint,
        known=_known(vocab),
    )


def space_typed_as_sign(symbol):
    """What to say to a reader who typed the sign by which tokens show their space, else "": they look the same."""
    return _("For a space, type a space, not its sign `{space}`. ", space=SPACE) if symbol == SPACE else ""


def _known(vocab):
    return _("Known tokens ({space} is a space): {tokens}", space=SPACE, tokens=listed(vocab))


def _bare(text):
    """`text` without spaces, accents and capitals."""
    letters = unicodedata.normalize("NFD", text.strip(" " + SPACE).casefold())
    return "".join(c for c in letters if not unicodedata.combining(c))


def _visible(text):
    """`text` with every space and every invisible symbol made visible."""
    return short(text.replace(" ", SPACE))


def symbol_at(text, at):
    """What a reader sees as one symbol, with the code points it is made of: `r` (U+0072 LATIN SMALL LETTER R)."""
    end = at + 1
    while end < min(len(text), at + 8) and _joins(text[at:end], text[end]):
        end += 1
    names = " + ".join(f"U+{ord(c):04X} {unicodedata.name(c, '')}".rstrip() for c in text[at:end])
    return f"`{_visible(text[at:end])}` ({names})"


def _joins(symbol, c):
    """Whether `c` belongs to the symbol: an accent, a variation mark, a skin tone, a joined emoji, half a flag."""
    if "\U0001f1e6" <= c <= "\U0001f1ff":
        return len(symbol) == 1 and "\U0001f1e6" <= symbol <= "\U0001f1ff"
    accent = unicodedata.category(c) in ("Mn", "Me")
    return accent or "\U0001f3fb" <= c <= "\U0001f3ff" or "\u200d" in (symbol[-1], c)
