"""The front of a fixed classifier: every cost there may be."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from polyroc._normalise import Missing, as_scores
from polyroc._normalise.terms import as_alphas, as_ratios
from polyroc._normalise.words import shown
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.breaking import breakable
from polyroc.fronts.drawing import Costs
from polyroc.fronts.growing import GrowingFront
from polyroc.fronts.objectives import Objectives
from polyroc.fronts.staircase import two_classes
from polyroc.fronts.tally import Cases
from polyroc.fronts.telling import Progress, telling
from polyroc.inference.bootstrap import Bootstrap
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.front import INTERRUPTED, Front, Growth
from polyroc.results.provenance import Provenance
from polyroc.results.volume import volume_shares
from polyroc.scores import Scores

__all__ = ["front"]

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
    missing: Missing = "refuse",
    progress: Progress | bool | None = None,
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
            f"A front needs one column of probabilities per class {shown(list(scores.names))}, got {came}; "
            "for two classes give [1 - p, p]."
        )
    if scores.absent:
        raise NotApplicableError(f"A front needs cases of every class; there is none of {scores.absent[0]!r}.")
    costs = Costs(alphas, ratios)
    with telling(progress) as tell, breakable() as pressed:
        found = {name: _front(name, scores, costs, how, tell, pressed) for name in scores.classifiers}
    if len(found) == 1 and not isinstance(y_score, Mapping):
        return next(iter(found.values()))
    return found


def _front(
    name: str, scores: Scores, costs: Costs, how: Bootstrap, tell: Progress, pressed: Callable[[], bool]
) -> Front:
    cases = Cases.of(scores, name)
    seed: int | None = None
    method = "every threshold"
    if scores.n_classes == 2:
        counts, chosen, looked = two_classes(cases, costs.ratios)
        gini = volume_shares([counts / cases.totals[:, None]], None, 0)[0][0].value
        growth = Growth((looked,), (len(counts),), (gini,))
    else:
        counts, chosen, growth = _sweep(cases, costs, how, tell, pressed)
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
    cases: Cases, costs: Costs, how: Bootstrap, tell: Progress, pressed: Callable[[], bool]
) -> tuple[IntArray, FloatArray, Growth]:
    """Draw costs batch by batch; keep the error counts that nothing dominates, and the costs they come from.

    After ctrl-C no more batches are drawn, but one at least.
    """
    c = len(cases.totals)
    assert isinstance(how.rng, int)
    found, draws = GrowingFront(Objectives("rates", cases.totals), how.rng), np.random.default_rng(how.rng)
    size, done = min(max(1, NUMBERS // c**2), -(-how.n // STEPS)), 0
    tell(0, how.n, "drawing costs")
    with ThreadPoolExecutor(how.workers) as pool:
        while done < how.n and not (done and pressed()):
            batch = costs.draw(min(size, how.n - done), draws)
            found.add(cases.tally(batch, pool, how.workers), batch)
            done += len(batch)
            found.look(done)
            tell(done, how.n, f"{len(found)} points, G {found.gini:.3f}")
    members = found.members()
    return members["counts"], members["costs"], found.growth
