"""The verb `sample_size`: how many cases a study needs, or what power a number of cases gives."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from polyroc.errors import InputError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import Option
from polyroc.power.aims import Aim
from polyroc.power.allocation import Shares
from polyroc.power.answers import Asked, from_formula, from_model, from_pilot
from polyroc.power.formulas import CorrelationOf, Obuchowski
from polyroc.power.result import SampleSize
from polyroc.power.simulation import Simulation
from polyroc.progress import ProgressOption, progress_callback
from polyroc.validation.arrays import Missing

__all__ = ["sample_size"]

PlanningMethod = HanleyMcNeil | Obuchowski | Simulation


class _Reading(TypedDict, total=False):
    """How pilot data are read, for the type checker."""

    labels: Sequence[Hashable] | None
    pos_label: Hashable
    missing: Missing


def sample_size(
    y_true: Any = None,
    y_score: Any = None,
    *,
    measure: str | Measure,
    value: float | None = None,
    versus: float | None = None,
    correlation: float | None = None,
    correlation_of: CorrelationOf = "estimates",
    null: float | None = None,
    margin: float | None = None,
    width: float | None = None,
    power: float | None = None,
    n: int | Sequence[int] | Mapping[str, int] | None = None,
    alpha: float | None = None,
    sides: int | None = None,
    ratio: Shares | None = None,
    model: Any = None,
    method: PlanningMethod | None = None,
    progress: ProgressOption = None,
    **reading: Unpack[_Reading],
) -> SampleSize:
    """How many cases a study needs; or, if `n` is given, what power so many cases have.

    By formula for `auc`, `gini` and `vus` of three classes, from the values expected. For any measure from pilot
    data, whose components say how much cases vary, or by simulation from a `model`. Class sizes are planned, so
    they are taken as fixed (`sampling="case-control"`).

    Parameters
    ----------
    y_true, y_score
        Pilot data as in `evaluate`: of one classifier, or of two on the same cases. A dict of two `Scores` by
        name: two classifiers on different cases.
    measure
        A key such as "auc", "hand_till".
    value
        The value expected; that of the pilot data or of the model by default.
    versus
        The value expected of a second classifier, if two are compared.
    correlation
        Of the two, if they judge the same cases; None if they judge different ones (only without pilot data).
    correlation_of
        What `correlation` is of: the "estimates", or (for areas) the "scores" within each class, taken as normal,
        see `area_correlation`.
    null
        What is to be rejected: a value of the measure, by default that of chance; for two classifiers a
        difference, by default none.
    margin
        To show that the classifier is not worse than `null` (or than the second one) by this much or more.
    width
        Instead of a test: how wide the interval may be.
    power
        The chance wanted that the study succeeds, 0.8 by default. For `width` only in simulations: the chance that
        the interval is narrow enough; a formula gives the width where the estimate is as expected.
    n
        Cases, of all classes and both sets together, or the size of each class: then the power is the answer.
    alpha
        The chance allowed of a false finding: 0.05 by default, or 0.025 for the one-sided test with a `margin`, as
        regulators expect of non-inferiority. The interval for `width` has the level 1 - alpha.
    sides
        1 or 2; by default 2, or 1 with a `margin`.
    ratio
        How many cases of each class, in the order of the classes (negative, positive; for `vus` lowest, middle,
        highest) or by class name. By default as many of each, or as in the pilot data. Sizes have this ratio up to
        rounding, also where `n` is a total or the smallest class is raised to 10 cases.
    model
        What to simulate from: anything with `sample(sizes, rng)` and the true value under the measure's key, such
        as `datasets.HandTill(3, 1.0)` or, for `vus`, `datasets.Trinormal((0, 1, 2))`. If its samples have two
        classifiers, these are paired (and the true values are a dict); a dict of two models by name is for two
        classifiers on different cases.
    method
        For areas without data, `HanleyMcNeil("exponential")` or `Obuchowski()`: the published formulas, to compare
        with tables and other programs. `Simulation(n=1000, rng=0)` for a model, or for pilot data, which are then
        resampled.
    progress
        While samples are simulated: True for a progress bar, or a function called with (done, total, message).
    **reading
        labels, pos_label, missing: how pilot data are read, as in `evaluate`.

    Returns
    -------
    SampleSize
        With `n`, `by_class`, `power`, `width`, `sentence()`.

    Notes
    -----
    The power is that of the test of `evaluate` (one classifier) or `compare` (two), the inversion of the interval:
    the probability that the interval excludes what is to be rejected. n is the smallest that reaches the power
    wanted, the smallest class having 10 cases or more (with fewer, estimates are not normal: simulate).
    Rejections on the wrong side do not count.

    power = Phi(abs(d - c) / sqrt(V)), where d is the value or difference expected, V its variance, and c the one
    whose interval just reaches what is to be rejected. There the variance of an estimate p (on the scale from 0 to
    1) is taken as proportional to (p (1 - p))^1.25, and the correlation of two estimates as constant. With 30
    cases or more of each class this was within 0.03 of the simulated power for areas of normal scores, unless a
    value is less than about two standard errors from its limit (`assumptions` says so): then simulate.

    Without data the variance is exact for normal scores of equal variance, the means evenly spaced for three
    classes. The difference between two estimates with variances V and W has V + W - 2 r sqrt(V W). With pilot data
    V is the sum over the classes of the components' variance / class size. If scores are far from normal, or the
    classes vary very differently, plan from pilot data or a model.

    With `HanleyMcNeil("exponential")` or `Obuchowski()` the variance and the test are the published ones: power =
    Phi((abs(d) - z sqrt(V0)) / sqrt(V1)), V0 the variance if the hypothesis is true, V1 if what is expected is.
    Hanley & McNeil's variance is exact for exponential scores. Measures whose interval allows for a limit of their
    range or for unseen errors (ht3, scurfield, macro_average, predictive values, expected_cost) are planned
    without that allowance: simulate if classes are small.

    In a simulation the study succeeds if the interval by `evaluate` (or that of the difference, by `compare`)
    leaves out what is to be rejected.

    References
    ----------
    Hanley & McNeil, Radiology 143 (1982) 29-36. Obuchowski, Lieber & Wians, Clinical Chemistry 50 (2004)
    1118-1125. Dreiseitl, Ohno-Machado & Binder, Medical Decision Making 20 (2000) 323-331.

    Examples
    --------
    >>> plan = sample_size(measure="auc", value=0.85, null=0.75, power=0.9, ratio=(1, 2))
    >>> plan
    SampleSize(auc: n = 239 (negative 80, positive 159), power 0.9010)

    Two classifiers on the same cases, and one that must not be worse:

    >>> sample_size(measure="auc", value=0.85, versus=0.80, correlation=0.5).n
    534
    >>> sample_size(measure="auc", value=0.85, versus=0.85, correlation=0.5, margin=0.05).by_class
    {'negative': 236, 'positive': 236}

    Three ordered classes:

    >>> sample_size(measure="vus", value=0.5, null=0.35)
    SampleSize(vus: n = 121 (lowest 41, middle 40, highest 40), power 0.8009)

    From pilot data:

    >>> from polyroc import datasets
    >>> y_true, y_score = datasets.HandTill(3, 1.0).sample(20, rng=0)
    >>> sample_size(y_true, y_score, measure="hand_till", null=0.75).n
    66
    """
    aim = Aim(null=null, margin=margin, width=width, power=power, alpha=alpha, sides=sides)
    if n is not None and power is not None:
        raise InputError(f"Give n to get the power, or power to get n, not both (n={n!r}, power={power!r}).")
    asked = Asked(find(measure), aim, value, versus, n, ratio)
    given = {"y_true": y_true, "model": model}
    source = _only_source(given, {"y_score": y_score, **reading}, correlation)
    _require_method(method, source)
    simulation = method if isinstance(method, Simulation) else None
    if source == "model":
        with progress_callback(progress) as report:
            return from_model(asked, model, simulation or Simulation(), report)
    if source == "y_true":
        with progress_callback(progress) as report:
            return from_pilot(asked, y_true, y_score, simulation, report, **reading)
    assert not isinstance(method, Simulation)
    return from_formula(asked, correlation, correlation_of, method)


def _only_source(given: Mapping[str, Any], of_pilot: Mapping[str, Any], correlation: float | None) -> str | None:
    """Where the variance comes from: "y_true" (pilot data), "model", or None (a formula)."""
    named = [name for name, each in given.items() if each is not None]
    if len(named) > 1:
        raise InputError("Give pilot data (y_true, y_score) or a model to simulate from, not both.")
    stray = [name for name, each in of_pilot.items() if each is not None]
    if stray and named != ["y_true"]:
        raise InputError(f"{', '.join(stray)} came without y_true; give both, or leave out {', '.join(stray)}.")
    if named and correlation is not None:
        raise InputError(
            Option("correlation", correlation),
            " is for planning without data; here it is estimated from the data. Leave it out.",
        )
    return named[0] if named else None


def _require_method(method: object, source: str | None) -> None:
    fit: tuple[type, ...] = (HanleyMcNeil, Obuchowski) if source is None else (Simulation,)
    if method is not None and not isinstance(method, fit):
        advice = {
            None: "HanleyMcNeil('exponential') or Obuchowski(); Simulation() needs a model or pilot data",
            "y_true": "None (components) or Simulation() for pilot data",
            "model": "Simulation() for a model",
        }[source]
        raise InputError(f"method must be {advice}, got {method!r}.")
