"""The verb `front_volumes` and its result: G and delta of several fronts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, guard_variance, interval_at, student_z
from polyroc.fronts.case_errors import CaseErrors, DecidedCases, VolumeDifference, bias_range, case_errors
from polyroc.fronts.dominated_volume import Volume, checked_rates, volume_shares
from polyroc.fronts.result import Front, has_many_dimensions, meaning_of_gini
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text
from polyroc.output.sentences import printable
from polyroc.output.tables import Table, record_table
from polyroc.results.codec import STORED_IF_SET
from polyroc.results.invariants import Invariants, at_least, distinct, within
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.scores import Scores
from polyroc.validation.arguments import checked_level
from polyroc.validation.random import Rng
from polyroc.validation.signatures import Count, own_check, validated
from polyroc.validation.signatures import within as in_range

__all__ = ["FrontVolumes", "front_volumes", "named_fronts"]

FEW = 10.0  # degrees of freedom: below, intervals of heavy-tailed scores covered 93 %; see docs/fronts.md


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrontVolumes(Result):
    """G of several fronts and delta of every two, on the same random points.

    Attributes
    ----------
    fronts
        The names of the fronts, in the order of rows and columns.
    sizes
        The number of operating points of each.
    shares
        At [a, a] the generalised Gini coefficient G(A), at [a, b] the exclusively dominated volume delta(A, B):
        shares of the region below random allocation.
    classes
        The number of classes.
    n_points
        The number of random points; None if the volumes are exact.
    provenance
        What is needed to repeat it; the cases of each class if the fronts have the same.
    case_errors
        How G and delta vary over cases, if `front_volumes` was given cases; else None.
    """

    fronts: tuple[str, ...]
    sizes: tuple[int, ...]
    shares: FloatArray
    classes: int
    n_points: int | None
    provenance: Provenance
    case_errors: CaseErrors | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        n = len(self.fronts)
        errors = self.case_errors
        yield errors is None or errors.standard_errors.shape == (n, n), "case_errors must be of these fronts"
        yield distinct(self.fronts) and len(self.sizes) == n, "fronts must be distinct, with a size each"
        yield self.shares.shape == (n, n), "shares must have a row and a column per front"
        yield within(self.shares, 0.0, 1.0), "shares must be from 0 to 1"
        yield at_least(self.sizes, 1) and self.classes >= 2, "sizes must be 1 or more, classes 2 or more"
        yield self.n_points is None or self.n_points > 0, "n_points must be 1 or more"

    @validated
    def gini(self, front: str) -> Volume:
        """The generalised Gini coefficient of a front."""
        return self._volume(front, front)

    @validated
    def exclusive(self, front: str, against: str) -> Volume:
        """What the first front dominates and the second does not; zero for a front against itself."""
        return Volume(0.0, self.n_points) if front == against else self._volume(front, against)

    @validated
    def standard_error(self, front: str, against: str | None = None) -> float:
        """The standard error over cases of G of a front, or of delta(front, against)."""
        a, b = self._place(front), self._place(front if against is None else against)
        return float(self._errors().standard_errors[a, b])

    @validated
    def confidence_interval(self, front: str, level: float = 0.95) -> ConfidenceInterval:
        """Confidence interval over cases for G of the rules of a front; it allows for the Monte Carlo error too.

        By Student's t on the scale of the logit; the lower end is that of the value less the largest bias that the
        cases suggest. An error of a class of n cases lowers G by up to Q / n, so that n cases count as n / Q.
        """
        a, errors = self._place(front), self._errors()
        error = hypot(errors.standard_errors[a, a], self.gini(front).standard_error)
        z = student_z(NormalDist().inv_cdf(0.5 + checked_level(level) / 2), self._degrees_of_freedom(a, a))
        low, high = (
            interval_at(max(gini - bias, 0.0), error, (0.0, 1.0), self._fewest, z)
            for gini in [float(self.shares[a, a])]
            for bias in reversed(bias_range(max(float(errors.bias[a, a]), 0.0)))
        )
        return ConfidenceInterval(low.low, high.high)

    @validated
    def difference(self, front: str, against: str) -> VolumeDifference:
        """G of one front less that of another on the same cases, with standard error and p-value."""
        a, b = self._place(front), self._place(against)
        errors, gini, n = self._errors(), np.diagonal(self.shares)[[a, b]], self._fewest
        return VolumeDifference(
            front=front,
            against=against,
            value=float(gini[0] - gini[1]),
            standard_error=float(errors.differences[a, b]),
            degrees_of_freedom=self._degrees_of_freedom(a, b),
            bias=float(errors.bias[a, a] - errors.bias[b, b]),
            guard=0.0 if a == b else float(guard_variance((n * gini + 0.5) / (n + 1), n).sum()),
        )

    def _degrees_of_freedom(self, a: int, b: int) -> float:
        errors = self._errors()
        if errors.degrees_of_freedom is None:
            return float(max(min(errors.replicates, *self.provenance.cases.values()) - 1, 1))
        return float(errors.degrees_of_freedom[a, b])

    @property
    def _fewest(self) -> float:
        """The cases of the smallest class, in units that change G from 1 to 0: one error lowers it by Q / n."""
        return min(self.provenance.cases.values(), default=1) / self.classes

    def _errors(self) -> CaseErrors:
        if self.case_errors is None:
            raise InputError("There are no standard errors over cases; give front_volumes the cases=.")
        return self.case_errors

    def _place(self, name: str) -> int:
        if name not in self.fronts:
            raise InputError(f"There is no front {name!r}; there are {', '.join(map(repr, self.fronts))}.")
        return self.fronts.index(name)

    def _volume(self, front: str, against: str) -> Volume:
        return Volume(float(self.shares[self._place(front), self._place(against)]), self.n_points)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {number_text(self.gini(name))}" for name in self.fronts)
        precision = "exact" if self.n_points is None else f"{self.n_points} points"
        return f"FrontVolumes(G: {values}; {precision})"

    def to_table(self, level: float = 0.95) -> Table:
        """The records as a table of text; below it, what G says in many dimensions."""
        few = []
        if self.case_errors is not None:
            few = [name for i, name in enumerate(self.fronts) if self._degrees_of_freedom(i, i) < FEW]
        notes = [f"Few errors determine G of {name}: its interval over cases may be too short." for name in few]
        least = min(self.gini(front) for front in self.fronts)
        if has_many_dimensions(self.classes, least):
            notes.append(meaning_of_gini(self.classes, least))
        return replace(record_table(self.rows(level)), notes=tuple(map(printable, notes)))

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record for each G and one for each delta.

        `monte_carlo_error` is of the random points, None if there are none. With cases, `standard_error` is over
        cases, and `low` and `high` are the ends of `confidence_interval` of G; delta has none.
        """
        return [
            {
                "front": name,
                "against": None if against == name else against,
                "points_of_front": size,
                "measure": "G" if against == name else "delta",
                "value": volume.value,
                **({} if self.case_errors is None else self._over_cases(name, against, level)),
                "monte_carlo_error": None if self.n_points is None else volume.standard_error,
                "n_points": self.n_points,
            }
            for name, size in zip(self.fronts, self.sizes, strict=True)
            for against in (name, *(other for other in self.fronts if other != name))
            for volume in [self._volume(name, against)]
        ]

    def _over_cases(self, name: str, against: str, level: float) -> dict[str, float | None]:
        """The standard error over cases of G or delta, and the interval of G."""
        low, high = self.confidence_interval(name, level) if name == against else (None, None)
        return {"standard_error": self.standard_error(name, against), "low": low, "high": high, "level": level}


@validated
def front_volumes(
    fronts: Front | Mapping[str, Any] | Sequence[Front],
    *,
    n_points: Count | None = 10**6,
    rng: Rng = 0,
    cases: Annotated[Any, own_check] = None,
    replicates: Annotated[int, in_range(2, 100_000)] = 200,
) -> FrontVolumes:
    """Compare fronts by their volumes: G of each, and delta of every two, on the same random points.

    This is Table 1 of Everson & Fieldsend (2005). Without `cases` only the Monte Carlo error is known; fronts of
    other cases would differ by more, so that there are no intervals. With `cases` the rules of the fronts, fixed,
    decide on these cases, which are left out in turn: standard errors and intervals over cases, and a paired test
    of two fronts (`difference`).

    Parameters
    ----------
    fronts
        Fronts, or arrays of rates, by name, as `front` returns them for several classifiers; or a sequence of
        fronts, named by their classifiers. All must have the same classes in the same order.
    n_points, rng
        As in `gini_volume`.
    cases
        (y_true, probabilities), probabilities of several classifiers by the names of the fronts, or `Scores`;
        (X, y) for fronts of built-in families. On cases other than those of the search G is less optimistic.
    replicates
        The number of groups of cases, for all classes together, that the jackknife leaves out in turn; one case
        at a time where there are fewer.

    Examples
    --------
    >>> both = {"A": [[0.9, 0.1], [0.4, 0.6]], "B": [[0.6, 0.4], [0.2, 0.8]]}
    >>> volumes = front_volumes(both)
    >>> volumes
    FrontVolumes(G: A 0.2500, B 0.1600; exact)
    >>> volumes.exclusive("A", "B"), volumes.exclusive("B", "A")
    (Volume(0.2100, exact), Volume(0.1200, exact))

    >>> from polyroc import front
    >>> y, p, q = [0, 0, 0, 1, 1, 1], [0.1, 0.3, 0.6, 0.4, 0.7, 0.9], [0.2, 0.7, 0.4, 0.3, 0.5, 0.8]
    >>> fronts = front(y, {"p": [[1 - x, x] for x in p], "q": [[1 - x, x] for x in q]})
    >>> volumes = front_volumes(fronts, cases=(y, {"p": [[1 - x, x] for x in p], "q": [[1 - x, x] for x in q]}))
    >>> test = volumes.difference("p", "q")
    >>> round(test.value, 4), test.pvalue > 0.05
    (0.4444, True)
    """
    named = named_fronts(fronts)
    decided = None if cases is None else [front.decided(*pair) for front, pair in _cases_of(named, cases)]
    rates = [
        front.rates if isinstance(front, Front) else checked_rates(front, f"fronts[{name!r}]")
        for name, front in named.items()
    ]
    if decided is not None:
        rates = [counts / counts.sum(axis=2, keepdims=True) for counts in (one.counts for one in decided)]
    first = next(iter(named))
    for name, front, array in zip(named, named.values(), rates, strict=True):
        classes = getattr(named[first], "classes", None), getattr(front, "classes", None)
        if array.shape[1] != rates[0].shape[1] or (None not in classes and classes[0] != classes[1]):
            raise InputError(
                f"All fronts must be of the same classes in the same order; {first} and {name} are not."
            )
    table = volume_shares(rates, n_points, rng)
    sizes: list[Mapping[str, int]] = [_sizes(named[first], decided[0])] if decided else []
    sizes = sizes or [front.provenance.cases for front in named.values() if isinstance(front, Front)]
    same_cases = bool(decided) or (len(sizes) == len(named) and all(counts == sizes[0] for counts in sizes))
    used = table[0][0].n_points
    return FrontVolumes(
        fronts=tuple(named),
        sizes=tuple(map(len, rates)),
        shares=np.array([[volume.value for volume in row] for row in table]),
        classes=rates[0].shape[1],
        n_points=used,
        provenance=Provenance(
            cases=sizes[0] if same_cases else {},
            method="exact" if used is None else f"{used} random points",
            seed=int(rng) if used is not None and isinstance(rng, int | np.integer) else None,
        ),
        case_errors=None if decided is None else case_errors(decided, replicates, rng),
    )


def _sizes(front: Front, decided: DecidedCases) -> dict[str, int]:
    """The number of cases of each class."""
    return dict(zip(front.classes, np.diff(decided.starts).tolist(), strict=True))


def _cases_of(named: Mapping[str, Any], cases: Any) -> list[tuple[Front, tuple[Any, Any]]]:
    """Each front with its cases: classes and probabilities, or features and classes."""
    other = next((name for name, front in named.items() if not isinstance(front, Front)), None)
    if other is not None:
        raise InputError(f"cases need the rules of the fronts, but {other!r} holds rates; omit one of the two.")
    if isinstance(cases, Scores):
        pairs = {name: _one(cases, name, len(named)) for name in named}
        return [(front, (pairs[name], None)) for name, front in named.items()]
    if not isinstance(cases, tuple) or len(cases) != 2:
        raise InputError(f"cases must be (y_true, probabilities), (X, y) or Scores, got {short_repr(cases)}.")
    first, second = cases
    if not isinstance(second, Mapping):
        return [(front, (first, second)) for front in named.values()]
    lacking = [name for name in named if name not in second]
    if lacking:
        raise InputError(f"cases lack the probabilities of {lacking[0]!r}; there are {short_repr(list(second))}.")
    return [(front, (first, second[name])) for name, front in named.items()]


def _one(scores: Scores, name: str, fronts: int) -> Scores:
    """The cases with the predictions of one classifier; a single one may have another name than the front."""
    if name not in scores.values and not (fronts == 1 and len(scores.values) == 1):
        there = ", ".join(map(repr, scores.classifiers))
        raise InputError(f"cases lack the probabilities of {name!r}; there are {there}.")
    return replace(scores, values={name: scores.values.get(name, next(iter(scores.values.values())))})


def named_fronts(fronts: Any) -> dict[str, Any]:
    """Return the fronts by name; those that share a name are numbered."""
    if isinstance(fronts, Mapping):
        named = {str(name): front for name, front in fronts.items()}
    else:
        sequence = [fronts] if isinstance(fronts, Front) else fronts
        if not isinstance(sequence, Sequence) or not all(isinstance(front, Front) for front in sequence):
            raise InputError(f"fronts must be fronts, or a mapping of them by name, got {short_repr(fronts)}.")
        names = [front.classifier for front in sequence]
        named = {
            name if names.count(name) == 1 else f"{name} {names[: i + 1].count(name)}": front
            for i, (name, front) in enumerate(zip(names, sequence, strict=True))
        }
    if not named:
        raise InputError("fronts must hold one front or more, got none.")
    return named
