"""Live views, one file each, with its JavaScript beside it. Widgets start here."""

from .hello import Hello
from .predictions import Predictions

__all__ = ["Hello", "Predictions"]
