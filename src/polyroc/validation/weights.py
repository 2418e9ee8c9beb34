"""Weights: importance weights on a safe scale, frequencies as repeated rows; how the cases were sampled."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray
from polyroc.messages import Option, short_repr
from polyroc.scores import Coded, Folds, Sampling, Scores, WeightKind
from polyroc.validation.arguments import SAMPLING_WORDS, WEIGHT_WORDS, ArgumentNames
from polyroc.validation.predictions import as_vector

__all__ = ["MOST_REPEATED", "as_counts", "check_sampling", "check_weight_kind", "repeated"]


def as_counts(sample_weight: Any, n: int) -> IntArray:
    """The number of cases that each of n rows stands for; 1 if there are no weights.

    >>> as_counts([2, 0, 1.0], 3).tolist(), as_counts(None, 2).tolist()
    ([2, 0, 1], [1, 1])
    """
    if sample_weight is None:
        return np.ones(n, dtype=np.int64)
    weight = as_vector(sample_weight, "sample_weight", n, ArgumentNames())
    broken = ~((weight >= 0) & (weight == np.floor(weight)) & (weight < 2**53))
    if broken.any():
        raise InputError(
            "sample_weight must hold whole numbers, 0 or more, for a front, which counts cases exactly; got "
            f"{short_repr(weight[broken].tolist()[0])}. Rates do not depend on their scale, so "
            "np.rint(1000 * sample_weight) may do."
        )
    if not weight.any() or weight.sum() >= 2**53:
        raise InputError(f"sample_weight must add up to 1 or more, and less than 2^53, got {weight.sum():g}.")
    return weight.astype(np.int64)


MOST_REPEATED = 10**8  # cases; their scores take about a gigabyte


def check_sampling(sampling: Any) -> Sampling:
    """The sampling of the cases; "cohort" by default.

    >>> check_sampling(None)
    'cohort'
    """
    if sampling is None:
        return "cohort"
    if not isinstance(sampling, str) or sampling not in get_args(Sampling):
        raise InputError(f"sampling must be {SAMPLING_WORDS}, got {short_repr(sampling)}.")
    return sampling  # type: ignore[return-value]


def check_weight_kind(weight_kind: Any, weighted: bool, arguments: ArgumentNames | None = None) -> WeightKind:
    """The meaning of the weights; "importance" by default."""
    if weight_kind is None:
        return "importance"
    if not isinstance(weight_kind, str) or weight_kind not in get_args(WeightKind):
        raise InputError(f"weight_kind must be {WEIGHT_WORDS}, got {short_repr(weight_kind)}.")
    if not weighted:
        raise InputError(
            Option("weight_kind", weight_kind),
            f" says what {(arguments or ArgumentNames()).weight} means, but there are no weights; "
            "pass them, or leave out ",
            Option("weight_kind"),
            ".",
        )
    return weight_kind  # type: ignore[return-value]


def repeated(scores: Scores, arguments: ArgumentNames | None = None) -> Scores:
    """Every row repeated as often as its weight says; rows of weight 0 are left out."""
    arguments, weight = arguments or ArgumentNames(), scores.sample_weight
    assert weight is not None
    broken = weight != np.floor(weight)
    if broken.any():
        i = int(np.argmax(broken))
        raise InputError(
            f"{arguments.weight} must hold whole numbers with ",
            Option("weight_kind", "frequency"),
            f" (how many cases each row stands for), got {weight[i]:g} ({arguments.where(broken)}); use ",
            Option("weight_kind", "importance"),
            " for weights that say how much a case counts.",
        )
    total = max(float(weight.max()), float(np.minimum(weight, MOST_REPEATED).sum()))
    if total > MOST_REPEATED:
        raise InputError(
            f"{arguments.weight} stands for {total:.3g} cases or more; ",
            Option("weight_kind", "frequency"),
            f" repeats rows in memory, up to {MOST_REPEATED:,} cases. Take a sample of the cases, or use ",
            Option("weight_kind", "importance"),
            " if the weights are not numbers of cases.",
        )
    times = weight.astype(np.int64)
    return scores._replace(
        codes=np.repeat(scores.codes, times),
        values={name: np.repeat(values, times, axis=0) for name, values in scores.values.items()},
        sample_weight=None,
        groups=None if scores.groups is None else np.repeat(scores.groups, times),
        folds=None if scores.folds is None else _repeated_folds(scores.folds, times, arguments),
        by={name: Coded(np.repeat(column.codes, times), column.labels) for name, column in scores.by.items()},
        weight_kind="frequency",
    )


def _repeated_folds(folds: Folds, times: IntArray, arguments: ArgumentNames) -> Folds:
    """The folds of repeated rows; every copy of a case is a case of its own, in all repeats."""
    codes = np.repeat(folds.codes, times)
    if folds.cases is None:
        return replace(folds, codes=codes)
    by_case = np.full(folds.cases.max() + 1, -1)
    by_case[folds.cases] = times
    if (by_case[folds.cases] != times).any():
        raise InputError(
            f"{arguments.weight} differs between the repeats of a case; a row stands for the same number of "
            "cases in every repeat."
        )
    copy = np.arange(len(codes)) - np.repeat(np.cumsum(times) - times, times)
    cases = np.repeat(folds.cases, times) * int(times.max(initial=1)) + copy
    return replace(folds, codes=codes, cases=np.unique(cases, return_inverse=True)[1])
