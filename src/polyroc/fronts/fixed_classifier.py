"""Two classes: every threshold, and of them the points that none dominates."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.archive import GrowingFront
from polyroc.fronts.cases import Cases
from polyroc.fronts.cost_sampling import Costs
from polyroc.fronts.dominated_volume import volume_shares
from polyroc.fronts.objectives import Objectives
from polyroc.fronts.result import INTERRUPTED, Front, Growth
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.progress import Progress, ProgressOption, interrupt_flag, progress_callback
from polyroc.results.provenance import Provenance
from polyroc.scores import Scores
from polyroc.validation.arrays import Missing
from polyroc.validation.costs import Ratio, as_alphas, as_ratios
from polyroc.validation.scores import as_scores

__all__ = ["front", "two_classes"]


ROUNDING = 1e-9  # rows that miss 1 by less do so by rounding, and the column is taken as it is, as `curve` does


def two_classes(cases: Cases, ratios: list[Ratio]) -> tuple[IntArray, FloatArray, int]:
    """The counts and costs of the non-dominated thresholds within the bounds, and how many thresholds there are.

    The second class is said where its share s of the two probabilities is above t; this is the rule of least cost
    if an error on the first class costs t and one on the second 1 - t.
    """
    both = cases.P[0] + cases.P[1]
    share = cases.P[1] if np.abs(both - 1.0).max() < ROUNDING else cases.P[1] / both
    values, place = np.unique(share, return_inverse=True)
    first = slice(0, cases.starts[1])
    alarms, hits = (
        np.bincount(place[part], cases.weight[part], len(values))[::-1].cumsum()[::-1]
        for part in (first, slice(cases.starts[1], None))
    )
    t, within = _thresholds(values, *_range(ratios))
    counts = np.zeros((len(t), 2, 2), dtype=np.int64)
    counts[:, 0, 1], counts[:, 1, 1] = np.append(alarms, 0)[within], np.append(hits, 0)[within]
    counts[:, 0, 0], counts[:, 1, 0] = (cases.totals[k] - counts[:, k, 1] for k in (0, 1))
    moves, misses = np.diff(counts[:, 0, 1]) != 0, np.diff(counts[:, 1, 0]) != 0
    free = np.append(misses, True) & np.append(True, moves)
    costs = np.zeros((len(t), 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = t, 1.0 - t
    return counts[free], costs[free], len(t)


def _range(ratios: list[Ratio]) -> tuple[float, float]:
    """Between what t lies, from bounds on t / (1 - t) or on its inverse."""
    low, high = 0.0, 1.0
    for error, _, least, most in ratios:
        ends = [1.0 if end == np.inf else end / (1.0 + end) for end in (least, most)]
        if error == (1, 0):
            ends = [1.0 - end for end in reversed(ends)]
        low, high = max(low, ends[0]), min(high, ends[1])
    if low > high:
        raise InputError("The bounds contradict each other: no costs satisfy them all.")
    return low, high


def _thresholds(values: FloatArray, low: float, high: float) -> tuple[FloatArray, IntArray]:
    """One t for each set of cases that can be said to be of the second class, and where these begin in values.

    They begin at place i for t from values[i - 1] up to, but without, values[i].
    """
    bottom, ceiling = np.maximum(np.append(0.0, values), low), np.append(values, np.inf)
    reached = (bottom < ceiling) & (bottom <= high)
    reached[0] |= low == 0.0
    bottom, ceiling, within = bottom[reached], ceiling[reached], np.flatnonzero(reached)
    middle = (bottom + np.minimum(ceiling, high)) / 2.0
    return np.where(middle < ceiling, middle, bottom), within


STEPS = 20  # how often the growth is looked at
NUMBERS = 2**22  # costs at a time


def front(
    y_true: Any,
    y_score: Any = None,
    *,
    n: int = 10_000,
    alpha: Any = 1.0,
    bounds: Mapping[Any, tuple[float, float]] | None = None,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    labels: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
) -> Front | dict[str, Front]:
    """The front of a fixed classifier; see `polyroc.front`.

    >>> front([0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]]).gini()
    Volume(0.5000, exact)
    """
    if not isinstance(y_true, Scores) and hasattr(y_true, "predict_proba"):
        raise InputError(
            "front takes (y_true, probabilities): give what the classifier says of each case; or a family of "
            "classifiers, (family, X, y), such as EstimatorFamily(estimator, ...)."
        )
    how = Bootstrap(n=n, rng=rng, n_jobs=n_jobs).settled()
    scores = as_scores(y_true, y_score, labels=labels, sample_weight=sample_weight, missing=missing)
    alphas, ratios = as_alphas(alpha, scores.labels), as_ratios(bounds, scores.labels)
    if scores.kind != "matrix":
        came = "decisions" if scores.kind == "decisions" else "one score per case"
        raise NotApplicableError(
            f"A front needs one column of probabilities per class {short_repr(list(scores.names))}, got {came}; "
            "for two classes give [1 - p, p]."
        )
    if scores.absent:
        raise NotApplicableError(f"A front needs cases of every class; there is none of {scores.absent[0]!r}.")
    costs = Costs(alphas, ratios)
    with progress_callback(progress) as report, interrupt_flag() as stop:
        found = {name: _front(name, scores, costs, how, report, stop) for name in scores.classifiers}
    if len(found) == 1 and not isinstance(y_score, Mapping):
        return next(iter(found.values()))
    return found


def _front(
    name: str,
    scores: Scores,
    costs: Costs,
    how: Bootstrap,
    report: Progress | None,
    stop: Callable[[], bool],
) -> Front:
    cases = Cases.of(scores, name)
    seed: int | None = None
    method = "every threshold"
    if scores.n_classes == 2:
        counts, chosen, looked = two_classes(cases, costs.ratios)
        gini = volume_shares([counts / cases.totals[:, None]], None, 0)[0][0].value
        growth = Growth((looked,), (len(counts),), (gini,))
    else:
        counts, chosen, growth = _sweep(cases, costs, how, report, stop)
        assert isinstance(how.rng, int)
        seed, method = how.rng, f"{growth.draws[-1]} cost vectors from a Dirichlet distribution"
        if growth.draws[-1] < how.n:
            method += f", {INTERRUPTED} before {how.n}"
    order = np.lexsort(counts[:, ~np.eye(scores.n_classes, dtype=bool)].T[::-1])
    return Front(
        classifier=name,
        classes=scores.names,
        counts=counts[order],
        costs=chosen[order],
        growth=growth,
        exact=scores.n_classes == 2,
        provenance=Provenance(
            cases=scores.cases,
            method=method,
            weighted=scores.sample_weight is not None,
            weight_kind=None if scores.sample_weight is None else "frequency",
            sampling=scores.sampling,
            dropped=scores.dropped,
            seed=seed,
        ),
        labels=scores.labels,
    )


def _sweep(
    cases: Cases, costs: Costs, how: Bootstrap, report: Progress | None, stop: Callable[[], bool]
) -> tuple[IntArray, FloatArray, Growth]:
    """Draw costs batch by batch; keep the error counts that nothing dominates, and the costs they come from.

    After ctrl-C no more batches are drawn, but one at least.
    """
    c = len(cases.totals)
    assert isinstance(how.rng, int)
    found, draws = GrowingFront(Objectives("rates", cases.totals), how.rng), np.random.default_rng(how.rng)
    size, done = min(max(1, NUMBERS // c**2), -(-how.n // STEPS)), 0
    if report is not None:
        report(0, how.n, "drawing costs")
    with ThreadPoolExecutor(how.workers) as pool:
        while done < how.n and not (done and stop()):
            batch = costs.draw(min(size, how.n - done), draws)
            found.add(cases.tally(batch, pool, how.workers), batch)
            done += len(batch)
            found.look(done)
            if report is not None:
                report(done, how.n, f"{len(found)} points, G {found.gini:.3f}")
    members = found.members()
    return members["counts"], members["costs"], found.growth
