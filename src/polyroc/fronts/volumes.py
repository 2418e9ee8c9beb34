"""Dominated volumes of sets of error rates and of fronts: `gini_volume`, `exclusive_volume`, `front_volumes`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.dominated_volume import Volume, volume_shares
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.volumes import region_volume
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.validation.random import is_whole

__all__ = ["FrontVolumes", "chance_volume", "exclusive_volume", "front_volumes", "gini_volume"]


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
    """

    fronts: tuple[str, ...]
    sizes: tuple[int, ...]
    shares: FloatArray
    classes: int
    n_points: int | None
    provenance: Provenance

    def gini(self, front: str) -> Volume:
        """The generalised Gini coefficient of a front."""
        return self._volume(front, front)

    def exclusive(self, front: str, against: str) -> Volume:
        """What the first front dominates and the second does not; zero for a front against itself."""
        return Volume(0.0, self.n_points) if front == against else self._volume(front, against)

    def _volume(self, front: str, against: str) -> Volume:
        places = []
        for name in (front, against):
            if name not in self.fronts:
                raise InputError(f"There is no front {name!r}; there are {', '.join(map(repr, self.fronts))}.")
            places.append(self.fronts.index(name))
        return Volume(float(self.shares[places[0], places[1]]), self.n_points)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {number_text(self.gini(name))}" for name in self.fronts)
        precision = "exact" if self.n_points is None else f"{self.n_points} points"
        return f"FrontVolumes(G: {values}; {precision})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record for each G and one for each delta; standard errors are Monte Carlo errors."""
        return [
            {
                "front": name,
                "against": None if against == name else against,
                "points_of_front": size,
                "measure": "G" if against == name else "delta",
                "value": volume.value,
                "standard_error": volume.standard_error,
                "low": volume.confidence_interval(level).low,
                "high": volume.confidence_interval(level).high,
                "level": level,
                "n_points": self.n_points,
            }
            for name, size in zip(self.fronts, self.sizes, strict=True)
            for against in (name, *(other for other in self.fronts if other != name))
            for volume in [self._volume(name, against)]
        ]


SUM_TOLERANCE = 1e-6  # rates written with a few decimals may miss a sum of 1 by this much


def chance_volume(classes: int) -> float:
    """The volume of the region below random allocation, {x in [0, 1]^D : sum x <= Q - 1} with D = Q(Q - 1).

    This is the distribution function of the sum of D uniform numbers (Irwin-Hall distribution) at Q - 1. The two
    terms in section 5 of Everson & Fieldsend (2005) are exact for up to three classes only; this is the whole sum,
    in fractions.

    >>> chance_volume(2), round(chance_volume(3), 7), f"{chance_volume(7):.7e}"
    (0.5, 0.0805556, '3.3572577e-19')
    """
    if not is_whole(classes, 2):
        raise InputError(f"classes must be a whole number, 2 or more, got {classes!r}.")
    return float(region_volume(int(classes)))


def gini_volume(rates: Any, *, n_points: int | None = 10**6, rng: Any = 0) -> Volume:
    """The generalised Gini coefficient G of a set of operating points.

    The share of the region below random allocation that is dominated: where all Q(Q - 1) error rates are at least
    those of some point. For two classes and many thresholds it approaches 2 AUC - 1; for more classes 0 means no
    better than chance and 1 no errors. The sampling error of the cases is not part of its standard error.

    Parameters
    ----------
    rates
        Points x classes x classes, or one matrix: row = true class, column = decision. The diagonal may be
        zero or nan; if it is given, rows must sum to 1.
    n_points
        The number of random points, uniform in the region, that it is estimated from; None for the exact volume,
        which takes seconds for thousands of points of three classes and too long for as many of four. For two
        classes it is always exact.
    rng
        A seed or a generator. With the same seed all volumes use the same points, so that
        G(A) - G(B) = delta(A, B) - delta(B, A) except for rounding.

    Returns
    -------
    Volume
        A number with `standard_error` and `confidence_interval()`.

    Examples
    --------
    >>> gini_volume([[0.8, 0.2], [0.3, 0.7]])
    Volume(0.2500, exact)
    >>> rates = 0.1 + 0.7 * np.eye(3)
    >>> gini_volume(rates, n_points=None)
    Volume(0.1282, exact)
    >>> gini_volume(rates, n_points=10000, rng=1)
    Volume(0.1309, standard error 0.0034 of 10000 points)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    return volume_shares([_rates(rates, "rates")], n_points, rng)[0][0]


def exclusive_volume(a: Any, b: Any, *, n_points: int | None = 10**6, rng: Any = 0) -> Volume:
    """The exclusively dominated volume delta(A, B): what one set of points dominates and another does not.

    It is a share of the region below random allocation. Most fronts cross, so that delta(A, B) and delta(B, A) are
    both above zero; their difference is that of the Gini coefficients.

    Parameters
    ----------
    a, b
        As `rates` in `gini_volume`, for the same classes in the same order.
    n_points, rng
        As in `gini_volume`.

    >>> a, b = [[0.9, 0.1], [0.4, 0.6]], [[0.6, 0.4], [0.1, 0.9]]
    >>> exclusive_volume(a, b), exclusive_volume(b, a)
    (Volume(0.2100, exact), Volume(0.2100, exact))
    """
    first, second = _rates(a, "a"), _rates(b, "b")
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"a and b must have the same classes, got {first.shape[1]} and {second.shape[1]} of them."
        )
    return volume_shares([first, second], n_points, rng)[0][1]


def front_volumes(
    fronts: Front | Mapping[str, Any] | Sequence[Front], *, n_points: int | None = 10**6, rng: Any = 0
) -> FrontVolumes:
    """Compare fronts by their volumes: G of each, and delta of every two, on the same random points.

    This is Table 1 of Everson & Fieldsend (2005). The standard errors are Monte Carlo errors; fronts of other
    cases would differ by more.

    Parameters
    ----------
    fronts
        Fronts, or arrays of rates, by name, as `front` returns them for several classifiers; or a sequence of
        fronts, named by their classifiers. All must have the same classes in the same order.
    n_points, rng
        As in `gini_volume`.

    Examples
    --------
    >>> both = {"A": [[0.9, 0.1], [0.4, 0.6]], "B": [[0.6, 0.4], [0.2, 0.8]]}
    >>> volumes = front_volumes(both)
    >>> volumes
    FrontVolumes(G: A 0.2500, B 0.1600; exact)
    >>> volumes.exclusive("A", "B"), volumes.exclusive("B", "A")
    (Volume(0.2100, exact), Volume(0.1200, exact))
    """
    named = _named(fronts)
    rates = [front.rates if isinstance(front, Front) else _rates(front, name) for name, front in named.items()]
    first = next(iter(named))
    for name, front, array in zip(named, named.values(), rates, strict=True):
        classes = getattr(named[first], "classes", None), getattr(front, "classes", None)
        if array.shape[1] != rates[0].shape[1] or (None not in classes and classes[0] != classes[1]):
            raise InputError(
                f"All fronts must be of the same classes in the same order; {first} and {name} are not."
            )
    table = volume_shares(rates, n_points, rng)
    cases = [front.provenance.cases for front in named.values() if isinstance(front, Front)]
    same_cases = len(cases) == len(named) and all(counts == cases[0] for counts in cases)
    used = table[0][0].n_points
    return FrontVolumes(
        fronts=tuple(named),
        sizes=tuple(map(len, rates)),
        shares=np.array([[volume.value for volume in row] for row in table]),
        classes=rates[0].shape[1],
        n_points=used,
        provenance=Provenance(
            cases=cases[0] if same_cases else {},
            method="exact" if used is None else f"{used} random points",
            seed=int(rng) if used is not None and is_whole(rng) else None,
        ),
    )


def _named(fronts: Any) -> dict[str, Any]:
    """The fronts by name; those that share a name are numbered."""
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


def _rates(values: Any, name: str) -> FloatArray:
    """Validate an array of rates, points x classes x classes."""
    try:
        rates = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must hold numbers, points x classes x classes, got {short_repr(values)}."
        ) from None
    rates = rates[None] if rates.ndim == 2 else rates
    if rates.ndim != 3 or rates.shape[1] != rates.shape[2] or rates.shape[1] < 2 or len(rates) == 0:
        raise InputError(f"{name} must be points x classes x classes, one point or more, got shape {rates.shape}.")
    diagonal = np.eye(rates.shape[1], dtype=bool)
    errors = np.where(diagonal, 0.0, rates)
    valid = (errors >= 0) & (errors <= 1)  # false also for nan
    if not valid.all():
        bad = errors[~valid][0]
        raise InputError(f"{name} must hold rates from 0 to 1, got {bad:g}; divide counts by the class's size.")
    correct = np.nan_to_num(np.where(diagonal, rates, 0.0))
    sums = (errors + correct).sum(axis=2)
    too_large = (errors.sum(axis=2) > 1 + SUM_TOLERANCE).any()
    if too_large or (correct.any() and (np.abs(sums - 1) > SUM_TOLERANCE).any()):
        raise InputError(
            f"Each row of {name} must sum to 1 (row = true class, column = decision), got "
            f"{short_repr(sums.tolist())}; transpose matrices whose columns sum to 1."
        )
    return rates
