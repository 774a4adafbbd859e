"""What the views of lesson 1 share: how it learns from a corpus, and tokens of any text, for pieces.js to draw."""

from functools import lru_cache

from ...text.bpe import train_bpe
from .grids import token

MOST_MERGES = 100  # to learn


@lru_cache(maxsize=8)
def trained(corpus):
    """The byte-pair encoding of a corpus, learned once for all views and moves."""
    return train_bpe(corpus, MOST_MERGES)


def anything(text):
    """A token that may be of any language."""
    return token(text, lang="")
