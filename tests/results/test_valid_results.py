"""Results of unusual but valid data keep their invariants: what was stored can be read."""

import json

import numpy as np
import pytest

import polyroc as pr
from polyroc.errors import PolyrocError

RNG = np.random.default_rng(0)
TRUTH = np.array([0, 1] * 12)
CASES = {
    "ordinary": (TRUTH, RNG.random(24)),
    "perfect": (TRUTH, TRUTH + 0.01 * RNG.random(24)),
    "reversed": (TRUTH, 0.9 - 0.8 * TRUTH),
    "tied": (TRUTH, RNG.integers(0, 3, 24) / 2),
    "constant": (TRUTH, np.full(24, 0.5)),
    "one positive": (np.array([0] * 9 + [1]), RNG.random(10)),
    "two cases": (np.array([0, 1]), np.array([0.2, 0.8])),
}
METHODS = {
    "influence": pr.methods.Influence(),
    "unbiased": pr.methods.Unbiased(),
    "jackknife": pr.methods.Jackknife(),
    "percentile": pr.methods.Bootstrap(replicates=30, rng=0),
    "none": None,
}


def require_round_trip(make):
    """What is computed and stored can be read; data on which nothing can be computed are no subject here."""
    try:
        result = make()
    except PolyrocError:
        return
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert type(result).from_dict(data).to_dict() == result.to_dict()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", METHODS)
def test_estimates_and_comparisons(name, method):
    y, s = CASES[name]
    p = np.clip(s, 0.0, 1.0)
    require_round_trip(lambda: pr.evaluate(y, np.column_stack([1 - p, p]), method=METHODS[method]))
    both = {"a": s, "b": np.roll(s, 1), "c": s}
    for adjustment in ("holm", "max-t", None):
        require_round_trip(
            lambda a=adjustment: pr.compare(y, both, measure="auc", method=METHODS[method], adjustment=a)
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_curves_and_decisions(name):
    y, s = CASES[name]
    p = np.clip(s, 0.0, 1.0)
    for kind in ("roc", "pr", "det", "cost"):
        for band in (None, "pointwise", "simultaneous"):
            require_round_trip(lambda kind=kind, band=band: pr.curve(y, s, kind=kind, band=band))
    require_round_trip(lambda: pr.curve(y, s).hull())
    require_round_trip(lambda: pr.rates(y, np.column_stack([1 - p, p])))
    require_round_trip(lambda: pr.decision_curve(y, p))
    require_round_trip(lambda: pr.operate(y, s))
    require_round_trip(lambda: pr.front(y, np.column_stack([1 - p, p])))
