"""Worlds whose true values are known, and how to draw from them."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from cells import Cell
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from polyroc import datasets

CLUSTER, SHARED = 3, 0.5  # cases per group, share of the variance that a group has in common
NARROW = 0.5  # standard deviation of the positives over that of the negatives, in the world of unequal spreads
CORRELATION = 0.5  # of two classifiers' scores within a class

Floats: TypeAlias = npt.NDArray[np.float64]
Data: TypeAlias = dict[str, Any]  # y_true, y_score and, if there are any, groups and the order of the classes
Draw: TypeAlias = Callable[[np.random.Generator], Data]


def world_of(cell: Cell) -> tuple[float, Draw]:
    """The true value of a cell's measure, and its sampler."""
    if cell.study == "test":
        return cell.nominal, lambda rng: _two_classifiers(cell, rng)
    if cell.measure == "vus":
        return _normal_scores(cell, _vus_step(cell.nominal), _rounded_vus)
    if cell.measure == "auc":
        return _areas(cell)
    if cell.world != "three":
        return _columns(cell)
    world = datasets.HandTill(classes=3, mu=_distance(cell.nominal))
    truth = world.hand_till if cell.measure == "hand_till" else _true_ova(world.mu, cell.sizes)
    return truth, lambda rng: dict(zip(("y_true", "y_score"), world.sample(cell.sizes, rng), strict=True))


def _areas(cell: Cell) -> tuple[float, Draw]:
    """Two classes with normal scores."""
    ratio = NARROW if cell.world == "unequal spreads" else 1.0
    return _normal_scores(cell, math.hypot(1.0, ratio) * float(ndtri(cell.nominal)), _rounded_auc, ratio)


def _normal_scores(
    cell: Cell, step: float, rounded_value: Callable[[float], float], ratio: float = 1.0
) -> tuple[float, Draw]:
    """One score, class k having N(k step, 1): as it is, rounded to whole numbers, or shared by groups of cases.

    The last class has the standard deviation `ratio`.
    """
    y = np.repeat(np.arange(len(cell.sizes)), cell.sizes)
    spread = np.where(y == len(cell.sizes) - 1, ratio, 1.0)
    common: Data = {"y_true": y} | ({"labels": list(range(len(cell.sizes)))} if cell.measure == "vus" else {})

    def draw(rng: np.random.Generator) -> Data:
        if cell.world == "clusters":
            noise, groups = _grouped(rng, len(y), 1)
            return common | {"y_score": step * y + noise[:, 0], "groups": groups}
        score = step * y + spread * rng.standard_normal(len(y))
        return common | {"y_score": np.round(score) if cell.world == "ties" else score}

    return (rounded_value(step) if cell.world == "ties" else cell.nominal), draw


def _columns(cell: Cell) -> tuple[float, Draw]:
    """Phi of columns that are N(0, 1), or N(step, 1) for their own class: every A(i|j) is that of two normals."""
    step = math.sqrt(2.0) * float(ndtri(cell.nominal))
    y = np.repeat(np.arange(len(cell.sizes)), cell.sizes)
    own = step * np.eye(len(cell.sizes))[y]

    def draw(rng: np.random.Generator) -> Data:
        if cell.world == "clusters":
            noise, groups = _grouped(rng, *own.shape)
            return {"y_true": y, "y_score": ndtr(own + noise), "groups": groups}
        return {"y_true": y, "y_score": ndtr(np.round(own + rng.standard_normal(own.shape)))}

    return (_rounded_auc(step) if cell.world == "ties" else cell.nominal), draw


def _grouped(rng: np.random.Generator, cases: int, columns: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Normal noise of which a group's cases have a part in common, and the groups."""
    own, groups = rng.standard_normal((cases, columns)), np.arange(cases) // CLUSTER
    common = rng.standard_normal((groups[-1] + 1, columns))[groups]
    return math.sqrt(SHARED) * common + math.sqrt(1.0 - SHARED) * own, groups


def _levels(step: float) -> tuple[Floats, Floats]:
    """P(score = k) and P(score < k) for every whole number k, of scores N(step, 1) rounded."""
    edges = np.arange(-30.5, 41.0)
    return np.diff(ndtr(edges - step)), ndtr(edges[:-1] - step)


def _rounded_auc(step: float) -> float:
    """The area for rounded scores: sum over k of P(positive = k) (P(negative < k) + P(negative = k) / 2)."""
    (negative, below), (positive, _) = _levels(0.0), _levels(step)
    return float(positive @ (below + negative / 2.0))


def _rounded_vus(step: float) -> float:
    """The volume for rounded scores, by the middle class's: a tie of two counts 1/2, of all three 1/6."""
    (first, below), (middle, _), (last, to_last) = (_levels(k * step) for k in range(3))
    above = 1.0 - to_last - last
    return float(middle @ ((below + first / 2.0) * (above + last / 2.0) - first * last / 12.0))


def _vus_step(volume: float) -> float:
    """The distance between neighbouring means, N(0, 1), N(d, 1), N(2 d, 1), for which VUS has this value."""
    return float(brentq(lambda d: _true_vus(d) - volume, 0.0, 12.0))


def _true_vus(step: float) -> float:
    """P(X1 < X2 < X3): the mean of Phi(x + d) Phi(d - x) over a standard normal x."""
    value, _ = quad(lambda x: math.exp(-x * x / 2.0) * ndtr(x + step) * ndtr(step - x), -9.0, 9.0, epsabs=1e-12)
    return float(value / math.sqrt(2.0 * math.pi))


def _distance(m: float) -> float:
    """The mu of three classes for which Hand & Till's M is m."""
    return float(brentq(lambda mu: datasets.HandTill(3, mu).hand_till - m, 0.0, 20.0))


def _true_ova(mu: float, sizes: tuple[int, ...]) -> float:
    """Mean over classes of the area against the others, mixed as they are: A(i|j) = Phi(|i - j| mu / sqrt 2)."""
    n = np.array(sizes, dtype=float)
    d = np.abs(np.subtract.outer(np.arange(len(n)), np.arange(len(n))))
    share = np.where(d > 0, n, 0.0)
    return float(np.mean((share * ndtr(d * mu / math.sqrt(2.0))).sum(axis=1) / share.sum(axis=1)))


def _two_classifiers(cell: Cell, rng: np.random.Generator) -> Data:
    """Two equally good classifiers, their scores correlated within each class."""
    c = len(cell.sizes)
    y = np.repeat(np.arange(c), cell.sizes)
    if cell.measure == "hand_till":
        centre = math.sqrt(2.0) * float(ndtri(cell.nominal)) * np.eye(c)[y]
    else:
        step = _vus_step(cell.nominal) if cell.measure == "vus" else math.sqrt(2.0) * float(ndtri(cell.nominal))
        centre = step * y[:, None]
    noise = rng.standard_normal((3, *centre.shape))
    a, b = math.sqrt(CORRELATION), math.sqrt(1.0 - CORRELATION)
    scores = [ndtr(centre + a * noise[0] + b * noise[i]) for i in (1, 2)]
    if cell.measure == "hand_till":
        return {"y_true": y, "y_score": dict(zip("ab", scores, strict=True))}
    order = {"labels": list(range(c))} if cell.measure == "vus" else {}
    return {"y_true": y, "y_score": {name: s[:, 0] for name, s in zip("ab", scores, strict=True)}} | order
