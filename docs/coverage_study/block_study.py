"""He's volume from random blocks and by all triples, on the same samples: coverage, size of the paired test.

`python docs/coverage_study/block_study.py` prints the table of docs/measures/he.md (about half an hour).
Samples of which blocks are drawn have 18,000 cases a class or more, too many to be simulated exactly: in the
first settings classes are smaller and have as many partners for each case (56) as 100,000 cases a class have, so
that the Monte Carlo error is about as large a share of the standard error. The last settings are by blocks alone,
of samples for which they are the default.
"""

import sys
from typing import Any

import numpy as np
from scipy.special import softmax

import polyroc as pr
from polyroc.measures import assignment

PARTNERS = 56
EXACT = assignment.MOST_PAIRS
SETTINGS = (
    ("normal", (600, 600, 600), 1000),
    ("heavy tails", (900, 400, 250), 1000),
    ("normal", (2000,) * 3, 300),
)
BY_DEFAULT = (
    ("normal", (20_000,) * 3, 400),
    ("heavy tails", (60_000, 20_000, 18_500), 400),
)
# By cases a class: the true value has an error of at most a sixth of the standard error of a sample.
TRUTH_SAMPLES = {1500: 60, 20_000: 150}


def sample(kind: str, sizes: tuple[int, ...], rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """True classes and the probabilities of two classifiers of the same quality, with a signal in common."""
    y = np.repeat(np.arange(3), sizes)
    shape = len(y), 3
    if kind == "normal":
        signal = 1.3 * np.eye(3)[y] + 0.8 * rng.normal(size=shape)
        noise = [0.6 * rng.normal(size=shape) for _ in "ab"]
    else:
        signal = 1.5 * np.eye(3)[y] + 0.7 * rng.standard_t(3, size=shape)
        noise = [0.5 * rng.standard_t(3, size=shape) for _ in "ab"]
    return y, {name: softmax(signal + added, axis=1) for name, added in zip("ab", noise, strict=True)}


def true_value(kind: str, cases: int) -> float:
    """The mean of samples with so many cases in a class."""
    values: list[float] = []
    for seed in range(1000, 1000 + TRUTH_SAMPLES[cases]):
        y, scores = sample(kind, (cases,) * 3, np.random.default_rng(seed))
        values.append(pr.evaluate(y, scores["a"], measure="he", method=None).value)
    return float(np.mean(values))


def one(y: Any, scores: dict[str, Any], key: str, most_pairs: int, truth: float) -> tuple[float, ...]:
    """Covered, rejected, value, standard error, Monte Carlo error, difference and its standard error."""
    assignment.MOST_PAIRS = most_pairs
    comparison = pr.compare(y, scores, measure=key)
    difference, estimate = comparison.difference("a", "b"), comparison.estimates["a"]
    low, high = estimate.confidence_interval()
    errors = estimate.standard_error, estimate.monte_carlo_error
    outcome = low <= truth <= high, difference.pvalue < 0.05
    return *outcome, estimate.value, *errors, difference.value, difference.standard_error


def row(kind: str, sizes: tuple[int, ...], name: str, results: list[tuple[float, ...]]) -> str:
    """One row of the table."""
    covered, rejected, value, error, monte_carlo, difference, its_error = np.array(results, dtype=float).T
    ratios = value.std() / np.sqrt(np.mean(error**2)), difference.std() / np.sqrt(np.mean(its_error**2))
    rates = f"{100 * covered.mean():.1f} | {100 * rejected.mean():.1f}"
    numbers = f"{rates} | {ratios[0]:.2f} | {ratios[1]:.2f} | {monte_carlo.mean():.5f}"
    return f"| {kind}, {' + '.join(map(str, sizes))} ({len(results)}) | {name} | {numbers} |\n"


def main() -> None:
    """Print the rows of the table."""
    for kind, sizes, samples in SETTINGS:
        rng, truth = np.random.default_rng(11), true_value(kind, 1500)
        rows: dict[str, list[tuple[float, ...]]] = {"all triples": [], "blocks": []}
        for seed in range(samples):
            y, scores = sample(kind, sizes, rng)
            key = f"he(tuples={PARTNERS * max(sizes)}, rng={seed})"
            rows["all triples"].append(one(y, scores, "he", EXACT, truth))
            rows["blocks"].append(one(y, scores, key, 1, truth))
        for name, results in rows.items():
            sys.stdout.write(row(kind, sizes, name, results))
    for kind, sizes, samples in BY_DEFAULT:
        rng, truth = np.random.default_rng(12), true_value(kind, 20_000)
        of_blocks = [one(*sample(kind, sizes, rng), f"he(rng={seed})", EXACT, truth) for seed in range(samples)]
        sys.stdout.write(row(kind, sizes, "blocks", of_blocks))


if __name__ == "__main__":
    main()
