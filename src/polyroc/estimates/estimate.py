"""Estimate, the value of a measure with its interval and tests; its parts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import erf, hypot, sqrt
from statistics import NormalDist
from typing import Any, Literal, Self, get_args

import numpy as np

from polyroc._results.codec import NOT_STORED, STORED_IF_SET, Known, stored_as
from polyroc._results.invariants import LARGEST, Invariants, at_least, ordered, within
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import FewEffectiveCasesWarning, InputError, warn
from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.estimates.boundary import Boundary, boundary_interval
from polyroc.estimates.certificate import Certificate
from polyroc.estimates.cross_validation import CrossValidation
from polyroc.estimates.hypothesis_tests import one_sided, signed_root, two_sided
from polyroc.estimates.intervals import ROUNDING_ERROR, ConfidenceInterval, IntervalKind, interval_at, student_z
from polyroc.estimates.tables import estimate_table
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Option, short_repr
from polyroc.output.numbers import estimated_text, interval_text, number_text, p_text, unit_of
from polyroc.output.tables import Table
from polyroc.validation.arguments import checked_level
from polyroc.validation.signatures import validated

__all__ = ["Alternative", "Estimate", "Parts", "warn_of_few_effective"]

Alternative = Literal["two-sided", "greater", "less"]
NORMAL = NormalDist()
FORMULA = re.compile(r"^\w+\(.+\)$|<")  # the key of a part that says what it is: A(a,b), a<b<c
FEW_BEHIND = 5.0  # effective cases of a class: with fewer the intervals of weighted cases were too short
LARGEST_Z = 7.0  # a level beyond this quantile is 1 to eleven digits


class Parts(Mapping[str, "Estimate"]):
    """The parts of an estimate by a readable key; each is computed when it is first needed."""

    def __init__(self, keys: tuple[str, ...], make: Callable[[str], "Estimate"]) -> None:
        self._keys = dict.fromkeys(keys)
        self._make = cache(lambda key: _as_part(make(key), key))

    @classmethod
    def of(cls, parts: Mapping[str, "Estimate"]) -> Self:
        """Parts that were computed before."""
        return cls(tuple(parts), parts.__getitem__)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts, not the function that computes them from the data."""
        return Parts.of, (dict(self),)

    def __getitem__(self, key: str) -> "Estimate":
        if key not in self._keys:
            raise KeyError(key)
        return self._make(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        shown = [*self._keys][:6]
        return f"Parts({', '.join(shown)}{', ...' if len(self) > 6 else ''})"


def _as_part(estimate: "Estimate", key: str) -> "Estimate":
    return estimate if estimate.part == key else replace(estimate, part=key)


# The entries of a part; the others are those of the whole, except for replicates and tests, which a part has not.
OWN_ENTRIES = (
    *("value", "standard_error", "confidence_interval", "limits", "chance", "fewest", "effective"),
    *("certificate", "boundary"),
)
OWN_IF_SET = ("cross_validation",)
NOT_OF_PARTS: Mapping[str, Any] = {"parts": {}, "resampled": None, "monte_carlo_error": 0.0, "null": None}


def _part_entries(whole: "Estimate", level: float) -> dict[str, Any]:
    """The stored entries of the parts."""
    parts = {key: part.to_dict(level) for key, part in whole.parts.items()}
    names = (*OWN_ENTRIES, *OWN_IF_SET)
    return {key: {name: part[name] for name in names if name in part} for key, part in parts.items()}


def _stored_parts(whole: dict[str, Any]) -> Known[Parts]:
    """The parts in the data of an estimate."""
    parts = whole.get("parts", {})
    if not isinstance(parts, dict) or not all(isinstance(part, dict) for part in parts.values()):
        raise InputError(f"Expected an object of objects for Estimate.parts, got {short_repr(parts)}.")
    common = {**whole, **NOT_OF_PARTS}
    return Known(Parts.of({key: Estimate.from_dict({**common, **part}) for key, part in parts.items()}))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate(Result):
    """The value of a measure with its standard error.

    Attributes
    ----------
    measure, name
        The key of the measure with its options, and its name in words.
    part
        The key of the part of the measure that this is; None for the measure itself.
    classifier
        The name of the classifier.
    value, standard_error
        The value and its standard error (nan if not available).
    limits, chance
        The smallest and the largest possible value; the value of a constant score, or None.
    fewest
        Number of cases of the smallest class (effective number, if weighted; groups, if clustered).
    effective
        The same, with the number of each class divided by the share of the range that its cases can change: 2/c
        for Hand & Till's M of c classes, the share of the class for the accuracy. None: as `fewest`.
    provenance
        What is needed to repeat the computation.
    resampled
        The replicates of which the interval is made, if the method resamples.
    converted
        How the predictions were converted for the measure; None if they were not.
    monte_carlo_error
        Standard deviation of the value around that of all tuples of cases, if only a sample of the tuples was
        used; else 0. Intervals account for it. The standard error does not, except that of a bootstrap, whose
        replicates contain it.
    certificate
        Bounds of the exact value, if it was computed from binned scores; None if all cases were in memory.
    null
        The value of the hypothesis given to `evaluate(null=...)`; None without a test.
    cross_validation
        For an average over the folds of a cross-validation: the values by fold and the pooled value; None for one
        sample.
    df
        Degrees of freedom of the standard error, if intervals and tests use Student's t; None: the normal
        distribution.
    larger_is_better
        False for a cost, of which small values are good; None otherwise.
    of_decisions
        True for a measure of decisions, in which one case is all right or all wrong; None otherwise.
    """

    measure: str
    name: str
    classifier: str
    value: float
    standard_error: float
    limits: tuple[float, float]
    chance: float | None
    fewest: float
    provenance: Provenance
    resampled: Resampled | None = None
    effective: float | None = None
    converted: str | None = None
    monte_carlo_error: float = 0.0
    certificate: Certificate | None = None
    null: float | None = None
    _boundary: Callable[[], Boundary | None] = field(default=Known(None))
    part: str | None = field(default=None, metadata=STORED_IF_SET)
    df: float | None = field(default=None, metadata=STORED_IF_SET)
    larger_is_better: bool | None = field(default=None, metadata=STORED_IF_SET)
    of_decisions: bool | None = field(default=None, metadata=STORED_IF_SET)
    _components: Callable[[], FloatArray | None] = field(default=Known(None), metadata=NOT_STORED)
    _cross_validation: Callable[[], CrossValidation] | None = field(default=None, metadata=STORED_IF_SET)
    _parts: Callable[[], Parts] = field(
        default=Known(Parts.of({})), metadata=stored_as(encode=_part_entries, decode=_stored_parts)
    )

    def _invariants(self) -> Invariants:
        low, high = self.limits
        yield low <= high, "limits must be in order"
        yield within(self.value, low, high), f"value must be from {low:g} to {high:g}"
        plausible = f"must be 0 or more, at most {LARGEST:g}"
        yield at_least([self.standard_error, self.monte_carlo_error], 0), f"standard errors {plausible}"
        yield self.df is None or self.df > 0, "df must be above 0"
        yield at_least([self.fewest, 0.0 if self.effective is None else self.effective], 0), f"cases {plausible}"
        if self.chance is not None:
            yield within(self.chance, low, high), f"chance must be from {low:g} to {high:g}"
        if self.boundary is not None and self.boundary.limits is None:
            yield within(self.boundary.value, low, high), f"the plug-in value must be from {low:g} to {high:g}"
        if self.null is not None:
            yield within(self.null, low, high), f"null must be from {low:g} to {high:g}"
        if self.certificate is not None:
            yield ordered(self.certificate.low, self.value, self.certificate.high), "bounds must contain the value"
        if self.resampled is not None:
            yield within(self.resampled.replicates, low, high), "replicates must be in the range of the measure"

    def __float__(self) -> float:
        return self.value

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __format__(self, spec: str) -> str:
        """The value in a format of numbers; without one, the table.

        >>> from polyroc import evaluate
        >>> f"{evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measure='auc'):.2f}"
        '0.75'
        """
        return format(self.value, spec) if spec else str(self)

    @property
    def unit(self) -> float:
        """The order of magnitude of the values of the measure: 1, or a small chance value."""
        return unit_of(self.chance)

    @property
    def error_text(self) -> str:
        """The standard error as text; "at most" where only an upper bound is known."""
        is_bound = self.certificate is not None and self.certificate.error_is_bound
        return "at most " * is_bound + number_text(self.standard_error, unit=self.unit)

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval; `confidence_interval` has other levels."""
        return self.confidence_interval().low

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.confidence_interval().high

    def __repr__(self) -> str:
        low, high = self.confidence_interval()
        value = estimated_text(self.value, self.standard_error, unit=self.unit)
        sampled = f" (Monte Carlo {self.monte_carlo_error:.2g})" if self.monte_carlo_error else ""
        bar = f"standard error {self.error_text}{sampled}, 95 % {interval_text((low, high), unit=self.unit)}"
        if self.certificate is not None and self.certificate.in_interval:
            bar += f" with bounds {number_text(self.certificate.low)} to {number_text(self.certificate.high)}"
        if self.pvalue is not None:
            bar += f", {p_text(self.pvalue)} against {self.null:g}"
        if self.provenance.folds is not None:
            bar += f", {'pooled' if self.provenance.pooled else 'averaged'} over {self.provenance.fold_text}"
        return f"Estimate({self.label} = {value}, {bar}{', converted' if self.converted else ''})"

    @property
    def label(self) -> str:
        """What is estimated: the measure, or a part of it.

        >>> from polyroc import evaluate
        >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.2, 0.6, 0.2], [0.1, 0.5, 0.4], [0.1, 0.3, 0.6]]
        >>> M = evaluate(["a", "a", "b", "b", "c"], P, measure="hand_till", method=None)
        >>> M.parts["A(a,b)"].label, M.label
        ('A(a,b)', 'hand_till')
        """
        if self.part is None:
            return self.measure
        if FORMULA.search(self.part):
            return self.part
        return f"{self.measure.partition('(')[0]}({self.part})"  # a class, or a term of the measure

    @validated
    def confidence_interval(self, level: float = 0.95, *, kind: IntervalKind | None = None) -> ConfidenceInterval:
        """The confidence interval at a level; see `polyroc.estimates.intervals.interval` for values near a limit.

        A measure whose chance value is a limit of its range (`boundary`) has the interval of
        `polyroc.estimates.boundary.boundary_interval`, whatever the method of its standard error; "logit" and
        "wald" intervals are not valid there.

        Parameters
        ----------
        level
            Between 0 and 1.
        kind
            "guarded", "logit" or "wald"; by default that of the resampling method, or "guarded".
        """
        if kind not in (None, *get_args(IntervalKind)):
            raise InputError(f"kind must be 'guarded', 'logit' or 'wald', got {kind!r}.")
        return self._ends(NORMAL.inv_cdf(0.5 + checked_level(level) / 2), kind)

    def _ends(self, z: float, kind: IntervalKind | None = None) -> ConfidenceInterval:
        """The interval at the probability of a standard normal quantile; by Student's t if there are `df`."""
        return self._interval_at(student_z(z, self.df), kind)

    def _interval_at(self, z: float, kind: IntervalKind | None = None) -> ConfidenceInterval:
        """The interval at a standard normal quantile; it contains those of all values between wide bounds."""
        if self.bound_slack == (0.0, 0.0):
            return self._interval_around(self.value, z, kind)
        assert self.certificate is not None
        low, high = (self._interval_around(end, z, kind) for end in (self.certificate.low, self.certificate.high))
        return ConfidenceInterval(low.low, high.high)

    @property
    def bound_slack(self) -> tuple[float, float]:
        """How far below and above the value the exact one may be, if that is not negligible; else 0."""
        if self.certificate is None or not self.certificate.in_interval:
            return 0.0, 0.0
        return max(self.value - self.certificate.low, 0.0), max(self.certificate.high - self.value, 0.0)

    def _interval_around(self, value: float, z: float, kind: IntervalKind | None) -> ConfidenceInterval:
        error = self.standard_error
        if self.resampled is None and error > ROUNDING_ERROR:
            error = hypot(error, self.monte_carlo_error)
        if self.boundary is None and self.resampled is None:
            return interval_at(value, error, self.limits, self.cases_behind, z, kind or "guarded")
        level = erf(min(z, LARGEST_Z) / sqrt(2.0))
        if self.uses_boundary and kind in (None, "guarded"):
            assert self.boundary is not None
            low, high = boundary_interval(self.boundary, error, self.limits, self.chance, self.cases_behind, level)
            shift = value - self.value  # the boundary's interval is around the value of the estimate
            low, high = max(low + shift, self.limits[0]), min(high + shift, self.limits[1])
            return ConfidenceInterval(min(low, value), max(high, value))
        if self.resampled is not None and kind is None:
            ends = self.resampled.confidence_interval(self.value, level)
            if ends is not None:
                return ConfidenceInterval(max(self.limits[0], ends.low), min(self.limits[1], ends.high))
        return interval_at(value, error, self.limits, self.cases_behind, z, kind or "guarded")

    @property
    def boundary(self) -> Boundary | None:
        """Bias and unseen variance near a limit of the range, which the interval needs; None if there are none."""
        return self._boundary()

    @property
    def uses_boundary(self) -> bool:
        """True if the interval is a boundary interval, which replaces replicates only if chance is a limit."""
        if self.boundary is None:
            return False
        by_error = self.resampled is None or self.resampled.kind == "guarded"
        return by_error or self.chance in self.limits  # percentiles are not valid at a limit

    @validated
    def z_value(self, null: float) -> float:
        """Signed root of the test that the true value is `null`: the z at which the interval just reaches it."""
        low, high = self.limits
        if not low <= null <= high:
            raise InputError(f"null must be between {low:g} and {high:g} for {self.measure}, got {null!r}.")
        if self.resampled is not None and not self.uses_boundary and self.resampled.is_usable(self.value):
            return self.resampled.signed_root(self._interval_at, self.value, null)
        return signed_root(self._ends, self.value, null)

    @validated
    def test(self, null: float | None = None, alternative: Alternative = "two-sided") -> float:
        """P-value of the hypothesis that the true value is `null`.

        The inversion of the default interval: p < 0.05 if and only if the 95 % interval excludes `null`.

        Parameters
        ----------
        null
            By default the value given to `evaluate(null=...)`, else the chance value.
        alternative
            "two-sided"; "greater" or "less": one-sided, the true value is larger or smaller.

        Examples
        --------
        >>> from polyroc import evaluate
        >>> area = evaluate([0, 0, 0, 0, 1, 0, 1, 1, 1, 1], range(10), measure="auc")
        >>> round(area.test(0.5), 3), round(area.test(0.5, alternative="greater"), 3)
        (0.04, 0.02)
        """
        if alternative not in get_args(Alternative):
            raise InputError(f"alternative must be 'two-sided', 'greater' or 'less', got {alternative!r}.")
        null = next((value for value in (null, self.null, self.chance) if value is not None), None)
        if null is None:
            raise InputError(f"{self.measure} has no chance value to test against; use ", Option("null", ...))
        z = self.z_value(null)
        return two_sided(z) if alternative == "two-sided" else one_sided(z if alternative == "greater" else -z)

    @property
    def pvalue(self) -> float | None:
        """Two-sided p-value of the hypothesis that the true value is `null`; None without one."""
        return None if self.null is None else self.test(self.null)

    @validated
    def is_below_chance(self, level: float = 0.95) -> bool:
        """True if every value of the interval is worse than chance: the score may be reversed.

        >>> from polyroc import evaluate
        >>> evaluate([0] * 9 + [1] * 9, range(18, 0, -1), measure="auc").is_below_chance()
        True
        """
        if self.chance is None or np.isnan(self.value):
            return False
        low, high = self.confidence_interval(level)
        return low > self.chance if self.larger_is_better is False else high < self.chance

    @property
    def cases_behind(self) -> float:
        """The effective number of cases that the interval counts: `effective`, or `fewest`."""
        return self.fewest if self.effective is None else self.effective

    @property
    def is_quadratic(self) -> bool:
        """True if the delta method fails near chance, because the gradient of the measure is zero there."""
        return self.boundary is not None and self.boundary.ends is None and self.boundary.limits is None

    @property
    def _smallest_class(self) -> float:
        """The number of cases of the smallest class, or of groups; 0 without weights, and within folds."""
        if self.provenance.weight_kind != "importance" or self.provenance.folds is not None:
            return 0.0
        return float(min([*self.provenance.cases.values(), self.provenance.groups or np.inf]))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Bounds of the exact value, if an engine computed the estimate; None if the value is exact."""
        return None if self.certificate is None else (self.certificate.low, self.certificate.high)

    @property
    def components(self) -> FloatArray | None:
        """Structural components (placement values for the AUC), one per case in the order of the input.

        The component of a case is the mean outcome of the tuples of cases that contain it. The squared standard
        error is the sum over classes of var(components) / size. A case that is in no tuple (of a third class in a
        comparison of two) has nan. With frequency weights there is one component per repeated case.

        In a cohort, the components of a measure that depends on the shares of the classes are the value plus the
        number of cases times the influence value of the case (for `accuracy`, 1 if the decision is right, else 0).
        Their mean is the value, and var(components) / cases the squared standard error, up to the correction for
        few cases of a class. Where class sizes are fixed, weights that vary within a class add to the standard
        error of such a measure, because they make the shares random; components do not contain that.

        Of an average over folds, components are centred at the mean of all folds instead of that of their own, and
        their deviations are scaled by the share of the fold in the average and by the degrees of freedom within
        folds; with repeats there is one per row.
        """
        return self._components()

    @property
    def cross_validation(self) -> CrossValidation | None:
        """The values by fold and the pooled value of an average over folds; None for one sample.

        >>> import polyroc as pr
        >>> y, folds = [0, 1, 0, 1, 0, 1, 0, 1], [1, 1, 1, 1, 2, 2, 2, 2]
        >>> estimate = pr.evaluate(y, [1, 3, 2, 4, 11, 12, 13, 14], folds=folds, measure="auc")
        >>> estimate.value, estimate.cross_validation.values, estimate.cross_validation.pooled
        (0.875, (1.0, 0.75), 0.6875)
        """
        return None if self._cross_validation is None else self._cross_validation()

    @property
    def parts(self) -> Parts:
        """The estimates of which the measure is the mean: pairs of classes, or classes. Empty if it has none."""
        return self._parts()

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record for the estimate, and one for each part, with intervals at a level."""
        return [self.row(level, part=None), *(part.row(level, part=key) for key, part in self.parts.items())]

    def to_table(self, level: float = 0.95) -> Table:
        """The estimate and its parts as a table of text."""
        return estimate_table(self, level)

    def row(self, level: float = 0.95, **more: Any) -> dict[str, Any]:
        """The record of the estimate itself."""
        low, high = self.confidence_interval(level)
        return {
            "classifier": self.classifier,
            "measure": self.measure,
            **more,
            "value": self.value,
            "standard_error": self.standard_error,
            "low": low,
            "high": high,
            "level": level,
            "chance": self.chance,
            **({} if self.null is None else {"null": self.null, "pvalue": self.pvalue}),
            **({} if self.cross_validation is None else {"pooled": self.cross_validation.pooled}),
            "converted": self.converted,
            "monte_carlo_error": self.monte_carlo_error or None,
            **({} if self.certificate is None else self.certificate.row()),
        }

    def _derived(self) -> dict[str, Any]:
        return {"pvalue": self.pvalue}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}


def warn_of_few_effective(estimates: Iterable[Estimate], named: bool = True) -> None:
    """Warn of estimates that a few heavy cases carry, or less than one effective case of a class with several.

    The latter depends on the range of a measure; without a warning if the measure was not `named`.
    """
    estimates = [*estimates]
    heavy = [e for e in estimates if e.fewest < FEW_BEHIND <= 0.5 * e._smallest_class]
    if heavy:
        fewest = min(e.fewest for e in heavy)
        warn(
            f"{', '.join(dict.fromkeys(e.measure for e in heavy))}: a few cases of large weight carry the value. "
            f"By the weights a class counts as {fewest:.2g} effective cases, though every class has "
            f"{heavy[0]._smallest_class:g} or more. The interval allows for it, but the standard error may be far "
            "too small. Check the largest weights, cut them, or add cases like those that have them.",
            FewEffectiveCasesWarning,
        )
    few = [e for e in estimates if e.cases_behind < 1 - ROUNDING_ERROR and e.fewest > 1 and e not in heavy]
    if few and named:
        warn(
            f"{', '.join(dict.fromkeys(e.measure for e in few))}: less than one effective case of a class "
            f"({min(e.cases_behind for e in few):.2g}) bears on the value, as where a range of rates is shorter "
            "than 1 / cases. The value may be far off, and the interval contains all values. Use a wider range of "
            "rates, or more cases.",
            FewEffectiveCasesWarning,
        )
