"""Are the intervals, bands and tests of `calibration` valid? Their coverage and size, by simulation.

    python docs/calibration_study/run.py            all cells: results.csv, and the tables of the guide
    python docs/calibration_study/run.py --page     the tables from the results that are there
    python docs/calibration_study/run.py --replicates 20 --out FILE   fewer samples, into another file: a trial

The models are in calibration_models.py.
"""

import argparse
import csv
import os
import re
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from calibration_models import MODELS, Model, curve_at, truths
from scipy.special import expit, logit
from scipy.stats import laplace

import polyroc as pr
from polyroc.reports.probabilities import beneficial

RESULTS = Path(__file__).parent / "results.csv"
PAGE = Path(__file__).parents[1] / "guide" / "calibration.md"
REPLICATES, DRAWS, LEVEL = 200, 200, 0.95
COLUMNS = ("model", "use", "cases", "quantity", "nominal", "replicates", "rate")
TABLES = {
    "intervals": (
        *("in_the_large", "slope", "miscalibration", "discrimination", "uncertainty"),
        *("log_loss miscalibration", "log_loss discrimination"),
        *("spherical miscalibration", "spherical discrimination", "calibration_error"),
    ),
    "bands": (
        *("confidence band, pointwise", "confidence band, all", "smooth band, pointwise"),
        *("consistency band, pointwise", "consistency band, all"),
    ),
    "tests": ("joint test", "Spiegelhalter test", "simulated test"),
}
Covered = dict[str, float]


def single(model: Model, n: int, rng: np.random.Generator) -> Covered:
    """What holds in one sample of one classifier: 1 or 0, or a share of points."""
    y, p = model.draw(n, rng)
    if not 2 <= y.sum() <= n - 2:
        return {}
    own = pr.calibration(y, p, replicates=DRAWS, rng=int(rng.integers(2**31)), level=LEVEL, smooth=True).event()
    parts: dict[str, Any] = {"in_the_large": own.in_the_large, "slope": own.slope, **own.decomposition._asdict()}
    for score, terms in (("log_loss", own.log_loss), ("spherical", own.spherical)):
        assert terms is not None
        parts |= {f"{score} {name}": part for name, part in terms._asdict().items() if name != "uncertainty"}
    parts["calibration_error"] = own.calibration_error
    true = truths(model)
    covered = {name: _inside(true[name], part) for name, part in parts.items() if not np.isnan(part.low)}
    covered |= _bands(own, curve_at(model, own.curve.predicted))
    if model.calibrated:
        tests = {"joint": own.joint.pvalue, "Spiegelhalter": own.spiegelhalter.pvalue}
        tests["simulated"] = own.simulated_pvalue
        covered |= {f"{name} test": float(p <= 1.0 - LEVEL) for name, p in tests.items()}
        covered |= _consistency(own.curve)
    return covered


def _inside(true: float, part: Any) -> float:
    return float(part.low - 1e-9 <= true <= part.high + 1e-9)


def _bands(own: Any, at: Any) -> Covered:
    band = own.curve.confidence
    inside = (band.simultaneous_low <= at) & (at <= band.simultaneous_high)
    covered = {"confidence band, pointwise": float(((band.low <= at) & (at <= band.high)).mean())}
    covered["confidence band, all"] = float(inside.all())
    if own.smooth.undefined is None:
        covered["smooth band, pointwise"] = float(((own.smooth.low <= at) & (at <= own.smooth.high)).mean())
    return covered


def _consistency(curve: Any) -> Covered:
    bands, observed = curve.consistency, curve.observed
    pointwise = (bands.low <= observed) & (observed <= bands.high)
    everywhere = (bands.simultaneous_low <= observed) & (observed <= bands.simultaneous_high)
    return {
        "consistency band, pointwise": float(pointwise.mean()),
        "consistency band, all": float(everywhere.all()),
    }


# Differences, classes and folds ----------------------------------------------------------------------------------

GRID = laplace.ppf((np.arange(2000) + 0.5) / 2000)
MARGINAL = np.array([expit(z + GRID).mean() for z in GRID])  # P(event) if one of two Laplace numbers is known


def _known(z: Any) -> Any:
    return np.interp(z, GRID, MARGINAL)


def _sharper(p: Any, factor: float) -> Any:
    return expit(factor * logit(p))


def classifiers(factor: float, n: int, rng: np.random.Generator) -> Covered:
    """Two classifiers that know one of two numbers each; the log odds of the second are multiplied by a factor."""
    z = rng.laplace(size=(2, n))
    y, first, second = rng.random(n) < expit(z.sum(axis=0)), _known(z[0]), _sharper(_known(z[1]), factor)
    if not 3 <= y.sum() <= n - 3:
        return {}
    result = pr.calibration(y, {"a": first, "b": second}, replicates=DRAWS, rng=int(rng.integers(2**31)))
    q = MARGINAL
    true = {"miscalibration": -float(((q - _sharper(q, factor)) ** 2).mean()), "discrimination": 0.0}
    (terms,) = (result.term_differences or {}).values()
    covered = {f"difference of {name}": _inside(true[name], part) for name, part in terms._asdict().items()}
    covered["difference of slopes"] = _inside(1.0 - 1.0 / factor, (result.differences or {})["a", "b"])
    for name, part in terms._asdict().items():
        if abs(true[name]) < 1e-12:
            covered[f"equal {name} test"] = float(part.pvalue <= 1.0 - LEVEL)
    return covered


def subgroups(factor: float, n: int, rng: np.random.Generator) -> Covered:
    """Two subgroups of different size and share of events; of the second, log odds are multiplied by a factor."""
    second = np.arange(n) % 3 == 0
    odds = rng.laplace(size=n) * 1.2 - 0.5 * second
    y, p = rng.random(n) < expit(odds), expit(np.where(second, factor, 1.0) * odds)
    if min(y[second].sum(), (~y[second]).sum(), y[~second].sum(), (~y[~second]).sum()) < 3:
        return {}
    result = pr.calibration(y, p, by=second, replicates=DRAWS, rng=int(rng.integers(2**31)))
    true = _subgroup_truths(factor)
    key = "classifier", "True"
    covered = {}
    for (_, _, *of, name), part in result.differences.items():
        assert (*of,) == key
        if not np.isnan(part.low):
            covered[f"difference of {name}"] = _inside(true[name], part)
    if factor == 1.0:
        covered["equal calibration test"] = float(result.equality[*key, "both"].pvalue <= 1.0 - LEVEL)
    return covered


def _subgroup_truths(factor: float) -> dict[str, float]:
    def of(name: str, shift: float, factor: float) -> dict[str, float]:
        return truths(Model(name, _Laplace(shift, factor), ()))

    first, second = of("first", 0.0, 1.0), of("second", -0.5, factor)
    return {name: first[name] - second[name] for name in first}


class _Laplace(tuple[float, float]):
    """Log odds with a Laplace distribution, as a function that can be compared."""

    __slots__ = ()

    def __new__(cls, shift: float, factor: float) -> "_Laplace":
        return super().__new__(cls, (shift, factor))

    def __call__(self, u: Any) -> tuple[Any, Any]:
        odds = 1.2 * laplace.ppf(u) + self[0]
        return expit(odds), expit(self[1] * odds)


def classes(factor: float, n: int, rng: np.random.Generator) -> Covered:
    """Three classes with right rows: events, Spiegelhalter's test of all, the kernel test."""
    rows = rng.dirichlet([1.0, 0.7, 0.4], n)
    y = (rng.random((n, 1)) >= rows.cumsum(axis=1)[:, :-1]).sum(axis=1)
    if np.bincount(y, minlength=3).min() < 2:
        return {}
    rows = np.clip(rows, 1e-4, 1) ** factor
    rows /= rows.sum(axis=1, keepdims=True)
    scores = pr.Scores(y, rows)
    result = pr.calibration(scores, views=["top label", "pair"], replicates=100, rng=int(rng.integers(2**31)))
    (kernel,) = (result.canonical or {}).values()
    (overall,) = result.overall.values()
    pair = result.event(event="0, of 0 or 1")
    top = result.event(event="top label")
    tests = {"kernel": kernel.pvalue, "Spiegelhalter, all classes": overall.pvalue}
    tests |= {"joint, pair": pair.joint.pvalue, "joint, top label": top.joint.pvalue}
    suffix = "test" if factor == 1.0 else "power"
    return {f"{name} {suffix}": float(p <= 1.0 - LEVEL) for name, p in tests.items()}


def folds(_: float, n: int, rng: np.random.Generator) -> Covered:
    """Five folds whose models are calibrated."""
    odds = rng.laplace(size=n) - 0.5
    y = rng.random(n) < expit(odds)
    if not 3 <= y.sum() <= n - 3:
        return {}
    result = pr.calibration(y, expit(odds), folds=np.arange(n) % 5, replicates=50, rng=0)
    (test,) = (result.fold_tests or {}).values()
    return {"equal folds test": float(test.pvalue <= 1.0 - LEVEL)}


def benefit(share: float, n: int, rng: np.random.Generator) -> Covered:
    """The report's sentence on net benefit, of probabilities that know nothing: any threshold is a false claim."""
    y, p = rng.random(n) < share, expit(logit(share) + rng.normal(size=n))
    if not 3 <= y.sum() <= n - 3:
        return {}
    curve = pr.decision_curve(y, p, thresholds=np.arange(0.05, 1.0, 0.05))
    return {"more net benefit than all or none test": float(beneficial(curve, "classifier", LEVEL).any())}


MORE: tuple[tuple[str, Callable[..., Covered], float, tuple[int, ...]], ...] = (
    ("two calibrated classifiers", classifiers, 1.0, (60, 200)),
    ("calibrated and overconfident classifier", classifiers, 1.8, (60, 200)),
    ("two calibrated subgroups", subgroups, 1.0, (150, 300)),
    ("calibrated and overconfident subgroup", subgroups, 1.8, (150, 300)),
    ("three classes, calibrated", classes, 1.0, (60, 150)),
    ("three classes, overconfident", classes, 1.4, (60, 150)),
    ("five folds, calibrated", folds, 1.0, (100, 400)),
    ("useless probabilities, 30 % events", benefit, 0.3, (60, 200)),
    ("useless probabilities, 5 % events", benefit, 0.05, (400,)),
)


def cells() -> list[tuple[str, int]]:
    """Every model at every size."""
    named = [(model.name, n) for model in MODELS for n in model.sizes]
    return named + [(name, n) for name, _, _, sizes in MORE for n in sizes]


def replicate(name: str, n: int, number: int) -> Covered:
    """What holds in one sample of a cell."""
    rng = np.random.default_rng([zlib.crc32(f"{name} {n}".encode()), number])
    for model in MODELS:
        if model.name == name:
            return single(model, n, rng)
    ((check, factor),) = ((check, factor) for own, check, factor, _ in MORE if own == name)
    return check(factor, n, rng)


def rows_of(name: str, n: int, replicates: int = REPLICATES) -> list[dict[str, str]]:
    """The lines of one cell."""
    covered = [replicate(name, n, number) for number in range(replicates)]
    use = "choice" if any(model.name == name and model.chosen_on for model in MODELS) else "report"
    rows = []
    for quantity in dict.fromkeys(quantity for one in covered for quantity in one):
        values = [one[quantity] for one in covered if quantity in one]
        nominal = "" if quantity.endswith("power") else 0.05 if quantity.endswith("test") else LEVEL
        numbers = (name, use, n, quantity, nominal, len(values), f"{np.mean(values):.4f}")
        rows.append(dict(zip(COLUMNS, map(str, numbers), strict=True)))
    return rows


def read() -> list[dict[str, str]]:
    """The stored lines."""
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def tables(rows: list[dict[str, str]]) -> dict[str, str]:
    """The tables of the guide in Markdown, by name."""
    names = {model.name for model in MODELS}
    made = {name: _table([row for row in rows if row["model"] in names], TABLES[name]) for name in TABLES}
    lines = ["| sample | cases | quantity | rate |", "|---|---|---|---|"]
    lines += [
        f"| {row['model']} | {row['cases']} | {row['quantity'].replace('_', ' ')} | {float(row['rate']):.3f} |"
        for row in rows
        if row["model"] not in names
    ]
    return {**made, "differences": "\n".join(lines)}


def _table(rows: list[dict[str, str]], names: tuple[str, ...]) -> str:
    rates = {(row["model"], row["cases"], row["quantity"]): row["rate"] for row in rows}
    places = dict.fromkeys((row["model"], row["use"], row["cases"]) for row in rows if row["quantity"] in names)
    short = [name.replace("_", " ") for name in names]
    lines = ["| probabilities | cases | " + " | ".join(short) + " |", "|---|---|" + "---|" * len(names)]
    for model, use, cases in places:
        shown = [rates.get((model, cases, name)) for name in names]
        numbers = ["" if rate is None else f"{float(rate):.3f}" for rate in shown]
        lines.append(f"| {model}{'*' if use == 'choice' else ''} | {cases} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def filled(text: str, rows: list[dict[str, str]]) -> str:
    """The page with the tables made anew."""
    for name, table in tables(rows).items():
        text = re.sub(
            rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)",
            lambda match, table=table: f"{match[1]}\n{table}\n\n{match[2]}",
            text,
            flags=re.DOTALL,
        )
    return text


def main(arguments: list[str] | None = None) -> None:
    """Run the study, or write the tables alone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="only write the tables anew")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="samples of a cell")
    parser.add_argument(
        "--out", type=Path, default=RESULTS, help="another file for the results; no page is written"
    )
    parser.add_argument("--only", default="", help="cells whose name contains this; with --out")
    chosen = parser.parse_args(arguments)
    if not chosen.page:
        named = [cell for cell in cells() if chosen.only in cell[0]]
        with ProcessPoolExecutor(chosen.jobs) as pool, chosen.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            for rows in pool.map(partial(rows_of, replicates=chosen.replicates), *zip(*named, strict=True)):
                writer.writerows(rows)
                file.flush()
    if PAGE.exists() and chosen.out == RESULTS:
        PAGE.write_text(filled(PAGE.read_text(), read()))


if __name__ == "__main__":
    main()
