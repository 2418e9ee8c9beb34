"""DecisionRegions: what is decided where, over two features."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import Message, Option, short_repr
from polyroc.results.codec import stored_as
from polyroc.results.result import Result
from polyroc.rules import Rule
from polyroc.scores import readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import as_columns
from polyroc.validation.labels import Coded, encode, in_order, renumber

__all__ = ["DecisionRegions", "decision_regions"]


def _stored_cases(data: dict[str, Any]) -> FloatArray:
    """Cases x 2, also if there are none."""
    return np.array(data["cases"], dtype=np.float64).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionRegions(Result):
    """The decisions of a classifier over a grid of two features, and for the cases.

    Attributes
    ----------
    classes
        The names of the classes.
    features
        The names of the two features.
    across, up
        The places of the grid along the first and the second feature, evenly spaced.
    regions
        At [i, j], the class decided for at (across[j], up[i]), as a position in `classes`.
    cases
        Cases x 2: where they are.
    truth, said
        The true class of each case, and the one decided for, as positions in `classes`.
    """

    classes: tuple[str, ...]
    features: tuple[str, str]
    across: FloatArray
    up: FloatArray
    regions: IntArray
    cases: FloatArray = field(metadata=stored_as(decode=_stored_cases))
    truth: IntArray
    said: IntArray

    @property
    def errors(self) -> int:
        """How many cases are decided wrongly."""
        return int((self.truth != self.said).sum())

    def __repr__(self) -> str:
        return (
            f"DecisionRegions({' and '.join(self.features)}: {', '.join(self.classes)}; {self.errors} of "
            f"{len(self.truth)} cases decided wrongly)"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - there are no intervals
        """One record per case."""
        columns = zip(self.cases.tolist(), self.truth.tolist(), self.said.tolist(), strict=True)
        return [
            {
                self.features[0]: x,
                self.features[1]: y,
                "true": self.classes[true],
                "said": self.classes[said],
            }
            for (x, y), true, said in columns
        ]


MARGIN = 0.06  # around the cases, as a share of their range


def decision_regions(
    classifier: Any,
    X: Any,
    y: Any,
    *,
    rule: Rule | None = None,
    labels: Sequence[Hashable] | None = None,
    features: tuple[str, str] | None = None,
    grid: int = 200,
) -> DecisionRegions:
    """What is decided where, over two features, to be drawn by `plot`.

    Parameters
    ----------
    classifier
        A function from features (cases x 2) to labels, or whatever has such a method `decide` or `predict`. With a
        rule: a function to probabilities, or what has a method `predict_proba` or `posteriors`.
    X, y
        The cases: two features each, and the true classes.
    rule
        What `operate` found: decides by the classifier's probabilities.
    labels
        The classes in order, also those without a case; sorted by default.
    features
        The names of the features; by default the columns' names of a data frame.
    grid
        How many places along each feature.

    Examples
    --------
    >>> X, y = [[0, 0], [1, 0], [0, 1], [1, 1]], ["in", "out", "in", "out"]
    >>> found = decision_regions(lambda X: np.where(X[:, 0] < 0.3, "in", "out"), X, y, grid=5)
    >>> found
    DecisionRegions(first feature and second feature: in, out; 0 of 4 cases decided wrongly)
    >>> found.regions[0].tolist()
    [0, 0, 1, 1, 1]
    """
    decide = _decider(classifier, rule)
    cases, names = _cases(X)
    if isinstance(grid, bool) or not isinstance(grid, int | np.integer) or not 2 <= grid <= 5000:
        raise InputError(f"grid must be a whole number from 2 to 5000, got {short_repr(grid)}.")
    truth = in_order(encode(y, "y"), labels, ArgumentNames(truth="y"))
    if len(truth.codes) != len(cases) or (truth.codes < 0).any():
        raise InputError(f"y must hold a class for each of the {len(cases)} cases of X, and none missing.")
    across, up = (_along(column, grid) for column in cases.T)
    places = np.column_stack([each.ravel() for each in np.meshgrid(across, up)])
    said = _codes(decide(np.concatenate([cases, places])), truth.labels, len(cases) + len(places))
    return DecisionRegions(
        classes=readable(truth.labels),
        features=_names(features, names),
        across=across,
        up=up,
        regions=said.codes[len(cases) :].reshape(grid, grid).astype(np.int64),
        cases=cases,
        truth=truth.codes.astype(np.int64),
        said=said.codes[: len(cases)].astype(np.int64),
    )


def _decider(classifier: Any, rule: Rule | None) -> Callable[[FloatArray], Any]:
    methods = ("decide", "predict") if rule is None else ("predict_proba", "posteriors")
    say = next((getattr(classifier, name) for name in methods if hasattr(classifier, name)), None)
    if say is None and callable(classifier):
        say = classifier
    if say is None:
        raise InputError(
            f"classifier must be a function of the features or have a method {' or '.join(methods)}, got "
            f"{short_repr(classifier)}."
        )
    return say if rule is None else lambda X: rule.decide(say(X))


def _cases(X: Any) -> tuple[FloatArray, tuple[str, ...] | None]:
    array, names = as_columns(X, "X")
    try:
        cases = np.array(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"X must hold numbers, got {short_repr(X)}.") from None
    if cases.ndim != 2 or cases.shape[1] != 2 or not np.isfinite(cases).all():
        raise InputError(f"X must hold two finite numbers per case, got shape {cases.shape}; choose two features.")
    return cases, names


def _names(given: Any, found: tuple[str, ...] | None) -> tuple[str, str]:
    names = given or found or ("first feature", "second feature")
    if isinstance(names, str) or len(names) != 2:
        raise InputError(f"features must name the two features, got {short_repr(given)}.")
    return str(names[0]), str(names[1])


def _along(column: FloatArray, grid: int) -> FloatArray:
    """Places from below the smallest to above the largest; around a single value one to either side."""
    low, high = float(column.min()), float(column.max())
    reach = MARGIN * (high - low) or 1.0
    return np.linspace(low - reach, high + reach, grid)


def _codes(said: Any, labels: tuple[Hashable, ...], n: int) -> Coded:
    found = encode(said, "What the classifier decides")
    if len(found.codes) != n or (found.codes < 0).any():
        raise InputError(f"The classifier must decide for each of {n} places, got {len(found.codes)} decisions.")
    trouble = Message(
        f"which is not among the classes {short_repr(list(labels))}; name it in ", Option("labels", [...])
    )
    return renumber(found, labels, "What the classifier decides", trouble, ArgumentNames())
