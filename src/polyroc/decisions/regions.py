"""Decision regions of a classifier over two features, as a grid to be drawn."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from polyroc._results.codec import stored_as
from polyroc._results.invariants import Invariants, distinct, within
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import Message, Option, short_repr
from polyroc.output.tables import SHOWN_ROWS
from polyroc.rules import Rule
from polyroc.scores import readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import as_columns
from polyroc.validation.data_frames import check_alignment
from polyroc.validation.labels import Coded, encode, in_order, renumber
from polyroc.validation.signatures import validated

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
        The values of the first and of the second feature on the grid, evenly spaced.
    regions
        At [i, j], the decision at (across[j], up[i]), as a position in `classes`.
    cases
        The features of the cases, shape (cases, 2).
    truth, decisions
        The true class of each case, and the decision, as positions in `classes`.
    """

    _most_rows: ClassVar[int] = SHOWN_ROWS  # they are points

    classes: tuple[str, ...]
    features: tuple[str, str]
    across: FloatArray
    up: FloatArray
    regions: IntArray
    cases: FloatArray = field(metadata=stored_as(decode=_stored_cases))
    truth: IntArray
    decisions: IntArray = field(metadata=stored_as("said"))

    def _invariants(self) -> Invariants:
        c, n = len(self.classes), len(self.truth)
        yield c >= 2 and distinct(self.classes), "classes must be two or more, and distinct"
        yield self.regions.shape == (len(self.up), len(self.across)), "regions must fit the grid"
        yield len(self.cases) == len(self.decisions) == n, "lengths must agree"
        codes = np.concatenate([self.regions.ravel(), self.truth, self.decisions])
        yield within(codes, 0, c - 1), "regions, truth and decisions must be positions of classes"

    @property
    def errors(self) -> int:
        """The number of misclassified cases."""
        return int((self.truth != self.decisions).sum())

    def __repr__(self) -> str:
        return (
            f"DecisionRegions({' and '.join(self.features)}: {', '.join(self.classes)}; {self.errors} of "
            f"{len(self.truth)} cases misclassified)"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - there are no intervals
        """One record per case."""
        columns = zip(self.cases.tolist(), self.truth.tolist(), self.decisions.tolist(), strict=True)
        return [
            {
                self.features[0]: x,
                self.features[1]: y,
                "true": self.classes[true],
                "decision": self.classes[decision],
            }
            for (x, y), true, decision in columns
        ]


MARGIN = 0.06  # of the grid around the cases, as a share of their range


@validated
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
    """Compute the decision of a classifier everywhere on a grid of two features, to be drawn by `plot`.

    Parameters
    ----------
    classifier
        A function from features (cases x 2) to labels, or an object with such a method `decide` or `predict`. With
        a rule: a function to probabilities, or an object with a method `predict_proba` or `posteriors`.
    X, y
        The cases: two features each, and the true classes.
    rule
        A rule that decides by the classifier's probabilities, such as the `rule` of `operate`.
    labels
        The classes in order, including those without a case; sorted by default.
    features
        The names of the features; by default the column names of a data frame.
    grid
        The number of grid points along each feature.

    Examples
    --------
    >>> X, y = [[0, 0], [1, 0], [0, 1], [1, 1]], ["in", "out", "in", "out"]
    >>> decided = decision_regions(lambda X: np.where(X[:, 0] < 0.3, "in", "out"), X, y, grid=5)
    >>> decided
    DecisionRegions(first feature and second feature: in, out; 0 of 4 cases misclassified)
    >>> decided.regions[0].tolist()
    [0, 0, 1, 1, 1]
    """
    decide = _decider(classifier, rule)
    cases, names = _cases(X)
    if isinstance(grid, bool) or not isinstance(grid, int | np.integer) or not 2 <= grid <= 5000:
        raise InputError(f"grid must be an integer from 2 to 5000, got {short_repr(grid)}.")
    check_alignment(X=X, y=y)
    truth = in_order(encode(y, "y"), labels, ArgumentNames(truth="y"))
    if len(truth.codes) != len(cases) or (truth.codes < 0).any():
        raise InputError(f"y must contain a class for each of the {len(cases)} cases of X, none missing.")
    across, up = (_axis(column, grid) for column in cases.T)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(across, up)])
    decisions = _codes(decide(np.concatenate([cases, points])), truth.labels, len(cases) + len(points))
    return DecisionRegions(
        classes=readable(truth.labels),
        features=_names(features, names),
        across=across,
        up=up,
        regions=decisions.codes[len(cases) :].reshape(grid, grid).astype(np.int64),
        cases=cases,
        truth=truth.codes.astype(np.int64),
        decisions=decisions.codes[: len(cases)].astype(np.int64),
    )


def _decider(classifier: Any, rule: Rule | None) -> Callable[[FloatArray], Any]:
    methods = ("decide", "predict") if rule is None else ("predict_proba", "posteriors")
    predict = next((getattr(classifier, name) for name in methods if hasattr(classifier, name)), None)
    if predict is None and callable(classifier):
        predict = classifier
    if predict is None:
        raise InputError(
            f"classifier must be a function of the features or have a method {' or '.join(methods)}, got "
            f"{short_repr(classifier)}."
        )
    return predict if rule is None else lambda X: rule.decide(predict(X))


def _cases(X: Any) -> tuple[FloatArray, tuple[str, ...] | None]:
    array, names = as_columns(X, "X")
    try:
        cases = np.array(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"X must contain numbers, got {short_repr(X)}.") from None
    if cases.ndim != 2 or cases.shape[1] != 2 or not np.isfinite(cases).all():
        raise InputError(
            f"X must contain two finite numbers per case, got shape {cases.shape}; choose two features."
        )
    return cases, names


def _names(features: Any, columns: tuple[str, ...] | None) -> tuple[str, str]:
    names = features or columns or ("first feature", "second feature")
    if isinstance(names, str) or len(names) != 2:
        raise InputError(f"features must be the names of the two features, got {short_repr(features)}.")
    return str(names[0]), str(names[1])


def _axis(column: FloatArray, grid: int) -> FloatArray:
    """Grid values from below the smallest to above the largest; 1 to either side of a single value."""
    low, high = float(column.min()), float(column.max())
    margin = MARGIN * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, grid)


def _codes(decisions: Any, labels: tuple[Hashable, ...], n: int) -> Coded:
    coded = encode(decisions, "The classifier's decision")
    if len(coded.codes) != n or (coded.codes < 0).any():
        raise InputError(f"The classifier must return a decision for each of {n} points, got {len(coded.codes)}.")
    unknown = Message(
        f"which is not among the classes {short_repr(list(labels))}; name it in ", Option("labels", [...])
    )
    return renumber(coded, labels, "The classifier's decision", unknown, ArgumentNames())
