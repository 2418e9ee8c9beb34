"""GroupedCalibration: calibration of each subgroup of the cases, and whether subgroups differ."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from polyroc._results.codec import STORED_IF_SET
from polyroc._results.invariants import Invariants, shares
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.output.tables import Table
from polyroc.reliability.differences import QUANTITIES
from polyroc.reliability.recalibration import JointTest
from polyroc.reliability.result import Calibration
from polyroc.reliability.tables import grouped_sentences, grouped_tables
from polyroc.scores import readable
from polyroc.validation.signatures import validated

__all__ = ["Between", "Group", "GroupDifference", "GroupedCalibration", "group_names"]

Group = tuple[Hashable, ...]
Between = tuple[str, str, str, str, str]


class GroupDifference(NamedTuple):
    """The value of the first subgroup minus that of the second, with its interval and test.

    Attributes
    ----------
    value, standard_error, low, high, pvalue
        As in `polyroc.reliability.differences.PartDifference`.
    adjusted_pvalue
        Holm's p-value, for all pairs of subgroups.
    """

    value: float
    standard_error: float
    low: float
    high: float
    pvalue: float
    adjusted_pvalue: float


def group_names(groups: Mapping[Group, Any]) -> tuple[str, ...]:
    """The subgroups as distinct strings."""
    return readable(tuple(", ".join(map(str, group)) for group in groups))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupedCalibration(Result, Mapping[Group, Calibration]):
    """Calibration of each subgroup of the cases, and whether subgroups differ.

    Attributes
    ----------
    by
        The columns that define the subgroups.
    groups
        The calibration by the values of these columns.
    overall
        That of all cases.
    differences
        By two subgroups, classifier, event and quantity ("in_the_large", "slope", "miscalibration",
        "discrimination"): the first subgroup minus the second, with p-values also adjusted for the pairs (Holm).
    equality
        By classifier, event and quantity ("in_the_large", "slope" or "both"): Wald's test that all subgroups have
        the same.
    undefined
        By subgroup, why it was left out; None if none was.

    Examples
    --------
    >>> import numpy as np
    >>> import polyroc as pr
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> sex = np.where(rng.random(2000) < 0.5, "f", "m")
    >>> y = rng.random(2000) < np.where(sex == "f", p, 0.2 + 0.6 * p)  # probabilities are too extreme for m
    >>> result = pr.calibration(y, p, by={"sex": sex}, replicates=100)
    >>> print(result.conclusion()[0])
    classifier: calibration differs between subgroups (in the large and slope): p < 0.001.
    >>> round(result["m"].event().slope.value, 1)
    0.4
    """

    by: tuple[str, ...]
    groups: Mapping[Group, Calibration]
    overall: Calibration
    differences: Mapping[Between, GroupDifference]
    equality: Mapping[tuple[str, str, str], JointTest]
    undefined: Mapping[str, str] | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        yield len(self.groups) > 0, "there must be a subgroup"
        yield all(len(group) == len(self.by) for group in self.groups), "a subgroup has one value per column"
        pvalues = [difference.pvalue for difference in self.differences.values()]
        pvalues += [test.pvalue for test in self.equality.values()]
        yield shares(pvalues), "p-values must be from 0 to 1"

    def __getitem__(self, group: Any) -> Calibration:
        key = group if isinstance(group, tuple) else (group,)
        if key not in self.groups:
            known = ", ".join(map(repr, self.groups if len(self.by) > 1 else (only for (only,) in self.groups)))
            raise KeyError(f"there is no subgroup {short_repr(group)}; there are {known}")
        return self.groups[key]

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        return f"GroupedCalibration({len(self)} subgroups by {', '.join(self.by)})"

    def named(self) -> dict[str, Calibration]:
        """The calibration of each subgroup by its name."""
        return dict(zip(group_names(self.groups), self.groups.values(), strict=True))

    def separate(self) -> list["GroupedCalibration"]:
        """One result for each classifier and event, such as for panels of a picture."""
        return [
            replace(
                self,
                groups={group: own.only(*key) for group, own in self.groups.items() if key in own.events},
                overall=self.overall.only(*key),
                differences={name: one for name, one in self.differences.items() if name[2:4] == key},
                equality={name: test for name, test in self.equality.items() if name[:2] == key},
            )
            for key in self.overall.events
        ]

    @validated
    def difference(
        self,
        first: str,
        second: str,
        quantity: str = "slope",
        *,
        classifier: str | None = None,
        event: str | None = None,
    ) -> GroupDifference:
        """A quantity of the first subgroup minus that of the second.

        Parameters
        ----------
        first, second
            The subgroups.
        quantity
            "in_the_large", "slope", "miscalibration" or "discrimination".
        classifier, event
            Which, if there are several.
        """
        subgroups = tuple(self.named())
        for role, value, known in (
            ("first", first, subgroups),
            ("second", second, subgroups),
            ("quantity", quantity, QUANTITIES),
        ):
            if value not in known:
                raise InputError(f"{role} must be one of {', '.join(map(repr, known))}, got {short_repr(value)}.")
        ((name, of), *more) = self.overall.chosen(classifier, event)
        if more:
            raise InputError(
                f"classifier and event must name one of {len(more) + 1}; got {classifier!r} and {event!r}."
            )
        for ends, sign in (((first, second), 1.0), ((second, first), -1.0)):
            own = self.differences.get((*ends, name, of, quantity))
            if own is not None:
                return own if sign > 0 else _reversed(own)
        raise InputError(
            f"first and second must be two subgroups with the event {of!r}, got {first!r}, {second!r}."
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per subgroup, classifier and event; the columns of the subgroup first."""
        return [
            {**dict(zip(self.by, group, strict=True)), **row}
            for group, own in self.groups.items()
            for row in own.rows(level)
        ]

    def curve_rows(self) -> list[dict[str, Any]]:
        """One record per subgroup, classifier, event and point of the reliability curve."""
        return [
            {**dict(zip(self.by, group, strict=True)), **row}
            for group, own in self.groups.items()
            for row in own.curve_rows()
        ]

    def to_table(self, level: float = 0.95) -> Table:  # noqa: ARG002 - that of the result counts
        """The subgroups as a table; below it, whether they differ."""
        return grouped_tables(self)[0]

    def tables(self) -> list[Table]:
        """The subgroups, and the differences between them."""
        return grouped_tables(self)

    def conclusion(self, level: float = 0.95) -> list[str]:  # noqa: ARG002 - that of the result counts
        """Whether calibration differs between subgroups, one sentence per classifier and event."""
        return grouped_sentences(self)


def _reversed(own: GroupDifference) -> GroupDifference:
    return own._replace(value=-own.value, low=-own.high, high=-own.low)
