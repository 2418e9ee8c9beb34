"""Everson & Fieldsend (2005): table 1, figures 1 and 2, and the volume of P; searches by `polyroc.front`."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb, factorial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import polyroc as pr
from polyroc import datasets

__all__ = ["draw", "measured", "steps", "synthetic"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
CENTRES = np.array([[0.7, 0.3], [0.3, 0.3], [-0.7, 0.7], [0.4, 0.7], [1.0, 1.0], [0.0, 1.0]])
CASES, POINTS, SEED = 300, 20_000, 2005
PRINTED, RIGHT = 0.3, 0.03  # variances: the footnote's, and Ripley's


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """Searches on some draws of the synthetic data and on Vehicle; the misprint; the volumes of P."""
    draws, generations = (1, 1000) if quick else (4, 5000)
    found: dict[str, Callable[[], Any]] = {"volumes": volumes, "figure 1": extremes}
    for draw in range(draws):
        found[f"synthetic draw {draw}"] = partial(table_1, draw, generations)
    found["variance as printed"] = partial(fewest_errors, PRINTED)
    found["vehicle"] = partial(vehicle, 50 if quick else 200)
    return found


def synthetic(draw: int, variance: float) -> tuple[FloatArray, IntArray]:
    """Three classes of two round normal components each, all equally likely."""
    rng = np.random.default_rng([SEED, draw])
    component = rng.integers(6, size=CASES)
    return CENTRES[component] + np.sqrt(variance) * rng.normal(size=(CASES, 2)), component // 2


def _families() -> dict[str, Any]:
    """Steps of the paper: Laplacian of scale 1 on every coefficient, features as they are."""
    return {
        "MLR": pr.LogisticFamily(scale=1.0, standardise=False),
        "k-nn": pr.NearestNeighbours(standardise=False),
    }


def table_1(draw: int, generations: int) -> dict[str, float]:
    """G and delta of both families, searched as in the paper: from random parameters, 100 costs a generation."""
    X, y = synthetic(draw, RIGHT)
    fronts = {
        name: pr.front(family, X, y, generations=generations, costs=100, start="random", rng=draw)
        for name, family in _families().items()
    }
    volume = pr.front_volumes(fronts, n_points=POINTS, rng=draw)
    G = {name: volume.gini(name).value for name in fronts}
    ab, ba = volume.exclusive("MLR", "k-nn").value, volume.exclusive("k-nn", "MLR").value
    return {
        "G(MLR)": G["MLR"],
        "G(k-nn)": G["k-nn"],
        "delta(MLR, k-nn)": ab,
        "delta(k-nn, MLR)": ba,
        "error of the identity": abs(G["MLR"] - G["k-nn"] - ab + ba),
        "fewest errors, MLR": _fewest(fronts["MLR"], y),
        "archive, MLR": float(len(fronts["MLR"].rates)),
    }


def _fewest(front: pr.Front, y: IntArray) -> float:
    sizes = np.bincount(y)
    wrong = front.rates * sizes[:, None] * (1.0 - np.eye(len(sizes)))
    return float(np.round(wrong.sum(axis=(1, 2))).min())


def fewest_errors(variance: float) -> dict[str, float]:
    """The fewest errors of any multinomial logistic regression that is found on the synthetic data."""
    X, y = synthetic(0, variance)
    front = pr.front(_families()["MLR"], X, y, generations=200, costs=100, start="fitted", rng=0)
    return {"fewest errors, MLR": _fewest(front, y)}


def _drawn_front() -> tuple[FloatArray, IntArray, pr.Front]:
    X, y = synthetic(0, RIGHT)
    return X, y, pr.front(_families()["MLR"], X, y, generations=500, costs=100, start="fitted", rng=0)


def _panels(front: pr.Front, y: IntArray) -> dict[str, int]:
    """The points of figure 1: fewest errors; no C2 given to another class; no other class given to C2."""
    C = front.rates
    errors = (C * np.bincount(y)[:, None] * (1.0 - np.eye(3))).sum(axis=(1, 2))
    others = C[:, 2, 0] + C[:, 0, 2]
    lost, taken = C[:, 1, 0] + C[:, 1, 2], C[:, 0, 1] + C[:, 2, 1]
    return {
        "fewest errors": int(np.argmin(errors)),
        "least C21 + C23": int(np.lexsort((others, lost))[0]),
        "least C12 + C32": int(np.lexsort((others, taken))[0]),
    }


def extremes() -> dict[str, float]:
    """What the text says of the middle and right panels of figure 1: both sums can be brought to 0."""
    _, y, front = _drawn_front()
    points = _panels(front, y)
    lost, taken = front.rates[points["least C21 + C23"]], front.rates[points["least C12 + C32"]]
    return {
        "least C21 + C23": float(lost[1, 0] + lost[1, 2]),
        "least C12 + C32": float(taken[0, 1] + taken[2, 1]),
    }


def vehicle(generations: int) -> dict[str, float]:
    """Multinomial logistic regression on Vehicle, from random parameters and from its fit; and k-nn."""
    data = datasets.load("vehicle")
    y = np.array([data.classes.index(label) for label in data.y])
    found = {}
    for start in ("random", "fitted"):
        family = pr.LogisticFamily(scale=1.0, standardise=True)
        front = pr.front(family, data.X, y, generations=generations, costs=100, start=start, rng=0)
        found[f"G(MLR), {start} start"] = front.gini(n_points=POINTS, rng=0).value
    neighbours = pr.front(pr.NearestNeighbours(largest=15), data.X, y, generations=generations, costs=100, rng=0)
    found["G(k-nn)"] = neighbours.gini(n_points=POINTS, rng=0).value
    return found


def volumes() -> dict[str, float]:
    """The volume of P: all terms, and the two that are printed, relative to it."""
    found = {}
    for classes in (3, 4, 7):
        right, printed = _volume(classes, classes - 1), _volume(classes, 2)
        found[f"printed over right, Q = {classes}"] = float(printed / right)
        found[f"right less polyroc's, relative, Q = {classes}"] = abs(
            pr.chance_volume(classes) / float(right) - 1.0
        )
    return found


def _volume(classes: int, terms: int) -> Fraction:
    D = classes * (classes - 1)
    return Fraction(sum((-1) ** j * comb(D, j) * (classes - 1 - j) ** D for j in range(terms)), factorial(D))


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The numbers of table 1, means over draws, and the errata."""
    draws = [numbers for step, numbers in results.items() if step.startswith("synthetic draw")]
    means = {name: float(np.mean([draw[name] for draw in draws])) for name in draws[0]}
    means["error of the identity"] = max(draw["error of the identity"] for draw in draws)
    means["G(k-nn) less G(MLR)"] = means["G(k-nn)"] - means["G(MLR)"]
    return {
        "Table 1, synthetic": means,
        "Table 1, Vehicle": results["vehicle"],
        "Figure 1": results["figure 1"],
        "Section 4.1, variance 0.3 as printed": results["variance as printed"],
        "Section 5, volume of P": results["volumes"],
    }


def draw(results: dict[str, Any], folder: Path) -> None:  # noqa: ARG001 - a front is not kept with the results
    """Figure 1 (decision regions of three points of the front) and figure 2 (its false positives)."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y, front = _drawn_front()
    across, up = np.linspace(-1.4, 1.7, 160), np.linspace(-0.3, 1.7, 120)
    places = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.6), sharey=True, layout="constrained")
    for ax, (title, point) in zip(axes, _panels(front, y).items(), strict=True):
        said = np.asarray(front.deploy(point).decide(places)).astype(float).reshape(len(up), len(across))
        ax.pcolormesh(across, up, said, cmap="Greys", vmin=-1, vmax=5, shading="nearest")
        for k, marker in enumerate("o^s"):
            ax.plot(*X[y == k].T, marker, markersize=3, label=f"C{k + 1}")
        ax.set_title(title, loc="left", fontsize=10)
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(folder / "figure_1.png", dpi=150)
    plt.close(figure)
    drawn = pr.plot(front, kind="false_positives")
    drawn.figure.savefig(folder / "figure_2.svg")
    plt.close(drawn.figure)
