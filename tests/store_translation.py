"""Train the translator once more from seed 0, and store the weights that the course speaks about.

python tests/store_translation.py        (some three seconds; another processor may change last bits)
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import toymodel as tm

*_before, last = tm.translation.train(tm.translation.pairs)
np.savez(Path(tm.__file__).parent / "data" / "translation.npz", **last.weights)
print(f"stored {sum(w.size for w in last.weights.values()):,} weights after step {last.n:,}, loss {last.loss:.4f}")
