"""Live views, one file each, with its JavaScript beside it. Widgets start here."""

from .attention import Attention
from .descent import Descent
from .embeddings import Embeddings
from .formula import Formula
from .gradient import Gradient
from .hello import Hello
from .ledger import Ledger
from .merges import Merges
from .neurons import Neurons
from .path import Path
from .positions import Positions
from .predictions import Predictions
from .tokenizers import Tokenizers
from .training import Training

__all__ = [
    "Attention",
    "Descent",
    "Embeddings",
    "Formula",
    "Gradient",
    "Hello",
    "Ledger",
    "Merges",
    "Neurons",
    "Path",
    "Positions",
    "Predictions",
    "Tokenizers",
    "Training",
]
