"""Simulation models: distributions of scores within each class, from which samples are drawn.

A score model has one score per case that rises along the classes; a column model has one column per class. The
scores of several classifiers are correlated within a class. True values are in truths.py.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, log_ndtr, ndtr, ndtri, stdtr, stdtrit

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

CLUSTER, SHARED = 3, 0.5  # cases per group, share of the variance that the cases of a group have in common
FOLDS = 5  # of a cross-validation
SHARPNESS = 1.5  # of the softmax that makes probabilities of columns
NODES = ndtri((np.arange(20000) + 0.5) / 20000)  # normal quantiles: a mean over them is an integral
STRATA = ((0.5, 1.0, 1.4), (0.5, 3.0, 0.6))  # share of the sample, weight, factor on the distance
EASY_AND_HARD = ((0.7, 1.0, 1.3), (0.3, 1.0, 0.4))


def standard(family: str, z: Any) -> Any:
    """Standard normal numbers carried to a family of distributions, in the same order."""
    if family == "t3":
        return stdtrit(3, ndtr(z))
    if family == "gumbel":
        return -np.log(-log_ndtr(z))
    if family == "laplace":
        return np.sign(z) * -np.log(2.0 * ndtr(-np.abs(z)))
    if family == "uniform":
        return 2.0 * ndtr(z) - 1.0
    if family == "beta":
        return 2.0 * betaincinv(2.0, 2.0, ndtr(z)) - 1.0
    return -np.log(ndtr(-z)) if family == "exponential" else z


def standard_cdf(family: str, x: Any) -> Any:
    """The distribution function of a family at location 0 and scale 1."""
    if family == "t3":
        return stdtr(3, x)
    if family == "gumbel":
        return np.exp(-np.exp(-np.maximum(x, -30.0)))  # 0 below
    if family == "laplace":
        return 0.5 + np.sign(x) * 0.5 * -np.expm1(-np.abs(x))
    if family == "uniform":
        return np.clip((x + 1.0) / 2.0, 0.0, 1.0)
    if family == "beta":
        return betainc(2.0, 2.0, np.clip((x + 1.0) / 2.0, 0.0, 1.0))
    return -np.expm1(-np.maximum(x, 0.0)) if family == "exponential" else ndtr(x)


@cache
def standard_nodes(family: str) -> Floats:
    """Equally likely values of a family at location 0 and scale 1."""
    return np.asarray(standard(family, NODES))


def _rounded(x: Floats, unit: float) -> Floats:
    """Rounded to multiples of a unit, if there is one."""
    return np.asarray(unit * np.round(x / unit) if unit else x)


class Part(NamedTuple):
    """One component of a class: its share of the sample, the weight of its cases, location and scale."""

    share: float
    weight: float
    location: float
    scale: float


class Law(NamedTuple):
    """The distribution of the score within a class: a mixture of parts of one family, perhaps rounded."""

    family: str
    parts: tuple[Part, ...]
    rounded: float = 0.0

    def _population(self) -> list[tuple[float, Part]]:
        """The parts that have cases, with their shares in the population."""
        mass = sum(part.share * part.weight for part in self.parts)
        return [(part.share * part.weight / mass, part) for part in self.parts if part.share > 0]

    def cdf(self, x: Any, left: bool = False) -> Any:
        """P(X <= x), or P(X < x)."""
        if self.rounded:
            x = self.rounded * (np.ceil(x / self.rounded) - 0.5 if left else np.floor(x / self.rounded) + 0.5)
        return sum(
            share * standard_cdf(self.family, (x - part.location) / part.scale)
            for share, part in self._population()
        )

    def nodes(self) -> list[tuple[float, Floats]]:
        """Equally likely scores of every part, with its share in the population."""
        z = standard_nodes(self.family)
        points = [(share, part.location + part.scale * z) for share, part in self._population()]
        return [(share, _rounded(x, self.rounded)) for share, x in points]

    def mean(self, function: Any) -> float:
        """E function(X)."""
        return sum(share * float(np.mean(function(x))) for share, x in self.nodes())


@dataclass(frozen=True)
class Model:
    """What the scores of a class look like.

    `columns`: one column per class instead of one score. `last_scale`: standard deviation of the last class, the
    others having 1. `outliers`: share of the first class that lies above all others. `swapped`: share of each
    class with the scores of another. `weighted`: two strata of different difficulty, the harder one with three
    times the weight. `mixed`: easy and hard cases in every class. `unequal`: every second class is harder.
    `cohort`: class sizes are random. `cross_validated`: the cases of each class are divided into five folds.
    `crossing`: every second classifier has a wide last class, so that curves of the same area cross.
    """

    name: str
    columns: bool = False
    family: str = "normal"
    last_scale: float = 1.0
    rounded: float = 0.0  # to multiples of this
    clustered: bool = False
    outliers: float = 0.0
    swapped: float = 0.0
    weighted: bool = False
    mixed: bool = False
    unequal: bool = False
    cohort: bool = False
    crossing: bool = False
    cross_validated: bool = False
    correlation: float = 0.5  # of two classifiers within a class

    @property
    def use(self) -> str:
        """What the model served for.

        "choice": normal models of equal spread, on which methods were chosen. "seen": results were looked at
        before a choice was final. "report": the others.
        """
        if self == replace(PLAIN, name=self.name, columns=self.columns):
            return "choice"
        return "seen" if self.name in SEEN else "report"

    @property
    def smooth(self) -> "Model":
        """The model whose distance between classes has the nominal value."""
        return replace(PLAIN, columns=self.columns, family=self.family, last_scale=self.last_scale)

    def of_classifier(self, number: int) -> "Model":
        """The model of the classifier with this number."""
        return replace(self, last_scale=3.0, crossing=False) if self.crossing and number % 2 else self

    def laws(self, distance: float, classes: int) -> list[Law]:
        """The distribution of the score in every class of a score model."""
        places = [self._place(k, distance, classes) for k in range(classes)]
        return [Law(self.family, self._parts(k, places), self.rounded) for k in range(classes)]

    def _place(self, k: int, distance: float, classes: int) -> tuple[float, float]:
        shift = (k - (classes - 1) / 2) * distance  # around 0, so that a better classifier gains in every class
        if self.family == "exponential":
            return 0.0, math.exp(shift)
        return shift, self.last_scale if k == classes - 1 else 1.0

    def _parts(self, k: int, places: list[tuple[float, float]]) -> tuple[Part, ...]:
        (location, scale), top = places[k], places[-1][0]
        if self.weighted or self.mixed:
            strata = STRATA if self.weighted else EASY_AND_HARD
            return tuple(Part(share, weight, factor * location, scale) for share, weight, factor in strata)
        if self.outliers and k == 0:
            return Part(1 - self.outliers, 1.0, location, scale), Part(self.outliers, 1.0, top + 3.0, scale)
        if self.swapped:
            return Part(1 - self.swapped, 1.0, location, scale), Part(self.swapped, 1.0, *places[-1 - k])
        return Part(1.0, 1.0, location, scale), Part(0.0, 1.0, location, scale)


PLAIN = Model("normal")
MODELS = {
    model.name: model
    for model in (
        PLAIN,
        Model("heavy tails", family="t3"),
        Model("exponential", family="exponential"),
        Model("unequal spreads", last_scale=0.5),
        Model("skewed", family="gumbel"),
        Model("wide last class", last_scale=2.0),
        Model("easy and hard", mixed=True),
        Model("Laplace", family="laplace"),
        Model("bounded", family="uniform"),
        Model("beta", family="beta"),
        Model("similar", family="laplace", correlation=0.9),
        Model("ties", rounded=1.0),
        Model("few ratings", rounded=2.0),
        Model("clusters", clustered=True),
        Model("weights", weighted=True),
        Model("weights, heavy tails", family="t3", weighted=True),
        Model("weights, skewed", family="gumbel", weighted=True),
        Model("clusters, heavy tails", family="t3", clustered=True),
        Model("folds", cross_validated=True),
        Model("folds, Laplace", family="laplace", cross_validated=True),
        Model("cohort", cohort=True),
        Model("crossing", crossing=True),
        Model("outliers", outliers=0.03),
        Model("swapped", swapped=0.03),
        Model("columns", columns=True),
        Model("columns, heavy tails", columns=True, family="t3"),
        Model("columns, skewed", columns=True, family="gumbel"),
        Model("columns, ties", columns=True, rounded=1.0),
        Model("columns, clusters", columns=True, clustered=True),
        Model("columns, weights", columns=True, weighted=True),
        Model("columns, unequal", columns=True, unequal=True),
        Model("columns, cohort", columns=True, unequal=True, cohort=True),
        Model("columns, swapped", columns=True, swapped=0.03),
    )
}
SEEN = ("heavy tails", "exponential", "unequal spreads", "skewed", "wide last class", "easy and hard")
OUTLIER_MODELS = ("outliers", "swapped", "columns, swapped")


@cache
def distance(model: Model, value: float, classes: int) -> float:
    """Between neighbouring classes, for which the model's value is nominal.

    Two classes, and columns: the AUC of two classes; one score of three classes: VUS; of more: the AUC of
    neighbours.
    Rounding, outliers, swapped, easy and hard cases and weights come on top: the true value then differs from the
    nominal one.
    """
    volumes = classes == 3 and not model.columns
    if abs(value - (1 / 6 if volumes else 1 / 2)) < 1e-6:
        return 0.0  # chance
    smooth = replace(model.smooth, columns=False)
    if volumes:
        return float(brentq(lambda d: volume(smooth.laws(d, 3)) - value, 0.0, 12.0, xtol=1e-10))
    return float(brentq(lambda d: area(*smooth.laws(d, 2)) - value, 0.0, 12.0, xtol=1e-10))


def area(first: Law, second: Law) -> float:
    """P(X1 < X2), ties counted by half."""
    return second.mean(lambda x: (first.cdf(x) + first.cdf(x, left=True)) / 2.0)


def volume(laws: list[Law]) -> float:
    """P(X1 < X2 < X3), a tie of two counted 1/2, of all three 1/6."""
    low, middle, high = laws

    def inside(x: Floats) -> Floats:
        below, tied = low.cdf(x, left=True), low.cdf(x) - low.cdf(x, left=True)
        above, equal = 1.0 - high.cdf(x), high.cdf(x) - high.cdf(x, left=True)
        return np.asarray((below + tied / 2.0) * (above + equal / 2.0) - tied * equal / 12.0)

    return middle.mean(inside)


class Data(NamedTuple):
    """One sample: true classes, by classifier one score (n) or columns (n x classes), weights, groups, folds."""

    y: Ints
    scores: list[Floats]
    weights: Floats | None
    groups: Ints | None
    folds: Ints | None = None


def draw(model: Model, values: tuple[float, ...], sizes: tuple[int, ...], rng: np.random.Generator) -> Data:
    """A sample of one or more classifiers with these nominal values."""
    y = np.repeat(np.arange(len(sizes)), _class_sizes(model, sizes, rng))
    groups = np.arange(len(y)) // CLUSTER if model.clustered else None
    shape = (len(y), len(sizes)) if model.columns else (len(y),)
    second = rng.random(len(y))  # which part of its class a case belongs to; the same for all classifiers
    common = _noise(rng, shape, groups)
    scores = []
    for number, value in enumerate(values):
        z, own = common, model.of_classifier(number)
        if len(values) > 1:
            r = model.correlation
            z = math.sqrt(r) * common + math.sqrt(1 - r) * _noise(rng, shape, groups)
        step = distance(own, value, len(sizes))
        scores.append((_columns if model.columns else _scores)(own, step, len(sizes), y, second, z))
    weights = np.where(second < STRATA[1][0], STRATA[1][1], STRATA[0][1]) if model.weighted else None
    folds = np.arange(len(y)) % FOLDS if model.cross_validated else None  # the cases are sorted by class
    return Data(y, scores, weights, groups, folds)


def _class_sizes(model: Model, sizes: tuple[int, ...], rng: np.random.Generator) -> Any:
    """As given; in a cohort, of as many cases in all, with two or more of each class."""
    counts: Any = sizes
    while model.cohort:
        counts = rng.multinomial(sum(sizes), np.array(sizes) / sum(sizes))
        if counts.min() >= 2:
            break
    return counts


def _noise(rng: np.random.Generator, shape: tuple[int, ...], groups: Ints | None) -> Floats:
    own = rng.standard_normal(shape)
    if groups is None:
        return own
    common = rng.standard_normal((groups[-1] + 1, *shape[1:]))[groups]
    return np.asarray(math.sqrt(SHARED) * common + math.sqrt(1.0 - SHARED) * own)


def _scores(model: Model, step: float, classes: int, y: Ints, second: Floats, z: Floats) -> Floats:
    parts = np.array([law.parts for law in model.laws(step, classes)])  # class, part, field
    chosen = parts[y, (second < parts[y, 1, 0]).astype(int)]
    x = chosen[:, 2] + chosen[:, 3] * standard(model.family, z)
    return _rounded(x, model.rounded)


def steps(model: Model, step: float, classes: int) -> Floats:
    """How much higher its own column is for a case of each class."""
    return step * np.where(model.unequal & (np.arange(classes) % 2 == 1), 0.6, 1.0)


def _columns(model: Model, step: float, classes: int, y: Ints, second: Floats, z: Floats) -> Floats:
    own = y
    if model.swapped:
        own = np.where(second < model.swapped, (y + 1) % classes, y)
    reach = steps(model, step, classes)[own]
    if model.weighted:
        reach = reach * np.where(second < STRATA[1][0], STRATA[1][2], STRATA[0][2])
    x = standard(model.family, z) + reach[:, None] * np.eye(classes)[own]
    return _rounded(x, model.rounded)


def probabilities(columns: Floats) -> Floats:
    """Rows that add up to 1: a softmax of the columns."""
    scaled = np.exp(SHARPNESS * (columns - columns.max(axis=1, keepdims=True)))
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))
