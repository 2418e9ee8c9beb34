"""The verbs `operate` and `rates` over files: what rules are chosen from, and how they do, from counts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np

from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.rates import check_rule, one_classifier, rule_at
from polyroc.engines.binned_sample import edge_scores
from polyroc.engines.bins import Column
from polyroc.engines.decision_counts import class_totals, count_decisions
from polyroc.engines.estimates import share_offsets
from polyroc.engines.evaluate import open_rows, solved
from polyroc.engines.options import Settings
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.progress import ProgressOption, progress_callback
from polyroc.results.provenance import Provenance
from polyroc.rules import Rule
from polyroc.scores import Schema, Scores

__all__ = ["FiledCases"]


class _Cells(NamedTuple):
    """Two classes counted in cells of a score.

    Attributes
    ----------
    scores
        Each cell and class as a case that counts for as many as it holds, at the lower edge of the cell: what a
        threshold at an edge does to these it does to the rows themselves.
    """

    scores: Scores
    classifier: str
    column: Column
    provenance: Provenance

    def rates(self, rule: Rule) -> Rates:
        """How often each class is called what, by a threshold at an edge."""
        assert self.column.where is not None
        places = [self.scores.labels.index(label) for label in rule.labels]
        shares = np.eye(2)[places][rule.codes(self.column.where.edges())]
        return _rates(self.column, shares, self.scores.names, self.classifier, self.provenance)


@dataclass(frozen=True, slots=True)
class FiledCases:
    """The cases of files.

    Attributes
    ----------
    asked, given
        The files and their columns; `labels`, `pos_label` and `missing`, as in `read`.
    classifier
        Whose scores are meant.
    progress
        As in `evaluate`; each scan has its own bar.
    """

    asked: Settings
    given: Mapping[str, Any]
    classifier: str | None
    progress: ProgressOption

    def __post_init__(self) -> None:
        if self.asked.by:
            raise NotApplicableError("by=... is for evaluate and compare; ask for each group's files apart.")

    def cells(self) -> _Cells:
        """Count two classes in cells, to choose a threshold from."""
        asked = replace(self.asked, tolerance=None)
        with progress_callback(self.progress) as report:
            found, _, schema = solved(
                asked, "auc", errors=False, check=_require_two, progress=report, **self.given
            )
        if not found.read:
            raise InputError("A class has no case, so no rule can be chosen; add cases.")
        name = one_classifier(schema, self.classifier)
        (column,) = found.read[name].columns.values()
        provenance = replace(found.estimates[name, "auc"].provenance, method="DeLong()")
        return _Cells(edge_scores(column, schema.labels, schema.positive, name), name, column, provenance)

    def frequencies(self) -> tuple[Scores, str]:
        """The class frequencies as one weighted case per class, and the name of the classifier."""
        with open_rows(self.asked, **self.given) as data, progress_callback(self.progress) as report:
            totals = class_totals(data, report)
            schema: Schema = data.schema
        name = one_classifier(schema, self.classifier)
        c = schema.n_classes
        shape = c if schema.kind == "score" else (c, c)
        codes, values = np.arange(c, dtype=np.int32), {name: np.zeros(shape)}
        cases = Scores(codes, schema.labels, values, schema.kind, schema.positive, schema.ordered, totals)
        return cases, name

    def rates(self, rule: Rule | None, threshold: float | None = None, probabilities: bool = False) -> Rates:
        """How often each class is called what; `probabilities` are then required in [0, 1]."""
        with open_rows(self.asked, **self.given) as data:
            schema: Schema = data.schema
            name = one_classifier(schema, self.classifier)
            rule = rule if threshold is None else rule_at(schema, threshold, rule)
            if rule is not None:
                check_rule(rule, schema)
            elif schema.kind == "score":
                raise InputError("A score alone decides nothing; give a rule or a threshold.")
            with progress_callback(self.progress) as report:
                column, shares = count_decisions(data, name, rule, probabilities, report)
            cases = dict(zip(schema.names, column.units.tolist(), strict=True))
            weighted, dropped = data.rows.weighted, data.dropped
            facts = {"weighted": weighted, "dropped": dropped, "sampling": self.asked.sampling}
            provenance = Provenance(cases=cases, method="DeLong()", **facts)
        return _rates(column, shares, schema.names, name, provenance)


def _require_two(schema: Schema) -> None:
    if schema.n_classes > 2:
        raise NotApplicableError(
            f"For {schema.n_classes} classes the best rule is searched over the cases themselves, which an engine "
            "does not keep. Say calibrated=True to take Bayes' rule for the costs and priors, "
            "or choose a rule on a sample of the rows in memory and judge it on all of them with rates(..., "
            "rule=found.rule)."
        )


def _rates(
    column: Column, shares: FloatArray, names: tuple[str, ...], classifier: str, provenance: Provenance
) -> Rates:
    """The rates of cases that are cells, each of which goes to decisions in these shares."""
    totals, units = column.totals, np.asarray(column.units, dtype=np.float64)
    counts = column.weight.T @ shares
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = counts / totals[:, None]
        fewest = np.where(units > 0, totals**2 / column.squares.sum(axis=0), 0.0)
    variance = partial(_binned_variance, column, shares, rates)
    cells = np.eye(len(names) ** 2).reshape(len(names), len(names), len(names), len(names))
    errors = np.sqrt([[variance(cell) for cell in row] for row in cells])
    return Rates(
        classifier=classifier,
        classes=names,
        rates=rates,
        standard_errors=errors,
        counts=counts,
        fewest=fewest,
        provenance=provenance,
        _variance=variance,
    )


def _binned_variance(
    column: Column,
    shares: FloatArray,
    rates: FloatArray,
    gradient: FloatArray,
    slopes: FloatArray | None = None,
) -> float:
    """Sum over cases of the squared influence: through the rates of their class, and through its share."""
    units = np.asarray(column.units, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(units > 1, units / (units - 1.0), nan) / column.totals**2
    classes = gradient.any(axis=1) if slopes is None else np.ones(len(rates), dtype=bool)
    influence = shares @ gradient[classes].T - (gradient * rates)[classes].sum(axis=1)
    if slopes is not None:
        influence = influence + share_offsets(slopes, column)
    return float(scale[classes] @ (column.squares[:, classes] * influence**2).sum(axis=0))
