"""Intervals of G over cases and the paired test of two fronts: coverage, size and power, simulated.

    python docs/front_study/intervals.py      intervals.csv

Two classifiers that share half of their noise. Corrections were compared on the first six models; the others
differ from them by unequal classes, heavy tails, four classes or few errors. The rules of the fronts are found on
other cases of the same kind, 20 times, and kept for ten runs; or on the very cases that they are evaluated on, in
each run anew. The true G of the rules is that on 40,000 cases, by the same random points as the estimate, so that
the Monte Carlo error does not count. All intervals are of the same resamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from page import write
from scipy.stats import norm, t

import polyroc as pr
from polyroc.estimates.intervals import interval, interval_at
from polyroc.fronts.case_errors import DecidedCases
from polyroc.fronts.dominated_volume import shares_on
from polyroc.kernels.volumes import points_below_chance

RESULTS = Path(__file__).parent / "intervals.csv"
RUNS, SETS_OF_RULES, REPLICATES, VECTORS, POINTS = 200, 20, 100, 100, 1000
Z = 1.959964


@dataclass(frozen=True)
class Model:
    """A simulation model: seed, classes, cases, the strengths of two classifiers, shares of classes, noise."""

    seed: int
    classes: int
    cases: int
    strengths: tuple[float, float]
    same: bool = False
    shares: tuple[float, ...] | None = None
    heavy: bool = False

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, list[Any]]:
        """Classes, and the probabilities of both classifiers."""
        c = self.classes
        y = np.arange(n) % c
        if self.shares is not None:
            y = np.repeat(np.arange(c), np.round(np.array(self.shares) * n).astype(int))
        tables, shared = [], self._noise(len(y), rng)
        for strength in self.strengths:
            z = 0.7 * shared + 0.7 * self._noise(len(y), rng) + strength * np.eye(c)[y]
            P = np.exp(np.clip(z, -30, 30))
            tables.append(P / P.sum(axis=1, keepdims=True))
        return y, tables

    def words(self) -> dict[str, Any]:
        """The columns of a table."""
        remarks = ["unequal classes"] * (self.shares is not None) + ["heavy tails"] * self.heavy
        return {
            "classes": self.classes,
            "cases": self.cases,
            "classifiers": "equally good" if len(set(self.strengths)) == 1 else "one better",
            "rules found on": "same cases" if self.same else "other cases",
            "remark": ", ".join(remarks),
        }

    def _noise(self, n: int, rng: np.random.Generator) -> Any:
        size = (n, self.classes)
        return rng.standard_t(3, size=size) / np.sqrt(3) if self.heavy else rng.normal(size=size)


MODELS = (
    Model(13, 3, 90, (1.5, 1.5)),
    Model(14, 3, 90, (1.5, 1.2)),
    Model(14, 3, 300, (1.5, 1.5)),
    Model(15, 3, 300, (1.5, 1.2)),
    Model(12, 3, 90, (1.5, 1.5), same=True),
    Model(13, 3, 300, (1.5, 1.5), same=True),
    Model(13, 3, 150, (1.2, 1.2), shares=(0.6, 0.25, 0.15)),
    Model(11, 3, 200, (2.0, 2.0), heavy=True),
    Model(8, 4, 200, (2.0, 2.0)),
    Model(9, 4, 400, (2.2, 1.8)),
    Model(16, 3, 150, (2.5, 2.2)),
    Model(16, 3, 120, (1.5, 1.5), same=True, heavy=True),
)
Sample = tuple[Any, Any, Any, int]
"""True G, G and resampled G of both classifiers, and the number of cases in the smallest class."""


def volumes(decided: list[DecidedCases], weight: Any, points: Any) -> Any:
    """G of both fronts if the cases had these weights."""
    tables = [one.resampled(weight) for one in decided]
    return np.diagonal(shares_on([table / table.sum(axis=2, keepdims=True) for table in tables], points))


def samples(model: Model) -> Iterator[Sample]:
    """One simulated analysis after another."""
    points = np.concatenate(list(points_below_chance(model.classes, POINTS, np.random.default_rng(5))))
    many_y, many_P = model.draw(40_000, np.random.default_rng([model.cases, 99]))
    for run in range(RUNS):
        rng = np.random.default_rng([run, model.seed, model.cases, model.classes, 7])
        y, tables = model.draw(model.cases, rng)
        if model.same or run % (RUNS // SETS_OF_RULES) == 0:
            on = (y, tables) if model.same else model.draw(model.cases, rng)
            fronts: list[Any] = [pr.front(on[0], P, n=VECTORS, alpha=1.0, n_jobs=1, rng=run) for P in on[1]]
            many = [front.decided(many_y, P) for front, P in zip(fronts, many_P, strict=True)]
            truth = volumes(many, many[0].weight, points)
        decided = [front.decided(y, P) for front, P in zip(fronts, tables, strict=True)]
        sizes = np.diff(decided[0].starts)
        resampled = np.array(
            [
                volumes(decided, np.concatenate([rng.multinomial(n, np.full(n, 1 / n)) for n in sizes]), points)
                for _ in range(REPLICATES)
            ]
        )
        yield truth, volumes(decided, decided[0].weight, points), resampled, int(sizes.min())


def intervals(value: float, resampled: Any, fewest: int) -> dict[str, tuple[float, float]]:
    """Intervals of G by name."""
    error, bias = resampled.std(ddof=1), resampled.mean() - value
    once, twice = (float(np.clip(value - times * bias, 0.0, 1.0)) for times in (1, 2))
    below = norm.ppf(np.clip((resampled < value).mean(), 0.01, 0.99))
    percentiles = norm.cdf([-Z, Z]), norm.cdf(2 * below + np.array([-Z, Z]))
    return {
        "covered": interval_at(once, error, (0.0, 1.0), fewest, student(fewest)),
        "normal": interval(once, error, (0.0, 1.0), fewest),
        "bias twice": interval(twice, error, (0.0, 1.0), fewest),
        "percentile": tuple(np.quantile(resampled, percentiles[0])),
        "BC": tuple(np.quantile(resampled, percentiles[1])),
    }


def student(fewest: int) -> float:
    """The quantile of Student's t."""
    return float(t.ppf(norm.cdf(Z), min(REPLICATES, fewest) - 1))


def row(model: Model, runs: list[Sample]) -> dict[str, Any]:
    """Coverage over the runs, of both classifiers; the share of paired tests that reject."""
    covered: dict[str, list[bool]] = {}
    rejected: dict[str, list[bool]] = {}
    for truth, value, resampled, fewest in runs:
        for i in (0, 1):
            for name, (low, high) in intervals(value[i], resampled[:, i], fewest).items():
                covered.setdefault(name, []).append(low <= truth[i] <= high)
        error, difference = np.diff(resampled, axis=1).std(ddof=1), value[0] - value[1]
        reach = student(fewest) * error
        rejected.setdefault("rejected", []).append(abs(difference) > reach)
        rejected.setdefault("rejected, normal", []).append(abs(difference) > Z * error)
        covered.setdefault("difference", []).append(abs(difference - truth[0] + truth[1]) <= reach)
    means = {"bias": [value - truth for truth, value, *_ in runs]}
    means["bias of resamples"] = [resampled.mean(axis=0) - value for _, value, resampled, _ in runs]
    means |= covered | rejected
    return model.words() | {"runs": len(runs)} | {name: f"{np.mean(of):.3f}" for name, of in means.items()}


def main() -> None:
    """Write the results."""
    write((row(model, list(samples(model))) for model in MODELS), RESULTS)


if __name__ == "__main__":
    main()
