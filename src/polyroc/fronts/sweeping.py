"""The verb `front`: a fixed classifier, and every cost there may be."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from polyroc._normalise import Missing, as_scores
from polyroc._normalise.terms import as_alphas, as_ratios
from polyroc._normalise.words import shown
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.archive import Archive
from polyroc.fronts.drawing import Costs
from polyroc.fronts.staircase import two_classes
from polyroc.fronts.tally import Cases
from polyroc.inference.bootstrap import Bootstrap
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.regions import Shadow, points_below_chance
from polyroc.results.front import Front, Growth
from polyroc.results.provenance import Provenance
from polyroc.results.volume import volume_shares
from polyroc.scores import Scores

__all__ = ["front"]

Progress = Callable[[int, int, str], None]
STEPS = 20  # how often the growth is looked at
NUMBERS = 2**22  # costs at a time
WITNESSES = 20_000  # points on which the growth of the dominated volume is counted; fewer for very many classes


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
    progress: Progress | None = None,
) -> Front | dict[str, Front]:
    """Find which errors of a classifier can be traded for which: Everson & Fieldsend's multi-class ROC surface.

    The classifier is fixed and the costs vary. Costs of the Q(Q - 1) errors are drawn from a Dirichlet
    distribution, each case is given to the class j of least sum over k of costs[k, j] p_k, the first of those that
    tie (as `CostRule` does), and of all vectors of error rates those are kept that no other one dominates. For two
    classes nothing is drawn: every threshold of the second class's probability is looked at, so the front is the
    staircase of the ROC curve. (There the rule that always says the second class has the costs 0 and 1, though a
    case whose probability of it is exactly 0 ties with these; and costs cannot tell apart probabilities that
    differ by rounding.)

    Rates are those of the cases given. A front chosen on the cases a classifier was fitted to looks better than it
    is; give cases it has not seen.

    Parameters
    ----------
    y_true, y_score
        True classes, and one column of probabilities per class (or several classifiers, as everywhere). Only
        predictions are taken: a front over a classifier's own parameters cannot be asked for here.
    n
        How many cost vectors are drawn; `growth` of the answer tells whether they were enough.
    alpha
        Parameters of the Dirichlet distribution: 1 for all costs alike, one number, a matrix (row = true class,
        column = decision, diagonal not read), or {(true, said): alpha}, where an error not named has 1. Costs that
        are partly known: the cost of an error is alpha / sum of alphas in the mean, and the surer the larger the
        sum.
    bounds
        {((true, said), (true, said)): (low, high)}: the cost of the first error over that of the second lies
        between. Draws outside are drawn again.
    rng
        A seed or a generator.
    n_jobs
        How many threads, None or -1 for as many as there are cores; the answer does not depend on it.
    labels, missing
        As in `evaluate`.
    sample_weight
        Whole numbers: how many cases a row stands for.
    progress
        Called with (done, total, what) as the draws go on.

    Returns
    -------
    Front, or a dict of them by classifier if `y_score` is a dict or holds several.

    Examples
    --------
    >>> found = front([0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    >>> found.rates[:, [0, 1], [1, 0]].tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    >>> found.gini()
    Volume(0.5000, exact)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    if not isinstance(y_true, Scores) and hasattr(y_true, "predict_proba"):
        raise InputError("front takes (y_true, probabilities); give what the classifier says of each case.")
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
    found = {name: _front(name, scores, costs, how, progress) for name in scores.classifiers}
    if len(found) == 1 and not isinstance(y_score, Mapping):
        return next(iter(found.values()))
    return found


def _front(name: str, scores: Scores, costs: Costs, how: Bootstrap, progress: Progress | None) -> Front:
    cases = Cases.of(scores, name)
    seed: int | None = None
    method = "every threshold"
    if scores.n_classes == 2:
        counts, chosen, looked = two_classes(cases, costs.ratios)
        gini = volume_shares([counts / cases.totals[:, None]], None, 0)[0][0].value
        growth = Growth((looked,), (len(counts),), (gini,))
    else:
        counts, chosen, growth = _sweep(cases, costs, how, progress)
        assert isinstance(how.rng, int)
        seed, method = how.rng, f"{how.n} cost vectors from a Dirichlet distribution"
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
            dropped=scores.dropped,
            seed=seed,
        ),
    )


def _sweep(
    cases: Cases, costs: Costs, how: Bootstrap, progress: Progress | None
) -> tuple[IntArray, FloatArray, Growth]:
    """Draw costs batch by batch; keep the error counts that nothing dominates, and the costs they come from."""
    c = len(cases.totals)
    errors = ~np.eye(c, dtype=bool)
    archive = Archive(int(cases.totals.max()), c * (c - 1))
    kept, held = np.empty((0, c, c)), np.empty((0, c, c), dtype=np.int64)
    assert isinstance(how.rng, int)
    draws, witnesses = np.random.default_rng(how.rng), np.random.default_rng([how.rng, 1])
    n_witnesses = min(WITNESSES, 4 * NUMBERS // c**2)
    open_points = np.concatenate(list(points_below_chance(c, n_witnesses, witnesses)))
    steps: list[tuple[int, int, float]] = []
    size, done = min(max(1, NUMBERS // c**2), -(-how.n // STEPS)), 0
    with ThreadPoolExecutor(how.workers) as pool:
        while done < how.n:
            batch = costs.draw(min(size, how.n - done), draws)
            tallies = cases.tally(batch, pool, how.workers)
            before = len(archive)
            origins = archive.insert(tallies[:, errors])
            kept = np.concatenate([kept, batch])[origins]
            held = np.concatenate([held, tallies])[origins]
            if (origins >= before).any():
                new = (held[origins >= before] / cases.totals[:, None])[:, errors]
                open_points = open_points[~Shadow(new).over(open_points)]
            done += len(batch)
            steps.append((done, len(archive), 1.0 - len(open_points) / n_witnesses))
            if progress is not None:
                progress(done, how.n, f"{len(archive)} points, G {steps[-1][2]:.3f}")
    return held, kept, Growth(*zip(*steps, strict=True))
