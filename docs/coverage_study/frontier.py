"""Coverage and width of differences by the constants of the score test.

python docs/coverage_study/frontier.py                   the table of docs/intervals.md
python docs/coverage_study/frontier.py --replicates 50   fewer samples; writes nothing
"""

import argparse
import os
import re
import sys
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

from concurrent.futures import ProcessPoolExecutor
from math import inf, sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from grid import Cell, cells
from models import OUTLIER_MODELS
from quantities import compare
from records import samples_of, true_value

import polyroc as pr
from polyroc.estimates import difference as score_test
from polyroc.estimates.intervals import student_z

PAGE = Path(__file__).parents[1] / "intervals.md"
REPLICATES, MOST_CASES = 200, 650
Z = NormalDist().inv_cdf(0.975)
CANDIDATES = {  # the constant of unseen cases, the smallest share, and the factor of the degrees of freedom
    "**default**: $u = 2/n^2$": (2.0, 0.7, 1.0),
    "$u = 4/n^2$": (4.0, 0.7, 1.0),
    "$u = 1/n^2$": (1.0, 0.7, 1.0),
    "$u = 1/(2n^2)$": (0.5, 0.7, 1.0),
    "$u = 0$": (0.0, 0.7, 1.0),
    "share at least 0.5": (2.0, 0.5, 1.0),
    "degrees of freedom once": (2.0, 0.7, 0.5),
    "normal quantile": (2.0, 0.7, inf),
}
HEAD = (
    "| candidate | lowest coverage, % | below 93 % | 93 to 97.5 % | above 97.5 % | median width / Wald's "
    "| over 1.1 where Wald covers 94 to 96.5 % | size above 6 % | lowest power / Wald's |\n"
    f"|---|{'---:|' * 8}"
)


def ends_of(difference: pr.results.Difference) -> list[tuple[float, float]]:
    """Return Wald's interval and that of each candidate."""
    reach, intervals = Z * difference.standard_error, []
    intervals.append((difference.value - reach, difference.value + reach))
    assert difference.region is not None
    first, second = difference.region.estimates
    for unseen, share, factor in CANDIDATES.values():
        score_test.UNSEEN_RANKS, score_test.SMALLEST_SHARE = unseen, share
        region = score_test.ScoreRegion(first, second, difference.standard_error**2)
        degrees = None if difference.df is None or factor == inf else factor * difference.df
        intervals.append(region.ends(student_z(Z, degrees)))
    return intervals


def simulate(task: tuple[Cell, int]) -> list[npt.NDArray[np.float64]]:
    """Return, for each measure of a cell, at [quantity, candidate]: covered, rejected, width, equal values."""
    cell, replicates = task
    ends: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in cell.measures}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, data, setting in samples_of(cell, replicates):
            for name in cell.measures:
                comparison = compare(name, data, setting)
                pair = None if comparison is None else comparison.difference("0", "1")
                if pair is not None and pair.test == score_test.SCORE_TEST:
                    ends[name].append(ends_of(pair))
    results = []
    for name, own in ends.items():
        if len(own) < replicates:  # no difference in some samples, or a measure without limits
            continue
        true = true_value(cell, name, 0) - true_value(cell, name, 1)
        low, high = np.moveaxis(np.array(own), 2, 0)
        covered = ((low - 1e-9 <= true) & (true <= high + 1e-9)).mean(axis=0)
        rejected = ((low > 0) | (high < 0)).mean(axis=0)
        equal = np.full(len(covered), cell.has_equal_values)
        results.append(np.array([covered, rejected, np.median(high - low, axis=0), equal]))
    return results


def table(results: npt.NDArray[np.float64]) -> str:
    """Return the summary by candidate, from results at [cell, quantity, candidate]."""
    covered, rejected, width, equal = np.moveaxis(results, 1, 0)
    is_equal, wald = equal[:, 0] > 0, covered[:, 0]
    tested = ~is_equal & (wald >= 0.93) & (rejected[:, 0] >= 0.2) & (rejected[:, 0] <= 0.95)
    exact, lines = (wald >= 0.94) & (wald <= 0.965), []
    for i, name in enumerate(("Wald", *CANDIDATES)):
        ratio = width[:, i] / width[:, 0]
        c = covered[:, i]
        numbers = (
            f"{100 * c.min():.1f}",
            *(str(int(share.sum())) for share in (c < 0.93, (c >= 0.93) & (c <= 0.975), c > 0.975)),
            f"{np.median(ratio):.2f}",
            f"{int((ratio[exact] > 1.105).sum())} of {int(exact.sum())}",
            f"{int((rejected[is_equal, i] > 0.06).sum())} of {int(is_equal.sum())}",
            f"{(rejected[tested, i] / rejected[tested, 0]).min():.2f}",
        )
        lines.append(f"| {name} | {' | '.join(numbers)} |")
    error = 100 * sqrt(0.95 * 0.05 / REPLICATES)
    count = f"{len(results)} differences, {REPLICATES} samples each (error {error:.1f} points at 95 %):"
    return "\n".join([count, "", HEAD, *lines])


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="samples a cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    chosen = parser.parse_args()
    pairs = [cell for cell in cells() if cell.kind == "pair" and cell.model_name not in OUTLIER_MODELS]
    usual = [cell for cell in pairs if min(cell.sizes) >= 10 and sum(cell.sizes) <= MOST_CASES]
    with ProcessPoolExecutor(chosen.jobs) as pool:
        intervals = [
            one for some in pool.map(simulate, [(cell, chosen.replicates) for cell in usual]) for one in some
        ]
    text = table(np.array(intervals))
    if chosen.replicates != REPLICATES:
        sys.stdout.write(f"{text}\n")
        return
    pattern = re.compile(r"(<!-- begin frontier -->\n).*(<!-- end frontier -->)", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
