"""What measures do on the user's own data: whether their order holds, and how many classifiers they separate."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import nan
from typing import Any, Self

from polyroc.errors import InputError
from polyroc.results.contrast import share_interval
from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number_text, plain
from polyroc.results.simultaneous import Adjustment

__all__ = ["Groups", "Kept", "OrderKept", "Separation"]


@dataclass(frozen=True, slots=True)
class Kept:
    """How one measure orders two classifiers on resampled test sets.

    Attributes
    ----------
    measure, better, worse
        The measure, and the classifiers as it orders them on all cases; if it does not, as they were given.
    difference
        By how much on all cases, in the measure's own units; 0 if it does not tell them apart.
    same, tied, turned
        On how many resampled test sets the order is the same, undecided, and the other way round.
    """

    measure: str
    better: str
    worse: str
    difference: float
    same: int
    tied: int
    turned: int

    @property
    def share(self) -> float:
        """The share of test sets that are ordered as all cases are; nan if these are not ordered."""
        sets = self.same + self.tied + self.turned
        return self.same / sets if self.difference and sets else nan

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Where the share would be with endlessly many resamples (Clopper & Pearson)."""
        sets = self.same + self.tied + self.turned
        return share_interval(self.same, sets if self.difference else 0, level)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderKept(Result):
    """How often each measure orders classifiers on a resampled test set as it does on all cases.

    Attributes
    ----------
    kept
        By measure and pair of classifiers, as given.
    provenance
        Cases by class, method, seed, version.
    """

    kept: Mapping[tuple[str, str, str], Kept]
    provenance: Provenance

    def __getitem__(self, key: str | tuple[str, str, str]) -> Kept:
        """By measure, if there are two classifiers; or by measure and pair."""
        found = [
            each
            for (measure, a, b), each in self.kept.items()
            if key in (measure, (measure, a, b), (measure, b, a))
        ]
        if len(found) != 1:
            known = ", ".join(map(repr, self.kept))
            raise InputError(f"{key!r} names {len(found)} of what was found; give one of {known}.")
        return found[0]

    def __repr__(self) -> str:
        shown = [f"{k.measure} {k.better} > {k.worse} {number_text(k.share)}" for k in self.kept.values()]
        return f"OrderKept({'; '.join(shown[:6])}{'; ...' if len(shown) > 6 else ''})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per measure and pair."""
        return [self._row(each, level) for each in self.kept.values()]

    def _row(self, each: Kept, level: float) -> dict[str, Any]:
        low, high = each.confidence_interval(level)
        return {**asdict(each), "share": plain(each.share), "share_low": plain(low), "share_high": plain(high)}

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "OrderKept",
            "kept": [{"key": list(key), **self._row(each, level)} for key, each in self.kept.items()],
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        own = Kept.__dataclass_fields__
        kept = {(*each["key"],): Kept(**{name: each[name] for name in own}) for each in data["kept"]}
        return cls(kept, Provenance(**data["provenance"]))


@dataclass(frozen=True, slots=True)
class Groups:
    """Into which groups one measure separates classifiers.

    Attributes
    ----------
    measure
        The measure.
    order
        The classifiers, the best first.
    groups
        The longest runs in this order within which no two classifiers differ; they may overlap.
    separated
        How many pairs of classifiers differ, of how many.
    pairs
        All pairs.
    """

    measure: str
    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    separated: int
    pairs: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Separation(Result):
    """Into how many groups each measure separates the same classifiers at the same level.

    Attributes
    ----------
    measures
        By measure.
    alpha, adjustment
        The level of the tests, and how their p-values were adjusted.
    provenance
        Cases by class, method, version.
    """

    measures: Mapping[str, Groups]
    alpha: float
    adjustment: Adjustment | None
    provenance: Provenance

    def __getitem__(self, measure: str) -> Groups:
        if measure not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise InputError(f"There is no measure {measure!r} here; there is {known}.")
        return self.measures[measure]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key} {len(each.groups)}" for key, each in self.measures.items())
        return f"Separation(groups at {100 * self.alpha:g} %: {shown})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per measure."""
        return [
            {
                "measure": each.measure,
                "groups": len(each.groups),
                "separated": each.separated,
                "pairs": each.pairs,
                "members": " | ".join(", ".join(group) for group in each.groups),
            }
            for each in self.measures.values()
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - no interval here
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Separation",
            "measures": [asdict(each) for each in self.measures.values()],
            "alpha": self.alpha,
            "adjustment": self.adjustment,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        found = [
            Groups(**{**each, "order": tuple(each["order"]), "groups": tuple(map(tuple, each["groups"]))})
            for each in data["measures"]
        ]
        measures = {each.measure: each for each in found}
        return cls(measures, data["alpha"], data["adjustment"], Provenance(**data["provenance"]))
