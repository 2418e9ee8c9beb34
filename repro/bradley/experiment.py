"""Bradley (1997): tables 4 to 7 and figures 5 to 15, through `polyroc.study`."""

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

import polyroc as pr
from polyroc import datasets
from polyroc.studies.summaries.spread import wilcoxon_error

__all__ = ["draw", "measured", "steps"]

FloatArray = npt.NDArray[np.float64]
TABLES = {"breast": "Table 4, Breast", "pima": "Table 5, Pima", "cleveland": "Table 6, Cleveland"}
TABLES |= {"hungarian": "Table 7, Hungarian"}
QUICK = ("BAYES", "KNN", "C4.5 swept", "MSCM", "PTRON", "MLP2")
DRAWS, SEED = 10, 1997  # of ten test sets each, in the full run
FIGURE_15 = {0.75: (20, 50, 100, 200), 0.85: (20, 50, 100, 200), 0.95: (20, 50, 100, 200)}


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """A step for each data set that is here and each draw of ten test sets."""
    here = {entry.name for entry in datasets.entries() if entry.available or entry.package}
    names = [name for name in TABLES if name in here]
    return {
        f"{name} draw {draw}": partial(study, name, draw, quick)
        for name in names
        for draw in range(1 if quick else DRAWS)
    }


def study(name: str, draw: int, quick: bool) -> dict[str, Any]:
    """Ten test sets: accuracy, AUC with every threshold and with the paper's, by learner; and the tests."""
    plan = tomllib.loads((Path(__file__).parent / "plan.toml").read_text(encoding="utf-8"))
    plan |= {"data": [{"name": name, "encode": "none"}], "seed": SEED + draw}
    if quick:
        plan["learners"] = [learner for learner in plan["learners"] if learner["name"] in QUICK]
    with TemporaryDirectory() as folder:
        found = pr.study(plan, out=Path(folder) / "study.duckdb")
        exact, right = found.values("auc"), found.values("accuracy")
        grid = _grid(found.scores())
        curves = found.pooled_roc()
        spread = {row["learner"]: row for row in found.spread("auc").rows()}
        return {
            "learners": {
                learner: {
                    "accuracy": right.values[:, place].tolist(),
                    "AUC": exact.values[:, place].tolist(),
                    "AUC, grid": grid[learner],
                }
                for place, learner in enumerate(exact.learners)
            },
            "spread": spread,
            "duncan": {key: found.duncan(key).rows() for key in ("auc", "accuracy")},
            "curves": {
                learner: [curve.fpr.tolist(), curve.tpr.tolist()]
                for learner, curve in ((name, curves[name]) for name in curves)
            },
        }


def _grid(scores: pr.Scores) -> dict[str, list[float]]:
    """AUC in each test set with the thresholds of the paper only: all scores between two of them tie."""
    found: dict[str, list[float]] = {learner: [] for learner in scores.values}
    positive, groups = scores.positive, np.asarray(scores.groups)
    for fold in np.unique(groups):
        rows = groups == fold
        truth = (scores.codes[rows] == positive).astype(int)
        binned = {learner: _binned(learner, P[rows, positive]) for learner, P in scores.values.items()}
        judged = pr.evaluate(truth, binned, measure=["auc"], method=None)
        for learner in found:
            found[learner].append(judged[learner, "auc"].value)
    return found


def _binned(learner: str, p: FloatArray) -> FloatArray:
    """Posteriors of Bayes at steps of 1/14, outputs of networks at steps of 1/10; votes and sweeps as they are."""
    if learner == "BAYES":
        return np.ceil(14.0 * p)
    if learner == "PTRON":
        u = 2.0 * p - 1.0
        linear = u / (1.0 - np.abs(u))  # the study squeezed the output of the neuron into [0, 1]
        return np.ceil(10.0 * (linear - linear.min()) / np.ptp(linear))
    return np.ceil(10.0 * p) if learner.startswith("MLP") else p


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Means over test sets, in per cent as printed; and what is made of them."""
    found: dict[str, dict[str, float]] = {}
    for name, table in TABLES.items():
        draws = [result for step, result in results.items() if step.startswith(f"{name} ")]
        if draws:
            found[table] = _table(draws)
    found["Figure 15"] = {
        f"AUC {theta}, {n} cases a class": wilcoxon_error("auc", theta, n, n)
        for theta, sizes in FIGURE_15.items()
        for n in sizes
    }
    pairs = [
        (row["wilcoxon_error"], row["standard_deviation"])
        for result in results.values()
        for row in result["spread"].values()
    ]
    error, deviation = np.array(pairs).T
    found["Figures 13 and 14"] = {
        "correlation of SE(W) and SD": float(np.corrcoef(error, deviation)[0, 1]),
        "mean SE(W)": float(error.mean()),
        "mean SD": float(deviation.mean()),
    }
    return found


def _table(draws: list[dict[str, Any]]) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for learner in draws[0]["learners"]:
        for key in ("accuracy", "AUC", "AUC, grid"):
            values = [value for draw in draws for value in draw["learners"][learner][key]]
            numbers[f"{learner} {key}"] = 100.0 * float(np.mean(values))
        numbers[f"{learner} AUC, exact less grid"] = numbers[f"{learner} AUC"] - numbers[f"{learner} AUC, grid"]
    return numbers


def draw(results: dict[str, Any], folder: Path) -> None:
    """Figures 5 to 15 of the first draw of each data set, and Duncan's groups as letters."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    first = {name: results[f"{name} draw 0"] for name in TABLES if f"{name} draw 0" in results}
    figure, axes = plt.subplots(2, 2, figsize=(9.0, 9.0), sharex=True, sharey=True, layout="constrained")
    for ax, (name, result) in zip(axes.flat, first.items(), strict=False):
        for learner, (fpr, tpr) in result["curves"].items():
            ax.plot(fpr, tpr, label=learner, linewidth=1.2)
        ax.set_title(TABLES[name], loc="left", fontsize=10)
        ax.set_aspect("equal")
    for ax in axes.flat[len(first) :]:
        ax.set_axis_off()
    axes[0, 0].legend(frameon=False, fontsize=8)
    figure.supxlabel("false positive rate")
    figure.supylabel("true positive rate, pooled over test sets")
    figure.savefig(folder / "figures_5_to_12.svg")
    plt.close(figure)
    _draw_spread(results, folder)
    (folder / "duncan.md").write_text(_duncan(first), encoding="utf-8")


def _draw_spread(results: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.5), layout="constrained")
    for name, table in TABLES.items():
        rows = [row for step, r in results.items() if step.startswith(f"{name} ") for row in r["spread"].values()]
        if rows:
            points = [(row["wilcoxon_error"], row["standard_deviation"]) for row in rows]
            left.plot(*zip(*points, strict=True), "o", markersize=3, label=table)
    left.axline((0.0, 0.0), slope=1.0, color="grey", linewidth=0.8)
    left.set(xlabel="SE(W)", ylabel="SD over test sets")
    left.legend(frameon=False, fontsize=8)
    sizes = np.arange(10, 201)
    for theta in FIGURE_15:
        right.plot(sizes, [wilcoxon_error("auc", theta, n, n) for n in sizes.tolist()], label=f"AUC = {theta}")
    right.set(xlabel="cases of each class", ylabel="SE(W)")
    right.legend(frameon=False, fontsize=8)
    figure.savefig(folder / "figures_13_to_15.svg")
    plt.close(figure)


def _duncan(first: dict[str, Any]) -> str:
    """Learners in order of their means; those that share a letter do not differ at 5 %."""
    lines = ["# Duncan's groups at 5 %: learners that share a letter do not differ", ""]
    for name, result in first.items():
        for key, rows in result["duncan"].items():
            told = ", ".join(f"{row['learner']} {100.0 * row['mean']:.1f} {row['letters']}" for row in rows)
            lines.append(f"- {TABLES[name]}, {key}: {told}")
    return "\n".join(lines) + "\n"
