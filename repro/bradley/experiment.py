"""Bradley (1997): tables 4 to 7 and the numbers of figures 5 to 15, by `polyroc.study`."""

import tomllib
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
from repro.bradley.drawn_scores import PRINTED, draws
from repro.evaluation import value
from repro.expected import available

import polyroc as pr
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries import anova, duncan, spread, wilcoxon_error
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.spread import Spread

__all__ = ["LEARNERS", "TABLES", "draws_of", "fold_tables", "measured", "ranges", "spreads", "steps"]

FloatArray = npt.NDArray[np.float64]
TABLES = {"breast": "Table 4, Breast", "pima": "Table 5, Pima", "cleveland": "Table 6, Cleveland"}
TABLES |= {"hungarian": "Table 7, Hungarian"}
QUICK = ("BAYES", "BAYES swept", "KNN", "C4.5", "C4.5 swept", "PTRON", "MLP2")
DRAWS, SEED = 10, 1997  # draws of ten test sets each, in the full run
FIGURE_15 = {0.75: (20, 50, 100, 200), 0.85: (20, 50, 100, 200), 0.95: (20, 50, 100, 200)}

# The paper's nine learners: the learner of the plan with every threshold, and the one with the paper's thresholds.
LEARNERS = {
    "BAYES": ("BAYES", "BAYES swept"),
    "KNN": ("KNN", "KNN"),
    "C4.5": ("C4.5", "C4.5 swept"),
    "MSCP": (None, "MSCP"),
    "MSCM": (None, "MSCM"),
    "PTRON": ("PTRON", "PTRON"),
    "MLP2": ("MLP2", "MLP2"),
    "MLP4": ("MLP4", "MLP4"),
    "MLP8": ("MLP8", "MLP8"),
}

CORRELATION, SD_OF_ERROR, SD_OF_DEVIATION = 0.9608, 0.0482, 0.0614  # section 9.3.2
DRAWS_OF_SCORES = 100


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """One step per available data set and draw of ten test sets."""
    names = [name for name in TABLES if available(name)]
    return {
        f"{name} draw {draw}": partial(study, name, draw, quick)
        for name in names
        for draw in range(1 if quick else DRAWS)
    }


def study(name: str, draw: int, quick: bool) -> dict[str, Any]:
    """Accuracy, AUC with every threshold and with the paper's, and pooled curves, on ten test sets."""
    plan = tomllib.loads((Path(__file__).parent / "plan.toml").read_text(encoding="utf-8"))
    plan |= {"data": [{"name": name, "encode": "none"}], "seed": SEED + draw}
    if quick:
        plan["learners"] = [learner for learner in plan["learners"] if learner["name"] in QUICK]
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        # the paper's data contain copies of cases, in training and test sets alike
        warnings.simplefilter("ignore", pr.errors.OptimismWarning)
        result = pr.study(plan, out=Path(folder) / "study.duckdb")
        areas, accuracy = result.values("auc"), result.values("accuracy")
        (counts,) = result.fold_counts().values()
        scores = result.scores()
        binned = _binned(scores)
        return {
            "learners": {
                learner: {
                    "accuracy": accuracy.values[:, column].tolist(),
                    "AUC, exact": areas.values[:, column].tolist(),
                    "AUC, grid": _areas(scores, binned[learner]),
                }
                for column, learner in enumerate(areas.learners)
            },
            "BAYES, posterior steps": _areas(scores, np.ceil(14.0 * scores.values["BAYES"][:, scores.positive])),
            "fold counts": list(counts),
            "test size": areas.test_size,
            "curves": {learner: _pooled(scores, binned[learner]) for learner in binned},
            "exact curves": {
                learner: _pooled(scores, P[:, scores.positive]) for learner, P in scores.values.items()
            },
        }


def _binned(scores: pr.Scores) -> dict[str, FloatArray]:
    """Scores with the paper's thresholds only: scores between two of them tie. Votes and sweeps are unchanged.

    The output of the perceptron's neuron is scaled to [0, 1] in each test set, those of the networks lie there;
    both have thresholds at steps of 1/10.
    """
    binned = {}
    for learner, P in scores.values.items():
        p = P[:, scores.positive]
        if learner == "PTRON":
            linear = p.copy()  # decision values
            assert scores.folds is not None
            for fold in range(len(scores.folds)):
                here = scores.folds.codes == fold
                linear[here] = (linear[here] - linear[here].min()) / np.ptp(linear[here])
            p = np.ceil(10.0 * linear)
        binned[learner] = np.ceil(10.0 * p) if learner.startswith("MLP") else p
    return binned


def _areas(scores: pr.Scores, p: FloatArray) -> list[float]:
    """AUC in each test set."""
    assert scores.folds is not None
    truth = (scores.codes == scores.positive).astype(int)
    rows = [scores.folds.codes == fold for fold in range(len(scores.folds))]
    return [value(truth[here], p[here], "auc") for here in rows]


def _pooled(scores: pr.Scores, p: FloatArray) -> list[list[float]]:
    """The ROC curve of the cases of all test sets, as the paper draws it."""
    curve = pr.curve((scores.codes == scores.positive).astype(int), p)
    assert isinstance(curve, pr.results.Curve)
    return [np.asarray(curve.fpr).tolist(), np.asarray(curve.tpr).tolist()]


def draws_of(results: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The results on a data set, draw by draw."""
    return [result for step, result in results.items() if step.startswith(f"{name} ")]


def fold_tables(name: str, draw: dict[str, Any], key: str) -> FoldTable:
    """The paper's nine learners (or those that were run) on the ten test sets of a draw."""
    kept = [learner for learner, (_, swept) in LEARNERS.items() if swept in draw["learners"]]
    columns = [draw["learners"][LEARNERS[learner][1]][key] for learner in kept]
    values = np.array(columns).T
    blocks = tuple((repeat, 0) for repeat in range(len(values)))
    return FoldTable(values, tuple(kept), blocks, 9.0 * draw["test size"], draw["test size"], name, key)


def ranges(name: str, draw: dict[str, Any]) -> dict[str, RangeTest]:
    """Duncan's groups of a draw, which the paper underlines."""
    return {key: duncan(fold_tables(name, draw, key)) for key in ("accuracy", "AUC, grid")}


def spreads(results: dict[str, Any], draw: int) -> Spread:
    """SE(W) beside SD over test sets for every learner and data set, in one draw."""
    here = {name: results[f"{name} draw {draw}"] for name in TABLES if f"{name} draw {draw}" in results}
    tables = [fold_tables(name, result, "AUC, grid") for name, result in here.items()]
    renamed = [
        FoldTable(t.values, t.learners, t.blocks, t.train_size, t.test_size, t.data_set, "auc") for t in tables
    ]
    counts = {name: (result["fold counts"][0], result["fold counts"][1]) for name, result in here.items()}
    return spread(renamed, fold_counts=counts)


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Means over test sets in per cent, as printed, and the numbers of the figures."""
    numbers: dict[str, dict[str, float]] = {}
    for name, table in TABLES.items():
        if draws := draws_of(results, name):
            numbers[table] = _table(draws) | _headline(name, draws)
    numbers["Figure 15"] = {
        f"AUC {theta}, {n} cases a class": wilcoxon_error("auc", theta, n, n)
        for theta, sizes in FIGURE_15.items()
        for n in sizes
    }
    numbers["Equation 10, unequal classes"] = {
        f"{name}, {max(areas)} %": wilcoxon_error("auc", max(areas) / 100.0, *counts)
        for name, (counts, areas) in PRINTED.items()
    }
    numbers["Section 7"] = _formulas()
    numbers["Figures 13 and 14, from the printed areas"] = _drawn_errors()
    if results:
        numbers["Figures 13 and 14"] = _errors(results) | _errors_of_these(results)
    return numbers


def _formulas() -> dict[str, float]:
    """F of a small table, and r_p of equation 14, which depends on the numbers of learners and test sets alone."""
    by_hand = anova({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    nine = duncan(dict(zip(LEARNERS, np.random.default_rng(SEED).normal(size=(len(LEARNERS), 10)), strict=True)))
    ranges = (critical / nine.standard_error for critical in nine.critical_ranges)
    return {"F of three learners on three test sets": by_hand.F} | {
        f"r_{p}, {nine.df:.0f} degrees of freedom": r for p, r in enumerate(ranges, start=2)
    }


def _headline(name: str, draws: list[dict[str, Any]]) -> dict[str, float]:
    """F and the number of Duncan's groups by AUC and by accuracy, means over draws."""
    F = {
        key: np.array([anova(fold_tables(name, draw, key)).F for draw in draws])
        for key in ("accuracy", "AUC, grid")
    }
    numbers = {f"F of {key}": float(values.mean()) for key, values in F.items()}
    numbers["share of draws in which the AUC has the larger F"] = float(np.mean(F["AUC, grid"] > F["accuracy"]))
    for key in F:
        numbers[f"groups by {key}"] = float(np.mean([len(ranges(name, draw)[key].groups) for draw in draws]))
    numbers["groups by AUC less groups by accuracy"] = (
        numbers["groups by AUC, grid"] - numbers["groups by accuracy"]
    )
    return numbers


def _table(draws: list[dict[str, Any]]) -> dict[str, float]:
    numbers: dict[str, float] = {}

    def mean(learner: str, key: str) -> float:
        return 100.0 * float(np.mean([draw["learners"][learner][key] for draw in draws]))

    for learner, (every, few) in LEARNERS.items():
        if few in draws[0]["learners"]:
            numbers[f"{learner} accuracy"] = mean(few, "accuracy")
            numbers[f"{learner} AUC, grid"] = mean(few, "AUC, grid")
            if every is not None:
                numbers[f"{learner} AUC, exact"] = mean(every, "AUC, exact")
                numbers[f"{learner} AUC, exact less grid"] = (
                    numbers[f"{learner} AUC, exact"] - numbers[f"{learner} AUC, grid"]
                )
    steps_of_posterior = [draw["BAYES, posterior steps"] for draw in draws]
    numbers["BAYES AUC, posterior in steps of 1/14"] = 100.0 * float(np.mean(steps_of_posterior))
    return numbers


def _errors(results: dict[str, Any]) -> dict[str, float]:
    """SE(W) and SD of the nine learners on the available data sets, means over draws."""
    draws = sorted({int(step.rsplit(" ", 1)[1]) for step in results})
    pairs = [
        np.array([(row["wilcoxon_error"], row["standard_deviation"]) for row in spreads(results, draw).rows()])
        for draw in draws
    ]
    correlations = [float(np.corrcoef(pair.T)[0, 1]) for pair in pairs]
    error, deviation = np.concatenate(pairs).T
    return {
        "correlation of SE(W) and SD": float(np.mean(correlations)),
        "correlation of SE(W) and SD, least of the draws": min(correlations),
        "correlation of SE(W) and SD, most of the draws": max(correlations),
        "mean SE(W)": float(error.mean()),
        "mean SD": float(deviation.mean()),
    }


def _errors_of_these(results: dict[str, Any]) -> dict[str, float]:
    """The r over the available sets that the paper's r implies, and the one of drawn scores.

    The paper's r and its two standard deviations determine a regression line and a residual scatter. The same line
    and scatter over a narrower range of SE(W) have a smaller r.
    """
    here = [name for name in TABLES if draws_of(results, name)]
    explained = (
        CORRELATION * SD_OF_DEVIATION / SD_OF_ERROR * np.std([e for n in here for e in _printed_errors(n)], ddof=1)
    )
    scatter = SD_OF_DEVIATION * np.sqrt(1.0 - CORRELATION**2)
    r = _correlations(draws(here, DRAWS_OF_SCORES, SEED), 0)
    return {
        "r of the paper's line and scatter over the sets that are here": float(
            explained / np.hypot(explained, scatter)
        ),
        "r over the sets that are here, scores drawn": float(r.mean()),
        "r over the sets that are here, scores drawn, 5 %": float(np.quantile(r, 0.05)),
        "r over the sets that are here, scores drawn, 95 %": float(np.quantile(r, 0.95)),
    }


def _printed_errors(name: str) -> list[float]:
    """SE(W) of the mean areas that the paper prints for a data set."""
    counts, areas = PRINTED[name]
    return [wilcoxon_error("auc", area / 100.0, *counts) for area in areas]


def _correlations(drawn: FloatArray, column: int) -> FloatArray:
    """The correlation of SE(W), by one of its two columns, and SD in each draw."""
    return np.array([np.corrcoef(draw[:, column], draw[:, 2])[0, 1] for draw in drawn])


def _drawn_errors() -> dict[str, float]:
    """SE(W) and its correlation with SD over six sets, if nothing but the areas differed between learners."""
    printed = [error for name in PRINTED for error in _printed_errors(name)]
    six = draws(PRINTED, DRAWS_OF_SCORES, SEED)
    of_mean, averaged = _correlations(six, 0), _correlations(six, 1)
    means, deviations = six.mean(axis=1), six.std(axis=1, ddof=1)
    return {
        "mean SE(W) of the printed areas, six sets": float(np.mean(printed)),
        "SD of SE(W) of the printed areas, six sets": float(np.std(printed, ddof=1)),
        "mean SE(W) averaged over test sets, 5 %": float(np.quantile(means[:, 1], 0.05)),
        "mean SE(W) averaged over test sets, 95 %": float(np.quantile(means[:, 1], 0.95)),
        "SD of SE(W) averaged over test sets, 5 %": float(np.quantile(deviations[:, 1], 0.05)),
        "SD of SE(W) averaged over test sets, 95 %": float(np.quantile(deviations[:, 1], 0.95)),
        "mean SE(W) of mean areas, 5 %": float(np.quantile(means[:, 0], 0.05)),
        "r over six sets, scores drawn": float(of_mean.mean()),
        "r over six sets, scores drawn, SE(W) averaged": float(averaged.mean()),
        "share of draws with the printed r or more, six sets": float(np.mean(of_mean >= CORRELATION)),
        "share with the printed r or more, SE(W) averaged": float(np.mean(averaged >= CORRELATION)),
    }
