"""How fast byte-pair encoding is learned, as ratios: beside counting all anew, and Hugging Face's tokenizers.

    python tests/benchmarks/bpe.py [megabytes]

Nothing here passes or fails by the clock. The merges of all contestants are asserted to be the same; with tokenizers,
up to the first pairs that are equally frequent: there it takes another one, and so others after it.
"""

import json
import random
import statistics
import string
import sys
import time
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import toymodel as tm
from toymodel.text.bpe import merged

FEW, MANY, TURNS = 100, 1000, 3


def main(megabytes=1.0):
    text = words_as_in_language(int(megabytes * 1e6))
    seconds, bpe = timed(tm.train_bpe, text, MANY)
    print(f"{len(text):,} symbols: {len(bpe.merges)} merges in {seconds:.2f} s")
    slow, merges = timed(counting_anew, text, FEW)
    assert merges == [merge[:2] for merge in bpe.merges[:FEW]]
    ratios = [slow / timed(tm.train_bpe, text, FEW)[0] for _turn in range(TURNS)]
    report(f"counting anew / tm.train_bpe, {FEW} merges", ratios, "at least 5.0")
    compare_with_tokenizers(text, bpe)


def words_as_in_language(n):
    """About n symbols of made-up words, a few of them very frequent and most of them rare, as in a language."""
    dice, letters = random.Random(0), string.ascii_lowercase
    weights = [1 / (rank + 1) for rank in range(20_000)]
    words = ["".join(dice.choices(letters, weights[:26], k=dice.randint(2, 9))) for _word in weights]
    return " ".join(dice.choices(words, weights, k=int(n / 6.7)))


def counting_anew(text, n_merges):
    """The obvious way: for each merge, all pairs of the distinct words are counted, and all words rebuilt."""
    words = {}
    for word in text.replace(" ", " ␣").split(" "):
        words[word] = words.get(word, 0) + 1
    splits, merges = {word: list(word) for word in words}, []
    for _merge in range(n_merges):
        counts = {}
        for word, tokens in splits.items():
            for pair in pairwise(tokens):
                counts[pair] = counts.get(pair, 0) + words[word]
        pair = max(counts, key=counts.get)
        merges.append(pair)
        splits = {word: merged(tokens, *pair) for word, tokens in splits.items()}
    return merges


def compare_with_tokenizers(text, bpe):
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    except ImportError:
        print("tokenizers is not installed here, so the merges are not compared with it.")
        return

    def train():
        theirs = Tokenizer(models.BPE())
        theirs.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_next")
        theirs.train_from_iterator([text], trainers.BpeTrainer(vocab_size=len(bpe.vocab), show_progress=False))
        return theirs

    seconds, theirs = timed(train)
    report(f"tm.train_bpe / tokenizers, {MANY} merges", [timed(tm.train_bpe, text, MANY)[0] / seconds], "at most 20.0")
    merges = [tuple(half.replace(" ", "␣") for half in it) for it in json.loads(theirs.to_str())["model"]["merges"]]
    mine = [merge[:2] for merge in bpe.merges]
    first = next(k for k in range(len(mine)) if is_tied(bpe.with_merges(k)))
    assert merges[:first] == mine[:first]
    print(f"The first {first} merges are the same, and of all {len(mine)}, {len({*merges} & {*mine})}.")


def is_tied(bpe):
    (_most, n), (_second, m) = bpe.pair_counts().most_common(2)
    return n == m


def timed(f, *given):
    start = time.perf_counter()
    made = f(*given)
    return time.perf_counter() - start, made


def report(what, ratios, aim):
    low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
    print(f"{what:55} {middle:5.2f}   ({low:.2f} to {high:.2f})   aim: {aim}", flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
