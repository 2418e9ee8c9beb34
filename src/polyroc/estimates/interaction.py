"""Interaction: whether the difference between two classifiers is the same in all subgroups."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import nan, sqrt
from typing import Any

import numpy as np

from polyroc.estimates.comparison import NAMES
from polyroc.estimates.difference import Difference, MoverRegion, difference_record
from polyroc.estimates.hypothesis_tests import two_sided
from polyroc.estimates.multiplicity import INTERVALS, Adjustment, MaxT, adjusted_pvalues, critical_value
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import estimated_text, interval_text, level_text, number_text, p_text
from polyroc.output.sentences import capitalised

__all__ = ["Interaction", "interaction_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interaction:
    """The test that the difference between two classifiers is the same in all subgroups.

    Attributes
    ----------
    measure, first, second
        The measure and the two classifiers; a difference is first minus second.
    effects
        By subgroup: the difference between the classifiers in it.
    differences
        By pair of subgroups: the effect in the one minus the effect in the other, with an interval made of those
        of the two effects (`MoverRegion`) and p-values that invert it.
    statistic, pvalue
        The largest absolute z of the pairs, and its p-value, the smallest p-value adjusted by "max-t".
    adjustment
        The adjustment of the p-values of the pairs of subgroups.
    """

    measure: str
    first: str
    second: str
    effects: Mapping[str, Difference]
    differences: Mapping[tuple[str, str], Difference]
    statistic: float
    pvalue: float
    adjustment: Adjustment | None

    def __repr__(self) -> str:
        shown = ", ".join(f"{group} {number_text(effect.value)}" for group, effect in self.effects.items())
        return f"Interaction({self.measure}, {self.first} - {self.second}: {shown}; {p_text(self.pvalue)})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair of subgroups, with the difference between their effects."""
        return [
            {
                "measure": self.measure,
                "pair": f"{self.first} - {self.second}",
                **difference_record(difference, level),
            }
            for difference in self.differences.values()
        ]

    def sentence(self, level: float = 0.95) -> str:
        """The test in a plain sentence; with two subgroups, also the difference of their effects."""
        pair, size = f"the difference between {self.first} and {self.second} in {self.measure}", ""
        if len(self.differences) == 1:
            (difference,) = self.differences.values()
            shown = difference if difference.value >= 0 else difference.reversed()
            ends = interval_text(shown.confidence_interval(level), 3, shown.unit)
            value = estimated_text(shown.value, shown.standard_error, 3, shown.unit)
            size = f"it differs by {value} ({level_text(level)} {ends}), "
        if not self.pvalue < 1 - level:
            return f"It is not shown that {pair} depends on the subgroup: {size}{p_text(self.pvalue)}."
        return f"{capitalised(pair)} depends on the subgroup: {size}{p_text(self.pvalue)}."


def interaction_of(
    measure: str, effects: Mapping[str, Difference], covariance: FloatArray, adjustment: Adjustment | None
) -> Interaction:
    """Compare the difference between two classifiers between subgroups.

    Parameters
    ----------
    measure
        The measure.
    effects
        By subgroup, the difference between the classifiers in it.
    covariance
        Of the effects; diagonal if the subgroups have no patients in common.
    adjustment
        Of the p-values of pairs of subgroups.
    """
    pairs = {
        (a, b): _difference(a, b, effects, covariance[i, j])
        for (i, a), (j, b) in combinations(enumerate(effects), 2)
    }
    z = np.array([difference.z_value() for difference in pairs.values()])
    max_t = MaxT(covariance)
    pvalues = [two_sided(value) for value in z.tolist()]
    adjusted = adjusted_pvalues(z, adjustment, max_t).tolist()
    facts: dict[str, Any] = {"critical": partial(critical_value, pvalues, adjustment, max_t)}
    if len(pairs) > 1:
        facts |= {"adjustment": NAMES[adjustment], "interval_kind": INTERVALS[adjustment]}
    largest = float(np.abs(z).max())
    first = next(iter(effects.values()))
    return Interaction(
        measure,
        first.first,
        first.second,
        effects,
        {
            pair: replace(
                difference,
                pvalue=pvalues[number],
                adjusted_pvalue=adjusted[number],
                **facts,
            )
            for number, (pair, difference) in enumerate(pairs.items())
        },
        largest,
        max_t.adjusted(largest),
        adjustment,
    )


def _difference(a: str, b: str, effects: Mapping[str, Difference], covariance: float) -> Difference:
    """The effect in one subgroup minus that in another."""
    first, second = effects[a], effects[b]
    errors = first.standard_error * second.standard_error
    correlation = float(np.clip(covariance / errors, -1.0, 1.0)) if errors > 0 else 0.0
    variance = first.standard_error**2 + second.standard_error**2 - 2.0 * correlation * errors
    (low, high), (least, most) = first.limits, second.limits
    return Difference(
        a,
        b,
        value=first.value - second.value,
        standard_error=sqrt(max(variance, 0.0)),
        limits=(low - most, high - least),
        pvalue=nan,
        adjusted_pvalue=nan,
        larger_is_better=first.larger_is_better,
        region=MoverRegion(first, second, correlation),
    )
