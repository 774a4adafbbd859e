"""Live views, one file each, with its JavaScript beside it. Widgets start here."""

from .arrows import Arrows
from .attention import Attention
from .cache import Cache
from .descent import Descent
from .embeddings import Embeddings
from .formula import Formula
from .gradient import Gradient
from .hello import Hello
from .laboratory import Laboratory
from .ledger import Ledger
from .lens import Lens
from .merges import Merges
from .names import Names
from .neurons import Neurons
from .path.path import Path
from .positions import Positions
from .predictions import Predictions
from .sampling import Sampling
from .tokenizers import Tokenizers
from .training import Training
from .translation import Translation
from .tree import Tree
from .writing import Writing

__all__ = [
    "Arrows",
    "Attention",
    "Cache",
    "Descent",
    "Embeddings",
    "Formula",
    "Gradient",
    "Hello",
    "Laboratory",
    "Ledger",
    "Lens",
    "Merges",
    "Names",
    "Neurons",
    "Path",
    "Positions",
    "Predictions",
    "Sampling",
    "Tokenizers",
    "Training",
    "Translation",
    "Tree",
    "Writing",
]
