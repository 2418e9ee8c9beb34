"""Estimate: one number with its error bar."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import hypot
from typing import Any, Self

from polyroc.kernels.arrays import FloatArray
from polyroc.results.certificate import Certificate
from polyroc.results.intervals import NOTHING, ConfidenceInterval, IntervalKind, interval
from polyroc.results.provenance import Provenance
from polyroc.results.resampled import Resampled
from polyroc.results.result import SCHEMA, Result, number, number_text, plain

__all__ = ["Estimate", "Parts"]


class Parts(Mapping[str, "Estimate"]):
    """Pieces by a readable key; each is made when it is first looked at."""

    def __init__(self, keys: tuple[str, ...], make: Callable[[str], "Estimate"]) -> None:
        self._keys = dict.fromkeys(keys)
        self._make = cache(make)

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


def _no_parts() -> Parts:
    def nothing(key: str) -> Estimate:
        raise KeyError(key)

    return Parts((), nothing)


def _no_components() -> FloatArray | None:
    return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate(Result):
    """The value of a measure with its standard error.

    Attributes
    ----------
    measure, name
        The measure as it was asked for (with its options), and in words.
    classifier
        Whose scores were judged.
    value, standard_error
        The number and its standard error (nan where none can be had).
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
    _components: Callable[[], FloatArray | None] = field(default=_no_components)
    _parts: Callable[[], Parts] = field(default=_no_parts)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        low, high = self.confidence_interval()
        shown = [number_text(x) for x in (self.value, self.standard_error, low, high)]
        sampled = f" (Monte Carlo {self.monte_carlo_error:.2g})" if self.monte_carlo_error else ""
        bar = f"standard error {shown[1]}{sampled}, 95 % {shown[2]} to {shown[3]}"
        return f"Estimate({self.measure} = {shown[0]}, {bar}{', converted' if self.converted else ''})"

    def confidence_interval(self, level: float = 0.95, *, kind: IntervalKind | None = None) -> ConfidenceInterval:
        """The interval at a level; see `polyroc.results.intervals.interval` for what is done at the edges.

        Parameters
        ----------
        level
            Between 0 and 1.
        kind
            "guarded", "logit" or "wald"; by default that of the resampling method, or "guarded".
        """
        cases = self.fewest if self.effective is None else self.effective
        error = self.standard_error
        if self.resampled is None and error > NOTHING:
            error = hypot(error, self.monte_carlo_error)
        usual = interval(self.value, error, self.limits, cases, level, kind or "guarded")
        if self.resampled is None or kind is not None:
            return usual
        found = self.resampled.confidence_interval(self.value, level)
        if found is None:
            return usual
        low, high = self.limits
        return ConfidenceInterval(max(low, found.low), min(high, found.high))

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
            "converted": self.converted,
            "monte_carlo_error": self.monte_carlo_error or None,
            **({} if self.certificate is None else self.certificate.row()),
        }

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON, parts included; components are left out, being as many as the cases."""
        return {
            "schema": SCHEMA,
            "kind": "Estimate",
            "measure": self.measure,
            "name": self.name,
            "classifier": self.classifier,
            "value": plain(self.value),
            "standard_error": plain(self.standard_error),
            "confidence_interval": [plain(end) for end in self.confidence_interval(level)],
            "level": level,
            "limits": list(self.limits),
            "chance": self.chance,
            "fewest": plain(self.fewest),
            "effective": None if self.effective is None else plain(self.effective),
            "parts": {key: part._part_to_dict(level) for key, part in self.parts.items()},
            "resampled": None if self.resampled is None else [*self.resampled],
            "converted": self.converted,
            "monte_carlo_error": self.monte_carlo_error,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    def _part_to_dict(self, level: float) -> dict[str, Any]:
        """What a part has of its own; the rest is as in the whole."""
        whole = self.to_dict(level)
        own = ("value", "standard_error", "confidence_interval", "limits", "chance", "fewest", "effective")
        return {name: whole[name] for name in (*own, "certificate")}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        common = {**data, "parts": {}, "resampled": None, "monte_carlo_error": 0.0}
        parts = {key: Estimate.from_dict({**common, **part}) for key, part in data["parts"].items()}
        return cls(
            measure=data["measure"],
            name=data["name"],
            classifier=data["classifier"],
            value=number(data["value"]),
            standard_error=number(data["standard_error"]),
            limits=(data["limits"][0], data["limits"][1]),
            chance=data["chance"],
            fewest=number(data["fewest"]),
            effective=data.get("effective"),
            provenance=Provenance(**data["provenance"]),
            resampled=_resampled(data["resampled"]),
            converted=data.get("converted"),
            monte_carlo_error=data.get("monte_carlo_error", 0.0),
            certificate=_certificate(data.get("certificate")),
            _parts=lambda: Parts(tuple(parts), parts.__getitem__),
        )


def _certificate(data: dict[str, Any] | None) -> Certificate | None:
    return None if data is None else Certificate.from_dict(data)


def _resampled(data: list[Any] | None) -> Resampled | None:
    return None if data is None else Resampled(data[0], tuple(data[1]), data[2])
