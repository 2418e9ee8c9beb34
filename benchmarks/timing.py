"""What every benchmark needs: the quickest of several calls, and data."""

import gc
import subprocess
import time

import numpy as np

from polyroc import datasets


def best(function, repetitions=5):
    """Seconds of the quickest of several calls."""
    function()
    times = []
    for _ in range(repetitions):
        gc.collect()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def quickest_process(arguments, repetitions=5):
    """Seconds of the quickest of several runs of a command."""
    return best(lambda: subprocess.run(arguments, check=True, capture_output=True), repetitions)


def two_classes(n):
    return datasets.Binormal(separation=1.0).sample(n // 2, rng=0)


def many_classes(c, n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, c, size=n)
    P = rng.dirichlet(np.ones(c), size=n) + 0.3 * np.eye(c)[y]
    return y, P / P.sum(axis=1, keepdims=True)
