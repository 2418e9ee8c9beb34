"""A measure of cross-validated predictions: computed within folds, averaged over the trained models.

With theta_v the value on the test cases of model v, the average is sum_v w_v theta_v, all models counting the same
(w_v = 1 / number of models). It estimates the average performance of these trained models on new cases. Given the
models, the test cases are independent, so that the influence value of a case is w_v times its influence value
within its fold (LeDell, Petersen & van der Laan 2015 for the AUC). The strata made here have components whose
deviations are rescaled accordingly; variances, covariances, tests and intervals then follow as for one sample. A
case with several rows, one per repeat, is one unit (`Scores.units`), whose influence values are added up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import fsum, isnan, nan, sqrt

import numpy as np

from polyroc.errors import InputError, UndefinedMeasureWarning, warn
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray, inner_product
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Shares, Statistic, Strata, Stratum
from polyroc.messages import Option
from polyroc.scores import Folds

__all__ = ["average_over_folds", "check_folds", "within_folds"]

FEWEST_UNITS = 2.0  # of a class per fold, on average, below which components are not centred within folds
LISTED = 4  # folds in a message


def within_folds(compute: Callable[[Sample], Statistic], sample: Sample, name: str) -> Statistic:
    """The average over folds of a measure: its value, components, parts and behaviour at the limits of its range.

    Parameters
    ----------
    compute
        The measure of one sample.
    sample
        The sample of all folds.
    name
        The name of the measure in messages.

    References
    ----------
    LeDell, Petersen & van der Laan, Electronic Journal of Statistics 9 (2015) 1583-1607.
    """
    check_folds(sample, name)
    statistics = [compute(fold) for fold in sample.folds]
    undefined = [v for v, statistic in enumerate(statistics) if isnan(statistic.value)]
    if undefined and len(undefined) < len(statistics):
        assert sample.scores.folds is not None
        listed = ", ".join(_title(sample.scores.folds, v) for v in undefined[:LISTED])
        warn(
            f"{name} is undefined (nan) in {len(undefined)} of {len(statistics)} folds ({listed}"
            f"{', ...' if len(undefined) > LISTED else ''}), and so is its average; use larger folds.",
            UndefinedMeasureWarning,
        )
    return average_over_folds(sample, statistics)


def average_over_folds(sample: Sample, statistics: Sequence[Statistic]) -> Statistic:
    """The average of the same statistic of all folds of a sample, given one by one in the order of the folds."""
    return _Average(sample).statistic(statistics)


def check_folds(sample: Sample, name: str) -> None:
    """Raise an error if a fold lacks a class, so that a measure of it is not defined."""
    folds, scores = sample.scores.folds, sample.scores
    assert folds is not None
    present = np.array([fold.totals for fold in sample.folds]) > 0
    lacking = ~present & present.any(axis=0)
    if not lacking.any():
        return
    if all(len(fold.values) == 1 for fold in sample.folds):
        raise InputError(
            f"Every fold has one case (leave-one-out), so {name} is not defined within folds. Use larger folds or "
            "leave-one-pair-out cross-validation; or evaluate the cases of all folds as one sample with ",
            Option("pooled", True),
            ", which is biased: a model's scores depend on the class of the case left out.",
        )
    bad = np.flatnonzero(lacking.any(axis=1))
    listed = "; ".join(
        f"{_title(folds, v)}: {', '.join(repr(scores.names[k]) for k in np.flatnonzero(lacking[v]))}"
        for v in bad[:LISTED].tolist()
    )
    more = f" and {len(bad) - LISTED} more" if len(bad) > LISTED else ""
    raise InputError(
        f"{len(bad)} of {len(folds)} folds lack a class ({listed}{more}), so {name} is not defined within them. "
        "Use stratified or fewer, larger folds, or leave-one-pair-out cross-validation; or evaluate the cases of "
        "all folds as one sample with ",
        Option("pooled", True),
        ", which is biased where the models' scores are not on one scale.",
    )


def _title(folds: Folds, v: int) -> str:
    return folds.names[v] if folds.repeats > 1 else f"fold {folds.names[v]}"


class _Average:
    """Averages statistics of the folds of a sample."""

    def __init__(self, sample: Sample) -> None:
        assert sample.scores.folds is not None
        self.sample, self.folds = sample, sample.folds
        self.weights = sample.scores.folds.weights
        self.repeats = sample.scores.folds.repeats

    def statistic(self, statistics: Sequence[Statistic]) -> Statistic:
        """The average of the same statistic of all folds."""
        first = statistics[0]
        return Statistic(
            value=self._mean([statistic.value for statistic in statistics]),
            strata=lambda: self._strata([statistic.strata() for statistic in statistics]),
            parts=None if first.parts is None else lambda: self._parts(statistics),
            monte_carlo_error=self._root_of_squares([statistic.monte_carlo_error for statistic in statistics]),
            scale=first.scale,
            boundary=None if first.boundary is None else lambda errors: self._boundary(statistics, errors),
            shares=None if first.shares is None else lambda: self._shares(statistics),
            by_fold=tuple(statistic.value for statistic in statistics),
        )

    def _parts(self, statistics: Sequence[Statistic]) -> Mapping[str, Statistic]:
        parts = [statistic.parts() for statistic in statistics if statistic.parts is not None]
        return {key: self.statistic([of_fold[key] for of_fold in parts]) for key in parts[0]}

    def _strata(self, by_fold: Sequence[Strata]) -> Strata:
        if all(len(strata) == self.sample.classes for strata in by_fold):  # one per class, in order
            return tuple(self._stratum(strata) for strata in zip(*by_fold, strict=True))
        by_classes = [
            {_classes(fold, stratum): stratum for stratum in strata}
            for fold, strata in zip(self.folds, by_fold, strict=True)
        ]
        # a class without influence in a fold has no stratum there
        return tuple(
            self._stratum(
                [own.get(key) or _silent(fold, key) for fold, own in zip(self.folds, by_classes, strict=True)]
            )
            for key in dict.fromkeys(key for own in by_classes for key in own)
        )

    def _shares(self, statistics: Sequence[Statistic]) -> Shares:
        by_fold = [statistic.shares() for statistic in statistics if statistic.shares is not None]
        pairs = zip(by_fold, self.folds, strict=True)
        whole = self._stratum([shares.stratum(fold.scores.codes) for shares, fold in pairs])
        return Shares(whole.components, whole.reach or 0.0, whole.cases, whole.effective)

    def _stratum(self, strata: Sequence[Stratum]) -> Stratum:
        """One stratum of all folds, whose cases have the influence that they have on the average."""
        parts = [_FoldStratum(fold, stratum) for fold, stratum in zip(self.folds, strata, strict=True)]
        mean = self._mean([part.mean for part in parts])
        number, folds = sum(part.number for part in parts), len(parts)
        within = number >= FEWEST_UNITS * folds
        # Centred within folds, units have one degree of freedom less per fold; the variance takes off one in all.
        inflation = sqrt(number / (number - folds) * (1 - 1 / self._distinct(parts))) if within else 1.0
        total = sum(part.total for part in parts)
        components = [
            mean + inflation * weight * total / part.total * (part.components - (part.mean if within else mean))
            for weight, part in zip(self.weights.tolist(), parts, strict=True)
        ]
        reach = None if strata[0].reach is None else self._mean([stratum.reach or 0.0 for stratum in strata])
        return Stratum(
            np.concatenate(components), cache(lambda: self._cases(strata)), reach, self._effective(parts)
        )

    def _cases(self, strata: Sequence[Stratum]) -> IntArray:
        rows = self.sample.fold_rows
        return np.concatenate([own[stratum.cases()] for own, stratum in zip(rows, strata, strict=True)])

    def _distinct(self, parts: Sequence["_FoldStratum"]) -> int:
        """The number of units of all folds together."""
        if any(part.units is None for part in parts):
            return sum(part.number for part in parts)
        return len(np.unique(np.concatenate([part.units for part in parts if part.units is not None])))

    def _effective(self, parts: Sequence["_FoldStratum"]) -> float:
        """Kish's effective number of units, each counted by its share in the average."""
        pairs = [*zip(self.weights.tolist(), parts, strict=True)]
        if any(part.units is None for part in parts):
            return 1.0 / fsum(weight**2 * part.squares / part.total**2 for weight, part in pairs)
        unit = np.concatenate([part.units for part in parts if part.units is not None])
        share = np.concatenate([weight / part.total * part.case_weights for weight, part in pairs])
        return float(1.0 / (np.bincount(unit, share) ** 2).sum())

    def _mean(self, values: Sequence[float] | FloatArray) -> float:
        return float(self.weights @ np.asarray(values))

    def _root_of_squares(self, errors: Sequence[float]) -> float:
        return float(np.sqrt((self.weights**2) @ np.square(errors)))

    def _boundary(self, statistics: Sequence[Statistic], errors: Errors) -> Boundary:
        """What the interval needs at a limit of the range.

        Values and biases are averaged. Folds of one repeat are independent; those of several repeats are not, and
        their variances are averaged over repeats, as if all repeats were the same.
        """
        rows = self.sample.fold_rows
        by_fold = [
            statistic.boundary(_fold_errors(errors, own, fold.scores.codes))
            for statistic, own, fold in zip(statistics, rows, self.folds, strict=True)
            if statistic.boundary is not None
        ]
        in_repeat = self.weights * self.repeats
        variances = [boundary.variance for boundary in by_fold]
        return Boundary(
            value=self._mean([boundary.value for boundary in by_fold]),
            bias=self._mean([boundary.bias for boundary in by_fold]),
            # the pseudo-observation is one per class of all folds together, not one in each fold
            unseen=self._mean(in_repeat**2 * [boundary.unseen for boundary in by_fold]),
            scale=self._mean(in_repeat * [boundary.scale for boundary in by_fold]),
            limits=by_fold[0].limits,
            variance=None if None in variances else self._mean(in_repeat * np.array(variances, dtype=np.float64)),
            ends=self._ends(by_fold, in_repeat),
        )

    def _ends(
        self, by_fold: Sequence[Boundary], in_repeat: FloatArray
    ) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Tabulated limits: the distances of the folds are added as independent errors within a repeat (MOVER)."""
        ends = [boundary.ends for boundary in by_fold if boundary.ends is not None]
        if len(ends) < len(by_fold):
            return None
        value = self._mean([boundary.value for boundary in by_fold])
        distances = np.array(ends) - np.array([boundary.value for boundary in by_fold])[:, None, None]
        low, high = np.sqrt(np.tensordot(self.weights * in_repeat, distances**2, 1))
        return tuple((value - low).tolist()), tuple((value + high).tolist())


def _classes(fold: Sample, stratum: Stratum) -> tuple[int, ...]:
    """The classes of the cases of a stratum."""
    return tuple(np.unique(fold.scores.codes[stratum.cases()]).tolist())


def _silent(fold: Sample, classes: tuple[int, ...]) -> Stratum:
    """The stratum of classes whose cases have no influence."""
    cases = np.flatnonzero(np.isin(fold.scores.codes, classes))
    return Stratum(np.zeros(len(cases)), lambda: cases, 0.0)


class _FoldStratum:
    """The components of one class in one fold.

    Attributes
    ----------
    components, mean
        The components, and their (weighted) mean.
    number, units
        The number of units that count; the unit of each case, None if every case is one.
    total, squares
        The sum of the weights of the cases, and of their squares.
    """

    def __init__(self, fold: Sample, stratum: Stratum) -> None:
        self.components, self._weight = stratum.components, None
        self.units: IntArray | None = None
        if fold.weight is None and fold.scores.groups is None:
            self.number = len(self.components)
            self.total = self.squares = float(self.number)
        else:
            cases = stratum.cases()
            weight = np.ones(len(cases)) if fold.weight is None else fold.weight[cases]
            self._weight, self.total, self.squares = weight, float(weight.sum()), inner_product(weight, weight)
            self.number = int(np.count_nonzero(weight))
            if fold.scores.groups is not None:
                self.units = fold.scores.groups[cases]
                self.number = len(np.unique(self.units[weight > 0]))
        self.mean = float(np.average(self.components, weights=self._weight)) if self.total > 0 else nan

    @property
    def case_weights(self) -> FloatArray:
        """The weight of each case."""
        return np.ones(len(self.components)) if self._weight is None else self._weight


def _fold_errors(errors: Errors, rows: IntArray, codes: CodeArray) -> Errors:
    """Errors of statistics of one fold: their strata are those of some rows of the whole."""

    def of_rows(strata: Strata) -> Strata:
        return tuple(_of_rows(stratum, rows) for stratum in strata)

    def variance(strata: Strata, shares: Callable[[], Shares] | None = None) -> float:
        if shares is None:
            return errors.variance(of_rows(strata))
        stratum = _of_rows(shares().stratum(codes), rows)
        return errors.variance(
            of_rows(strata), lambda: Shares(stratum.components, stratum.reach or 0.0, stratum.cases)
        )

    return Errors(
        variance,
        lambda several: errors.covariance([of_rows(strata) for strata in several]),
        lambda stratum: errors.units(_of_rows(stratum, rows)),
    )


def _of_rows(stratum: Stratum, rows: IntArray) -> Stratum:
    return replace(stratum, cases=lambda: rows[stratum.cases()])
