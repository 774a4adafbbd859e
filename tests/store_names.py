"""Train the names model once more from seed 0, and store the weights that the course speaks about.

python tests/store_names.py        (some two seconds; another processor may change last bits)
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from toymodel.learning.names import train
from toymodel.text.names import NAMES

*_before, last = train(NAMES)
np.savez(Path(__file__).resolve().parents[1] / "toymodel" / "data" / "names.npz", **last.weights)
print(f"{sum(w.size for w in last.weights.values()):,} weights, step {last.n:,}, loss {last.loss:.4f}")
