"""What a reader gave, where the course says it again: a little of it, and every sign of it as it was typed.

In HTML pandas does that: see `Table`. (Views set everything as text.)
"""

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


_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "#$%&_{}"} | {"^": r"\^{}", "~": r"\~{}", "\\": r"$\backslash$"}
)  # what LaTeX and JupyterLab's MathJax both know; of \textasciicircum MathJax says that it is for formulas only


def in_latex(text):
    """A text as it is written in \\textsf{...}, with the signs that LaTeX would act upon."""
    return text.translate(_LATEX)


def in_markdown(text):
    """A text as a piece of code in Markdown, where JupyterLab typesets no $formula$, either."""
    fence, beside = fence_around(text), " " if "`" in (text[:1], text[-1:]) else ""
    return f"{fence}{beside}{text}{beside}{fence}"


def fence_around(code, least=1):
    """As many backticks as it takes to begin and end a piece of code in Markdown: more than stand together in it."""
    return "`" * max(least, 1 + max(map(len, re.findall("`+", code)), default=0))
