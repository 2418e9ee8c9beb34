"""Evaluation, the estimates of several measures and classifiers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, overload

import numpy as np

from polyroc._results.invariants import Invariants
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.estimates.tables import evaluation_table
from polyroc.messages import Option
from polyroc.output.tables import Table
from polyroc.validation.signatures import validated

__all__ = ["Evaluation", "named_without_options"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Result):
    """Estimates by classifier and measure, and why other measures do not apply.

    Attributes
    ----------
    estimates
        By (classifier, measure).
    skipped
        By measure: why it does not apply to these data.
    """

    estimates: Mapping[tuple[str, str], Estimate]
    skipped: Mapping[str, str]

    def _invariants(self) -> Invariants:
        named = all((e.classifier, e.measure) == key for key, e in self.estimates.items())
        yield bool(self.estimates) and named, "keys must be the classifier and the measure of each estimate"
        complete = len(self.estimates) == len(self.classifiers) * len(self.measures)
        yield complete, "every classifier must have an estimate of every measure"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers, in the order of the input."""
        return tuple(dict.fromkeys(classifier for classifier, _ in self.estimates))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order of the request."""
        return tuple(dict.fromkeys(measure for _, measure in self.estimates))

    @overload
    def __getitem__(self, key: tuple[str, str]) -> Estimate: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def __getitem__(self, key: str | tuple[str, str]) -> "Estimate | Evaluation":
        """The estimate of (classifier, measure); by one name, what there is of a classifier or a measure.

        That is an `Estimate` if it is one, else an `Evaluation` of the rest.

        >>> from polyroc import evaluate
        >>> y, rising, mixed = [0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], [0.1, 0.4, 0.35, 0.8]
        >>> evaluation = evaluate(y, {"first": rising, "second": mixed}, measure=["auc", "gini"])
        >>> evaluation["second"], evaluation["second"]["auc"].value
        (Evaluation(2 measures of second), 0.75)
        """
        if isinstance(key, tuple):
            return self.estimates[key[0], named_without_options(key[1], self.measures)]
        is_classifier = key in self.classifiers and (len(self.classifiers) > 1 or key not in self.measures)
        place, key = (0, key) if is_classifier else (1, named_without_options(key, self.measures))
        part = {names: estimate for names, estimate in self.estimates.items() if names[place] == key}
        if not part:
            known = ", ".join(map(repr, (*self.classifiers, *self.measures)))
            raise KeyError(f"{key!r} is none of {known}")
        return next(iter(part.values())) if len(part) == 1 else Evaluation(part, {})

    def __iter__(self) -> Iterator[Estimate]:
        """The estimates, by classifier and measure."""
        return iter(self.estimates.values())

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        measures = self.measures[0] if len(self.measures) == 1 else f"{len(self.measures)} measures"
        return f"Evaluation({measures} of {', '.join(self.classifiers) or 'nothing'})"

    @validated
    def adjusted_pvalues(self, adjustment: Adjustment = "benjamini-hochberg") -> dict[tuple[str, str], float]:
        """P-values of the tests against `evaluate(null=...)`, adjusted for the number of classifiers and measures.

        Parameters
        ----------
        adjustment
            "benjamini-hochberg" (false discovery rate), "holm" or "bonferroni" (family-wise error rate).

        Examples
        --------
        >>> import polyroc as pr
        >>> y, features = [0, 0, 0, 1, 1, 1], {"a": [1, 2, 1, 3, 4, 2], "b": [3, 1, 2, 2, 5, 4]}
        >>> screened = pr.evaluate(y, features, measure="auc", null="chance")
        >>> {name: round(p, 3) for (name, _), p in screened.adjusted_pvalues().items()}
        {'a': 0.238, 'b': 0.248}
        """
        if adjustment == "max-t":
            raise InputError(
                "Tests of classifiers against null are adjusted by 'benjamini-hochberg', 'holm' or 'bonferroni'; "
                "'max-t' is for comparisons."
            )
        tested = self.estimates
        if any(estimate.null is None for estimate in islice(tested.values(), 1)):
            raise InputError("There are no p-values to adjust; use ", Option("null", "chance"), " of evaluate.")
        pvalues = np.array([np.nan if e.pvalue is None else e.pvalue for e in tested.values()])
        return dict(zip(tested, adjust(pvalues, adjustment).tolist(), strict=True))

    def rows(self, level: float = 0.95, *, adjustment: Adjustment | None = None) -> list[dict[str, Any]]:
        """One record per classifier and measure, with intervals at a level, and adjusted p-values if requested."""
        adjusted = {} if adjustment is None else self.adjusted_pvalues(adjustment)
        return [
            estimate.row(level) | ({"adjusted_pvalue": adjusted[key]} if adjusted else {})
            for key, estimate in self.estimates.items()
        ]

    def to_table(self, level: float = 0.95, *, parts: bool = False, adjustment: Adjustment | None = None) -> Table:
        """Measures and classifiers as a table of text, with parts and adjusted p-values if requested."""
        adjusted = {} if adjustment is None else self.adjusted_pvalues(adjustment)
        return evaluation_table(self, level, parts=parts, adjusted=adjusted)


def named_without_options(key: str, measures: Sequence[str]) -> str:
    """Return the one measure that is named by its key without options; the key itself if there is none or several.

    >>> named_without_options("partial_auc", ("auc", "partial_auc(fpr=(0, 0.1))"))
    'partial_auc(fpr=(0, 0.1))'
    """
    same = [measure for measure in measures if measure.partition("(")[0] == key]
    return same[0] if len(same) == 1 else key
