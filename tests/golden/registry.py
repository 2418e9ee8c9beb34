"""The recorded calls by name, "verb/what", and how one is answered."""

import warnings

import polyroc as pr
from golden.data import DATA
from golden.plain import plain

ANSWERS = {}
METHODS = {
    "none": None,
    "unbiased": pr.methods.Unbiased(),
    "hanley_mcneil": pr.methods.HanleyMcNeil(),
    "hanley_mcneil_exponential": pr.methods.HanleyMcNeil("exponential"),
    "jackknife": pr.methods.Jackknife(),
    "bootstrap_guarded": pr.methods.Bootstrap(replicates=60, rng=0, n_jobs=1),
    "bootstrap_bca": pr.methods.Bootstrap(replicates=60, rng=0, n_jobs=1, kind="bca"),
    "bootstrap_percentile": pr.methods.Bootstrap(replicates=60, rng=0, n_jobs=1, kind="percentile"),
    "bootstrap_basic": pr.methods.Bootstrap(replicates=60, rng=0, n_jobs=1, kind="basic"),
    "bootstrap_normal": pr.methods.Bootstrap(replicates=60, rng=0, n_jobs=1, kind="normal", stratified=True),
}


def answer(name):
    """The plain data of an answer, and the names of the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = plain(ANSWERS[name]())
    return {"answer": data, "warnings": sorted({warning.category.__name__ for warning in caught})}


def recorded(name):
    """Add a function without arguments to the recorded calls."""

    def add(function):
        assert name not in ANSWERS, name
        ANSWERS[name] = function
        return function

    return add


def add(name, verb, data, **options):
    """Add a call of a verb for one of the data sets."""
    recorded(f"{verb.__name__}/{name}")(lambda: DATA[data].call(verb, **options))
