"""How fast toymodel trains a character model beside PyTorch, plain numpy and a scalar tape, as ratios in one run.

    python tests/benchmarks/training.py [steps [rounds [steps of the scalar tape]]]

1,000 steps on 4,192 weights, one made-up name a step, all in float64: 16 dimensions, 4 heads, one block, RMSNorm, ReLU,
Adam. Each line has the median of the ratios of processor time, taken in turns, the range of their middle half, and the
aim. Nothing here passes or fails by the clock. All start from the same weights and read the same names in the same
order, and the losses of their first steps are asserted to agree.
"""

import random
import sys
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import rivals
from clock import in_turns, report

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from toymodel.learning.names import train
from toymodel.models.names import VOCAB, drawn

END = len(VOCAB) - 1  # the sentinel, before and after each name


def main(steps=1000, rounds=9, tape_steps=20):
    documents, weights = made_up_names(max(steps, tape_steps)), drawn(np.random.RandomState(0), VOCAB)
    assert sum(w.size for w in weights.values()) == 4192
    contestants = {"ours": ours, "bare numpy": rivals.by_hand}
    try:
        from torch import __version__ as version
    except ImportError:
        print("PyTorch is not installed here, so training is not compared with it.")
    else:
        contestants["eager"] = partial(rivals.in_torch, fused=False)
        contestants["fused"] = partial(rivals.in_torch, fused=True)
    all_agree([*contestants.values(), rivals.scalar_tape], documents, weights, tape_steps)
    turns = {name: partial(trained, rival, documents, weights, steps) for name, rival in contestants.items()}
    turns["tape"] = partial(trained, rivals.scalar_tape, documents, weights, tape_steps)
    times = in_turns(turns, rounds, collecting=True)
    mine = times["ours"]
    if "eager" in times:
        report(f"PyTorch {version} eager / ours", times["eager"], mine, "at least 3.2")
        report(f"PyTorch {version} fused / ours", times["fused"], mine, "at least 2.3")
    scale = read(documents[:steps]) / read(documents[:tape_steps])
    tape = [time * scale for time in times["tape"]]
    some = "1 step" if tape_steps == 1 else f"{tape_steps} steps"
    report(f"scalar tape ({some}, scaled) / ours", tape, mine, "at least 700")
    report("ours / bare numpy", mine, times["bare numpy"], "at most 2.4")


def made_up_names(n):
    """Names of syllables, in ids, the sentinel at both ends: two to four syllables, and sometimes one more letter."""
    dice = random.Random(0)
    consonants, vowels = [c for c in VOCAB[:END] if c not in "aeiou"], "aeiou"
    names = []
    for _ in range(n):
        syllables = [dice.choice(consonants) + dice.choice(vowels) for _ in range(dice.randint(2, 4))]
        names.append("".join(syllables) + dice.choice(["", "", *"nrsl"]))
    return [[END, *map(VOCAB.index, name), END] for name in names]


def read(documents):
    """How many letters are predicted: the time of a tape grows with them."""
    return sum(len(ids) - 1 for ids in documents)


def trained(rival, documents, weights, steps):
    return list(rival(documents, weights, steps))


def all_agree(contestants, documents, weights, steps):
    """Assert that the first losses are the same to nine decimals; all as if on the way to 1,000 steps."""
    losses = np.array([list(islice(rival(documents, weights, 1000), steps)) for rival in contestants])
    assert np.ptp(losses, axis=0).max() < 1e-9, losses


def ours(documents, weights, steps):
    """Yields the loss of each step."""
    names = ["".join(VOCAB[i] for i in ids[1:-1]) for ids in documents]
    return (it.loss for it in train(names, steps, weights=weights, shuffle=False))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
