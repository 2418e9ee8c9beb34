"""Calibration by subgroup: each part of the cases, the differences between parts, and tests that all agree."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.multiplicity import adjust
from polyroc.inference.covariance import by_unit
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.reliability.differences import QUANTITIES, Analysis, difference, equality
from polyroc.reliability.grouped import Between, Group, GroupDifference, GroupedCalibration, group_names
from polyroc.reliability.recalibration import JointTest
from polyroc.reliability.result import Calibration
from polyroc.scores import Scores
from polyroc.validation.subgroups import split_cases

__all__ = ["grouped_calibration"]

Key = tuple[str, str]
Evaluate = Callable[[Scores, int], tuple[Calibration, dict[Key, Analysis]]]
TESTED = {"in_the_large": ("in_the_large",), "slope": ("slope",), "both": ("in_the_large", "slope")}


def grouped_calibration(scores: Scores, evaluate: Evaluate, level: float) -> GroupedCalibration:
    """Evaluate all cases, and the cases of each subgroup.

    Parameters
    ----------
    scores
        All cases, with the columns that divide them (`Scores.by`).
    evaluate
        From cases and the number of the subgroup (0 for all cases) to the calibration.
    level
        Of the intervals of differences.
    """
    cases, whole = split_cases(scores), scores._replace(by={})
    overall, _ = evaluate(whole, 0)
    undefined, parts = dict[str, str](), dict[Group, IntArray]()
    for name, (group, rows) in zip(group_names(cases), cases.items(), strict=True):
        absent = whole.subset(rows).absent
        if absent:
            undefined[name] = f"it has no case of class {absent[0]!r}"
        else:
            parts[group] = rows
    if not parts:
        raise InputError(
            "No subgroup has cases of every class; calibration by subgroup needs one or more that do."
        )
    results = {
        group: evaluate(whole.subset(rows), number) for number, (group, rows) in enumerate(parts.items(), 1)
    }
    analyses = {name: analysis for name, (_, analysis) in zip(group_names(results), results.values(), strict=True)}
    rows_by_name = dict(zip(analyses, parts.values(), strict=True))
    differences, tests = dict[Between, GroupDifference](), dict[tuple[str, str, str], JointTest]()
    for key in overall.events:
        own = {name: analysis[key] for name, analysis in analyses.items() if key in analysis}
        if len(own) > 1:
            between = _Between(own, whole, rows_by_name)
            differences |= {
                (*pair, *key, quantity): one for (pair, quantity), one in between.differences(level).items()
            }
            tests |= {(*key, quantity): between.equality(names) for quantity, names in TESTED.items()}
    return GroupedCalibration(
        tuple(scores.by),
        {group: result for group, (result, _) in results.items()},
        overall,
        differences,
        tests,
        undefined or None,
    )


class _Between:
    """The subgroups of one classifier and event, with the influence of every independent unit on their estimates.

    A unit with cases in several subgroups makes their estimates dependent; otherwise no unit has influence on two.
    """

    def __init__(self, own: Mapping[str, Analysis], whole: Scores, rows: Mapping[str, IntArray]) -> None:
        self._own = own
        self._units = {name: _unit_rows(analysis, whole, rows[name]) for name, analysis in own.items()}

    def differences(self, level: float) -> dict[tuple[tuple[str, str], str], GroupDifference]:
        """By pair of subgroups and quantity."""
        made = {}
        for quantity in QUANTITIES:
            pairs = {
                (a, b): difference(self._own[a], self._own[b], quantity, self._correlation(a, b, quantity), level)
                for a, b in combinations(self._own, 2)
            }
            adjusted = adjust(np.array([one.pvalue for one in pairs.values()]), "holm").tolist()
            for (pair, one), p in zip(pairs.items(), adjusted, strict=True):
                made[pair, quantity] = GroupDifference(*one, p)
        return made

    def equality(self, names: Sequence[str]) -> JointTest:
        """Wald's test that these quantities are the same in all subgroups."""
        places = [QUANTITIES.index(name) for name in names]
        rows = np.concatenate([units[places] for units in self._units.values()])
        return equality([*self._own.values()], rows @ rows.T, names)

    def _correlation(self, first: str, second: str, quantity: str) -> float:
        place = QUANTITIES.index(quantity)
        one, other = self._units[first][place], self._units[second][place]
        lengths = float(np.sqrt((one @ one) * (other @ other)))
        return float(one @ other) / lengths if lengths > 0 else 0.0


def _unit_rows(analysis: Analysis, whole: Scores, rows: IntArray) -> FloatArray:
    """At [quantity, unit of all cases], the influence of a unit on the estimates of a subgroup."""
    event, made = analysis.event, []
    rows = rows if event.cases is None else rows[event.cases]
    for quantity in analysis.quantities.values():
        on_all = np.zeros(len(whole))
        on_all[rows] = event.weight * quantity.influence / event.weight.sum()
        made.append(by_unit(on_all, whole))
    m = np.count_nonzero(by_unit(np.bincount(rows, minlength=len(whole)).astype(np.float64), whole))
    return np.asarray(np.array(made) * np.sqrt(m / (m - 1.0) if m > 1 else np.nan))
