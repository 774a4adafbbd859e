"""How many phrases come out right after training from other seeds, with weight decay and without it.

    python tests/translation_seeds.py [seeds]        (8 of them: about a minute)

Each line has a seed, the decay, the scores on the 42 pairs it learned and on the 9 it did not; then, of the same
weights, both scores where cross-attention is switched off and where the source's words are reversed; then how often
each head's largest weight, in the pairs of three words, stands on the word that is translated. Nothing here passes or
fails; printed on 2026-12-01 with numpy 2.4:

FIGURES
"""

import sys
import time
from itertools import chain
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import toymodel as tm

ALL = tm.translation.pairs, tm.translation.held_out
REVERSED = [[(" ".join(reversed(source.split())), target) for source, target in pairs] for pairs in ALL]


def main(seeds=8):
    print("seed  decay  learned  held out | no cross-attention  | reversed | aligned   | seconds")
    for seed in range(seeds):
        for decay in (0.5, 0.0):
            began = time.process_time()
            *_before, last = tm.translation.train(tm.translation.pairs, seed=seed, weight_decay=decay)
            seconds = time.process_time() - began
            print(f"{seed:4}  {decay:5}  {line(last.weights)} | {seconds:.1f}", flush=True)


def line(weights):
    off = weights | {"decoder.0.cross.W_O": 0 * weights["decoder.0.cross.W_O"]}
    right, without, backwards = (
        [tm.translation.score(pairs, w) for pairs in every]
        for w, every in ((weights, ALL), (off, ALL), (weights, REVERSED))
    )
    aligned = "  ".join(f"{share:.2f}" for share in alignment(weights))
    scores = "{:4}/42  {:5}/9  | {:5} {:3}".format(*right, *without) + "           | {:3} {:3} ".format(*backwards)
    return f"{scores} | {aligned:12}"


def alignment(weights):
    """For each head, the share of words whose largest weight stands on the word they translate, in 'the white cat'."""
    found = []
    for source, target in chain(*ALL):
        if source.startswith("the ") and len(source.split()) == 3:
            pattern = tm.translation.run(source, target, weights)["decoder.0.cross.pattern"]
            found.append(pattern[:, :3].argmax(axis=2) == [0, 2, 1])  # the rows that write el, gato, blanco
    return np.mean(found, axis=(0, 2))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
