"""One picture for each measure: what it looks at."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import norm

import polyroc as pr
from polyroc.measures.registry import MEASURES

FloatArray = NDArray[np.float64]

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
COLOURS = (BLUE, GREEN, ORANGE)
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])  # of the triangle of three probabilities
LOOK = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "svg.fonttype": "path",
    "svg.hashsalt": "polyroc",
}


def draw(folder: Path) -> None:
    """Every picture that is not there yet, as SVG."""
    folder.mkdir(exist_ok=True)
    mpl.use("agg")
    for key in MEASURES:
        file = folder / f"{key}.svg"
        if not file.exists() or file.stat().st_mtime < Path(__file__).stat().st_mtime:
            with mpl.rc_context(LOOK):
                PICTURES[key]().savefig(file, metadata={"Date": None}, bbox_inches="tight", facecolor="white")


def axes(width: float = 3.6, height: float = 2.6, **options: str) -> tuple[Figure, Axes]:
    """A figure with one pair of axes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    ax = figure.add_subplot()
    ax.set(**options)
    return figure, ax


def two_classes() -> tuple[NDArray[np.int64], FloatArray]:
    """120 cases whose scores overlap."""
    y = np.repeat([0, 1], 60)
    return y, np.random.default_rng(4).normal(size=120) + 1.3 * y


def irises() -> pr.Scores:
    """The shipped predictions of the linear discriminant."""
    file = pr.datasets.catalogue.path("iris_predictions")
    return pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")


def roc(shade: str) -> Figure:
    """A ROC curve, with what the measure adds up."""
    figure, ax = axes(2.9, 2.7, xlabel="false positive rate", ylabel="true positive rate")
    curve = pr.curve(*two_classes())
    grid = np.linspace(0, 1, 2001)
    height = np.interp(grid, curve.fpr, curve.tpr)
    floor = grid if shade == "gini" else 0 * grid
    where = grid <= 0.1 if shade == "partial_auc" else np.full(len(grid), True)
    ax.fill_between(grid, floor, height, where=where, color=BLUE, alpha=0.25, linewidth=0)
    ax.plot(curve.fpr, curve.tpr, color=BLUE)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--")
    ax.set(aspect="equal", xlim=(0, 1), ylim=(0, 1.01))
    return figure


def area_of(kind: Literal["pr", "cost"]) -> Figure:
    """A precision-recall curve, in steps, or a cost curve, with the area under it."""
    curve = pr.curve(*two_classes(), kind=kind)
    x, y = curve.x, curve.y
    figure, ax = axes(2.9, 2.7, xlabel=curve.axes[0], ylabel=curve.axes[1])
    step: Literal["pre"] | None = "pre" if kind == "pr" else None
    ax.fill_between(x, y, step=step, color=BLUE, alpha=0.25, linewidth=0)
    ax.plot(x, y, color=BLUE, drawstyle="steps-pre" if kind == "pr" else "default")
    if kind == "cost":
        ax.plot([0, 0.5, 1], [0, 0.5, 0], color=GREY, linewidth=0.8, linestyle="--")
    ax.set(xlim=(0, 1), ylim=(0, 1.01 if kind == "pr" else 0.55))
    return figure


def net_benefit() -> Figure:
    """The net benefit by threshold, beside acting on all cases and on none."""
    y, score = two_classes()
    benefit = pr.decision_curve(y, 1 / (1 + np.exp(0.7 - score)))
    figure, ax = axes(xlabel="probability threshold", ylabel="net benefit")
    ax.plot(benefit.thresholds, benefit.treat_all.value, color=GREY, linewidth=0.8, linestyle="--")
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.plot(benefit.thresholds, benefit.net_benefit, color=BLUE)
    ax.text(0.3, 0.12, "act on all", color=GREY, fontsize=8, ha="right")
    ax.text(0.02, 0.015, "act on none", color=GREY, fontsize=8)
    ax.set(xlim=(0, 1), ylim=(-0.1, 0.55))
    return figure


def proper(measure: str) -> Figure:
    """What a case adds to a proper score, by the probability of its true class."""
    figure, ax = axes(xlabel="probability of the true class", ylabel=f"{MEASURES[measure].name} of a case")
    p = np.linspace(0.01, 1, 200)
    value = {
        "brier": (1 - p) ** 2,
        "brier_skill": 1 - (1 - p) ** 2 / 0.25,
        "log_loss": -np.log(p),
        "spherical": p / np.sqrt(p**2 + (1 - p) ** 2),
    }[measure]
    ax.plot(p, value, color=BLUE)
    if measure == "brier_skill":
        ax.axhline(0, color=GREY, linewidth=0.8)
        ax.text(0.02, 0.08, "predict the shares", color=GREY, fontsize=8)
    ax.set_xlim(0, 1)
    return figure


def threshold(rate: str) -> Figure:
    """Scores of two classes, a threshold, and the share it decides rightly."""
    figure, ax = axes(xlabel="score", yticks=[])
    ax.spines["left"].set_visible(False)
    x = np.linspace(-3.5, 5, 400)
    cut = 0.8
    for mean, colour, name in ((0.0, GREY, "negative"), (1.8, BLUE, "positive")):
        ax.plot(x, norm.pdf(x, mean), color=colour)
        ax.text(mean, norm.pdf(0) * 1.03, name, color=colour, ha="center")
    mean, side = (1.8, x >= cut) if rate == "sensitivity" else (0.0, x < cut)
    ax.fill_between(x, norm.pdf(x, mean), where=side, color=BLUE if mean else GREY, alpha=0.3, linewidth=0)
    ax.axvline(cut, color="black", linewidth=0.8, ymax=0.9)
    ax.text(cut + 0.1, 0.01, "threshold", fontsize=8)
    ax.set_ylim(0, 0.46)
    return figure


def predictive(which: str) -> Figure:
    """Predictive values follow the prevalence."""
    figure, ax = axes(xlabel="prevalence", ylabel=MEASURES[which].name)
    p = np.linspace(0, 1, 201)
    for better, colour in ((0.9, BLUE), (0.99, ORANGE)):
        sensitivity, specificity = (0.9, better) if which == "ppv" else (better, 0.9)
        right, wrong = p * sensitivity, (1 - p) * (1 - specificity)
        if which == "npv":
            right, wrong = (1 - p) * specificity, p * (1 - sensitivity)
        ax.plot(
            p, right / (right + wrong), color=colour, label=f"sensitivity {sensitivity}, specificity {specificity}"
        )
    ax.set(xlim=(0, 1), ylim=(0, 1.01))
    ax.legend(frameon=False, fontsize=8, loc="lower right" if which == "ppv" else "lower left")
    return figure


def cost() -> Figure:
    """The cost of every threshold, and the cheapest."""
    figure, ax = axes(xlabel="threshold", ylabel="expected cost per case")
    y, s = two_classes()
    cuts = np.unique(s)
    for times, colour in ((1, BLUE), (5, ORANGE)):
        at_cuts = [pr.measure("expected_cost", threshold=float(cut), false_negative=times) for cut in cuts]
        costs = [float(pr.evaluate(y, s, measure=measure, method=None)) for measure in at_cuts]
        ax.step(
            cuts, costs, where="post", color=colour, label=f"a miss costs {times} false alarm{'s' * (times > 1)}"
        )
        ax.plot(cuts[np.argmin(costs)], min(costs), "o", color=colour)
    ax.legend(frameon=False, fontsize=8)
    return figure


def from_plot(what: Callable[[], object], **options: object) -> Figure:
    """A picture that polyroc draws."""
    return pr.plot(what(), **options).figure


def mix(which: str) -> Figure:
    """Three classes, one of them rarer and rarer: what stays and what moves."""
    figure, ax = axes(xlabel="share of the class that is hard", ylabel="value")
    rates, share = np.array([0.95, 0.9, 0.4]), np.linspace(0.01, 0.98, 100)
    lines = {
        "accuracy": (1 - share) * rates[:2].mean() + share * rates[2],
        "macro_average": np.full(len(share), rates.mean()),
    }
    for key, values in lines.items():
        ax.plot(share, values, color=BLUE if key == which else GREY, linewidth=2 if key == which else 1)
        ax.text(0.99, values[-1], f" {key}", color=BLUE if key == which else GREY, va="center")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.set_title("classes decided rightly in 95, 90 and 40 % of their cases", fontsize=8)
    return figure


def segments() -> Figure:
    """The single operating point of each class, and the area below the two lines through it."""
    figure, ax = axes(2.9, 2.7, xlabel="other cases called this class", ylabel="cases of the class called so")
    rates = pr.rates(irises(), only="tree")
    R, n = rates.rates, np.array([50, 50, 50])
    for i, (name, colour) in enumerate(zip(rates.classes, COLOURS, strict=True)):
        others = [k for k in range(3) if k != i]
        fp = float(n[others] @ R[others, i] / n[others].sum())
        ax.plot([0, fp, 1], [0, R[i, i], 1], color=colour, marker="o", markersize=3, label=str(name))
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--")
    ax.set(aspect="equal", xlim=(0, 1), ylim=(0, 1.01))
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def pairs_decided() -> Figure:
    """The choice between two classes at a time."""
    figure, ax = axes(3.6, 1.6, xlabel="share decided rightly between the two")
    parts = pr.evaluate(irises(), measure=["pairwise_accuracy"])["tree", "pairwise_accuracy"].parts
    both = {name: float(part) for name, part in parts.items() if "," in name}
    ax.barh([name[2:-1].replace(",", ", ") for name in both], list(both.values()), color=BLUE, alpha=0.6)
    ax.axvline(0.5, color=GREY, linestyle="--", linewidth=0.8)
    ax.set_xlim(0, 1)
    ax.invert_yaxis()
    return figure


def umbrella() -> Figure:
    """Scores of three classes, the middle one on top."""
    figure, ax = axes(xlabel="score", yticks=[], ylim=(0, 0.47))
    ax.spines["left"].set_visible(False)
    x = np.linspace(-3.5, 5, 400)
    for name, mean, colour in zip(("class 1", "class 2", "class 3"), (-0.4, 2.2, 0.4), COLOURS, strict=True):
        ax.plot(x, norm.pdf(x, mean), color=colour)
        ax.text({-0.4: -0.9, 0.4: 0.8}.get(mean, mean), 0.41, name, color=colour, ha="center")
    return figure


def marker() -> tuple[NDArray[np.str_], FloatArray]:
    """150 cases of three ordered classes."""
    y = np.repeat(["low", "mid", "high"], 50)
    return y, np.random.default_rng(0).normal(size=150) + np.repeat([0.0, 1.2, 2.4], 50)


def triangle(decide: Callable[[FloatArray], FloatArray], names: tuple[str, ...]) -> Figure:
    """Where a rule on three probabilities says what: each point is one forecast, each corner a certain one."""
    figure, ax = axes(3.2, 2.7)
    side = np.linspace(0, 1, 301)
    a, b = np.meshgrid(side, side)
    inside = a + b <= 1
    P = np.stack([1 - a[inside] - b[inside], a[inside], b[inside]], axis=1)
    ax.scatter(
        *(P @ CORNERS).T, c=[COLOURS[k] for k in decide(P)], s=1.2, alpha=0.25, linewidth=0, rasterized=True
    )
    y, values = triples()
    for k, colour in enumerate(COLOURS):
        ax.plot(*(values[y == k] @ CORNERS).T, "o", color=colour, markersize=2.5)
    ax.plot(*np.vstack([CORNERS, CORNERS[:1]]).T, color="black", linewidth=0.8)
    for (x, h), name, colour, va in zip(CORNERS, names, COLOURS, ("top", "top", "bottom"), strict=True):
        ax.text(x, h + (0.03 if va == "bottom" else -0.03), name, color=colour, ha="center", va=va)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return figure


def triples() -> tuple[NDArray[np.int64], FloatArray]:
    """Forecasts for sixty cases of three classes."""
    y = np.repeat([0, 1, 2], 20)
    logits = np.random.default_rng(1).normal(size=(60, 3)) + 1.6 * np.eye(3)[y]
    P = np.exp(logits)
    return y, P / P.sum(axis=1, keepdims=True)


def largest(offset: tuple[float, ...]) -> Callable[[FloatArray], FloatArray]:
    """The rule of He: the largest log probability, each class with an offset."""
    return lambda P: np.argmax(np.log(np.maximum(P, 1e-9)) + np.array(offset), axis=1)


def two_questions(P: FloatArray) -> FloatArray:
    """The rule of Mossman: first the third class, then the first against the second."""
    return np.where(P[:, 2] >= 0.45, 2, np.where(P[:, 1] - P[:, 0] <= 0.1, 0, 1))


def one_against_two(P: FloatArray) -> FloatArray:
    """The rule of Sahiner: the third corner is the malignant class."""
    return np.where(0.8 * P[:, 0] + 1.6 * P[:, 1] <= P[:, 2], 2, np.argmax(P[:, :2], axis=1))


def columns() -> Figure:
    """One case of each class, and whose p_i is the largest."""
    figure, ax = axes(3.8, 2.2, ylabel="probability", ylim=(0, 1))
    P = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5], [0.25, 0.35, 0.4]])
    for i in range(3):
        for k in range(3):
            ax.bar(i + 0.25 * (k - 1), P[k, i], 0.22, color=COLOURS[k], alpha=0.9 if k == i else 0.35)
        best = int(np.argmax(P[:, i]))
        ax.text(i, 0.75, "recognised" if best == i else "not recognised", ha="center", fontsize=8)
    ax.set_xticks(range(3), [f"$p_{i + 1}$" for i in range(3)])
    for k in range(3):
        ax.text(
            0.02 + 0.33 * k, 1.02, f"case of class {k + 1}", color=COLOURS[k], transform=ax.transAxes, fontsize=8
        )
    return figure


ORDER = ["low", "mid", "high"]
PICTURES: dict[str, Callable[[], Figure]] = {
    "auc": partial(roc, "auc"),
    "gini": partial(roc, "gini"),
    "partial_auc": partial(roc, "partial_auc"),
    "average_precision": partial(area_of, "pr"),
    "cost_area": partial(area_of, "cost"),
    "hand_till": lambda: from_plot(
        lambda: pr.evaluate(irises(), measure=["hand_till"])["lda", "hand_till"], kind="pairs"
    ),
    "ova": lambda: from_plot(lambda: pr.evaluate(irises(), measure=["ova"])["lda", "ova"]),
    "ht3": segments,
    "accuracy": partial(mix, "accuracy"),
    "pairwise_accuracy": pairs_decided,
    "macro_average": partial(mix, "macro_average"),
    "sensitivity": partial(threshold, "sensitivity"),
    "specificity": partial(threshold, "specificity"),
    "ppv": partial(predictive, "ppv"),
    "npv": partial(predictive, "npv"),
    "expected_cost": cost,
    "net_benefit": net_benefit,
    **{key: partial(proper, key) for key in ("brier", "brier_skill", "log_loss", "spherical")},
    "vus": lambda: from_plot(lambda: pr.surface(*marker(), labels=ORDER)),
    "scurfield": lambda: from_plot(lambda: pr.evaluate(*marker(), measure="scurfield", labels=ORDER)),
    "umbrella": umbrella,
    "he": partial(triangle, largest((0.0, 0.3, -0.3)), ("class 1", "class 2", "class 3")),
    "pdi": columns,
    "mossman": partial(triangle, two_questions, ("class 1", "class 2", "class 3")),
    "sahiner": partial(triangle, one_against_two, ("normal", "benign", "malignant")),
}
