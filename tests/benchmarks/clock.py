"""What the benchmarks share: turns by the processor's clock, and a line for their ratios.

(The arrays are so small that numpy multiplies them on one thread.)
"""

import gc
import statistics
import time

# The processor's own time, which does not count what else the machine does; on Windows it ticks too rarely for a turn.
FINE = time.get_clock_info("process_time").resolution <= 1e-5
now = time.process_time_ns if FINE else time.perf_counter_ns


def timed(f):
    """How long one call takes, in nanoseconds."""
    start = now()
    f()
    return now() - start


def in_turns(contestants, rounds, collecting=False):
    """Each contestant's times, {name: [ns, ...]}, one in each round: A B C A B C.

    Short turns go without collecting garbage; those that stand for a whole program collect it, as Python does.
    """
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        turns = [{name: timed(f) for name, f in contestants.items()} for _ in range(rounds)]
    finally:
        gc.enable()
    return {name: [turn[name] for turn in turns] for name in contestants}


def report(what, above, below, aim):
    """A line: the median of the ratios, the range of their middle half, and the aim."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    low, middle, high = statistics.quantiles(ratios * 2 if len(ratios) == 1 else ratios, n=4, method="inclusive")
    print(f"{what:55} {middle:5.2f}   ({low:.2f} to {high:.2f})   aim: {aim}", flush=True)
