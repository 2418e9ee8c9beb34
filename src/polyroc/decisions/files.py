"""The verbs `operate` and `rates` over files: rules are chosen from binned counts, and evaluated by counting."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.curves.points import AUC
from polyroc.decisions.criteria import Objective, choose_rule, order_needed, read_objective
from polyroc.decisions.file_counts import class_totals, count_decisions
from polyroc.decisions.operating_point import Optimality
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.rates import one_classifier, rule_at
from polyroc.engines.binned_sample import edge_scores
from polyroc.engines.bins import BinnedColumn
from polyroc.engines.dataset import Dataset
from polyroc.engines.estimates import share_offsets
from polyroc.engines.evaluate import estimate_dataset, open_dataset
from polyroc.engines.files import is_frame
from polyroc.engines.options import EngineOptions
from polyroc.engines.support import check_supported, mode_of
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.registry import MEASURES
from polyroc.measures.rule_decisions import check_rule
from polyroc.messages import Call, Option
from polyroc.progress import ProgressOption, progress_callback
from polyroc.rules import Rule
from polyroc.scores import Schema, Scores

__all__ = ["FileCases", "choose_from_counts"]

# whose bins are those of one score: what is counted for it is what cut-points need
ORDERED = next(measure for measure in MEASURES.values() if measure.needs == "ordered" and measure.bins == "score")


class _BinnedScores(NamedTuple):
    """Classes counted in bins of one score.

    Attributes
    ----------
    scores
        Each bin and class as one weighted case at the lower edge of the bin: a threshold at an edge classifies
        these as it classifies the rows themselves.
    """

    scores: Scores
    classifier: str
    column: BinnedColumn
    provenance: Provenance
    weight_exponent: int

    def rates(self, rule: Rule) -> Rates:
        """The confusion rates of a threshold at an edge."""
        assert self.column.index is not None
        positions = [self.scores.labels.index(label) for label in rule.labels]
        shares = np.eye(len(positions))[positions][rule.codes(self.column.index.edges())]
        return _rates(
            self.column, shares, self.scores.names, self.classifier, self.provenance, self.weight_exponent
        )


def _check_not_negated(data: Dataset, settings: EngineOptions) -> None:
    """Raise an error if scores are multiplied by -1: a rule is for the scores that it is given."""
    if data.negated:
        check_supported("negate", mode_of(is_frame(settings.files)), "operate")


@dataclass(frozen=True, slots=True)
class FileCases:
    """The cases of files.

    Attributes
    ----------
    cases
        The files and their columns.
    only
        The classifier to use.
    progress
        As in `evaluate`; each scan has its own bar.
    """

    cases: EngineOptions
    only: str | None
    progress: ProgressOption

    def binned(self) -> _BinnedScores:
        """Count classes in bins of one score, to choose a threshold or cut-points from."""
        settings = replace(self.cases, tolerance=None)
        with open_dataset(settings) as data:
            _check_not_negated(data, settings)
            _require_one_score(data.schema)
            measure = AUC if data.schema.n_classes == 2 else ORDERED  # both count one column, and refine its bins
        with progress_callback(self.progress) as report:
            result, _, schema = estimate_dataset(settings, measure, errors=False, progress=report)
        if not result.binned:
            raise InputError("A class has no case, so no rule can be chosen; add cases.")
        name = one_classifier(schema, self.only)
        (column,) = result.binned[name].columns.values()
        provenance = replace(result.estimates[name, measure.key].provenance, method="Influence()")
        scores = edge_scores(column, schema, name)
        return _BinnedScores(scores, name, column, provenance, result.weight_exponent)

    def frequencies(self) -> tuple[Scores, str]:
        """The class frequencies as one weighted case per class, and the name of the classifier."""
        with open_dataset(self.cases) as data, progress_callback(self.progress) as report:
            _check_not_negated(data, self.cases)
            totals = class_totals(data, report)
            schema: Schema = data.schema
        name = one_classifier(schema, self.only)
        c = schema.n_classes
        shape = c if schema.kind == "score" else (c, c)
        codes, values = np.arange(c, dtype=np.int32), {name: np.zeros(shape)}
        cases = Scores._make(codes, schema.labels, values, schema.kind, schema.positive, schema.ordered, totals)
        return cases, name

    def rates(self, rule: Rule | None, threshold: float | None = None, probabilities: bool = False) -> Rates:
        """The confusion rates of a rule or threshold; with `probabilities`, values must be in [0, 1]."""
        with open_dataset(self.cases) as data:
            _check_not_negated(data, self.cases)
            schema: Schema = data.schema
            name = one_classifier(schema, self.only)
            rule = rule if threshold is None else rule_at(schema, threshold, rule)
            if rule is not None:
                check_rule(rule, schema)
            elif schema.kind == "score":
                raise InputError(
                    "A score with one value per case needs a rule or a threshold; pass ",
                    Option("rule"),
                    " or ",
                    Option("threshold"),
                    ".",
                )
            with progress_callback(self.progress) as report:
                column, shares = count_decisions(data, name, rule, probabilities, report)
            cases = dict(zip(schema.names, column.units.tolist(), strict=True))
            weighted, dropped, exponent = data.rows.weighted, data.dropped, data.rows.weight_exponent
            facts = {"weighted": weighted, "dropped": dropped, "sampling": self.cases.sampling}
            provenance = Provenance(cases=cases, method="Influence()", notes=data.notes or None, **facts)
        return _rates(column, shares, schema.names, name, provenance, exponent)


def choose_from_counts(
    cases: FileCases, terms: Mapping[str, Any]
) -> tuple[Objective, Rule, Optimality | None, Rates, Scores]:
    """Bayes' rule for calibrated probabilities; else the best threshold among the edges of bins."""
    rng = np.random.default_rng(0)  # required by choose_rule, but nothing is searched at random here
    if terms["calibrated"]:
        scores, name = cases.frequencies()
        objective = read_objective(scores, **terms)
        rule, _ = choose_rule(scores, scores.values[name], objective, rng)
        return objective, rule, None, cases.rates(rule, probabilities=True), scores
    binned = cases.binned()
    objective = read_objective(binned.scores, **terms)
    rule, _ = choose_rule(binned.scores, binned.scores.values[binned.classifier], objective, rng)
    optimality: Optimality = "proven" if cases.cases.exact else "best found"  # of all thresholds, or of edges
    return objective, rule, optimality, binned.rates(rule), binned.scores


def _require_one_score(schema: Schema) -> None:
    if schema.n_classes > 2 and schema.kind == "score" and not schema.ordered:
        raise InputError(order_needed(schema.n_classes))
    if schema.n_classes > 2 and schema.kind != "score":
        raise NotApplicableError(
            f"For {schema.n_classes} classes the search for the best rule needs all cases in memory, and an "
            "engine does not keep them. Use ",
            Option("calibrated", True),
            " for Bayes' rule with these costs and priors, or choose a rule on a sample of the rows and evaluate "
            "it on all of them with ",
            Call("rates", Option("rule", ...)),
            ".",
        )


def _rates(
    column: BinnedColumn,
    shares: FloatArray,
    names: tuple[str, ...],
    classifier: str,
    provenance: Provenance,
    weight_exponent: int,
) -> Rates:
    """The confusion rates from bins, of which each goes to the decisions in these shares.

    `weight_exponent` is the power of two by which the weights of the bins have been divided.
    """
    totals, units = column.totals, np.asarray(column.units, dtype=np.float64)
    counts = column.weight.T @ shares
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = counts / totals[:, None]
        fewest = np.where(units > 0, totals**2 / column.squares.sum(axis=0), 0.0)
    variance = partial(_binned_variance, column, shares, rates, provenance.sampling == "cohort")
    gradients = np.eye(len(names) ** 2).reshape(len(names), len(names), len(names), len(names))
    errors = np.sqrt([[variance(gradient) for gradient in row] for row in gradients])
    return Rates(
        classifier=classifier,
        classes=names,
        rates=rates,
        standard_errors=errors,
        counts=np.ldexp(counts, weight_exponent),
        fewest=fewest,
        provenance=provenance,
        _variance=variance,
    )


def _binned_variance(
    column: BinnedColumn,
    shares: FloatArray,
    rates: FloatArray,
    cohort: bool,
    gradient: FloatArray,
    slopes: FloatArray | None = None,
) -> float:
    """Sum over cases of the squared influence: through the rates of their class, and through its share.

    Where class sizes are fixed, the latter is that of w minus the mean weight of the class.
    """
    if not cohort and not column.weights_vary:
        slopes = None
    units = np.asarray(column.units, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(units > 1, units / (units - 1.0), nan) / column.totals**2
    classes = gradient.any(axis=1) if slopes is None else np.ones(len(rates), dtype=bool)
    influence = shares @ gradient[classes].T - (gradient * rates)[classes].sum(axis=1)
    squares = column.squares[:, classes]
    if slopes is None:
        return float(scale[classes] @ (squares * influence**2).sum(axis=0))
    offsets = share_offsets(slopes, column)
    fixed = 0.0 if cohort else offsets**2 * column.totals**2 / units
    return float(scale @ ((squares * (influence + offsets) ** 2).sum(axis=0) - fixed))
