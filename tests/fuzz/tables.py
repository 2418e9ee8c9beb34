"""Random tables: two to five classes, ties, extreme numbers, few cases, weights, groups, two classifiers."""

import warnings
from dataclasses import dataclass, replace

import numpy as np

import polyroc as pr
from engine_data import CLUMPS
from polyroc.errors import PolyrocError
from strategies import EXTREME

MOST_CASES = 40


@dataclass(frozen=True)
class Table:
    """Cases with the predictions of some classifiers.

    Attributes
    ----------
    y
        Class codes; every class has a case.
    scores
        By classifier, a score per case or a row per case.
    labels
        The names of the classes, in order; of two, the second is positive.
    weights, groups
        Per case, or None.
    sampling
        "cohort" or "case-control".
    """

    y: np.ndarray
    scores: dict[str, np.ndarray]
    labels: tuple
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    sampling: str = "cohort"

    @property
    def classes(self):
        """The number of classes."""
        return len(self.labels)

    @property
    def width(self):
        """The number of columns of a classifier: 1, or one per class."""
        first = next(iter(self.scores.values()))
        return 1 if first.ndim == 1 else first.shape[1]

    @property
    def options(self):
        """The options of a verb."""
        weights = {} if self.weights is None else {"sample_weight": self.weights}
        groups = {} if self.groups is None else {"groups": self.groups}
        positive = {"pos_label": self.labels[1]} if self.classes == 2 else {}
        return {"labels": list(self.labels), "sampling": self.sampling, **weights, **groups, **positive}

    @property
    def truth(self):
        """The class of each case by its name."""
        return np.array(self.labels)[self.y]

    def each_score(self, change):
        """The same cases with every classifier's predictions changed."""
        return replace(self, scores={name: change(values) for name, values in self.scores.items()})

    def rows(self, index):
        """These rows, in this order."""
        taken = {name: values[index] for name, values in self.scores.items()}
        columns = {"weights": self.weights, "groups": self.groups}
        kept = {name: None if column is None else column[index] for name, column in columns.items()}
        return replace(self, y=self.y[index], scores=taken, **kept)


@dataclass(frozen=True)
class Answer:
    """Values of the classifiers and their covariance; or the kind of error that was raised."""

    values: np.ndarray | None = None
    covariance: np.ndarray | None = None
    error: str | None = None

    def near(self, other, errors=True):
        """Whether two answers agree up to rounding."""
        if self.error or other.error:
            return self.error == other.error
        same = np.allclose(self.values, other.values, rtol=1e-9, atol=1e-10, equal_nan=True)
        spread = np.allclose(self.covariance, other.covariance, rtol=1e-6, atol=1e-13, equal_nan=True)
        return bool(same and (spread or not errors))

    def line(self, intercept, slope):
        """The answer to a measure that is a linear function of this one."""
        if self.error:
            return self
        return Answer(intercept + slope * self.values, slope**2 * self.covariance)


def compared(table, measure):
    """What `compare` answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            comparison = pr.compare(table.truth, table.scores, measure=measure, **table.options)
        except PolyrocError as error:
            return Answer(error=type(error).__name__)
    values = np.array([estimate.value for estimate in comparison.estimates.values()])
    return Answer(values, np.asarray(comparison.covariance))


def single(rng, y, style):
    """A score per case."""
    n = len(y)
    if style == "few":
        return rng.integers(0, 4, n) / 4.0
    if style == "extreme":
        return rng.choice(EXTREME, n)
    if style == "neighbours":
        return 0.5 + 2.0**-53 * rng.integers(0, 4, n)
    if style == "perfect":
        return y + 0.25
    if style == "constant":
        return np.full(n, 0.25)
    return y * rng.uniform(0, 1.5) + rng.normal(size=n)


def columns(rng, y, c, style):
    """A row per case, values from 0 to 1."""
    n = len(y)
    if style == "few":
        return rng.integers(0, 5, (n, c)) / 4.0
    if style == "extreme":
        return rng.choice(CLUMPS, (n, c))
    if style == "perfect":
        return 0.5 * np.eye(c)[y] + 0.25
    if style == "constant":
        return np.full((n, c), 0.25)
    P = rng.dirichlet(np.ones(c), n) + rng.uniform(0, 1.5) * np.eye(c)[y]
    return P / P.sum(axis=1, keepdims=True)


def forecasts(rng, y, c, style):
    """Rows of probabilities: multiples of 1/8, so that sums are exact, or any."""
    if style in ("few", "extreme"):
        return rng.multinomial(8, np.full(c, 1 / c), len(y)) / 8.0
    P = columns(rng, y, c, style)
    return P / P.sum(axis=1, keepdims=True)


STYLES = ("few", "extreme", "neighbours", "perfect", "constant", *["any"] * 4)


def names_classes(measure):
    """Return True if options of a measure are labels of classes."""
    return bool(measure.roles or measure.settings.get("costs"))


def table_for(rng, measure, most=MOST_CASES):
    """A random table on which a measure can be computed."""
    fewest, largest = measure.classes
    c = int(rng.integers(fewest, min(largest or 5, 5) + 1))
    least = 1 if rng.integers(8) == 0 else 2
    n = c * least + int(rng.integers(0, most - c * least + 1))
    y = rng.permutation(np.concatenate([np.repeat(np.arange(c), least), rng.integers(0, c, n - c * least)]))
    styles = rng.choice(STYLES, 2) if rng.integers(3) else ["any", "any"]
    thresholded = measure.settings.get("threshold") is not None
    if measure.needs in ("score", "ordered") or (thresholded and measure.rank_based):
        made = [single(rng, y, style) for style in styles]
    elif measure.needs == "forecast" or thresholded:
        made = [forecasts(rng, y, c, style) for style in styles]
    else:
        made = [columns(rng, y, c, style) for style in styles]
    return Table(
        y,
        dict(zip("ab", made, strict=True)),
        tuple(range(c)) if names_classes(measure) or rng.integers(2) else tuple(f"class {k}" for k in range(c)),
        weights=weights_of(rng, y),
        groups=rng.integers(0, max(n // 2, 1), n) if rng.integers(4) == 0 else None,
        sampling=str(rng.choice(["cohort", "case-control"])),
    )


def weights_of(rng, y):
    """None, whole numbers, or any; some are 0, but not all of a class."""
    kind = rng.integers(4)
    if kind < 2:
        return None
    w = rng.integers(0, 4, len(y)).astype(float) if kind == 2 else rng.exponential(size=len(y))
    for k in range(int(y.max()) + 1):
        if not w[y == k].any():
            w[np.flatnonzero(y == k)[0]] = 1.0
    return w
