"""Decision trees by gain ratio: growing, pruning, and the leaf of each case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from repro.bradley.pruning import FloatArray, pessimistic_errors

__all__ = ["Node", "Split", "entropy", "grow", "prune", "route", "threshold_splits", "value_split"]

SLACK = 0.1  # a smaller tree is preferred if it has at most this many errors more (Quinlan)
NO_GAIN = 1e-10  # a smaller gain is a rounding error


@dataclass(frozen=True, slots=True)
class Split:
    """A split by one feature: cases up to a threshold and above it, or one branch per value."""

    feature: int
    gain: float
    ratio: float
    threshold: float | None = None
    values: tuple[float, ...] = ()

    def branches(self, x: FloatArray) -> list[npt.NDArray[np.bool_]]:
        """The cases of each branch."""
        if self.threshold is not None:
            below = x <= self.threshold
            return [below, ~below]
        return [x == value for value in self.values]


@dataclass(frozen=True, slots=True)
class Node:
    """A node: cases per class, its split and its children; a leaf has no split."""

    counts: FloatArray
    split: Split | None = None
    children: tuple[Node, ...] = ()


def entropy(counts: FloatArray) -> FloatArray:
    """Bits per case times the number of cases, of counts along the last axis.

    >>> float(round(entropy(np.array([9.0, 5.0])) / 14.0, 3))
    0.94
    """
    total = counts.sum(axis=-1)
    return np.asarray(_xlog2x(total) - _xlog2x(counts).sum(axis=-1))


def _xlog2x(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log2(np.where(x > 0.0, x, 1.0)))


def threshold_splits(X: FloatArray, is_class: FloatArray, min_cases: int) -> list[Split]:
    """For each feature the threshold with the largest gain ratio, if any has a gain.

    A branch has a tenth of the cases per class at least, between `min_cases` and 25. The threshold is the largest
    observed value that does not exceed the middle of the gap: the lower end of it.
    """
    n, classes = is_class.shape
    fewest = int(np.ceil(np.clip(0.1 * n / classes, min_cases, max(25, min_cases))))
    if n < 2 * fewest:
        return []
    order = np.argsort(X, axis=0, kind="stable")
    values = np.take_along_axis(X, order, axis=0)
    below = np.cumsum(is_class[order], axis=0)[fewest - 1 : n - fewest]
    whole = is_class.sum(axis=0)
    sizes = np.arange(fewest, n - fewest + 1, dtype=np.float64)
    gain = (entropy(whole) - entropy(below) - entropy(whole - below)) / n
    bits = entropy(np.column_stack((sizes, n - sizes))) / n
    parted = values[fewest - 1 : n - fewest] < values[fewest : n - fewest + 1]
    ratio = np.where(parted & (gain > NO_GAIN), gain / bits[:, None], -1.0)
    best = np.argmax(ratio, axis=0)
    return [
        Split(f, float(gain[i, f]), float(ratio[i, f]), threshold=float(values[fewest - 1 + i, f]))
        for f, i in enumerate(best)
        if ratio[i, f] > 0.0
    ]


def value_split(feature: int, x: FloatArray, is_class: FloatArray, min_cases: int) -> Split | None:
    """One branch per value, if at least two of them have enough cases and something is gained."""
    values, where = np.unique(x, return_inverse=True)
    parts = np.array([is_class[where == k].sum(axis=0) for k in range(len(values))])
    sizes = parts.sum(axis=1)
    gain = float(entropy(parts.sum(axis=0)) - entropy(parts).sum()) / len(x)
    if np.sum(sizes >= min_cases) < 2 or gain <= NO_GAIN:
        return None
    ratio = gain / (float(entropy(sizes)) / len(x))
    return Split(feature, gain, ratio, values=tuple(values.tolist()))


def _chosen(X: FloatArray, is_class: FloatArray, min_cases: int, nominal: frozenset[int]) -> Split | None:
    """The largest gain ratio among the splits that gain at least as much as the average one."""
    splits = [split for split in threshold_splits(X, is_class, min_cases) if split.feature not in nominal]
    named = [value_split(f, X[:, f], is_class, min_cases) for f in sorted(nominal)]
    splits += [split for split in named if split is not None]
    if not splits:
        return None
    average = sum(split.gain for split in splits) / len(splits)
    return max((s for s in splits if s.gain >= average - NO_GAIN), key=lambda split: split.ratio)


def grow(X: FloatArray, is_class: FloatArray, min_cases: int, nominal: frozenset[int] = frozenset()) -> Node:
    """A tree on cases x features and cases x classes (0 or 1); a split that avoids no error is undone."""
    counts = is_class.sum(axis=0)
    leaf = Node(counts)
    if len(X) < 2 * min_cases or counts.max() == len(X):
        return leaf
    split = _chosen(X, is_class, min_cases, nominal)
    if split is None:
        return leaf
    parts = split.branches(X[:, split.feature])
    node = Node(counts, split, tuple(grow(X[part], is_class[part], min_cases, nominal) for part in parts))
    return node if _errors(node) < _errors(leaf) else leaf


def _errors(node: Node) -> float:
    if node.split is None:
        return float(node.counts.sum() - node.counts.max())
    return sum(_errors(child) for child in node.children)


def prune(node: Node, X: FloatArray, is_class: FloatArray, costs: FloatArray, confidence: float) -> Node:
    """The tree, a leaf, or its largest branch: whichever has the fewest pessimistic errors, bottom up."""
    leaf = Node(is_class.sum(axis=0))
    if node.split is None:
        return leaf
    parts = node.split.branches(X[:, node.split.feature])
    pruned = [
        prune(child, X[part], is_class[part], costs, confidence)
        for child, part in zip(node.children, parts, strict=True)
    ]
    tree = replace(node, counts=leaf.counts, children=tuple(pruned))
    branch = _refilled(pruned[int(np.argmax([part.sum() for part in parts]))], X, is_class)
    errors = {
        name: _pessimistic_errors(t, costs, confidence)
        for name, t in (("tree", tree), ("leaf", leaf), ("branch", branch))
    }
    if errors["leaf"] <= min(errors["tree"], errors["branch"]) + SLACK:
        return leaf
    if errors["branch"] <= errors["tree"] + SLACK:
        return prune(branch, X, is_class, costs, confidence)
    return tree


def _refilled(node: Node, X: FloatArray, is_class: FloatArray) -> Node:
    """The same tree with the counts of other cases."""
    counts = is_class.sum(axis=0)
    if node.split is None:
        return Node(counts)
    parts = node.split.branches(X[:, node.split.feature])
    below = [_refilled(c, X[part], is_class[part]) for c, part in zip(node.children, parts, strict=True)]
    return replace(node, counts=counts, children=tuple(below))


def _pessimistic_errors(node: Node, costs: FloatArray, confidence: float) -> float:
    if node.split is None:
        return float(pessimistic_errors(node.counts, costs, confidence))
    return sum(_pessimistic_errors(child, costs, confidence) for child in node.children)


def route(node: Node, X: FloatArray) -> FloatArray:
    """Cases per class of the leaf of each case; a case with an unknown value stays at the node of that split."""
    counts = np.tile(node.counts, (len(X), 1))
    stack: list[tuple[Node, npt.NDArray[Any]]] = [(node, np.arange(len(X)))]
    while stack:
        current, rows = stack.pop()
        if current.counts.sum() > 0.0:
            counts[rows] = current.counts
        if current.split is not None:
            parts = current.split.branches(X[rows, current.split.feature])
            stack += [
                (child, rows[part]) for child, part in zip(current.children, parts, strict=True) if part.any()
            ]
    return counts
