"""Coverage and width of intervals of one AUC: the default beside published ones.

python docs/coverage_study/areas.py    the table of docs/intervals.md, in a minute
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import norm

from polyroc.estimates.intervals import IntervalKind, interval

Array: TypeAlias = npt.NDArray[np.float64]
Ends: TypeAlias = tuple[Array, Array]

PAGE = Path(__file__).parents[1] / "intervals.md"
REPLICATES = 800
Z = norm.ppf(0.975)
VALUES = (0.8, 0.9, 0.95, 0.97)
SIZES = ((10, 10), (20, 20), (50, 50), (200, 10), (400, 20), (10, 200))
DRAW: dict[str, Callable[..., Array]] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: np.log(rng.exponential(size=size)),
    "heavy tails": lambda rng, size: rng.standard_t(4, size=size),
    "unequal spreads": lambda rng, size: rng.normal(size=size),
    "easy and hard": lambda rng, size: rng.normal(size=size),
}


def samples(rng: np.random.Generator, model: str, shift: float, sizes: tuple[int, int], count: int) -> Ends:
    """Draw the scores of negatives and of positives, at [sample, case]."""
    x, y = (DRAW[model](rng, (count, size)) for size in sizes)
    if model == "unequal spreads":
        return x, 1.6 * y + shift
    hard = model == "easy and hard"
    return x, y + shift * (np.where(rng.random(y.shape) < 0.1, 0.3, 1.0) if hard else 1.0)


def true_area(model: str) -> Callable[[float], float]:
    """Return the function from a shift to the area, of 400,000 independent pairs."""
    rng = np.random.default_rng(3)
    x, y = samples(rng, model, 0.0, (1, 1), 400_000)
    factor = np.where(rng.random(x.shape) < 0.1, 0.3, 1.0) if model == "easy and hard" else 1.0
    return lambda shift: float((y + factor * shift > x).mean())


def exponential_variance(area: Array, m: float, n: float) -> Array:
    """Return the variance of an area of exponential scores (Hanley & McNeil 1982)."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    return np.asarray((area * (1 - area) + (n - 1) * (q1 - area**2) + (m - 1) * (q2 - area**2)) / (m * n))


def inverted(value: Array, variance: Callable[[Array], Array]) -> Ends:
    """Return the ends of the values that a score test with this variance does not reject, by bisection."""
    ends = []
    for limit in (0.0, 1.0):
        inside, outside = value, np.full(len(value), limit)
        for _ in range(40):
            middle = (inside + outside) / 2
            accepted = np.abs(value - middle) <= Z * np.sqrt(np.maximum(variance(middle), 0))
            inside, outside = np.where(accepted, middle, inside), np.where(accepted, outside, middle)
        ends.append(np.where(outside == limit, limit, inside))
    return ends[0], ends[1]


def by_polyroc(value: Array, error: Array, fewest: int, kind: IntervalKind) -> Ends:
    """Return an interval of polyroc."""
    pairs = zip(value, error, strict=True)
    low, high = zip(*(interval(v, e, (0, 1), fewest, kind=kind) for v, e in pairs), strict=True)
    return np.array(low), np.array(high)


def wilson(value: Array, n: Array) -> Ends:
    """Return Wilson's interval."""
    half = Z * np.sqrt(value * (1 - value) / n + Z**2 / (4 * n**2))
    return tuple((value + Z**2 / (2 * n) + side * half) / (1 + Z**2 / n) for side in (-1, 1))  # type: ignore[return-value]


def intervals(x: Array, y: Array) -> Iterator[tuple[str, Ends]]:
    """Give every interval by name."""
    above = (x[:, :, None] < y[:, None, :]).astype(float)
    m, n = x.shape[1], y.shape[1]
    value = above.mean(axis=(1, 2))
    variance = above.mean(axis=2).var(axis=1, ddof=1) / m + above.mean(axis=1).var(axis=1, ddof=1) / n
    few, spread = min(m, n), np.maximum(value * (1 - value), 1e-12)
    size = np.where(variance > 0, spread / np.maximum(variance, 1e-12), few)
    more = (value * size + 2) / (size + 4)
    wald = np.sqrt(more * (1 - more) / (size + 4))

    def own(area: Array) -> Array:
        return area * (1 - area) / size

    def exponential(area: Array) -> Array:
        return exponential_variance(area, m, n)

    yield "**guarded (default)**", by_polyroc(value, np.sqrt(variance), few, "guarded")
    yield "logit", by_polyroc(value, np.sqrt(variance), few, "logit")
    yield "Wilson's, cases that give the variance", inverted(value, own)
    yield "the same, at most 3 times the smallest class", wilson(value, np.minimum(size, 3 * few))
    yield "Agresti & Coull's, cases that give the variance", (more - Z * wald, more + Z * wald)
    balanced = (m + n) / 2
    yield "Newcombe's method 5", inverted(value, lambda area: exponential_variance(area, balanced, balanced))
    yield "the same, each class its size", inverted(value, exponential)
    yield (
        "the larger variance of this and Wilson's",
        inverted(value, lambda area: np.maximum(own(area), exponential(area))),
    )


def main() -> None:
    """Run the study, and write the table."""
    rng, rows = np.random.default_rng(11), {}
    for model in DRAW:
        area: Any = true_area(model)
        for target in VALUES:
            shift = brentq(lambda s, area=area, target=target: area(s) - target, 0, 40, xtol=1e-4)
            for sizes in SIZES:
                x, y = samples(rng, model, shift, sizes, REPLICATES)
                spread = 3.92 * (x[:, :, None] < y[:, None, :]).mean(axis=(1, 2)).std()
                for name, (low, high) in intervals(x, y):
                    covered = ((low <= area(shift) + 1e-9) & (area(shift) <= high + 1e-9)).mean()
                    rows.setdefault(name, []).append((covered, np.median(high - low) / spread))
    lines = ["| interval of an AUC | lowest coverage, % | below 93 % | 93 to 97.5 % | above 97.5 % | width |"]
    lines.append("| --- |" + " ---: |" * 5)
    for name, cells in rows.items():
        covered, width = np.array(cells).T
        counts = (covered < 0.93, (covered >= 0.93) & (covered <= 0.975), covered > 0.975)
        shares = " | ".join(str(int(one.sum())) for one in counts)
        lines.append(f"| {name} | {100 * covered.min():.1f} | {shares} | {np.median(width):.2f} |")
    pattern = re.compile(r"(<!-- begin areas -->\n).*(<!-- end areas -->)", re.DOTALL)
    text = "\n".join(lines)
    PAGE.write_text(pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
