"""How time and memory grow with the number of cases: exponents from 10^3 to 10^7, peak bytes per case.

Every measure that applies to one of the kinds of data without an option. The largest size is the first at which a
call takes longer than `LONGEST` seconds, so that slow measures do not take hours.
"""

import time
import tracemalloc

import numpy as np

import polyroc as pr
from timing import best, many_classes, two_classes
from volumes import three_classes

SIZES = [10**power for power in range(3, 8)]
LONGEST = 2.0
FORECASTS = ["brier", "brier_skill", "log_loss", "spherical"]  # which have to be named


def probabilities_of_two(n):
    y, s = two_classes(n)
    return y, 1 / (1 + np.exp(-s)), {}


def decisions_of_two(n):
    y, s = two_classes(n)
    names = np.array(["well", "sick"])
    return names[y], names[(s > 0).astype(int)], {"pos_label": "sick"}


DATA = (
    probabilities_of_two,
    decisions_of_two,
    lambda n: (*many_classes(2, n), {"pos_label": 1}),
    lambda n: (*many_classes(3, n), {}),
    lambda n: (*three_classes(n), {"labels": [0, 1, 2]}),
)


def seconds_by_size(call_of):
    """Seconds of one call by number of cases, up to the first size that takes long."""
    seconds = {}
    for n in SIZES:
        call = call_of(n)
        call()  # compiles
        start = time.perf_counter()
        call()
        once = time.perf_counter() - start
        seconds[n] = once if once > LONGEST / 4 else best(call, 5)
        if seconds[n] > LONGEST:
            break
    return seconds


def peak_bytes(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def scaling():
    done = set()
    for make in DATA:
        y, s, options = make(200)
        keys = [key for _, key in pr.evaluate(y, s, **options).estimates if key not in done]
        keys += FORECASTS if make is probabilities_of_two else []
        done.update(keys)
        for key in keys:

            def call_of(n, key=key, make=make):
                y, s, options = make(n)
                return lambda: pr.evaluate(y, s, measure=key, **options).standard_error

            seconds = seconds_by_size(call_of)
            (few, quick), (many, slow) = min(seconds.items()), max(seconds.items())
            exponent, memory = np.log(slow / quick) / np.log(many / few), peak_bytes(call_of(many)) / many
            work = f"{key} with error"
            yield work, f"exponent of time, n = {few:.0e} to {many:.0e}", exponent, "", None
            yield work, f"peak memory, bytes per case, n = {many:.0e}", memory, "", None
