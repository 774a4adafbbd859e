"""The benchmarks run and print their lines; how fast anything is, no test asserts."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"(.+?) +\d+\.\d\d   \(\d+\.\d\d to \d+\.\d\d\)   aim: at (most|least) \d+(\.\d+)?")


def test_the_benchmark_prints_its_ratios():
    command = [sys.executable, "tests/benchmarks/speed.py", "2"]
    first, *middle, last = subprocess.check_output(command, cwd=ROOT, encoding="utf-8").splitlines()
    assert LINE.fullmatch(first)[1] == "tm.run / bare numpy"
    assert LINE.fullmatch(last)[1] == "import toymodel / import numpy"
    for line in middle:
        assert LINE.fullmatch(line) or line.startswith("PyTorch")  # its version, or that it is not installed


def test_training_is_compared_with_a_scalar_tape_and_with_plain_numpy():
    command = [sys.executable, "tests/benchmarks/training.py", "3", "1", "1"]
    *torch, tape, numpy = subprocess.check_output(command, cwd=ROOT, encoding="utf-8").splitlines()
    assert LINE.fullmatch(tape)[1] == "scalar tape (1 step, scaled) / ours"
    assert LINE.fullmatch(numpy)[1] == "ours / bare numpy"
    for line in torch:
        assert LINE.fullmatch(line) or line.startswith("PyTorch is not installed")


def test_byte_pair_encoding_is_compared_with_slow_and_with_fast():
    command = [sys.executable, "tests/benchmarks/bpe.py", "0.05"]
    size, slow, *fast = subprocess.check_output(command, cwd=ROOT, encoding="utf-8").splitlines()
    assert re.fullmatch(r"[\d,]+ symbols: \d+ merges in \d+\.\d\d s", size)
    assert LINE.fullmatch(slow)[1] == "counting anew / tm.train_bpe, 100 merges"
    assert fast[0].startswith("tokenizers is not installed") or LINE.fullmatch(fast[0])


def test_the_views_benchmark_says_at_once_what_it_does_not_understand():
    """That it measures, tests/browser/test_benchmark.py finds."""
    command = [sys.executable, "tests/benchmarks/views.py", "2", "Atention"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("There is no view Atention. There are: Arrows, Attention, Cache, ")
