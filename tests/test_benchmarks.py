"""The benchmark runs and prints its lines; how fast anything is, no test asserts."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINE = re.compile(r"(.+?) +\d+\.\d\d   \(\d+\.\d\d to \d+\.\d\d\)   aim: at (most|least) \d\.\d")


def test_the_benchmark_prints_its_ratios():
    command = [sys.executable, "tests/benchmarks/speed.py", "2"]
    first, *middle, last = subprocess.check_output(command, cwd=ROOT, encoding="utf-8").splitlines()
    assert LINE.fullmatch(first)[1] == "tm.run / bare numpy"
    assert LINE.fullmatch(last)[1] == "import toymodel / import numpy"
    for line in middle:
        assert LINE.fullmatch(line) or line.startswith("PyTorch is not installed")
