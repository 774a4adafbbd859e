"""Tokens of any text side by side, for pieces.js to draw."""

from .grids import token


def piece(text, below="", made=False):
    """A token in a frame of its own, with what stands below it; one that was `made` just now stands out."""
    return {"token": anything(text), "below": below, "made": made}


def anything(text):
    """A token that may be of any language."""
    return token(text, lang="")
