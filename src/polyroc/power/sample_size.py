"""The verb `sample_size`: the number of cases that a study needs, or the power of a number of cases."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from polyroc.errors import InputError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import Option
from polyroc.power.allocation import Shares
from polyroc.power.formulas import CorrelationOf, Obuchowski
from polyroc.power.goals import Goal
from polyroc.power.plans import PlanningRequest, plan_by_formula, plan_from_model, plan_from_pilot
from polyroc.power.result import SampleSize
from polyroc.power.simulation import Simulation
from polyroc.progress import ProgressOption, progress_callback
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import validated

__all__ = ["sample_size"]

PlanningMethod = HanleyMcNeil | Obuchowski | Simulation


class _Reading(TypedDict, total=False):
    """The options for reading pilot data, for the type checker."""

    labels: Sequence[Hashable] | None
    pos_label: Hashable
    missing: Missing


@validated
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
    """Compute the number of cases that a study needs; or, if `n` is given, the power of that many cases.

    By formula for `auc`, `gini` and `vus` of three classes, from the expected values. For any measure from the
    structural components of pilot data, or by simulation from a `model`. Class sizes are planned, so they are
    fixed (`sampling="case-control"`).

    Parameters
    ----------
    y_true, y_score
        Pilot data as in `evaluate`: of one classifier, or of two on the same cases. A dict of two `Scores` by
        name: two classifiers on different cases.
    measure
        A key such as "auc", "hand_till".
    value
        The expected value; by default that of the pilot data or of the model.
    versus
        The expected value of a second classifier, if two are compared.
    correlation
        Of the two, if they are evaluated on the same cases; None for different cases (only without pilot data).
    correlation_of
        Whether `correlation` is that of the "estimates", or (for areas) of the "scores" within each class, assumed
        normal, see `area_correlation`.
    null
        The value to be rejected: of the measure, by default that of chance; for two classifiers a difference, by
        default 0.
    margin
        Non-inferiority margin: to show that the classifier is not worse than `null` (or the second classifier) by
        this much or more.
    width
        Instead of a test: the largest width of the interval.
    power
        The probability that the study succeeds, 0.8 by default: that it rejects, or, with `width`, that the
        interval is narrow enough (the assurance).
    n
        The number of cases, of all classes and both sets together, or the size of each class, to get the power.
    alpha
        The significance level: 0.05 by default, or 0.025 for the one-sided test with a `margin`, as regulators
        expect for non-inferiority. The interval for `width` has the level 1 - alpha.
    sides
        1 or 2; by default 2, or 1 with a `margin`.
    ratio
        The ratio of the class sizes, in the order of the classes (negative, positive; for `vus` lowest, middle,
        highest) or by class name. By default equal sizes, or the ratio of the pilot data. Sizes have this ratio up
        to rounding, also if `n` is a total or the smallest class is raised to 10 cases.
    model
        A model to simulate from: an object with `sample(sizes, rng)` and the true value under the measure's key,
        such as `datasets.HandTill(3, 1.0)` or, for `vus`, `datasets.Trinormal((0, 1, 2))`. If its samples have two
        classifiers, these are paired (and the true values are a dict); a dict of two models by name is for two
        classifiers on different cases.
    method
        For areas without data, `HanleyMcNeil("exponential")` or `Obuchowski()`: the published formulas, to compare
        with tables and other programs. `Simulation(replicates=1000, rng=0)` for a model, or for pilot data, which
        are then resampled.
    progress
        While samples are simulated: True for a progress bar, or a function called with (done, total, message).
    **reading
        labels, pos_label, missing: as in `evaluate`, for pilot data.

    Returns
    -------
    SampleSize
        With `n`, `by_class`, `power`, `width`, `sentence()`.

    Notes
    -----
    The power is that of the test of `evaluate` (one classifier) or `compare` (two), the inversion of the interval:
    the probability that the interval excludes the value to be rejected. n is the smallest number that has the
    power, with 10 cases or more in the smallest class (with fewer, estimates are not normal: simulate). Rejections
    in the wrong direction do not count.

    power = Phi(abs(d - c) / sqrt(V)), where d is the expected value or difference, V its variance, and c the
    estimate whose interval just reaches the value to be rejected. At c the variance of an estimate p (on the scale
    from 0 to 1) is assumed proportional to (p (1 - p))^1.25, and the correlation of two estimates constant. With
    30 cases or more of each class this was within 0.03 of the simulated power for areas of normal scores, unless a
    value is less than about two standard errors from its limit (`assumptions` then says so): simulate.

    The width of an interval is taken as normal around that of the expected estimate, and varies with the estimate.
    Planned with a power of 0.8, 73 to 88 % of simulated intervals of normal scores were narrow enough. With a
    power of 0.5 the interval of the expected estimate has the width.

    Without data the variance is exact for normal scores of equal variance, with evenly spaced means for three
    classes. The difference of two estimates with variances V and W has the variance V + W - 2 r sqrt(V W). With
    pilot data V is the sum over the classes of the components' variance / class size. If scores are far from
    normal, or the variances of the classes very different, plan from pilot data or a model.

    With `HanleyMcNeil("exponential")` or `Obuchowski()` the variance and the test are the published ones: power =
    Phi((abs(d) - z sqrt(V0)) / sqrt(V1)), with V0 the variance under the hypothesis and V1 that at the expected
    value. Hanley & McNeil's variance is exact for exponential scores. Measures whose interval accounts for a limit
    of their range or for unobserved errors (ht3, scurfield, macro_average, predictive values, expected_cost) are
    planned without that: simulate if classes are small.

    In a simulation the study succeeds if the interval by `evaluate` (or that of the difference, by `compare`)
    excludes the value to be rejected.

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
    519
    >>> sample_size(measure="auc", value=0.85, versus=0.85, correlation=0.5, margin=0.05).by_class
    {'negative': 224, 'positive': 223}

    Three ordered classes:

    >>> sample_size(measure="vus", value=0.5, null=0.35)
    SampleSize(vus: n = 121 (lowest 41, middle 40, highest 40), power 0.8009)

    From pilot data:

    >>> from polyroc import datasets
    >>> y_true, y_score = datasets.HandTill(3, 1.0).sample(20, rng=0)
    >>> sample_size(y_true, y_score, measure="hand_till", null=0.75).n
    66
    """
    goal = Goal(null=null, margin=margin, width=width, power=power, alpha=alpha, sides=sides)
    if n is not None and power is not None:
        raise InputError(f"Pass n to get the power, or power to get n, not both; got n={n!r} and power={power!r}.")
    request = PlanningRequest(find(measure), goal, value, versus, n, ratio)
    source = _source({"y_true": y_true, "model": model}, {"y_score": y_score, **reading}, correlation)
    _require_method(method, source)
    simulation = method if isinstance(method, Simulation) else None
    if source == "model":
        with progress_callback(progress) as report:
            return plan_from_model(request, model, simulation or Simulation(), report)
    if source == "y_true":
        with progress_callback(progress) as report:
            return plan_from_pilot(request, y_true, y_score, simulation, report, **reading)
    assert not isinstance(method, Simulation)
    return plan_by_formula(request, correlation, correlation_of, method)


def _source(sources: Mapping[str, Any], pilot_options: Mapping[str, Any], correlation: float | None) -> str | None:
    """The source of the variance: "y_true" (pilot data), "model", or None (a formula)."""
    passed = [name for name, value in sources.items() if value is not None]
    if len(passed) > 1:
        raise InputError("Pass either pilot data (y_true, y_score) or a model to simulate from, not both.")
    unused = ", ".join(name for name, value in pilot_options.items() if value is not None)
    if unused and passed != ["y_true"]:
        raise InputError(f"{unused} needs y_true; pass both, or omit {unused}.")
    if passed and correlation is not None:
        raise InputError(
            Option("correlation"), " is for planning without data; with data it is estimated from them: omit it."
        )
    return passed[0] if passed else None


def _require_method(method: object, source: str | None) -> None:
    accepted: tuple[type, ...] = (HanleyMcNeil, Obuchowski) if source is None else (Simulation,)
    if method is not None and not isinstance(method, accepted):
        expected = {
            None: "HanleyMcNeil('exponential') or Obuchowski(); Simulation() needs a model or pilot data",
            "y_true": "None (components) or Simulation() for pilot data",
            "model": "Simulation() for a model",
        }[source]
        raise InputError(Option("method"), f" must be {expected}, got {method!r}.")
