"""The verb `front_volumes` and its result: G and delta of several fronts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.dominated_volume import Volume, checked_rates, volume_shares
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text
from polyroc.results.invariants import Invariants, at_least, distinct, within
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.validation.random import Rng
from polyroc.validation.signatures import Count, validated

__all__ = ["FrontVolumes", "front_volumes"]


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

    def _invariants(self) -> Invariants:
        n = len(self.fronts)
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


@validated
def front_volumes(
    fronts: Front | Mapping[str, Any] | Sequence[Front], *, n_points: Count | None = 10**6, rng: Rng = 0
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
    rates = [
        front.rates if isinstance(front, Front) else checked_rates(front, f"fronts[{name!r}]")
        for name, front in named.items()
    ]
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
            seed=int(rng) if used is not None and isinstance(rng, int | np.integer) else None,
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
