"""Tokens of any text side by side, for pieces.js to draw."""

from .grids import token


def piece(text, **more):
    """A token in a frame of its own; `below` is what stands under it, and a `flag` ("made") makes it stand out."""
    return {"token": anything(text), **more}


def anything(text):
    """A token that may be of any language."""
    return token(text, lang="")
