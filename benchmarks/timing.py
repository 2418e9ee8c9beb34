"""Timing and data that the benchmarks share."""

import gc
import subprocess
import time
from typing import Any

import numpy as np

import polyroc as pr
from polyroc import datasets
from polyroc.kernels import jit

jit.INTERPRETED = 0  # what is compiled is measured, also on little data


# Python code of the largest memory of a process, in KB. Not `ru_maxrss`, which begins with that of the process
# that started it.
PEAK_KILOBYTES = 'int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])'


def best(function, repetitions=5):
    """Seconds of the fastest of several calls, after one that compiles."""
    function()
    times = []
    for _ in range(repetitions):
        gc.collect()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def quickest_process(arguments, repetitions=5):
    """Seconds of the fastest of several runs of a command."""
    return best(lambda: subprocess.run(arguments, check=True, capture_output=True), repetitions)


def standard_error(y, scores, measure, **options):
    """The standard error of a measure, for which `evaluate` has to compute everything."""
    estimate: Any = pr.evaluate(y, scores, measure=measure, **options)
    return estimate.standard_error


def two_classes(n):
    return datasets.Binormal(separation=1.0).sample(n // 2, rng=0)


def many_classes(c, n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, c, size=n)
    P = rng.dirichlet(np.ones(c), size=n) + 0.3 * np.eye(c)[y]
    return y, P / P.sum(axis=1, keepdims=True)
