"""Weights: importance weights on a safe scale, frequencies as repeated rows; how the cases were sampled."""

from collections.abc import Sequence
from dataclasses import replace
from math import frexp, ldexp
from typing import Any, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.messages import Option, short_repr
from polyroc.scores import Coded, Folds, Sampling, Scores, WeightKind
from polyroc.validation.arguments import SAMPLING_WORDS, WEIGHT_WORDS, ArgumentNames
from polyroc.validation.predictions import as_vector

__all__ = [
    "LARGEST_WEIGHT",
    "MOST_REPEATED",
    "SMALLEST_UNSCALED",
    "WEIGHT_UNIT",
    "as_counts",
    "check_class_weights",
    "check_sampling",
    "check_weight_kind",
    "check_weight_range",
    "check_weights",
    "repeated",
    "scaled_weights",
    "weight_exponent",
]

WEIGHT_UNIT = 2.0**-52  # engines round weights and their squares down to multiples (`polyroc.kernels.bins`)
LARGEST_BITS = 25  # of a weight, so that its square is an integer and a fraction
SUM_BITS = 62  # of a sum of squares
LARGEST_WEIGHT = 2.0**LARGEST_BITS
SMALLEST_UNSCALED = 2.0**-20  # the squares of smaller weights would lose digits
LARGEST_LOSS = 1e-3  # of a sum of squared weights by this rounding; a standard error changes by half of it
SMALLEST_RATIO = 1e-100  # of two weights: a product of three such ratios is still a normal double


def weight_exponent(smallest: float, largest: float, rows: int) -> int:
    """Return the power of two by which engines divide weights before they sum them; 0 for those of a usual size.

    Only ratios of weights matter, and division by a power of two is exact.

    >>> weight_exponent(1.0, 3.0, 300), weight_exponent(1e-8, 1e-8, 300), weight_exponent(1.0, 1e30, 300)
    (0, -51, 75)
    """
    bits = min(LARGEST_BITS, (SUM_BITS - rows.bit_length()) // 2)
    return 0 if smallest >= SMALLEST_UNSCALED and largest <= 2.0**bits else frexp(largest)[1] - bits


def check_weight_range(smallest: float, largest: float, argument: str) -> None:
    """Raise an error if all weights are zero, or the smallest of the others is too small against the largest."""
    if largest == 0:
        raise InputError(f"{argument} is zero for every case; give at least one case per class a weight.")
    if smallest / largest < SMALLEST_RATIO:
        raise InputError(
            f"{argument} goes from {smallest:.3g} to {largest:.3g}; weights that differ by a factor of more "
            f"than {1 / SMALLEST_RATIO:.0e} cannot be combined in double precision. Set the smallest ones to 0, "
            "or drop these cases."
        )


def check_class_weights(cases: Any, squares: Any, names: Sequence[str], advice: str = "") -> None:
    """Raise an error if weights of a class are too small for the unit in which engines sum their squares.

    Memory raises it, too, so that a file is accepted whichever way it is read.

    Parameters
    ----------
    cases, squares
        By class, the cases of positive weight and the sum of their squared weights, which have been scaled.
    names, advice
        The names of the classes; what to do instead of the usual.
    """
    lost = np.asarray(cases) * WEIGHT_UNIT > LARGEST_LOSS * np.asarray(squares)
    if lost.any():
        k = int(np.argmax(lost))
        raise InputError(
            f"The weights of class {names[k]!r} are too small against the largest weight: squared weights are "
            f"summed in units of 2^-52. "
            f"{advice or 'Multiply the weights of this class, divide the largest ones, or set small ones to 0.'}"
        )


def check_weights(weight: FloatArray, codes: CodeArray, names: Sequence[str], argument: str) -> int:
    """Return the `weight_exponent`, or raise an error for weights that memory and engines do not accept."""
    rows = (weight > 0) & (codes >= 0)  # engines find later that a class is not known
    largest = float(weight.max(initial=0.0))
    smallest = float(weight[rows].min(initial=largest))
    check_weight_range(smallest, largest, argument)
    exponent = weight_exponent(smallest, largest, int(rows.sum()))
    if ldexp(smallest, -exponent) < SMALLEST_UNSCALED:
        squares = np.bincount(codes[rows], np.ldexp(weight[rows], -exponent) ** 2, len(names))
        check_class_weights(np.bincount(codes[rows], minlength=len(names)), squares, names)
    return exponent


def scaled_weights(
    weight: FloatArray | None, codes: CodeArray, names: Sequence[str], argument: str
) -> FloatArray | None:
    """Return weights, divided by 2^weight_exponent."""
    if weight is None or not weight.any():
        return weight
    exponent = check_weights(weight, codes, names, argument)
    return np.ldexp(weight, -exponent) if exponent else weight


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
