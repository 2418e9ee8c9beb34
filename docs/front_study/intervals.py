"""Intervals of G over cases and the paired test of two fronts: coverage, size and power, simulated.

    python docs/front_study/intervals.py             intervals.csv
    python docs/front_study/intervals.py FIRST LAST  the rows of these models; prints, writes nothing

Two classifiers that share half of their noise. The method was chosen on other models of the same kind; those of
the table differ from them by seed, strength and size. The rules of the fronts are found on other cases of the same
kind and kept for ten runs; or on the very cases that they are evaluated on, in each run anew. They are
100 drawn cost vectors, or as many proposed ones as the column says. The true G of the rules is that on 40,000
cases, by the same random points as the estimate, so that the Monte Carlo error does not count.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from page import write

import polyroc as pr
from polyroc._results.provenance import Provenance
from polyroc.fronts import case_errors as errors_module
from polyroc.fronts.dominated_volume import shares_on, volume_shares
from polyroc.fronts.volume_table import FrontVolumes
from polyroc.kernels.volumes import points_below_chance

RESULTS = Path(__file__).parent / "intervals.csv"
RUNS, RUNS_OF_MANY, EACH, REPLICATES, DRAWN, POINTS = 400, 200, 10, 100, 100, 4000
NAMES = ("first", "second")


@dataclass(frozen=True)
class Model:
    """A simulation model: seed, classes, cases, the strengths of two classifiers and more."""

    seed: int
    classes: int
    cases: int
    strengths: tuple[float, float]
    same: bool = False
    shares: tuple[float, ...] | None = None
    heavy: bool = False
    proposed: tuple[int, int] | None = None

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
            "remark": " and ".join(remarks),
            "costs": "/".join(map(str, sorted(set(self.proposed)))) if self.proposed else f"{DRAWN} drawn",
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
    Model(21, 2, 60, (1.5, 1.5)),
    Model(22, 3, 30, (1.2, 1.2)),
    Model(23, 3, 90, (3.0, 3.0)),
    Model(24, 3, 150, (1.8, 1.8), proposed=(2000, 2000)),
    Model(25, 3, 240, (2.2, 2.2), heavy=True, proposed=(2000, 2000)),
    Model(26, 3, 300, (1.5, 1.5), same=True, proposed=(1000, 1000)),
    Model(27, 3, 150, (1.5, 1.5), proposed=(200, 4000)),
    Model(28, 4, 200, (2.2, 2.2), proposed=(2000, 2000)),
    Model(29, 5, 250, (2.6, 2.6), proposed=(1000, 1000)),
)
Sample = tuple[Any, FrontVolumes]
"""The true G of both fronts, and their estimate."""


def ginis(tables: list[Any], points: Any) -> Any:
    """G and delta of confusion counts."""
    if points is not None:
        return shares_on(tables, points)
    return np.array(volume_shares([counts / counts.sum(axis=2, keepdims=True) for counts in tables], None, 0))


def make_fronts(model: Model, on: tuple[Any, list[Any]], seed: int) -> list[Any]:
    """A front for each classifier."""
    if model.proposed is None:
        return [pr.front(on[0], P, draws=DRAWN, concentration=1.0, n_jobs=1, rng=seed) for P in on[1]]
    return [pr.front(on[0], P, draws=n, n_jobs=1, rng=seed) for P, n in zip(on[1], model.proposed, strict=True)]


def samples(model: Model) -> Iterator[Sample]:
    """One simulated analysis after another."""
    c = model.classes
    points = None if c == 2 else np.concatenate(list(points_below_chance(c, POINTS, np.random.default_rng(5))))
    many_y, many_P = model.draw(40_000, np.random.default_rng([model.cases, 99]))
    for run in range(RUNS if model.proposed is None else RUNS_OF_MANY):
        rng = np.random.default_rng([run, model.seed, model.cases, c, 7])
        y, tables = model.draw(model.cases, rng)
        if model.same or run % EACH == 0:
            on = (y, tables) if model.same else model.draw(model.cases, rng)
            fronts = make_fronts(model, on, run)
            many = [front.decided(many_y, P).counts for front, P in zip(fronts, many_P, strict=True)]
            truth = np.diagonal(ginis(many, points))
        decided = [front.decided(y, P) for front, P in zip(fronts, tables, strict=True)]
        yield (
            truth,
            FrontVolumes(
                fronts=NAMES,
                sizes=tuple(map(len, fronts)),
                shares=ginis([one.counts for one in decided], points),
                classes=c,
                n_points=None,
                provenance=Provenance(
                    cases=dict(zip("abcdef", np.diff(decided[0].starts).tolist(), strict=False)),
                    method="simulated",
                ),
                case_errors=errors_module.case_errors(decided, REPLICATES, rng),
            ),
        )


def row(model: Model, runs: list[Sample]) -> dict[str, Any]:
    """Coverage over the runs, of both classifiers; the share of paired tests that reject."""
    truth = np.array([sample[0] for sample in runs])
    value, error, bias = (
        np.array([np.diagonal(of(volumes)) for _, volumes in runs])
        for of in (
            lambda v: v.shares,
            lambda v: v.case_errors.standard_errors,
            lambda v: v.case_errors.bias,
        )
    )
    intervals = np.array([[volumes.confidence_interval(name) for name in NAMES] for _, volumes in runs])
    below, above = truth < intervals[..., 0], truth > intervals[..., 1]
    tests = [volumes.difference(*NAMES) for _, volumes in runs]
    ends = np.array([test.confidence_interval() for test in tests])
    gap = truth[:, 0] - truth[:, 1]
    numbers = {
        "G": truth,
        "bias": value - truth,
        "bias of halves": bias,
        "SE / SD": np.sqrt((error**2).mean() / (value - truth).var()),
        "covered": ~(below | above),
        "true G below": below,
        "difference": (ends[:, 0] <= gap) & (gap <= ends[:, 1]),
        "rejected": [test.pvalue < 0.05 for test in tests],
    }
    sizes = np.mean([volumes.sizes for _, volumes in runs])
    cells = {name: f"{np.mean(of):.3f}" for name, of in numbers.items()}
    return model.words() | {"points": round(sizes), "runs": len(runs)} | cells


def main(first: int = 0, last: int = len(MODELS), path: Path | None = RESULTS) -> None:
    """Write the results, or print some of them."""
    errors_module.ERROR_POINTS = POINTS  # a fifth of them, to save time
    rows = (row(model, list(samples(model))) for model in MODELS[first:last])
    if path is not None:
        write(rows, path)
        return
    for record in rows:
        print(*record.values(), sep=",", flush=True)  # noqa: T201


if __name__ == "__main__":
    main() if len(sys.argv) < 3 else main(int(sys.argv[1]), int(sys.argv[2]), None)
