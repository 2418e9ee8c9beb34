"""The verb `front`: of a fixed classifier, or of a whole family of classifiers; the first argument decides."""

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts import fixed_classifier
from polyroc.fronts.evolution import Selection
from polyroc.fronts.families.family import Family, is_family
from polyroc.fronts.objectives import Objective
from polyroc.fronts.result import Front
from polyroc.fronts.search import search
from polyroc.progress import ProgressOption
from polyroc.validation.arrays import Missing

__all__ = ["front"]

METHODS = ("start", "perturb", "posteriors")
FIXED = ("n", "missing")  # options that go with a fixed classifier only
SEARCHED = ("generations", "costs", "start", "selection", "objectives", "resume", "save", "save_every")


@overload
def front(
    y_true: Any,
    y_score: Any = None,
    *,
    n: int = ...,
    alpha: Any = ...,
    bounds: Mapping[Any, tuple[float, float]] | None = ...,
    rng: int | np.random.Generator | None = ...,
    n_jobs: int | None = ...,
    labels: Sequence[Hashable] | None = ...,
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
    objectives: Objective = ...,
    alpha: Any = ...,
    bounds: Mapping[Any, tuple[float, float]] | None = ...,
    rng: int | np.random.Generator | None = ...,
    n_jobs: int | None = ...,
    labels: Sequence[Hashable] | None = ...,
    sample_weight: Any = ...,
    resume: Front | str | os.PathLike[str] | None = ...,
    save: str | os.PathLike[str] | None = ...,
    save_every: float = ...,
    progress: ProgressOption = ...,
) -> Front: ...


def front(y_true: Any, y_score: Any = None, y: Any = None, **options: Any) -> Front | dict[str, Front]:
    """Find which errors can be traded for which: Everson & Fieldsend's multi-class ROC surface.

    `front(y_true, probabilities)`: the classifier is fixed and the costs vary. Costs of the Q(Q - 1) errors are
    drawn from a Dirichlet distribution, each case is given to the class j of least sum over k of costs[k, j] p_k,
    the first of those that tie (as `CostRule` does), and of all vectors of error rates those are kept that no
    other one dominates. For two classes nothing is drawn: every threshold of the second class's probability is
    looked at, so the front is the staircase of the ROC curve. (There the rule that always says the second class
    has the costs 0 and 1, though a case whose probability of it is exactly 0 ties with these; and costs cannot
    tell apart probabilities that differ by rounding.) Rates are those of the cases given: give cases that the
    classifier was not fitted to.

    `front(family, X, y)`: the parameters of the classifier evolve too (Algorithm 1 of the paper). The archive
    starts with the fitted classifier under 10,000 cost vectors. In each generation a point of the archive is
    selected, its parameters are perturbed, and the new classifier is judged under 100 cost vectors; what nothing
    dominates is kept. For two classes every threshold of each classifier is looked at instead. Rates are those of
    the cases searched on; `Front.on(X, y)` judges the front on others.

    Parameters
    ----------
    y_true, y_score
        True classes, and one column of probabilities per class (or several classifiers, as everywhere).
    family, X, y
        A `LogisticFamily`, a `NearestNeighbours`, an `EstimatorFamily`, or any object with the three methods of
        `Family`; the features of the cases, and their classes.
    **options
        Those below.
    n
        Fixed: how many cost vectors are drawn; `growth` of the answer tells whether they were enough.
    generations, costs
        Family: how many generations in all (those of a resumed search included), and how many cost
        vectors are drawn in each.
    start
        Family: "fitted", what `start` of the family gives; "random", a hundred parameter vectors at random with
        one cost vector each, as the paper has it; or parameters, one vector or several.
    selection
        Family: how a parent is selected; "pqrs" (partitioned quasi-random selection: an interval of the range of
        an objective, then a point of it) or "uniform".
    objectives
        Family: what is to be small; "rates", all Q(Q - 1) error rates, or "false_positives", for each class the
        sum of the shares of the other classes that are called by its name.
    alpha
        Parameters of the Dirichlet distribution: 1 for all costs alike, one number, a matrix (row = true class,
        column = decision, diagonal not read), or {(true, said): alpha}, where an error not named has 1. Costs that
        are partly known: the cost of an error is alpha / sum of alphas in the mean, and the surer the larger the
        sum.
    bounds
        {((true, said), (true, said)): (low, high)}: the cost of the first error over that of the second lies
        between. Draws outside are drawn again.
    rng
        A seed or a generator; the same seed gives the same front.
    n_jobs
        How many threads, None or -1 for as many as there are cores; the answer does not depend on it.
    labels, missing
        As in `evaluate`; `missing` goes with a fixed classifier only.
    sample_weight
        Whole numbers: how many cases a row stands for where errors are counted. (A family is started from the rows
        as they are; those of weight 0 are left out.)
    resume
        Family: a front, or a file of one, to go on with; family, options and cases must be those it was found with
        (`start` and `rng` are not read). A search of 1000 generations that is resumed and runs to 3000 gives what
        one of 3000 would have given.
    save, save_every
        Family: a file to keep the front in, every so many seconds on the way and at the end, so that even a
        process that is killed loses no more. A file that exists is overwritten only where `resume` names it.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message); the message
        holds the size of the archive and its G so far.

    Returns
    -------
    Front, or a dict of them by classifier if `y_score` is a dict or holds several. Ctrl-C ends the work early and
    gives what was found; of a family it is marked `search.interrupted` and can be resumed.

    Examples
    --------
    >>> found = front([0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    >>> found.rates[:, [0, 1], [1, 0]].tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    >>> found.gini()
    Volume(0.5000, exact)

    >>> from polyroc.fronts import LogisticFamily
    >>> x, y = [[0.1], [0.6], [0.5], [0.4], [0.9], [0.7]], [0, 0, 1, 2, 2, 1]
    >>> found = front(LogisticFamily(), x, y, generations=50)
    >>> found.parameters.shape == (len(found), 6)
    True
    >>> found.deploy(0).decide([[0.3]]).shape
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
    lacking = [name for name in METHODS if not callable(getattr(y_true, name, None))]
    if y is not None or (len(lacking) < len(METHODS) and not hasattr(y_true, "dtype")):
        raise InputError(
            "front takes (y_true, probabilities), or (family, X, y) with a family that has the methods "
            f"{', '.join(METHODS)}; {_instead(y_true, lacking)}."
        )
    _check_options(options, of_family=False)
    return fixed_classifier.front(y_true, y_score, **options)


def _instead(given: Any, lacking: list[str]) -> str:
    """What is wrong with something that is no family."""
    if isinstance(given, type):
        return f"{given.__name__} is a class: give an object, {given.__name__}(...)"
    if hasattr(given, "predict_proba"):
        return f"a scikit-learn classifier is given as EstimatorFamily({type(given).__name__}(...), ranges)"
    return f"{type(given).__name__} lacks {', '.join(lacking)}"


def _check_options(options: Mapping[str, Any], of_family: bool) -> None:
    """Complain of options that belong to the other use."""
    wrong = [name for name in options if name in (FIXED if of_family else SEARCHED)]
    if wrong:
        what = "a family, front(family, X, y)" if of_family else "a fixed classifier, front(y_true, probabilities)"
        raise InputError(f"{', '.join(wrong)}: not for {what}; leave it out.")
