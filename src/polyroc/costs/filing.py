"""The verb `operate` over files: the best threshold among the edges of cells, whose rates are exact."""

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from polyroc.costs.rating import one_classifier
from polyroc.engines.column import Column
from polyroc.engines.judging import solved
from polyroc.engines.options import Settings
from polyroc.engines.source import is_files, is_frame
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.rates import Rates
from polyroc.results.rules import Rule, ThresholdRule
from polyroc.scores import Scores

__all__ = ["TalliedCases"]


class TalliedCases:
    """The cases of files, counted in cells of the score of two classes.

    Attributes
    ----------
    scores
        Each cell and class as a case that counts for as many as it holds, at the lower edge of the cell: what a
        threshold at an edge does to these it does to the rows themselves.
    """

    def __init__(self, asked: Settings, classifier: str | None, **given: Any) -> None:
        if asked.by:
            raise NotApplicableError("operate does not take by=...; choose a rule for each group's files apart.")
        self.asked, self.given, self.asked_for = replace(asked, tolerance=None), given, classifier
        found, _, like = solved(self.asked, "auc", errors=False, **given)
        if not found.read:
            raise InputError("A class has no case, so no rule can be chosen; add cases.")
        self.name = one_classifier(like, classifier)
        (self.column,) = found.read[self.name].columns.values()
        self.provenance = replace(found.estimates[self.name, "auc"].provenance, method="DeLong()")
        self.scores = _cells(self.column, like, self.name)

    def others(self, judge_on: Any) -> "TalliedCases":
        """Other files to judge a rule on, counted in the same cells."""
        if not (is_files(judge_on) or is_frame(judge_on)):
            raise InputError(f"judge_on must name files too, got {type(judge_on).__name__}.")
        given = {**self.given, "labels": list(self.scores.labels)}
        return TalliedCases(replace(self.asked, files=judge_on), self.asked_for, **given)

    def rates(self, rule: Rule) -> Rates:
        """How often each class is called what."""
        assert isinstance(rule, ThresholdRule)
        assert self.column.where is not None
        said = (self.column.where.edges() >= rule.threshold).astype(np.int64)
        positive = self.scores.labels.index(rule.positive)
        called = np.where(said == 1, positive, 1 - positive)
        counts, squares = (_by_decision(each, called) for each in (self.column.weight, self.column.squares))
        rates = counts / counts.sum(axis=1, keepdims=True)
        spread = _spread(rates, counts, squares, np.asarray(self.column.units, dtype=np.float64))
        errors = np.sqrt(np.repeat(spread[:, None], 2, axis=1))
        return Rates(
            classifier=self.name,
            classes=self.scores.names,
            rates=rates,
            standard_errors=errors,
            counts=counts,
            fewest=counts.sum(axis=1) ** 2 / squares.sum(axis=1),
            provenance=self.provenance,
            _variance=lambda gradient: float((np.diff(gradient, axis=1)[:, 0] ** 2 * spread).sum()),
        )


def _cells(column: Column, like: Scores, name: str) -> Scores:
    assert column.where is not None
    held = [np.flatnonzero(column.cases[:, k]) for k in range(2)]
    edges = column.where.edges()
    return Scores(
        codes=np.repeat(np.arange(2, dtype=np.int32), [len(cells) for cells in held]),
        labels=like.labels,
        values={name: np.concatenate([edges[cells] for cells in held])},
        kind="score",
        positive=like.positive,
        ordered=like.ordered,
        sample_weight=np.concatenate([column.weight[cells, k] for k, cells in enumerate(held)]),
    )


def _by_decision(weight: FloatArray, called: Any) -> FloatArray:
    """At [class, decision], the sum of the weights of the cells called so."""
    return np.array([np.bincount(called, weight[:, k], 2) for k in range(2)])


def _spread(rates: FloatArray, counts: FloatArray, squares: FloatArray, units: FloatArray) -> FloatArray:
    """By class, the variance of its rates: two decisions, so both have the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.where(units > 1, units / (units - 1.0), nan)
    moved = squares[:, 0] * rates[:, 1] ** 2 + squares[:, 1] * rates[:, 0] ** 2
    return np.asarray(correction * moved / counts.sum(axis=1) ** 2)
