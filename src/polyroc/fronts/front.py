"""The verb `front`: the Pareto front of the error rates of fixed classifiers, under all costs."""

from collections.abc import Mapping
from typing import Any, Unpack

from polyroc.data_options import DataOptions, cases_in_memory
from polyroc.errors import InputError
from polyroc.fronts.cost_distribution import CostBounds
from polyroc.fronts.families.family import REQUIRED_METHODS
from polyroc.fronts.fixed_classifier import fixed_fronts
from polyroc.fronts.result import Front
from polyroc.progress import ProgressOption
from polyroc.scores import Scores
from polyroc.validation.random import Draws, NJobs, Rng
from polyroc.validation.scores import one_sample
from polyroc.validation.signatures import Count, validated

__all__ = ["front"]


@validated
def front(
    data: Any,
    y_score: Any = None,
    *,
    draws: Count | None = None,
    concentration: Any = None,
    bounds: CostBounds | None = None,
    rng: Rng = 0,
    n_jobs: NJobs = None,
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> Front | dict[str, Front]:
    """Compute the Pareto front of the error rates: the multi-class ROC surface of Everson & Fieldsend.

    The classifier is fixed and the costs vary. Under each of many costs of the
    Q(Q - 1) errors, each case is assigned to the class j of least conditional risk, the sum over k of costs[k, j]
    p_k (the first of several that tie, as `CostRule` does); of all vectors of error rates those are kept that no
    other one dominates. First come equal costs, those of equal priors, each error emphasised and played down, and
    the rule that `operate` chooses on these cases, so that `operate(front)` has no more errors than `operate`, or
    than the class of largest probability. The others are proposed by what has raised G so far
    (`polyroc.fronts.cost_proposals`), or drawn from a Dirichlet distribution if `concentration` is given. For two
    classes nothing is drawn: every threshold of the second class's probability is tried, so the front is the
    staircase of the ROC curve. Rates are those of the cases given: use cases that were not fitted to.

    Parameters
    ----------
    data, y_score
        One column of probabilities per class, or several classifiers, as in `evaluate`. Of two classes, the
        probability of the positive one is enough.
    draws
        How many cost vectors are tried, by default 10,000 up to six classes, more for more and
        30,000 from eleven on; `Front.converged` tells whether they were enough.
    concentration
        None (default): proposed costs, see above. Otherwise the parameters of the Dirichlet distribution (equation
        5) from which all but the first costs are drawn: 1 for a uniform distribution, one number, a matrix
        (row = true class, column = decision, diagonal ignored), or {(true, decision): value}, where errors not
        named have 1. For costs that are partly known: the mean cost of an error is its value over the sum of
        all, and the larger the sum, the smaller the variance.
    bounds
        {((true, decision), (true, decision)): (low, high)}: the cost of the first error over that of the second
        lies between. Draws outside are rejected.
    rng
        A seed or a generator; the same seed gives the same front.
    n_jobs
        The number of threads, None or -1 for one per core; the result does not depend on it.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message); the message
        holds the size of the archive and its G so far.
    data_options
        As in `evaluate`; all cases are read into memory. Weights are whole numbers: how many cases a row counts.

    Returns
    -------
    Front, or a dict of them by classifier if `y_score` is a dict or holds several. Ctrl-C ends the work early and
    returns the front so far.

    Notes
    -----
    Two classes: the rule that assigns all cases to the second class has the costs 0 and 1, under which
    a case whose probability of that class is exactly 0 ties; `Front.rule` gives it the threshold 0. Costs cannot
    distinguish probabilities that differ by rounding.

    Examples
    --------
    >>> result = front([0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    >>> result.rates[:, [0, 1], [1, 0]].tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    >>> result.gini()
    Volume(0.5000, exact)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    lacking = [name for name in REQUIRED_METHODS if not callable(getattr(data, name, None))]
    is_model = hasattr(data, "predict_proba") or (isinstance(data, type) and len(lacking) < len(REQUIRED_METHODS))
    if is_model or (len(lacking) < len(REQUIRED_METHODS) and not hasattr(data, "dtype")):
        raise InputError(
            "front takes true classes and probabilities; a family of classifiers is searched by "
            "search_front(family, X, y), a scikit-learn classifier as EstimatorFamily(estimator, ranges)."
        )
    workload = Draws.of(
        1 if draws is None else draws, rng, n_jobs, "draws"
    )  # bad options are reported before bad data
    scores: Scores = one_sample(cases_in_memory("front", data, y_score, data_options), "front")
    fronts = fixed_fronts(scores, draws, workload, concentration=concentration, bounds=bounds, progress=progress)
    if len(fronts) == 1 and not isinstance(y_score, Mapping):
        return next(iter(fronts.values()))
    return fronts
