"""How the interval of an estimate is made, in words: not all measures have the guarded logit interval."""

from collections.abc import Iterable
from math import isinf

from polyroc.estimates.estimate import Estimate
from polyroc.output.sentences import listed

__all__ = ["interval_name", "interval_notes"]

USUAL, RESAMPLED = "guarded logit", "its own"  # the latter: those of the method


def interval_name(estimate: Estimate) -> str:
    """How the default interval of an estimate is made.

    >>> from polyroc import evaluate
    >>> area, rate = (evaluate([0, 0, 1, 1], [1, 3, 2, 4], measure=m) for m in ("auc", "sensitivity(fpr=0.5)"))
    >>> interval_name(area), interval_name(rate)
    ('guarded logit', 'from order statistics, as a pointwise ROC band')
    """
    if estimate.uses_boundary:
        assert estimate.boundary is not None
        if estimate.boundary.limits is not None:
            return USUAL if estimate.boundary.ends is None else f"{USUAL}, lower end also by order statistics"
        if estimate.boundary.ends is not None:
            return "from order statistics, as a pointwise ROC band"
        return "noncentral chi-square, valid at chance"
    if estimate.resampled is not None and estimate.resampled.is_usable(estimate.value):
        return RESAMPLED
    if isinf(estimate.limits[0]) and isinf(estimate.limits[1]):
        return "Student's t"
    if isinf(estimate.limits[0]) or isinf(estimate.limits[1]):
        return "Student's t, on the scale of logarithms"
    return USUAL


def interval_notes(estimates: Iterable[Estimate]) -> tuple[str, list[str]]:
    """The end of a sentence on standard errors, and sentences on measures whose interval is another one.

    >>> from polyroc import evaluate
    >>> y, s = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]
    >>> interval_notes(evaluate(y, s, measure=m) for m in ("auc", "cost_area"))
    ('; guarded logit intervals', ['Intervals of cost_area: noncentral chi-square, valid at chance.'])
    """
    measures: dict[str, list[str]] = {}
    for estimate in estimates:
        measures.setdefault(interval_name(estimate), []).append(estimate.measure)
    main = next((name for name in (RESAMPLED, USUAL) if name in measures), None if measures else USUAL)
    others = {name: keys for name, keys in measures.items() if name != main}
    sentences = [f"Intervals of {listed([*dict.fromkeys(keys)])}: {name}." for name, keys in others.items()]
    return "" if main is None else f"; {main} intervals", sentences
