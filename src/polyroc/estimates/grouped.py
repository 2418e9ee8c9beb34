"""Grouped: one result per subgroup of the cases, and whether subgroups differ."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import isnan, sqrt
from typing import Any, Self

import numpy as np

from polyroc._results.codec import NOT_STORED, STORED_IF_SET
from polyroc._results.invariants import Invariants, check_invariants, distinct
from polyroc._results.result import Result
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.comparison import Comparison, compare_estimates
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.hypothesis_tests import Wald
from polyroc.estimates.interaction import Interaction, interaction_of
from polyroc.estimates.multiplicity import Adjustment, MaxT, adjusted_pvalues
from polyroc.estimates.subgroup_text import grouped_conclusion, grouped_table
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Call, Option, short_repr
from polyroc.output.tables import Table
from polyroc.scores import readable
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import validated

__all__ = ["Group", "GroupResult", "Grouped"]

Group = tuple[Hashable, ...]
GroupResult = Estimate | Evaluation | Comparison
Key = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouped(Result, Mapping[Group, GroupResult]):
    """One result per subgroup of the cases, such as the AUC by sex and age, and tests between subgroups.

    Attributes
    ----------
    by
        The columns that define the subgroups.
    groups
        The results by the values of these columns.
    overall
        The result of all cases together; None if it was not computed.
    adjustment
        The adjustment of p-values for the number of pairs of subgroups, and of subgroups: "max-t", "holm",
        "bonferroni", "benjamini-hochberg" or None.
    covariance
        By measure, the covariance of all estimates, in the order of subgroups and, within these, classifiers, if
        cases of different subgroups belong together (`groups`, repeats); None if subgroups are independent.
    dependent
        True if cases of different subgroups may belong together and their covariance is not known, so that there
        are no tests between subgroups; None otherwise.

    Examples
    --------
    >>> import polyroc as pr
    >>> y, s = [0, 0, 0, 1, 1, 1] * 8, [1, 2, 5, 3, 4, 6] * 4 + [1, 3, 4, 2, 5, 6] * 4
    >>> grouped = pr.evaluate(y, s, measure="auc", by={"sex": ["f"] * 24 + ["m"] * 24})
    >>> grouped
    Grouped(auc by sex: f 0.7778, m 0.7778; all equal: p = 1.000)
    >>> grouped["f"].value == grouped["m"].value
    True
    """

    by: tuple[str, ...]
    groups: Mapping[Group, GroupResult]
    overall: GroupResult | None = field(default=None, metadata=STORED_IF_SET)
    adjustment: Adjustment | None = field(default="max-t", metadata=STORED_IF_SET)
    covariance: Mapping[str, FloatArray] | None = field(default=None, metadata=STORED_IF_SET)
    dependent: bool | None = field(default=None, metadata=STORED_IF_SET)
    _made: dict[Any, Any] = field(default_factory=dict, metadata=NOT_STORED)  # comparisons, once computed

    def _invariants(self) -> Invariants:
        yield distinct(self.by), "the columns of by must be distinct"
        yield all(len(group) == len(self.by) for group in self.groups), "a group has a value for each column"
        same = all(estimates_of(result).keys() == self._first.keys() for result in self.groups.values())
        yield same, "every group must have the same classifiers and measures"
        size = len(self.groups) * len(self.classifiers)
        shapes = {matrix.shape for matrix in (self.covariance or {}).values()}
        yield shapes <= {(size, size)}, "covariance must have a row for each estimate"
        yield {*(self.covariance or {})} <= {*self.measures}, "covariance must be that of the measures"

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        """Compute what follows from the fields: in a damaged record it may not exist."""
        grouped = cls(**fields)
        check_invariants(grouped, cls.__name__)
        if grouped.is_tested:
            grouped.conclusion()
        return grouped

    def __getitem__(self, key: Hashable) -> GroupResult:
        """The result of a group, by the value of its column or the values of its columns."""
        return self.groups[key if isinstance(key, tuple) else (key,)]

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        by = ", ".join(self.by)
        if not self.is_tested or len(self.measures) * len(self.classifiers) > 1 or len(self) > 6:
            return f"Grouped({len(self)} groups by {by})"
        return repr(self.between()).replace("Comparison(", "Grouped(").replace(":", f" by {by}:", 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The subgroups as distinct texts, in the order of `groups`."""
        return readable(tuple(", ".join(map(str, group)) for group in self.groups))

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers, in the order of the input."""
        return tuple(dict.fromkeys(classifier for classifier, _ in self._first))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order of the request."""
        return tuple(dict.fromkeys(measure for _, measure in self._first))

    @property
    def _first(self) -> Mapping[Key, Estimate]:
        return estimates_of(next(iter(self.groups.values()))) if self.groups else {}

    @property
    def pairs(self) -> tuple[Key, ...]:
        """The pairs of classifiers, if the results are comparisons; else none."""
        first = next(iter(self.groups.values()), None)
        return tuple(first.differences) if isinstance(first, Comparison) else ()

    @property
    def undefined(self) -> dict[str, str]:
        """By name, the subgroups without a value of any measure, and why."""
        reasons = {}
        for name, result in zip(self.names, self.groups.values(), strict=True):
            estimates = [*estimates_of(result).values()]
            if all(isnan(estimate.value) for estimate in estimates):
                absent = [repr(label) for label, count in estimates[0].provenance.cases.items() if count == 0]
                reasons[name] = f"no case of class {', '.join(absent)}" if absent else "undefined"
        return reasons

    @property
    def is_tested(self) -> bool:
        """True if two or more subgroups have standard errors, and their covariance is known."""
        if self.dependent and self.covariance is None:
            return False
        return any(len(self._defined(*key)) > 1 for key in self._first)

    @validated
    def between(self, classifier: str | None = None, measure: str | None = None) -> Comparison:
        """The subgroups compared with each other by one measure of one classifier.

        Subgroups are different cases, so that their differences are unpaired; what patients with cases in several
        subgroups have in common is accounted for. Subgroups in which the measure is undefined are left out
        (`undefined`). The names of the result are those of the subgroups.

        Parameters
        ----------
        classifier, measure
            Which, if there are several.
        """
        chosen = self._choose("classifier", classifier, self.classifiers)
        key = "between", chosen, self._choose("measure", measure, self.measures)
        if key not in self._made:
            self._made[key] = self._compare(*key[1:])
        made: Comparison = self._made[key]
        return made

    @validated
    def equality(self, classifier: str | None = None, measure: str | None = None) -> Wald:
        """Wald's test that all subgroups have the same value, with an F distribution as in `Comparison.contrast`.

        `between().pvalue` is the other test of the same hypothesis: it rejects if and only if some pair differs.
        """
        comparison = self.between(classifier, measure)
        return comparison.contrast(np.diff(np.eye(len(comparison.estimates)), axis=0).tolist())

    @validated
    def interaction(self, first: str | None = None, second: str | None = None) -> Interaction:
        """Whether the difference between two classifiers is the same in all subgroups (of a `compare`).

        Parameters
        ----------
        first, second
            The classifiers, if there are more than two.
        """
        if not self.pairs:
            raise InputError("An interaction is that of classifiers that are compared; use ", Call("compare", ...))
        if first is None and second is None and len(self.pairs) == 1:
            first, second = self.pairs[0]
        pair = self._choose("first", first, self.classifiers), self._choose("second", second, self.classifiers)
        if pair[0] == pair[1]:
            raise InputError(f"A difference needs two classifiers, got {pair[0]!r} twice.")
        key = "interaction", *pair
        if key not in self._made:
            self._made[key] = self._compare_effects(*pair)
        made: Interaction = self._made[key]
        return made

    def adjusted_over_groups(self) -> dict[tuple[str, Key], float]:
        """By subgroup and pair of classifiers: the p-value, adjusted for all subgroups and pairs together."""
        names = [name for name in self.names if name not in self.undefined]
        comparisons = {name: result for name, result in self._comparisons().items() if name in names}
        tests = [
            (name, pair, difference)
            for name, comparison in comparisons.items()
            for pair, difference in comparison.differences.items()
        ]
        if not tests:
            return {}
        # Permutation tests have p-values of their own; the z of the others inverts the interval, as does p.
        z = np.array([difference.z_value() for _, _, difference in tests])
        adjusted = adjusted_pvalues(z, self.adjustment, self._max_t(comparisons))
        return {(name, pair): float(p) for (name, pair, _), p in zip(tests, adjusted, strict=True)}

    def _max_t(self, comparisons: Mapping[str, Comparison]) -> MaxT:
        """The distribution of the largest |z| of the pairs of classifiers of all subgroups."""
        m, places = len(self.classifiers), [self.names.index(name) for name in comparisons]
        covariance = self._joint(self.measures[0])
        for place, comparison in zip(places, comparisons.values(), strict=True):
            block = slice(place * m, (place + 1) * m)
            covariance[block, block] = comparison.covariance
        kept = [place * m + i for place in places for i in range(m)]
        pairs = [(g * m + i, g * m + j) for g in range(len(places)) for i, j in combinations(range(m), 2)]
        return MaxT(covariance[np.ix_(kept, kept)], pairs)

    def _comparisons(self) -> dict[str, Comparison]:
        named = zip(self.names, self.groups.values(), strict=True)
        return {name: result for name, result in named if isinstance(result, Comparison)}

    def _choose(self, role: str, name: str | None, known: Sequence[str]) -> str:
        if name is None and len(known) == 1:
            return known[0]
        if name is None or name not in known:
            got = "none was given" if name is None else f"got {short_repr(name)}"
            hint = did_you_mean(name, known) if name is not None else f"known: {', '.join(known)}."
            raise InputError(Option(role), f" must be one of {len(known)}, {got}; {hint}")
        return name

    def _defined(self, classifier: str, measure: str) -> dict[str, Estimate]:
        """By name, the estimates that have a value and an interval."""
        estimates = {
            name: estimates_of(result)[classifier, measure]
            for name, result in zip(self.names, self.groups.values(), strict=True)
        }
        return {
            name: estimate
            for name, estimate in estimates.items()
            if not isnan(estimate.value) and not (isnan(estimate.standard_error) and isnan(estimate.fewest))
        }

    def _require_tests(self, defined: int, what: str) -> None:
        if self.dependent and self.covariance is None:
            raise NotApplicableError(
                "Subgroups are not compared here: cases of different subgroups belong together (",
                Option("groups"),
                ", or repeats), and the covariance of the subgroups is not known. Use ",
                Option("method", Call("Influence")),
                " for cases in memory.",
            )
        if defined < 2:
            undefined = "; ".join(f"{name}: {reason}" for name, reason in self.undefined.items())
            raise NotApplicableError(
                f"A comparison of subgroups needs two or more with {what} and a standard error, here {defined}"
                f"{undefined and f' ({undefined})'}."
            )

    def _compare(self, classifier: str, measure: str) -> Comparison:
        estimates = self._defined(classifier, measure)
        self._require_tests(len(estimates), measure)
        m, number = len(self.classifiers), self.classifiers.index(classifier)
        places = [self.names.index(name) * m + number for name in estimates]
        covariance = self._joint(measure)[np.ix_(places, places)]
        named = {name: replace(estimate, classifier=name) for name, estimate in estimates.items()}
        accelerations = {(a, b): _acceleration(estimates[a], estimates[b]) for a, b in combinations(estimates, 2)}
        larger = all(estimate.larger_is_better is not False for estimate in estimates.values())
        return compare_estimates(named, covariance, accelerations, larger, self.adjustment)

    def _compare_effects(self, first: str, second: str) -> Interaction:
        measure, m = self.measures[0], len(self.classifiers)
        effects = {
            name: comparison.difference(first, second)
            for name, comparison in self._comparisons().items()
            if name in self._defined(first, measure) and name in self._defined(second, measure)
        }
        self._require_tests(len(effects), measure)
        contrast = np.zeros((len(effects), len(self.groups) * m))
        for row, name in enumerate(effects):
            place = self.names.index(name) * m
            contrast[row, place + self.classifiers.index(first)] = 1.0
            contrast[row, place + self.classifiers.index(second)] = -1.0
        joint = np.nan_to_num(self._joint(measure))  # of undefined subgroups, which have no weight
        return interaction_of(measure, effects, contrast @ joint @ contrast.T, self.adjustment)

    def _joint(self, measure: str) -> FloatArray:
        """The covariance of the estimates of all subgroups and classifiers."""
        if self.covariance is not None:
            return self.covariance[measure].copy()
        m = len(self.classifiers)
        joint = np.zeros((len(self.groups) * m, len(self.groups) * m))
        for place, result in enumerate(self.groups.values()):
            block = slice(place * m, (place + 1) * m)
            joint[block, block] = own_covariance(result, measure)
        return joint

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per group, classifier and measure, or per group and pair; the columns of the group first."""
        over_groups = self.adjusted_over_groups() if self.pairs and len(self) > 1 else {}
        rows = []
        for name, (group, result) in zip(self.names, self.groups.items(), strict=True):
            values = dict(zip(self.by, group, strict=True))
            for row in [result.row(level)] if isinstance(result, Estimate) else result.rows(level):
                more = {}
                if over_groups:
                    more["group_adjusted_pvalue"] = over_groups.get((name, (row["first"], row["second"])), np.nan)
                rows.append({**values, **row, **more})
        return rows

    def to_table(self, level: float = 0.95, *, margin: float | None = None) -> Table:
        """The subgroups as a table of text, and below it whether they differ."""
        return grouped_table(self, level, margin)

    def conclusion(self, level: float = 0.95) -> list[str]:
        """In sentences: whether subgroups differ; for comparisons, whether differences depend on the subgroup."""
        return grouped_conclusion(self, level)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON; the sentences are for its readers, where all cases were evaluated, too."""
        data = Result.to_dict(self, level)
        return data if self.overall is None else {**data, "conclusion": self.conclusion(level)}


def estimates_of(result: GroupResult) -> Mapping[Key, Estimate]:
    """The estimates of a result, by classifier and measure."""
    if isinstance(result, Estimate):
        return {(result.classifier, result.measure): result}
    if isinstance(result, Comparison):
        return {(name, result.measure): estimate for name, estimate in result.estimates.items()}
    return result.estimates


def own_covariance(result: GroupResult, measure: str) -> FloatArray:
    """The covariance of the classifiers of one subgroup; of an evaluation, that of each with itself."""
    if isinstance(result, Comparison):
        return result.covariance
    errors = [estimate.standard_error for (_, key), estimate in estimates_of(result).items() if key == measure]
    return np.diag(np.square(errors))


def _acceleration(first: Estimate, second: Estimate) -> float | None:
    """BCa's acceleration of the difference between values of different cases, from those of the two values.

    With a = sum(u^3) / (6 s^3) and s^2 = sum(u^2) of each, the influence values of the difference are those of the
    first and minus those of the second.
    """
    if first.resampled is None or second.resampled is None:
        return None
    s1, s2 = first.standard_error, second.standard_error
    a1, a2 = first.resampled.acceleration or 0.0, second.resampled.acceleration or 0.0
    total = sqrt(s1**2 + s2**2)
    return (a1 * s1**3 - a2 * s2**3) / total**3 if total > 0 else 0.0
