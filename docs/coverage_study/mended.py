"""What once was a confident wrong answer: coverage, error and size now, on models other than those that showed it.

python docs/coverage_study/mended.py          all cells: mended.csv and the table of docs/coverage.md
python docs/coverage_study/mended.py --page   the table from the results that are there
"""

import argparse
import csv
import os
import re
import warnings
import zlib

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations
from math import log, sqrt
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.stats import expon, gumbel_r, laplace, lognorm, norm, t, uniform

import polyroc as pr

Array: TypeAlias = npt.NDArray[Any]
Answers: TypeAlias = dict[str, list[float]]

FOLDER = Path(__file__).parent
RESULTS, PAGE = FOLDER / "mended.csv", FOLDER.parent / "coverage.md"
COLUMNS = ("what", "model", "cases", "quantity", "goal", "replicates", "found")
REPLICATES = 2000
MANY = 1_000_000  # cases, whose value is the true one of weighted cases
CORRELATION = 0.6  # of the classifiers
COVERS, REJECTS, RATIO = "93 or more", "6 or less", "0.9 to 1.15"
MODELS: dict[str, Callable[[float], Any]] = {  # of the positives, by the distance from the negatives
    "exponential": lambda d: expon(scale=np.exp(d)),
    "heavy tails": lambda d: t(4, d),
    "Laplace": lambda d: laplace(d),
    "skewed": lambda d: gumbel_r(d),
    "unequal spreads": lambda d: norm(d, 1.8),
}


class Cell(NamedTuple):
    """What is simulated: a function from a generator and this cell to numbers by quantity."""

    what: str
    model: str
    sizes: tuple[int, ...]
    once: Callable[[np.random.Generator, "Cell"], dict[str, float]]
    goal: str = COVERS
    distance: float = 1.5

    def laws(self) -> tuple[Any, Any]:
        """Return the laws of both classes."""
        return MODELS[self.model](0.0), MODELS[self.model](self.distance)

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw true classes and scores."""
        both = zip(self.laws(), self.sizes, strict=True)
        return np.repeat([0, 1], self.sizes), np.concatenate(
            [law.rvs(size=n, random_state=rng) for law, n in both]
        )


def holds(ends: Iterable[float], true: float) -> float:
    """Return 1 if an interval contains the true value."""
    low, high = ends
    return float(low - 1e-9 <= true <= high + 1e-9)


def precision_band(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the band of the precision-recall curve holds the precision at three recalls."""
    y, s = cell.draw(rng)
    band: Any = pr.curve(y, s, kind="pr", band="pointwise", sampling="case-control").band
    negative, positive = cell.laws()
    share, coverage = cell.sizes[1] / sum(cell.sizes), {}
    for recall in (0.1, 0.3, 0.7):
        true = share * recall / (share * recall + (1 - share) * negative.sf(positive.isf(recall)))
        ends = np.interp(recall, band.x, band.low), np.interp(recall, band.x, band.high)
        coverage[f"precision at recall {recall:g}"] = holds(ends, true)
    return coverage


def curve_band(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if bands of the ROC curve hold it at low false positive rates, and everywhere."""
    y, s = cell.draw(rng)
    negative, positive = cell.laws()
    band: Any = pr.curve(y, s, band="pointwise").band
    coverage = {}
    for rate in (0.002, 0.01):
        ends = np.interp(rate, band.x, band.low), np.interp(rate, band.x, band.high)
        coverage[f"true positive rate at {rate:g}"] = holds(ends, positive.sf(negative.isf(rate)))
    whole: Any = pr.curve(y, s, band="simultaneous").band
    true = positive.sf(negative.isf(whole.x))
    inside = (whole.low - 1e-9 <= true) & (true <= whole.high + 1e-9)
    return coverage | {"whole curve, simultaneous": float(inside.all())}


def correlated(rng: np.random.Generator, cell: Cell, distances: Iterable[float]) -> tuple[Array, dict[str, Array]]:
    """Draw classifiers whose scores are correlated, of these distances between the classes."""
    y = np.repeat([0, 1], cell.sizes)
    common, scores = rng.normal(size=len(y)), {}
    for number, distance in enumerate(distances):
        share = norm.cdf(sqrt(CORRELATION) * common + sqrt(1 - CORRELATION) * rng.normal(size=len(y)))
        laws = MODELS[cell.model](0.0), MODELS[cell.model](distance)
        scores[str(number)] = np.where(y == 1, laws[1].ppf(share), laws[0].ppf(share))
    return y, scores


@cache
def area(model: str, distance: float) -> float:
    """Return P(X < Y)."""
    negative, positive = MODELS[model](0.0), MODELS[model](distance)
    return float(quad(lambda u: positive.sf(negative.ppf(u)), 0, 1, limit=200)[0])


def all_pairs(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the intervals of all pairs of five classifiers hold at once; of those shown, the share wrong."""
    distances = [cell.distance * share for share in (0.6, 0.6, 0.8, 1.0, 1.3)]
    y, scores = correlated(rng, cell, distances)
    areas = [area(cell.model, distance) for distance in distances]
    coverage = {}
    for adjustment in ("max-t", "bonferroni", "holm"):
        comparison = pr.compare(y, scores, measure="auc", adjustment=adjustment)
        coverage[f"all ten differences, {adjustment}"] = min(
            holds(comparison.difference(str(i), str(j)).adjusted_interval(), areas[i] - areas[j])
            for i, j in combinations(range(5), 2)
        )
    comparison = pr.compare(y, scores, measure="auc", adjustment="benjamini-hochberg")
    pairs = [(comparison.difference(str(i), str(j)), areas[i] - areas[j]) for i, j in combinations(range(5), 2)]
    shown = [holds(one.adjusted_interval(), true) for one, true in pairs if one.adjusted_pvalue < 0.05]
    return coverage | {"share right of those shown, benjamini-hochberg": float(np.mean(shown)) if shown else 1.0}


def chosen_rates(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the intervals of the rates of the operating point of a report hold those of new cases."""
    y, s = cell.draw(rng)
    point = pr.operate(y, s, method=pr.methods.Bootstrap(rng=int(rng.integers(2**31)), n_jobs=1))
    (threshold,), rates = point.thresholds, point.confusion
    negative, positive = cell.laws()
    true = {"specificity": negative.cdf(threshold), "sensitivity": positive.sf(threshold)}
    return {
        f"{name} on new cases": holds(rates[k, k].confidence_interval(), one)
        for k, (name, one) in enumerate(true.items())
    }


FLAT: dict[str, tuple[Any, Any]] = {  # negatives with the heavier tail
    "t3 v normal": (t(3), norm(1.5, 0.7)),
    "lognormal v uniform": (lognorm(1.0), uniform(1.0, 2.5)),
    "Laplace v normal": (laplace(), norm(1.2, 0.5)),
}


def flat_start(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the interval of the partial area holds where the curve starts flat."""
    negative, positive = FLAT[cell.model]
    y = np.repeat([0, 1], cell.sizes)
    s = np.concatenate([negative.rvs(cell.sizes[0], rng), positive.rvs(cell.sizes[1], rng)])
    inside, _ = quad(lambda u: positive.sf(negative.isf(u)), 0, 0.1)
    true = 0.5 + 0.5 * (inside - 0.005) / 0.095
    return {
        "partial_auc(fpr=(0, 0.1))": holds(pr.evaluate(y, s, measure="partial_auc").confidence_interval(), true)
    }


def weighted_draw(rng: np.random.Generator, cell: Cell, n: int) -> tuple[Array, Array, Array]:
    """Draw cases whose weight rises with the score, from 1 to 20 or 50."""
    most = 50.0 if cell.distance > 1.5 else 20.0
    y = (rng.random(n) < 0.35).astype(np.int64)
    negative, positive = MODELS[cell.model](0.0), MODELS[cell.model](1.5)
    u = rng.random(n)
    s = np.where(y == 1, positive.ppf(u), negative.ppf(u))
    return y, s, np.exp(log(most) * negative.cdf(s) ** 4)


def weighted_values(data: tuple[Array, Array, Array]) -> dict[str, Any]:
    """Return the estimates of three measures."""
    y, s, w = data
    options: dict[str, Any] = {"sample_weight": w}
    return {
        "auc": pr.evaluate(y, s, measure="auc", **options),
        "ppv": pr.evaluate(y, (s > 1.0).astype(int), measure="ppv", **options),
        "average_precision": pr.evaluate(y, s, measure="average_precision", **options),
    }


@cache
def weighted_population(cell: Cell) -> dict[str, Any]:
    """Return the estimates of very many cases."""
    return weighted_values(weighted_draw(np.random.default_rng(5), cell, MANY))


def weights(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if intervals hold the values of the weighted population."""
    estimates, true = weighted_values(weighted_draw(rng, cell, sum(cell.sizes))), weighted_population(cell)
    return {name: holds(one.confidence_interval(), true[name].value) for name, one in estimates.items()}


EASY, READER = 0.9, 0.15  # share of easy positives; variance of the readers' separations


def readers(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the interval of the difference of two modalities holds: ten per cent of positives are hard."""
    count, *sizes = cell.sizes
    y = np.repeat([0, 1], sizes)
    easy = rng.random(len(y)) < EASY
    case, skill = rng.normal(size=len(y)), rng.normal(scale=sqrt(READER), size=count)
    ratings: dict[str, dict[str, Array]] = {}
    true = []
    for name, shift in (("a", cell.distance), ("b", cell.distance + 0.7)):
        ratings[name] = {
            f"r{j}": sqrt(0.5) * (case + rng.normal(size=len(y)))
            + y * np.where(easy, shift + skill[j], 0.6 * (shift + skill[j]))
            for j in range(count)
        }
        spread = sqrt(2 + READER), sqrt(2 + 0.36 * READER)
        true.append(EASY * norm.cdf(shift / spread[0]) + (1 - EASY) * norm.cdf(0.6 * shift / spread[1]))
    study = pr.reader_study(y, ratings, measure="auc")
    ends = study.difference("b", "a").confidence_interval()
    means = study.averages["a"].confidence_interval()
    return {
        "difference of modalities": holds(ends, true[1] - true[0]),
        "mean of a modality": holds(means, true[0]),
    }


def fixed_rate(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return value, standard error and coverage of the sensitivity at a specificity of 0.9."""
    y, s = cell.draw(rng)
    one = pr.evaluate(y, s, measure="sensitivity(specificity=0.9)")
    negative, positive = cell.laws()
    true = positive.sf(negative.isf(0.1))
    return {"value": one.value, "error": one.standard_error, "coverage": holds(one.confidence_interval(), true)}


def bootstrap_size(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the bootstrap test rejects that two equal classifiers are equal."""
    y, scores = correlated(rng, cell, (cell.distance, cell.distance))
    method = pr.methods.Bootstrap(rng=int(rng.integers(2**31)), n_jobs=1)
    return {"size": float(pr.compare(y, scores, measure="auc", method=method).difference("0", "1").pvalue < 0.05)}


def rare_errors(rng: np.random.Generator, cell: Cell) -> dict[str, float]:
    """Return if the bootstrap interval of a rate of few errors, often of none, holds it."""
    y = np.repeat([0, 1], cell.sizes)
    decisions = (rng.random(len(y)) < np.where(y == 1, 1 - 0.03, 0.2)).astype(np.int64)
    method = pr.methods.Bootstrap(rng=int(rng.integers(2**31)), n_jobs=1)
    one = pr.evaluate(y, decisions, measure="sensitivity", method=method)
    return {"sensitivity 0.97": holds(one.confidence_interval(), 0.97)}


Places: TypeAlias = Iterable[tuple[str, tuple[int, ...]]]
PRECISION: Places = [(m, (n, 100)) for m in ("exponential", "heavy tails") for n in (1900, 19_900, 99_900)]
CHOSEN: Places = (("Laplace", (100, 15)), ("skewed", (40, 80)), ("unequal spreads", (150, 25)))
PARTIAL: Places = [(laws, (n, n)) for laws in FLAT for n in (10, 30, 50)]
READERS: Places = [("easy and hard", sizes) for sizes in ((3, 40, 40), (5, 60, 30), (8, 100, 100))]
FIXED: Places = [(m, n) for m in ("exponential", "skewed", "unequal spreads") for n in ((50, 50), (100, 30))]
RESAMPLED: Places = (("exponential", (15, 15)), ("Laplace", (20, 20)), ("skewed", (40, 12)))


def cells() -> Iterator[Cell]:
    """Give all cells."""
    for what, once, goal, distance, places in (
        ("precision-recall bands", precision_band, COVERS, 3.0, PRECISION),
        ("ROC bands", curve_band, COVERS, 1.5, (("Laplace", (2000, 100)), ("skewed", (60, 60)))),
        ("five classifiers", all_pairs, COVERS, 1.5, (("exponential", (60, 60)), ("skewed", (200, 40)))),
        ("operating point of a report", chosen_rates, COVERS, 1.5, CHOSEN),
        ("partial area, flat start", flat_start, COVERS, 1.5, PARTIAL),
        ("weights 1 to 20", weights, COVERS, 1.5, (("exponential", (80,)), ("Laplace", (80,)))),
        ("weights 1 to 50", weights, COVERS, 2.0, (("skewed", (80,)),)),
        ("readers near 1, hard cases", readers, COVERS, 3.0, READERS),
        ("sensitivity(specificity=0.9)", fixed_rate, RATIO, 1.5, FIXED),
        ("compare(method=Bootstrap())", bootstrap_size, REJECTS, 1.5, RESAMPLED),
        ("Bootstrap() of few errors", rare_errors, COVERS, 1.5, [("binomial", (n, n)) for n in (20, 50)]),
    ):
        for model, sizes in places:
            yield Cell(what, model, sizes, once, goal, distance)


def simulate(cell: Cell, replicates: int = REPLICATES) -> list[dict[str, str]]:
    """Return the lines of a cell."""
    rng = np.random.default_rng(zlib.crc32(f"{cell.what} {cell.model} {cell.sizes}".encode()))
    answers: Answers = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(replicates):
            for name, number in cell.once(rng, cell).items():
                answers.setdefault(name, []).append(number)
    lines = []
    if "error" in answers:
        ratio = np.mean(answers["error"]) / np.std(answers["value"])
        lines = [("standard error / standard deviation", RATIO, f"{ratio:.2f}")]
        answers = {"coverage": answers["coverage"]}
    goal = COVERS if cell.goal == RATIO else cell.goal
    lines += [(name, goal, f"{100 * np.mean(numbers):.1f}") for name, numbers in answers.items()]
    facts = (cell.what, cell.model, " + ".join(map(str, cell.sizes)))
    return [
        dict(zip(COLUMNS, (*facts, name, goal, str(replicates), number), strict=True))
        for name, goal, number in lines
    ]


def read() -> list[dict[str, str]]:
    """Return the stored lines."""
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def is_within(row: Mapping[str, str]) -> bool:
    """Return whether a number is what it should be."""
    low, high = {COVERS: (93.0, 100.0), REJECTS: (0.0, 6.0), RATIO: (0.9, 1.15)}[row["goal"]]
    return low <= float(row["found"]) <= high


def filled(text: str, rows: Iterable[Mapping[str, str]]) -> str:
    """Return the page with the table made anew; what misses its goal is bold."""
    lines = ["| what | model | cases | quantity | goal | samples | found |", "|---|---|--:|---|--:|--:|--:|"]
    for row in rows:
        number = row["found"] if is_within(row) else f"**{row['found']}**"
        lines.append(f"| {' | '.join(row[name] for name in COLUMNS[:-1])} | {number} |")
    pattern = re.compile(r"(<!-- begin mended -->\n).*(<!-- end mended -->)", re.DOTALL)
    return pattern.sub(lambda match: "\n".join([match[1].rstrip("\n"), *lines, match[2]]), text)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="only write the table anew")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    chosen = parser.parse_args()
    if not chosen.page:
        with ProcessPoolExecutor(chosen.jobs) as pool:
            lines = pool.map(simulate, cells())
            with RESULTS.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                for rows in lines:
                    writer.writerows(rows)
                    file.flush()
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    main()
