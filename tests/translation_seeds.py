"""How many phrases come out right after training from other seeds, with weight decay and without it.

    python tests/translation_seeds.py [seeds]        (8 of them: about a minute)

Each line has a seed, the decay, the scores on the 42 pairs it learned and on the 9 it did not; then, of the same
weights, both scores where cross-attention is switched off and where the source's words are reversed; then how often
each head's largest weight, in the pairs of three words, stands on the word that is translated. Nothing here passes or
fails; printed on 2026-12-01 with numpy 2.4:

    seed  decay  learned  held out | no cross-attention  | reversed | aligned   | seconds
       0    0.5    42/42      9/9  |     1   0           |   2   0  | 0.60  1.00   | 2.5
       0    0.0    42/42      7/9  |     1   0           |  26   3  | 0.53  0.70   | 2.4
       1    0.5    42/42      9/9  |     1   0           |   1   0  | 0.72  1.00   | 2.7
       1    0.0    42/42      8/9  |     1   0           |  17   1  | 0.70  1.00   | 2.3
       2    0.5    42/42      9/9  |     0   0           |   0   0  | 1.00  0.75   | 2.2
       2    0.0    42/42      9/9  |     0   0           |  25   3  | 0.95  0.78   | 2.3
       3    0.5    42/42      9/9  |     0   1           |   1   0  | 0.33  1.00   | 2.9
       3    0.0    42/42      7/9  |     0   1           |  20   1  | 0.42  1.00   | 3.3
       4    0.5    42/42      9/9  |     0   0           |   5   0  | 1.00  0.95   | 3.8
       4    0.0    42/42      6/9  |     0   0           |  25   1  | 0.88  0.65   | 3.7
       5    0.5    42/42      9/9  |     1   0           |   0   0  | 0.70  1.00   | 3.1
       5    0.0    42/42      5/9  |     0   0           |  25   2  | 0.33  0.87   | 3.0
       6    0.5    42/42      9/9  |     0   0           |   1   0  | 0.75  1.00   | 2.4
       6    0.0    42/42      7/9  |     1   0           |  23   3  | 0.73  0.85   | 2.4
       7    0.5    42/42      9/9  |     1   0           |   6   0  | 0.38  0.92   | 2.7
       7    0.0    42/42      8/9  |     1   0           |  16   0  | 0.33  0.88   | 3.1
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
