"""DecisionCurve: the net benefit of acting on a probability, by the threshold at which one acts."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.intervals import checked_level, interval
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number, number_text, plain

__all__ = ["DecisionCurve", "NetBenefit"]


class NetBenefit(NamedTuple):
    """The net benefit at each threshold.

    Attributes
    ----------
    value, standard_error
        The net benefit and its standard error.
    lowest, highest
        The least and the most it can be; None if nothing is known of it.
    effective
        As in `Estimate`: how many cases are behind it.
    unseen
        The variance that half an unseen case of each class adds.
    """

    value: FloatArray
    standard_error: FloatArray
    lowest: FloatArray | None = None
    highest: FloatArray | None = None
    effective: FloatArray | None = None
    unseen: FloatArray | None = None

    def confidence_interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Pointwise guarded intervals (see `polyroc.results.intervals.interval`).

        Without limits: value plus or minus z standard errors.
        """
        checked_level(level)
        if self.lowest is not None and self.highest is not None and self.effective is not None:
            unseen = np.zeros(len(self.value)) if self.unseen is None else self.unseen
            columns = (self.value, self.standard_error, unseen, self.lowest, self.highest, self.effective)
            ends = [_widest(level, *row) for row in np.column_stack(columns).tolist()]
            low, high = np.array(ends).T
            return low, high
        reach = NormalDist().inv_cdf(0.5 + level / 2) * self.standard_error
        return self.value - reach, self.value + reach


def _widest(
    level: float, value: float, error: float, unseen: float, lowest: float, highest: float, n: float
) -> tuple[float, float]:
    """The guarded interval, and at each end not inside that which allows for unseen cases."""
    errors = error, hypot(error, sqrt(unseen))
    usual, wide = (interval(value, each, (lowest, highest), n, level) for each in errors)
    return min(usual.low, wide.low), max(usual.high, wide.high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Net benefit of one or more classifiers, beside treating all and treating none (which has none).

    Attributes
    ----------
    thresholds
        The probabilities at which one acts: the odds t / (1 - t) are what a false alarm costs, where a case found
        is worth 1.
    curves
        By classifier.
    treat_all
        Acting on every case.
    prevalence
        The share of positives.
    provenance
        What is needed to repeat it.
    """

    thresholds: FloatArray
    curves: Mapping[str, NetBenefit]
    treat_all: NetBenefit
    prevalence: float
    provenance: Provenance

    @property
    def treat_none(self) -> FloatArray:
        """Acting on no case: 0 at every threshold."""
        return np.zeros(len(self.thresholds))

    @property
    def net_benefit(self) -> FloatArray:
        """The net benefit at each threshold, if there is one classifier."""
        if len(self.curves) != 1:
            raise InputError(f"There are several classifiers; take curves[...] of {', '.join(self.curves)}.")
        return next(iter(self.curves.values())).value

    def __repr__(self) -> str:
        low, high = self.thresholds[0], self.thresholds[-1]
        return (
            f"DecisionCurve({', '.join(self.curves)}; {len(self.thresholds)} thresholds from {low:g} to {high:g}, "
            f"prevalence {number_text(self.prevalence)})"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per classifier and threshold; treating all and treating none come last."""
        none = NetBenefit(self.treat_none, self.treat_none)
        rows = []
        for name, curve in [*self.curves.items(), ("treat all", self.treat_all), ("treat none", none)]:
            low, high = curve.confidence_interval(level)
            for i, threshold in enumerate(self.thresholds):
                rows.append(
                    {
                        "classifier": name,
                        "threshold": float(threshold),
                        "net_benefit": float(curve.value[i]),
                        "standard_error": float(curve.standard_error[i]),
                        "low": float(low[i]),
                        "high": float(high[i]),
                        "level": level,
                    }
                )
        return rows

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "DecisionCurve",
            "thresholds": self.thresholds.tolist(),
            "curves": {name: _stored(curve, level) for name, curve in self.curves.items()},
            "treat_all": _stored(self.treat_all, level),
            "level": level,
            "prevalence": self.prevalence,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        return cls(
            thresholds=np.array(data["thresholds"], dtype=np.float64),
            curves={name: _restored(curve) for name, curve in data["curves"].items()},
            treat_all=_restored(data["treat_all"]),
            prevalence=data["prevalence"],
            provenance=Provenance(**data["provenance"]),
        )


def _stored(curve: NetBenefit, level: float) -> dict[str, list[float | None]]:
    low, high = curve.confidence_interval(level)
    columns = {**curve._asdict(), "low": low, "high": high}
    return {name: [plain(x) for x in each.tolist()] for name, each in columns.items() if each is not None}


def _restored(data: dict[str, list[float | None]]) -> NetBenefit:
    columns = {name: np.array([number(x) for x in data[name]]) for name in NetBenefit._fields if name in data}
    return NetBenefit(**columns)
