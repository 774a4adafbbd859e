"""Train the translator once more from seed 0, and store the weights that the course speaks about.

python tests/store_translation.py        (some five seconds; another processor may change last bits)
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import toymodel as tm

for name, decay in {"translation": 0.5, "translation_no_decay": 0.0}.items():
    *_before, last = tm.translation.train(tm.translation.pairs, weight_decay=decay)
    np.savez(Path(tm.__file__).parent / "data" / f"{name}.npz", **last.weights)
    print(f"{name}: {sum(w.size for w in last.weights.values()):,} weights, step {last.n:,}, loss {last.loss:.4f}")
