"""The terms of a decision: what each error costs, how frequent each class is, how often an error may happen."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.scores import readable
from polyroc.validation.arrays import as_columns
from polyroc.validation.labels import is_hashable

__all__ = ["Ratio", "as_alphas", "as_costs", "as_limits", "as_priors", "as_ratios"]

SLACK = 1e-6  # priors written with a few decimals may miss 1 by this much; they are then scaled


def as_priors(given: Any, labels: Sequence[Hashable], what: str = "priors") -> FloatArray:
    """The probability of each class, in the order of the labels, from a list in that order or a mapping by class.

    >>> as_priors({"sick": 0.1, "well": 0.9}, ["well", "sick"]).tolist()
    [0.9, 0.1]
    """
    if isinstance(given, Mapping):
        by_class = {_position(label, labels, what): value for label, value in given.items()}
        lacking = [label for k, label in enumerate(labels) if k not in by_class]
        if lacking:
            raise InputError(
                f"{what} lacks class {short_repr(lacking[0])}; name every class of {short_repr(list(labels))}."
            )
        given = [by_class[k] for k in range(len(labels))]
    priors = _numbers(given, what)
    if priors.shape != (len(labels),):
        raise InputError(
            f"{what} must hold one probability per class ({len(labels)}: {short_repr(list(labels))}), "
            f"got shape {priors.shape}."
        )
    if (priors < 0).any() or abs(priors.sum() - 1) > SLACK:
        raise InputError(
            f"{what} must be probabilities that sum to 1, got {short_repr(priors.tolist())}, which sum to "
            f"{priors.sum():g}; divide them by their sum."
        )
    return np.asarray(priors / priors.sum())


def as_costs(given: Any, labels: Sequence[Hashable]) -> FloatArray:
    """The cost matrix, row = true class, column = decision.

    From a matrix in the order of the labels, or a mapping {(true, said): cost}, where an error that is not named
    costs 1. None: every error costs 1.

    >>> as_costs({("sick", "well"): 10}, ["sick", "well"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    c = len(labels)
    if given is None:
        return 1.0 - np.eye(c)
    if isinstance(given, Mapping):
        costs = 1.0 - np.eye(c)
        for pair, value in given.items():
            costs[_pair(pair, labels, "costs")] = _numbers(value, "costs", dimensions=0)
    else:
        costs = _matrix(given, labels)
    if (costs < 0).any():
        k, m = np.argwhere(costs < 0)[0]
        raise InputError(
            f"costs must not be negative, but {short_repr(labels[k])} called "
            f"{short_repr(labels[m])} costs {costs[k, m]:g}; "
            "a gain is a lower cost than that of the other decisions."
        )
    if np.diag(costs).any():
        k = int(np.argmax(np.diag(costs) > 0))
        raise InputError(
            f"A right decision costs nothing, but {short_repr(labels[k])} called {short_repr(labels[k])} costs "
            f"{costs[k, k]:g}; subtract the diagonal from each row."
        )
    if not costs.any():
        raise InputError("All costs are zero, so every decision is as good as any other; let some error cost.")
    return costs


def _matrix(given: Any, labels: Sequence[Hashable]) -> FloatArray:
    c = len(labels)
    named, names = as_columns(given, "costs")
    if names is not None and names != readable(tuple(labels)):
        raise InputError(
            f"The columns of costs must be the classes in order {short_repr(list(labels))}, got "
            f"{short_repr(list(names))}."
        )
    costs = _numbers(named, "costs")
    if costs.shape != (c, c):
        raise InputError(
            f"costs must have {c} rows (true classes) and {c} columns (decisions) for the classes "
            f"{short_repr(list(labels))}, got shape {costs.shape}."
        )
    return costs.copy()


def as_limits(given: Any, labels: Sequence[Hashable]) -> dict[tuple[int, int], float]:
    """By (true, said) as positions: the largest rate allowed.

    >>> as_limits({("sick", "well"): 0.02}, ["well", "sick"])
    {(1, 0): 0.02}
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f'at_most must be a mapping such as {{("true", "said"): 0.02}}, got {short_repr(given)}.')
    limits = {}
    for pair, value in given.items():
        k, m = _pair(pair, labels, "at_most")
        limit = float(_numbers(value, "at_most", dimensions=0))
        if k == m:
            raise InputError(
                f"at_most limits errors, but {short_repr(labels[k])} called {short_repr(labels[m])} is right."
            )
        if not 0 <= limit <= 1:
            raise InputError(f"at_most must hold shares from 0 to 1 (0.02 for 2 %), got {limit:g}.")
        limits[k, m] = limit
    return limits


def as_alphas(given: Any, labels: Sequence[Hashable]) -> FloatArray:
    """Dirichlet parameters of the costs of errors, row = true class, column = decision; zero on the diagonal.

    From one number for all, a matrix whose diagonal is not read, or a mapping {(true, said): alpha}, where an
    error that is not named has 1.

    >>> as_alphas({("sick", "well"): 10}, ["sick", "well"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    errors = 1.0 - np.eye(len(labels))
    alphas = errors.copy()
    if isinstance(given, Mapping):
        for pair, value in given.items():
            alphas[_pair(pair, labels, "alpha")] = _numbers(value, "alpha", dimensions=0)
    else:
        numbers = _numbers(given, "alpha")
        if numbers.shape not in ((), errors.shape):
            raise InputError(
                f"alpha must be one number, or have {len(labels)} rows (true classes) and columns (decisions) for "
                f"the classes {short_repr(list(labels))}, got shape {numbers.shape}."
            )
        alphas = alphas * numbers
    if (alphas[errors > 0] <= 0).any():
        raise InputError(f"alpha must be above 0 for every error, got {short_repr(given)}.")
    return np.asarray(alphas * errors)


Ratio = tuple[tuple[int, int], tuple[int, int], float, float]
"""Two errors (true, said) as positions, and between what the cost of the first over that of the second lies."""


def as_ratios(given: Any, labels: Sequence[Hashable]) -> list[Ratio]:
    """Bounds of cost ratios.

    >>> as_ratios({(("sick", "well"), ("well", "sick")): (2, 10)}, ["well", "sick"])
    [((1, 0), (0, 1), 2.0, 10.0)]
    """
    if given is None:
        return []
    example = '{(("true", "said"), ("true", "said")): (2, 10)}'
    if not isinstance(given, Mapping):
        raise InputError(f"bounds must be a mapping such as {example}, got {short_repr(given)}.")
    found = []
    for pairs, ends in given.items():
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
        found.append((one, two, low, high))
    return found


def _pair(pair: Any, labels: Sequence[Hashable], what: str) -> tuple[int, int]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InputError(f'{what} must be given by pairs ("true", "said"), got {short_repr(pair)}.')
    return _position(pair[0], labels, what), _position(pair[1], labels, what)


def _position(label: Any, labels: Sequence[Hashable], what: str) -> int:
    """Where the label is, or another of the same text."""
    if is_hashable(label):
        names = readable(tuple(labels))
        for spelling, among in ((label, list(labels)), (str(label), names), (repr(label), names)):
            if spelling in among:
                return among.index(spelling)
    raise InputError(
        f"{what} names {short_repr(label)}, which is not one of the classes {short_repr(list(labels))}."
    )


def _numbers(given: Any, what: str, dimensions: int | None = None) -> FloatArray:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must hold numbers, got {short_repr(given)}.") from None
    if not np.isfinite(numbers).all() or dimensions not in (None, numbers.ndim):
        raise InputError(f"{what} must hold finite numbers, got {short_repr(given)}.")
    return numbers
