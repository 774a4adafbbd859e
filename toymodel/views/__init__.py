"""Live views, one file each, with its JavaScript beside it. Widgets start here."""

from .attention import Attention
from .formula import Formula
from .hello import Hello
from .merges import Merges
from .path import Path
from .predictions import Predictions
from .tokenizers import Tokenizers

__all__ = ["Attention", "Formula", "Hello", "Merges", "Path", "Predictions", "Tokenizers"]
