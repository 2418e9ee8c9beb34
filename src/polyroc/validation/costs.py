"""Costs of errors, priors of the classes, limits on error rates, and ranges of cost ratios."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.scores import readable
from polyroc.validation.arrays import as_columns
from polyroc.validation.labels import is_hashable

__all__ = ["Ratio", "as_alphas", "as_costs", "as_limits", "as_priors", "as_ratios"]

SLACK = 1e-6  # priors may miss a sum of 1 by this much, by rounding; they are then scaled


def as_priors(priors: Any, labels: Sequence[Hashable], argument: str = "priors") -> FloatArray:
    """The probability of each class, in the order of the labels, from a list in that order or a mapping by class.

    >>> as_priors({"sick": 0.1, "well": 0.9}, ["well", "sick"]).tolist()
    [0.9, 0.1]
    """
    if isinstance(priors, Mapping):
        by_class = {_position(label, labels, argument): value for label, value in priors.items()}
        lacking = [label for k, label in enumerate(labels) if k not in by_class]
        if lacking:
            raise InputError(
                f"{argument} lacks class {short_repr(lacking[0])}; name every class of {short_repr(list(labels))}."
            )
        priors = [by_class[k] for k in range(len(labels))]
    shares = _numbers(priors, argument)
    if shares.shape != (len(labels),):
        raise InputError(
            f"{argument} must hold one probability per class ({len(labels)}: {short_repr(list(labels))}), "
            f"got shape {shares.shape}."
        )
    if (shares < 0).any() or abs(shares.sum() - 1) > SLACK:
        raise InputError(
            f"{argument} must be probabilities that sum to 1, got {short_repr(shares.tolist())}, which sum to "
            f"{shares.sum():g}; divide them by their sum."
        )
    return np.asarray(shares / shares.sum())


def as_costs(costs: Any, labels: Sequence[Hashable]) -> FloatArray:
    """The cost matrix, row = true class, column = decision.

    From a matrix in the order of the labels, or a mapping {(true, decided): cost}, where an error that is not
    named costs 1. None: every error costs 1.

    >>> as_costs({("sick", "well"): 10}, ["sick", "well"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    c = len(labels)
    if costs is None:
        return 1.0 - np.eye(c)
    if isinstance(costs, Mapping):
        matrix = 1.0 - np.eye(c)
        for pair, value in costs.items():
            matrix[_pair(pair, labels, "costs")] = _numbers(value, "costs", dimensions=0)
    else:
        matrix = _matrix(costs, labels)
    if (matrix < 0).any():
        k, m = np.argwhere(matrix < 0)[0]
        raise InputError(
            f"costs must not be negative, but {short_repr(labels[k])} called {short_repr(labels[m])} costs "
            f"{matrix[k, m]:g}; a gain is a lower cost than that of the other decisions."
        )
    if np.diag(matrix).any():
        k = int(np.argmax(np.diag(matrix) > 0))
        raise InputError(
            f"A right decision costs nothing, but {short_repr(labels[k])} called {short_repr(labels[k])} costs "
            f"{matrix[k, k]:g}; subtract the diagonal from each row."
        )
    if not matrix.any():
        raise InputError(
            "All costs are zero, so every decision is as good as any other; give at least one error a positive "
            "cost."
        )
    return matrix


def _matrix(costs: Any, labels: Sequence[Hashable]) -> FloatArray:
    c = len(labels)
    array, names = as_columns(costs, "costs")
    if names is not None and names != readable(tuple(labels)):
        raise InputError(
            f"The columns of costs must be the classes in order {short_repr(list(labels))}, got "
            f"{short_repr(list(names))}."
        )
    matrix = _numbers(array, "costs")
    if matrix.shape != (c, c):
        raise InputError(
            f"costs must have {c} rows (true classes) and {c} columns (decisions) for the classes "
            f"{short_repr(list(labels))}, got shape {matrix.shape}."
        )
    return matrix.copy()


def as_limits(at_most: Any, labels: Sequence[Hashable], at_least: Any = None) -> dict[tuple[int, int], float]:
    """By (true, decided) as positions: the largest rate of an error, the least rate of right decisions.

    Of two classes the least rate of right decisions is a largest rate of errors.

    >>> as_limits({("sick", "well"): 0.02}, ["well", "sick"])
    {(1, 0): 0.02}
    >>> as_limits(None, ["well", "mild", "severe"], {"severe": 0.95})
    {(2, 2): 0.95}
    """
    limits = {}
    for pair, limit in _shares(at_most, "at_most", '{("true", "decided"): 0.02}'):
        k, m = _pair(pair, labels, "at_most")
        if k == m:
            raise InputError(
                f"at_most limits errors, but {short_repr(labels[k])} called {short_repr(labels[m])} is right; "
                f"at_least={{{labels[k]!r}: {limit:g}}} requires right decisions."
            )
        limits[k, m] = limit
    for label, share in _shares(at_least, "at_least", '{"class": 0.95}'):
        k = _position(label, labels, "at_least")
        if len(labels) == 2:
            limits[k, 1 - k] = min(1.0 - share, limits.get((k, 1 - k), 1.0))
        else:
            limits[k, k] = share
    return limits


def _shares(limits: Any, argument: str, example: str) -> Iterator[tuple[Any, float]]:
    """Yield the keys of a mapping of shares, each with its share."""
    if not isinstance(limits, Mapping | None):
        raise InputError(f"{argument} must be a mapping such as {example}, got {short_repr(limits)}.")
    for key, value in (limits or {}).items():
        share = float(_numbers(value, argument, dimensions=0))
        if not 0 <= share <= 1:
            raise InputError(f"{argument} must hold shares from 0 to 1 (0.02 for 2 %), got {share:g}.")
        yield key, share


def as_alphas(alpha: Any, labels: Sequence[Hashable]) -> FloatArray:
    """Dirichlet parameters of the costs of errors, row = true class, column = decision; zero on the diagonal.

    From one number for all, a matrix whose diagonal is not read, or a mapping {(true, decided): value}, where an
    error that is not named has 1.

    >>> as_alphas({("sick", "well"): 10}, ["sick", "well"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    errors = 1.0 - np.eye(len(labels))
    alphas = errors.copy()
    if isinstance(alpha, Mapping):
        for pair, value in alpha.items():
            alphas[_pair(pair, labels, "concentration")] = _numbers(value, "concentration", dimensions=0)
    else:
        numbers = _numbers(alpha, "concentration")
        if numbers.shape not in ((), errors.shape):
            raise InputError(
                f"concentration must be one number, or have {len(labels)} rows (true classes) and columns "
                f"(decisions) for the classes {short_repr(list(labels))}, got shape {numbers.shape}."
            )
        alphas = alphas * numbers
    if (alphas[errors > 0] <= 0).any():
        raise InputError(f"concentration must be above 0 for every error, got {short_repr(alpha)}.")
    return np.asarray(alphas * errors)


Ratio = tuple[tuple[int, int], tuple[int, int], float, float]
"""Two errors (true, decided) as positions, and the bounds of the ratio of their costs."""


def as_ratios(bounds: Any, labels: Sequence[Hashable]) -> list[Ratio]:
    """Bounds of cost ratios.

    >>> as_ratios({(("sick", "well"), ("well", "sick")): (2, 10)}, ["well", "sick"])
    [((1, 0), (0, 1), 2.0, 10.0)]
    """
    if bounds is None:
        return []
    example = '{(("true", "decided"), ("true", "decided")): (2, 10)}'
    if not isinstance(bounds, Mapping):
        raise InputError(f"bounds must be a mapping such as {example}, got {short_repr(bounds)}.")
    ratios = []
    for pairs, ends in bounds.items():
        if not (isinstance(pairs, tuple) and len(pairs) == 2):
            raise InputError(f"bounds must be given by two errors, as in {example}, got {short_repr(pairs)}.")
        one, two = (_pair(pair, labels, "bounds") for pair in pairs)
        if one == two or one[0] == one[1] or two[0] == two[1]:
            raise InputError(f"bounds compare the costs of two different errors, got {short_repr(pairs)}.")
        try:
            low, high = (float(end) for end in ends)
        except (TypeError, ValueError):
            low = high = np.nan
        if not (0 <= low <= high and low < np.inf and high > 0):
            raise InputError(
                f"bounds must be (low, high) with 0 <= low <= high, as in {example}, got {short_repr(ends)}."
            )
        ratios.append((one, two, low, high))
    return ratios


def _pair(pair: Any, labels: Sequence[Hashable], argument: str) -> tuple[int, int]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InputError(f'{argument} must be given by pairs ("true", "decided"), got {short_repr(pair)}.')
    return _position(pair[0], labels, argument), _position(pair[1], labels, argument)


def _position(label: Any, labels: Sequence[Hashable], argument: str) -> int:
    """The position of the label, or of one with the same text."""
    if is_hashable(label):
        names = readable(tuple(labels))
        for spelling, among in ((label, list(labels)), (str(label), names), (repr(label), names)):
            if spelling in among:
                return among.index(spelling)
    raise InputError(
        f"{argument} names {short_repr(label)}, which is not one of the classes {short_repr(list(labels))}."
    )


def _numbers(values: Any, argument: str, dimensions: int | None = None) -> FloatArray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{argument} must hold numbers, got {short_repr(values)}.") from None
    if not np.isfinite(numbers).all() or dimensions not in (None, numbers.ndim):
        raise InputError(f"{argument} must hold finite numbers, got {short_repr(values)}.")
    return numbers
