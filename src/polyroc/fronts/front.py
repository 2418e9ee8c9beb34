"""The verb `front`: the front of a fixed classifier, or of a family of classifiers."""

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, overload

from polyroc.errors import InputError
from polyroc.fronts.archive import Objective
from polyroc.fronts.evolution import Algorithm, Selection
from polyroc.fronts.families.family import REQUIRED_METHODS, Family, is_family
from polyroc.fronts.fixed_classifier import fixed_front
from polyroc.fronts.result import Front
from polyroc.fronts.search import search
from polyroc.progress import ProgressOption
from polyroc.validation.arrays import Missing
from polyroc.validation.random import Rng
from polyroc.validation.signatures import validated

__all__ = ["front"]

FIXED_OPTIONS = ("n", "pos_label", "missing")
FAMILY_OPTIONS = (
    "generations",
    "costs",
    "start",
    "selection",
    "algorithm",
    "objectives",
    "resume",
    "save",
    "save_every",
)


@overload
def front(
    y_true: Any,
    y_score: Any = None,
    *,
    n: int | None = ...,
    alpha: Any = ...,
    bounds: Mapping[Any, tuple[float, float]] | None = ...,
    rng: Rng = ...,
    n_jobs: int | None = ...,
    labels: Sequence[Hashable] | None = ...,
    pos_label: Hashable = ...,
    sample_weight: Any = ...,
    missing: Missing = ...,
    progress: ProgressOption = ...,
) -> Front | dict[str, Front]: ...


@overload
def front(
    family: Family,
    X: Any,
    y: Any,
    /,
    *,
    generations: int = ...,
    costs: int = ...,
    start: Any = ...,
    selection: Selection = ...,
    algorithm: Algorithm | None = ...,
    objectives: Objective = ...,
    alpha: Any = ...,
    bounds: Mapping[Any, tuple[float, float]] | None = ...,
    rng: Rng = ...,
    n_jobs: int | None = ...,
    labels: Sequence[Hashable] | None = ...,
    sample_weight: Any = ...,
    resume: Front | str | os.PathLike[str] | None = ...,
    save: str | os.PathLike[str] | None = ...,
    save_every: float = ...,
    progress: ProgressOption = ...,
) -> Front: ...


@validated
def front(y_true: Any, y_score: Any = None, y: Any = None, **options: Any) -> Front | dict[str, Front]:
    """Compute the Pareto front of the error rates: the multi-class ROC surface of Everson & Fieldsend.

    `front(y_true, probabilities)`: the classifier is fixed and the costs vary. Under each of many costs of the
    Q(Q - 1) errors, each case is assigned to the class j of least conditional risk, the sum over k of costs[k, j]
    p_k (the first of several that tie, as `CostRule` does); of all vectors of error rates those are kept that no
    other one dominates. First come equal costs, those of equal priors, each error emphasised and played down, and
    the rule that `operate` chooses on these cases, so that `operate(front)` has no more errors than `operate`, or
    than the class of largest probability. The others are proposed by what has raised G so far
    (`polyroc.fronts.cost_proposals`), or drawn from a Dirichlet distribution if `alpha` is given. For two classes
    nothing is drawn: every threshold of the second class's probability is tried, so the front is the staircase of
    the ROC curve. Rates are those of the cases given: use cases that the classifier was not fitted to.

    `front(family, X, y)`: the parameters of the classifier evolve too. Where they may be added, as those of
    logistic regression, each generation has 100 children with parameters and costs of their own: those of a point
    of the front, changed towards a random target that the front does not dominate yet. Otherwise, and with
    `algorithm="printed"`, it is Algorithm 1 of the paper: the fitted classifier is tried under 10,000 cost
    vectors; in each generation a point of the front is selected, its parameters are perturbed, and the new
    classifier is evaluated under 100 cost vectors. Points that nothing dominates are kept. For two classes every
    threshold of each classifier is tried instead. Rates are those of the cases searched on; `Front.on(X, y)`
    evaluates the front on others.

    Parameters
    ----------
    y_true, y_score
        True classes, and one column of probabilities per class (or several classifiers, as everywhere). Of two
        classes, the probability of the positive one is enough.
    family, X, y
        A `LogisticFamily`, a `NearestNeighbours`, an `EstimatorFamily`, or any object with the three methods of
        `Family`; the features of the cases, and their classes.
    **options
        Those below.
    n
        Fixed classifier: how many cost vectors are tried, by default 10,000 up to six classes, more for more and
        30,000 from eleven on; `Front.converged` tells whether they were enough.
    generations, costs
        Family: the total number of generations (including those of a resumed search), and how many cost vectors
        are drawn in each.
    start
        Family: "fitted", the parameters that the family's `start` gives; "random", a hundred random parameter
        vectors with one cost vector each, as in the paper; or parameters, one vector or several.
    selection
        Family: how a parent is selected, where it is not by targets; "pqrs" (partitioned quasi-random selection:
        an interval of the range of an objective, then a point in it) or "uniform".
    algorithm
        Family: "printed", Algorithm 1 as it is in the paper; "adaptive", with children by targets for families
        with `continuous = True`, and for others with proposed costs, as a fixed classifier has. By default that of
        the front to resume; otherwise "printed" for two classes and where `alpha` is given, for three classes also
        for families that are not continuous and for other objectives than rates; "adaptive" for all others.
    objectives
        Family: what is minimised; "rates", all Q(Q - 1) error rates, or "false_positives", for each class the sum
        of the shares of the other classes that are assigned to it (equation 7 of the paper).
    alpha
        None (default): proposed costs, see above. Otherwise the parameters of the Dirichlet distribution (equation
        5) from which all but the first costs are drawn: 1 for a uniform distribution, one number, a matrix
        (row = true class, column = decision, diagonal ignored), or {(true, decision): alpha}, where errors not
        named have 1. For costs that are partly known: the mean cost of an error is its alpha over the sum of
        alphas, and the larger the sum, the smaller the variance.
    bounds
        {((true, decision), (true, decision)): (low, high)}: the cost of the first error over that of the second
        lies between. Draws outside are rejected.
    rng
        A seed or a generator; the same seed gives the same front.
    n_jobs
        The number of threads, None or -1 for one per core; the result does not depend on it.
    labels, pos_label, missing
        As in `evaluate`; `pos_label` and `missing` are valid for a fixed classifier only.
    sample_weight
        Whole numbers: how many cases a row stands for where errors are counted. (A family is fitted to the rows as
        they are, without those of weight 0.)
    resume
        Family: a front, or a file of one, whose search is resumed; family, options and cases must be the same
        (`start` and `rng` are ignored). A search of 1000 generations that is resumed and runs to 3000 gives the
        front of a search of 3000.
    save, save_every
        Family: a file in which the front is saved at the end and every so many seconds before, so that a process
        that is killed loses no more. An existing file is overwritten only if `resume` names it.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message); the message
        holds the size of the archive and its G so far.

    Returns
    -------
    Front, or a dict of them by classifier if `y_score` is a dict or holds several. Ctrl-C ends the work early and
    returns the front so far; that of a family is marked `search.interrupted` and can be resumed.

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

    >>> from polyroc.fronts import LogisticFamily
    >>> x, y = [[0.1], [0.6], [0.5], [0.4], [0.9], [0.7]], [0, 0, 1, 2, 2, 1]
    >>> result = front(LogisticFamily(), x, y, generations=50)
    >>> result.parameters.shape == (len(result), 6)
    True
    >>> result.deploy(0).decide([[0.3]]).shape
    (1,)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    if is_family(y_true):
        if y_score is None or y is None:
            raise InputError("A search needs cases: front(family, X, y).")
        _check_options(options, of_family=True)
        return search(y_true, y_score, y, **options)
    lacking = [name for name in REQUIRED_METHODS if not callable(getattr(y_true, name, None))]
    if y is not None or (len(lacking) < len(REQUIRED_METHODS) and not hasattr(y_true, "dtype")):
        raise InputError(
            "front takes (y_true, probabilities), or (family, X, y) with a family that has the methods "
            f"{', '.join(REQUIRED_METHODS)}; {_problem(y_true, lacking)}."
        )
    _check_options(options, of_family=False)
    return fixed_front(y_true, y_score, **options)


def _problem(candidate: Any, lacking: list[str]) -> str:
    """Why a first argument is not a family."""
    if isinstance(candidate, type):
        return f"{candidate.__name__} is a class: give an object, {candidate.__name__}(...)"
    if hasattr(candidate, "predict_proba"):
        return f"a scikit-learn classifier is given as EstimatorFamily({type(candidate).__name__}(...), ranges)"
    return f"{type(candidate).__name__} lacks {', '.join(lacking)}"


def _check_options(options: Mapping[str, Any], of_family: bool) -> None:
    """Raise an error if there are options that belong to the other use."""
    invalid = [name for name in options if name in (FIXED_OPTIONS if of_family else FAMILY_OPTIONS)]
    if invalid:
        use = "a family, front(family, X, y)" if of_family else "a fixed classifier, front(y_true, probabilities)"
        raise InputError(f"{', '.join(invalid)}: not valid for {use}; leave it out.")
