"""Live views, one file each, with its JavaScript and its style beside it. Widgets start here."""

from .predictions import Predictions

__all__ = ["Predictions"]
