"""Which numbers in a notebook's prose does no output show? A number that is typed in goes stale when a weight changes.

Prose is Markdown, its headings, alt texts and captions included, and the titles of plotly figures. What it says must be
shown under the same heading: by an output between the innermost heading above it and the next heading of the same or a
higher level. So text straight below the title may speak of the whole notebook, text under a heading of its part only.

Agreement is at the rounding of the prose: 0.4, 0.40 and 39.5 % are all shown by 0.395, and 124 M by 124.3 M; 0.3950 is
not, and an integer stands for itself, 2.4 does not show 2. Signs count, whichever minus they are written with; a minus
that stands apart ("minus 0.5", "n − 1") may be a sign or a difference, so either will do. Number words are not read.
"""

import html
import re
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

PLOTLY = "application/vnd.plotly.v1+json"

# Numbers that no output need show, and why.
CONSTANTS = {
    "64-bit": "the width of a float64, which IEEE 754 fixes",
    "count from 0": "where Python begins",
    "Cauchy (1847)": "a year, but too early for the years below: 1847 may be a count",
}

# What is not prose, in this order: it is painted over, so that all else keeps its place.
CODE = re.compile(r"^(```|~~~).*?^\1|(`+)(?!`).+?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
NOT_PROSE = [
    CODE,
    re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$\n]+(?<!\\)\$", re.DOTALL),  # formulas
    re.compile(r"<!--.*?-->|</?[a-z]\w*|(?!alt|title)\b[a-z-]+=(\"[^\"]*\"|'[^']*')|&#?\w+;", re.DOTALL),  # HTML
    re.compile(r"(?<=\]\()[^\s)]+|\b(?:https?://|arXiv:|doi:)\S+|\[\^?\d+\]"),  # addresses and citations
    re.compile(r"\b(?:pp?\.|section|chapter|sec\.|fig\.|eq\.|vol\.) ?\d[\d.–-]*\b", re.IGNORECASE),  # places in them
    re.compile(r"(?<![\w.,])(?:19[4-9]\d|20(?!00)[0-3]\d)\b(?![.,]\d)"),  # years
    re.compile(r"\b(?:lesson|step|question)s? \d\d?(?:(?:, | and | or | to |[-–,])\d\d?)*\b", re.IGNORECASE),
    re.compile(r"^.*→ \W*\d+ [A-Z].*$", re.MULTILINE),  # the map of the lessons
    re.compile(r"^\*\*Time:.*$", re.MULTILINE),  # how long a lesson takes
    re.compile(r"^\s*[-*+]\s|^\W*\d\d?[.)]\s|\(\d\)\s", re.MULTILINE),  # list markers
    re.compile("|".join(map(re.escape, CONSTANTS)), re.IGNORECASE),
]
MARKUP = re.compile(r"<style.*?</style>|<[^>]+>", re.DOTALL)
HEADING = re.compile(r"^ {0,3}(#{1,6})\s", re.MULTILINE)
SENTENCE = re.compile(r"\S.*?(?:[.?!][\"”’)*_]*(?=\s)|$)", re.MULTILINE)
NUMBER = re.compile(
    r"""(?P<apart>(?:\bminus|[−–-])\s+)?
    (?<![^\W_]) (?<![^\W\d_][-‑_]) (?<!\w\.)               # not the tail of a name: GPT-2, float64, W_2, blocks.0
    (?P<sign>(?<![\w)\]}])[-−–+])?
    (?P<digits>[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+) (?P<power>e[+-]?\d+)? (?!\.?\d)
    (?:\s?(?P<unit>%|percent\b|k\b|thousand\b|M\b|million\b|billion\b))?""",
    re.VERBOSE,
)
UNITS = {"%": -2, "percent": -2, "k": 3, "thousand": 3, "M": 6, "million": 6, "billion": 9}


class Unshown(NamedTuple):
    """A number in prose that no output under its heading shows."""

    cell: int
    number: str
    sentence: str

    def __str__(self):
        return f"cell {self.cell}: no output under this heading shows the {self.number} of “{self.sentence}”"


def unshown(nb):
    """Every number in the notebook's prose that no output under the same heading shows: Unshown, in order."""
    for said, shown in sections(nb):
        for cell, text in said:
            prose = painted(text)
            for match in NUMBER.finditer(prose):
                value = value_of(match)
                candidates = {value, -value} if match["apart"] else {value}
                if not any(fits(value, Decimal(other)) for value in candidates for other in shown):
                    number = (match["sign"] or "") + match["digits"] + (match["power"] or "") + (match["unit"] or "")
                    yield Unshown(cell, number, sentence_at(text, match.start("digits")))


def sections(nb):
    """For every heading, what its prose says, [(cell, text)], and the numbers shown under it.

    These are texts: as Decimals, 3 and 3.000 would be one, and which of them stays would be chance.
    """
    everything = [(0, [], set())]  # level, said, shown: the part before any heading comes first
    under = list(everything)  # the headings that we stand under, outermost first
    for cell, it in enumerate(nb.cells):
        if it.cell_type == "markdown":
            code_free = CODE.sub(spaces, it.source)
            starts = [0, *(m.start() for m in HEADING.finditer(code_free)), len(it.source)]
            for start, end in pairwise(starts):
                if heading := HEADING.match(code_free, start):
                    level = len(heading[1])
                    under = [section for section in under if section[0] < level] + [(level, [], set())]
                    everything.append(under[-1])
                under[-1][1].append((cell, it.source[start:end]))
        for output in it.get("outputs", []):
            under[-1][1].extend((cell, title) for title in titles(output))
            numbers = {str(value_of(match)) for text in texts(output) for match in NUMBER.finditer(text)}
            for _level, _said, shown in under:
                shown |= numbers
    return [(said, shown) for _level, said, shown in everything]


def texts(output):
    """What an output shows, as plain texts."""
    yield output.get("text", "")
    for mime, content in output.get("data", {}).items():
        if mime in ("text/html", "image/svg+xml"):
            yield html.unescape(MARKUP.sub(" ", content))
        elif mime == "text/latex":
            yield re.sub(r"\\\\\[\w+\]", " ", content)  # a line break says how high it is
        elif mime == PLOTLY:
            for trace in content["data"]:
                yield from leaves(trace.get(key) for key in ("x", "y", "z", "text", "name", "labels", "values"))
            yield from leaves(content["layout"].get("annotations"))
        elif mime.startswith("text/"):
            yield content


def titles(output):
    """The titles of a figure and of its axes."""
    layout = output.get("data", {}).get(PLOTLY, {}).get("layout", {})
    for part in [layout, *layout.values()]:
        title = part.get("title") if isinstance(part, dict) else None
        text = title.get("text") if isinstance(title, dict) else title
        if text:
            yield MARKUP.sub(" ", text)


def leaves(tree):
    """The values in nested JSON as texts: its numbers are exact, whatever their digits; of an object, its text."""
    if isinstance(tree, dict):
        yield from leaves(tree.get("text"))
    elif isinstance(tree, float):
        yield f"{tree:.9f}"
    elif isinstance(tree, str | int):
        yield str(tree)
    elif tree is not None:
        for branch in tree:
            yield from leaves(branch)


def painted(text):
    """The text with spaces in place of all that is not prose."""
    for pattern in NOT_PROSE:
        text = pattern.sub(spaces, text)
    return text


def spaces(match):
    return re.sub(r".", " ", match[0])


def value_of(match):
    """The Decimal that a NUMBER writes: its exponent tells the place to which it was rounded."""
    sign = "-" if match["sign"] in ("-", "−", "–") else ""
    value = Decimal(sign + match["digits"].replace(",", "") + (match["power"] or ""))
    return value.scaleb(UNITS.get(match["unit"], 0))


def fits(said, shown):
    """Whether `shown`, rounded as `said` is, is `said`. A tie may go either way; an integer is not rounded to."""
    place, finer = said.as_tuple().exponent, shown.as_tuple().exponent
    return said == shown if place == 0 else finer <= place and abs(said - shown) * 2 <= Decimal(1).scaleb(place)


def sentence_at(text, place):
    return next(m[0] for m in SENTENCE.finditer(text) if m.end() > place)
