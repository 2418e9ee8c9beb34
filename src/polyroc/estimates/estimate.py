"""Certificate: what an engine vouches for, and what it took."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import erf, hypot, sqrt
from statistics import NormalDist
from typing import Any, Literal, Self, get_args

import numpy as np

from polyroc.errors import FewEffectiveCasesWarning, InputError, warn
from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.estimates.boundary import Boundary, boundary_interval
from polyroc.estimates.hypothesis_tests import one_sided, signed_root, two_sided
from polyroc.estimates.intervals import ROUNDING_ERROR, ConfidenceInterval, IntervalKind, interval_at
from polyroc.estimates.tables import estimate_table
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Option, short_repr
from polyroc.output.numbers import number_text, p_text
from polyroc.output.tables import Table
from polyroc.results.codec import NOT_STORED, STORED_IF_SET, Known, Record, stored_as
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.validation.arguments import checked_level

__all__ = ["Alternative", "Certificate", "Estimate", "Parts", "warn_of_few_effective"]


@dataclass(frozen=True, slots=True)
class Certificate(Record):
    """The interval that surely holds the exact value of an estimate made from tallies.

    The value is bounded: scores that fell into one cell are given every order there can be. The standard error is
    estimated, from components that are exact but for the order inside cells.

    Attributes
    ----------
    low, high
        The bounds, rounding included.
    passes, rows, bytes
        How often the data were read, how many rows were, and how many bytes the files have (None if unknown).
    error_within
        By how much at most the order inside cells changes the standard error; nan if that is not known.
    error_is_bound
        True if the standard error is the largest there can be, from the columns' own errors (Cauchy & Schwarz),
        because the rows were not scanned again for the covariance of the columns.
    """

    low: float
    high: float
    passes: int
    rows: int
    bytes: int | None = None
    error_within: float = float("nan")
    error_is_bound: bool = False

    @property
    def width(self) -> float:
        """How far apart the bounds are."""
        return self.high - self.low

    def row(self) -> dict[str, Any]:
        """What a table shows of it."""
        return {"bound_low": self.low, "bound_high": self.high, "passes": self.passes}


Alternative = Literal["two-sided", "greater", "less"]
NORMAL = NormalDist()
FORMULA = re.compile(r"^\w+\(.+\)$|<")  # the key of a part that says what it is: A(a,b), a<b<c
LARGEST_Z = 7.0  # a level beyond this quantile is 1 to eleven digits


class Parts(Mapping[str, "Estimate"]):
    """The parts of an estimate by a readable key; each is computed when it is first needed."""

    def __init__(self, keys: tuple[str, ...], make: Callable[[str], "Estimate"]) -> None:
        self._keys = dict.fromkeys(keys)
        self._make = cache(lambda key: replace(make(key), part=key))

    @classmethod
    def of(cls, parts: Mapping[str, "Estimate"]) -> Self:
        """Parts that are there already."""
        return cls(tuple(parts), parts.__getitem__)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts themselves, as what makes them may be bound to all cases."""
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


# What a part has of its own; the rest is as in the whole. A part has neither replicates nor a test.
OWN_ENTRIES = (
    *("value", "standard_error", "confidence_interval", "limits", "chance", "fewest", "effective"),
    *("certificate", "boundary"),
)
NOT_OF_PARTS: Mapping[str, Any] = {"parts": {}, "resampled": None, "monte_carlo_error": 0.0, "null": None}


def _part_entries(whole: "Estimate", level: float) -> dict[str, Any]:
    """What is stored of the parts."""
    parts = {key: part.to_dict(level) for key, part in whole.parts.items()}
    return {key: {name: part[name] for name in OWN_ENTRIES} for key, part in parts.items()}


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
        The measure as it was asked for (with its options), and in words.
    part
        The key of the part of the measure that this is; None for the measure itself.
    classifier
        Whose scores were judged.
    value, standard_error
        The number and its standard error (nan where none is available).
    limits, chance
        The smallest and largest value the measure can take; what a constant score gets, or None.
    fewest
        Cases (effective number, if weighted; groups, if clustered) of the smallest class.
    effective
        The same, each class's number divided by the share of the range that its cases have a say in: for Hand &
        Till's M of c classes by 2/c, for the accuracy by the class's share of the cases. None: as `fewest`.
    provenance
        What is needed to repeat it.
    resampled
        The replicates behind the interval, if the method resamples.
    converted
        How what the classifier said was converted into what the measure needs; None if it was not.
    monte_carlo_error
        How far the value may be from that of all tuples of the cases (a standard deviation), if only some of them
        were looked at; 0 if it is exact. Intervals contain it; the standard error does not, but for that of a
        bootstrap, whose replicates do.
    certificate
        What an engine vouches for if the cases were counted in cells; None if they were in memory.
    null
        The value that `evaluate(null=...)` tests against; None without a test.
    boundary
        Bias and unseen variance that the interval allows for, if any; see `polyroc.estimates.boundary`.
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
    boundary: Boundary | None = None
    part: str | None = field(default=None, metadata=STORED_IF_SET)
    _components: Callable[[], FloatArray | None] = field(default=Known(None), metadata=NOT_STORED)
    _parts: Callable[[], Parts] = field(
        default=Known(Parts.of({})), metadata=stored_as(encode=_part_entries, decode=_stored_parts)
    )

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        low, high = self.confidence_interval()
        shown = [number_text(x) for x in (self.value, self.standard_error, low, high)]
        sampled = f" (Monte Carlo {self.monte_carlo_error:.2g})" if self.monte_carlo_error else ""
        bar = f"standard error {shown[1]}{sampled}, 95 % {shown[2]} to {shown[3]}"
        if self.pvalue is not None:
            bar += f", {p_text(self.pvalue)} against {self.null:g}"
        return f"Estimate({self.label} = {shown[0]}, {bar}{', converted' if self.converted else ''})"

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

    def confidence_interval(self, level: float = 0.95, *, kind: IntervalKind | None = None) -> ConfidenceInterval:
        """The interval at a level; see `polyroc.estimates.intervals.interval` for what is done at the edges.

        A measure whose chance value is a limit of its range (`boundary`) has the interval of
        `polyroc.estimates.boundary.boundary_interval`, by whatever method its standard error was made; "logit" and
        "wald" do not hold there.

        Parameters
        ----------
        level
            Between 0 and 1.
        kind
            "guarded", "logit" or "wald"; by default that of the resampling method, or "guarded".
        """
        if kind not in (None, *get_args(IntervalKind)):
            raise InputError(f"kind must be 'guarded', 'logit' or 'wald', got {kind!r}.")
        return self._interval_at(NORMAL.inv_cdf(0.5 + checked_level(level) / 2), kind)

    def _interval_at(self, z: float, kind: IntervalKind | None = None) -> ConfidenceInterval:
        """The interval at a standard normal quantile."""
        error = self.standard_error
        if self.resampled is None and error > ROUNDING_ERROR:
            error = hypot(error, self.monte_carlo_error)
        level = erf(min(z, LARGEST_Z) / sqrt(2.0))
        if self.uses_boundary and kind in (None, "guarded"):
            assert self.boundary is not None
            low, high = boundary_interval(self.boundary, error, self.limits, self.chance, self.cases_behind, level)
            return ConfidenceInterval(min(low, self.value), max(high, self.value))
        if self.resampled is not None and kind is None:
            ends = self.resampled.confidence_interval(self.value, level)
            if ends is not None:
                return ConfidenceInterval(max(self.limits[0], ends.low), min(self.limits[1], ends.high))
        return interval_at(self.value, error, self.limits, self.cases_behind, z, kind or "guarded")

    @property
    def uses_boundary(self) -> bool:
        """True if the interval is that of a boundary; it replaces replicates only where chance is a limit."""
        if self.boundary is None:
            return False
        return self.resampled is None or self.chance in self.limits  # percentiles do not hold at a limit

    def quantiles(self, z: FloatArray) -> FloatArray:
        """The ends of the interval at -z and at z, for standard normal quantiles z > 0 in rising order.

        In the order of the quantiles: lower ends, the value, upper ends.
        """
        low, high = np.array([self._interval_at(quantile) for quantile in z.tolist()]).T
        return np.concatenate([low[::-1], [self.value], high])

    def z_value(self, null: float) -> float:
        """Signed root of the test that the true value is `null`: the z at which the interval just reaches it."""
        low, high = self.limits
        if not low <= null <= high:
            raise InputError(f"null must be between {low:g} and {high:g} for {self.measure}, got {null!r}.")
        if self.resampled is not None and not self.uses_boundary and self.resampled.is_usable(self.value):
            return self.resampled.signed_root(self._interval_at, self.value, null)
        return signed_root(self._interval_at, self.value, null)

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
        null = next((each for each in (null, self.null, self.chance) if each is not None), None)
        if null is None:
            raise InputError(f"{self.measure} has no chance value to test against; use ", Option("null", ...))
        z = self.z_value(null)
        return two_sided(z) if alternative == "two-sided" else one_sided(z if alternative == "greater" else -z)

    @property
    def pvalue(self) -> float | None:
        """Two-sided p-value of the hypothesis that the true value is `null`; None without one."""
        return None if self.null is None else self.test(self.null)

    @property
    def cases_behind(self) -> float:
        """The effective number of cases that the interval counts: `effective`, or `fewest`."""
        return self.fewest if self.effective is None else self.effective

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval that surely holds the exact value, if an engine made the estimate; None if it is exact."""
        return None if self.certificate is None else (self.certificate.low, self.certificate.high)

    @property
    def components(self) -> FloatArray | None:
        """One number per case, in the order given: the mean outcome of the tuples of cases that contain it.

        The standard error is made of them: its square is the sum over classes of var(components) / size. A case
        that plays no part (a third class in a comparison of two) has nan. Where rows were repeated by frequency
        weights, there is one for each repeated case.

        In a cohort a measure that depends on the shares of the classes has instead what each case contributes: the
        value plus the number of cases times the case's influence (for `accuracy` 1 if it is right, else 0). Their
        mean is the value, and var(components) / cases the squared standard error, up to the correction for few
        cases of a class.
        """
        return self._components()

    @property
    def parts(self) -> Parts:
        """The pieces the measure is made of: pairs of classes, classes. Empty if it has none."""
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
            "converted": self.converted,
            "monte_carlo_error": self.monte_carlo_error or None,
            **({} if self.certificate is None else self.certificate.row()),
        }

    def _derived(self) -> dict[str, Any]:
        return {"pvalue": self.pvalue}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}


def warn_of_few_effective(estimates: Iterable[Estimate]) -> None:
    """Warn of estimates to which less than one effective case of a class contributes, though there are more."""
    narrow = [
        e for e in estimates if e.effective is not None and e.effective < 1 - ROUNDING_ERROR and e.fewest > 1
    ]
    if narrow:
        fewest = min(e.effective for e in narrow if e.effective is not None)
        warn(
            f"{', '.join(dict.fromkeys(e.measure for e in narrow))}: less than one effective case of a class "
            f"({fewest:.2g}) bears on the value, as where a range of rates is shorter than 1 / cases. The value "
            "may be far off, and the interval contains all values. Use a wider range of rates, or more cases.",
            FewEffectiveCasesWarning,
        )
