"""How time and memory grow with the number of cases: exponents from 10^3 to 10^7, peak bytes per case."""

import tracemalloc

import numpy as np

import polyroc as pr
from timing import best, many_classes, two_classes
from volumes import three_classes

SIZES = {"auc": (10**3, 10**7), "hand_till": (10**3, 10**6), "vus": (10**3, 10**6)}


def data_of(measure, n):
    if measure == "auc":
        return two_classes(n), {}
    return (many_classes(3, n), {}) if measure == "hand_till" else (three_classes(n), {"labels": [0, 1, 2]})


def scaling():
    for measure, sizes in SIZES.items():
        seconds = []
        for n in sizes:
            (y, s), options = data_of(measure, n)

            def call(y=y, s=s, options=options, measure=measure):
                return pr.evaluate(y, s, measure=measure, **options).standard_error

            seconds.append(best(call, 20 if n == sizes[0] else 2))
        exponent = np.log(seconds[1] / seconds[0]) / np.log(sizes[1] / sizes[0])
        work = f"{measure} with error"
        yield work, f"exponent of time, n = {sizes[0]:.0e} to {sizes[1]:.0e}", exponent, "", None
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        yield work, f"peak memory, bytes per case, n = {sizes[1]:.0e}", peak / sizes[1], "", None
