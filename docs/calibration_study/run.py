"""Are the intervals, tests and bands of `calibration` valid? Their coverage and size, by simulation.

    python docs/calibration_study/run.py            all cells: results.csv, and the table of the guide
    python docs/calibration_study/run.py --page     the table from the results that are there

True log odds are normal; predicted log odds are (true - shift) / slope. The truth is integrated.
"""

import argparse
import csv
import os
import re
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

import polyroc as pr

RESULTS = Path(__file__).parent / "results.csv"
PAGE = Path(__file__).parents[1] / "guide" / "calibration.md"
REPLICATES, DRAWS, LEVEL = 400, 200, 0.95
NODES = ndtri((np.arange(20_000) + 0.5) / 20_000)
COLUMNS = ("model", "cases", "events", "quantity", "nominal", "replicates", "rate")


class Model(NamedTuple):
    """A distribution of true log odds, and how the predicted ones differ: slope and shift."""

    name: str
    slope: float
    shift: float = 0.0
    mean: float = 0.0
    spread: float = 1.5


MODELS = (
    Model("calibrated", 1.0),
    Model("overconfident", 0.6),
    Model("underconfident", 1.6),
    Model("too low", 1.0, 0.5),
    Model("calibrated, rare", 1.0, 0.0, -3.8, 1.3),
    Model("overconfident, rare", 0.6, 0.0, -3.8, 1.3),
)
SIZES = (40, 200, 1000)
RARE_SIZES = (420, 2100)


def cells() -> list[tuple[Model, int]]:
    """Every model at every size."""
    return [(model, n) for model in MODELS for n in (RARE_SIZES if "rare" in model.name else SIZES)]


def truths(model: Model) -> dict[str, float]:
    """The true values."""
    odds = model.mean + model.spread * NODES
    q, predicted = expit(odds), (odds - model.shift) / model.slope
    share = float(q.mean())
    large = brentq(lambda a: float(expit(a + predicted).mean()) - share, -5.0, 5.0)
    return {
        "in_the_large": float(large),
        "slope": model.slope,
        "miscalibration": float(((expit(predicted) - q) ** 2).mean()),
        "discrimination": float(((q - share) ** 2).mean()),
        "uncertainty": share * (1.0 - share),
    }


def replicate(model: Model, n: int, number: int) -> dict[str, float]:
    """What holds in one sample: 1 or 0, or a share of points."""
    rng = np.random.default_rng([zlib.crc32(f"{model.name} {n}".encode()), number])
    odds = model.mean + model.spread * rng.standard_normal(n)
    y, p = rng.random(n) < expit(odds), expit((odds - model.shift) / model.slope)
    if not 2 <= y.sum() <= n - 2:
        return {}
    own = pr.calibration(y, p, n=DRAWS, rng=number, level=LEVEL).event()
    true, covered = truths(model), dict[str, float]()
    parts: dict[str, Any] = {"in_the_large": own.in_the_large, "slope": own.slope, **own.decomposition._asdict()}
    for name, part in parts.items():
        if not np.isnan(part.low):
            covered[name] = float(part.low - 1e-12 <= true[name] <= part.high + 1e-12)
    curve = own.curve
    at = expit(model.shift + model.slope * np.log(curve.predicted / (1.0 - curve.predicted)))
    confidence, consistency = curve.confidence, curve.consistency
    assert confidence is not None
    assert consistency is not None
    covered["confidence band, pointwise"] = float(((confidence.low <= at) & (at <= confidence.high)).mean())
    inside = (confidence.simultaneous_low <= at) & (at <= confidence.simultaneous_high)
    covered["confidence band, simultaneous"] = float(inside.all())
    if true["miscalibration"] < 1e-12:
        tests = {"joint": own.joint.pvalue, "Spiegelhalter": own.spiegelhalter.pvalue}
        tests["simulated"] = own.simulated_pvalue
        covered |= {f"{name} test": float(p <= 1.0 - LEVEL) for name, p in tests.items()}
        covered |= _consistency(curve.observed, consistency)
    return covered


def _consistency(observed: Any, bands: Any) -> dict[str, float]:
    pointwise = (bands.low <= observed) & (observed <= bands.high)
    everywhere = (bands.simultaneous_low <= observed) & (observed <= bands.simultaneous_high)
    return {
        "consistency band, pointwise": float(pointwise.mean()),
        "consistency band, simultaneous": float(everywhere.all()),
    }


def rows_of(model: Model, n: int) -> list[dict[str, str]]:
    """The lines of one cell."""
    covered = [replicate(model, n, number) for number in range(REPLICATES)]
    share = float(expit(model.mean + model.spread * NODES).mean())
    rows = []
    for name in dict.fromkeys(name for one in covered for name in one):
        values = [one[name] for one in covered if name in one]
        nominal = 0.05 if name.endswith("test") else LEVEL
        numbers = (model.name, n, f"{share * n:.0f}", name, f"{nominal:g}", len(values), f"{np.mean(values):.4f}")
        rows.append(dict(zip(COLUMNS, map(str, numbers), strict=True)))
    return rows


def read() -> list[dict[str, str]]:
    """The stored lines."""
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def table(rows: list[dict[str, str]]) -> str:
    """By quantity the rates of all cells, in Markdown."""
    places = list(dict.fromkeys((row["model"], row["cases"], row["events"]) for row in rows))
    names = list(dict.fromkeys(row["quantity"] for row in rows))
    rates = {(row["model"], row["cases"], row["quantity"]): row["rate"] for row in rows}
    short = [name.replace("in_the_large", "in the large").replace("simultaneous", "all") for name in names]
    lines = ["| probabilities | cases, events | " + " | ".join(short) + " |", "|---|---|" + "---|" * len(names)]
    for model, cases, events in places:
        cells = [
            f"{float(rates[model, cases, name]):.3f}" if (model, cases, name) in rates else "" for name in names
        ]
        lines.append(f"| {model} | {cases}, {events} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def filled(text: str, rows: list[dict[str, str]]) -> str:
    """The page with the table made anew."""
    return re.sub(
        r"(<!-- begin coverage -->\n).*?(<!-- end coverage -->)",
        lambda match: f"{match[1]}\n{table(rows)}\n\n{match[2]}",
        text,
        flags=re.DOTALL,
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the study, or write the table alone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="only write the table anew")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    chosen = parser.parse_args(arguments)
    if not chosen.page:
        with ProcessPoolExecutor(chosen.jobs) as pool:
            done = list(pool.map(rows_of, *zip(*cells(), strict=True)))
        with RESULTS.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(row for rows in done for row in rows)
        sys.stdout.write(table(read()) + "\n")
    if PAGE.exists():
        PAGE.write_text(filled(PAGE.read_text(), read()))


if __name__ == "__main__":
    main()
