"""Everson & Fieldsend (2005): table 1, the statements about figures 1 and 3, and the volume of P."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt
from repro.expected import available

import polyroc as pr
from polyroc import datasets

__all__ = ["densities", "drawn_front", "measured", "over_draws", "panels", "steps", "synthetic", "two_classes"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Cases = tuple[FloatArray, IntArray]
CENTRES = np.array([[0.7, 0.3], [0.3, 0.3], [-0.7, 0.7], [0.4, 0.7], [1.0, 1.0], [0.0, 1.0]])
CASES, POINTS, SEED = 300, 20_000, 2005
PRINTED, RIGHT = 0.3, 0.03  # variances: that of the footnote, and Ripley's
DRAWS, MANY = 5, 20  # draws of the synthetic data: searched as in the paper; only fitted
PER_CLASS = 30  # cases of Image, as in UCI's smaller file


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """Searches on draws of the synthetic data, with both variances, on Vehicle and on Image; the volumes of P."""
    draws, generations = (1, 1000) if quick else (DRAWS, 5000)
    steps_by_name: dict[str, Callable[[], Any]] = {"volumes": volumes, "figure 1": extremes, "figure 3": crossing}
    for draw in range(draws):
        steps_by_name[f"synthetic draw {draw}"] = partial(synthetic_fronts, draw, RIGHT, generations)
    for draw in range(1 if quick else 2):
        steps_by_name[f"variance as printed draw {draw}"] = partial(
            synthetic_fronts, draw, PRINTED, 200 if quick else 2000
        )
    if available("vehicle"):
        steps_by_name["vehicle"] = partial(real_fronts, "vehicle", None, 50 if quick else 500)
    if available("image"):
        steps_by_name["image 210"] = partial(real_fronts, "image", PER_CLASS, 50 if quick else 500)
        if not quick:
            steps_by_name["image"] = partial(real_fronts, "image", None, 100)
    for equal in () if quick else (False, True):
        steps_by_name[f"draws {'of equal components' if equal else 'at random'}"] = partial(fits, equal)
    return steps_by_name


def synthetic(draw: int, variance: float, *, equal: bool = False) -> Cases:
    """Three classes of two spherical normal components each: equally likely, or of equal size."""
    rng = np.random.default_rng([SEED, draw])
    component = np.repeat(np.arange(6), CASES // 6) if equal else rng.integers(6, size=CASES)
    return CENTRES[component] + np.sqrt(variance) * rng.normal(size=(CASES, 2)), component // 2


def _real(name: str, per_class: int | None) -> Cases:
    """A real data set, or a random sample of its cases with the same number from each class."""
    data = datasets.load(name)
    y = np.array([data.classes.index(label) for label in data.y])
    if per_class is None:
        return data.X, y
    rng = np.random.default_rng(SEED)
    kept = [rng.choice(np.flatnonzero(y == k), per_class, replace=False) for k in range(len(data.classes))]
    return data.X[np.concatenate(kept)], y[np.concatenate(kept)]


def synthetic_fronts(draw: int, variance: float, generations: int) -> dict[str, float]:
    """Both families as in the paper: features as they are, steps of scale 1; MLR also from its fit."""
    logistic = pr.fronts.LogisticFamily(scale=1.0, standardise=False)
    return _compared(
        synthetic(draw, variance), logistic, pr.fronts.NearestNeighbours(standardise=False), generations, draw
    )


def real_fronts(name: str, per_class: int | None, generations: int) -> dict[str, float]:
    """The same on a real set; its features have very different units and are standardised."""
    return _compared(
        _real(name, per_class), pr.fronts.LogisticFamily(scale=1.0), pr.fronts.NearestNeighbours(), generations, 0
    )


def _compared(cases: Cases, logistic: Any, neighbours: Any, generations: int, rng: int) -> dict[str, float]:
    """G and delta of k-nn and of MLR from random parameters, as in the paper, and from its fit; 100 costs each."""
    X, y = cases
    options: dict[str, Any] = {"generations": generations, "costs": 100, "rng": rng, "algorithm": "printed"}
    fronts = {
        "MLR": pr.search_front(logistic, X, y, start="random", **options),
        "MLR, fitted start": pr.search_front(logistic, X, y, start="fitted", **options),
        "k-nn": pr.search_front(neighbours, X, y, start="random", **options),
    }
    volume = pr.fronts.front_volumes(fronts, n_points=POINTS, rng=rng)
    values = {f"G({name})": volume.gini(name).value for name in fronts}
    for name in ("MLR", "MLR, fitted start"):
        values[f"delta({name}, k-nn)"] = volume.exclusive(name, "k-nn").value
        values[f"delta(k-nn, {name})"] = volume.exclusive("k-nn", name).value
    values["error of the identity"] = abs(
        values["G(MLR)"] - values["G(k-nn)"] - values["delta(MLR, k-nn)"] + values["delta(k-nn, MLR)"]
    )
    for name, front in fronts.items():
        values[f"fewest errors, {name}"] = float((len(y) - front.counts.trace(axis1=1, axis2=2)).min())
        values[f"archive, {name}"] = float(len(front))
    return values


def fits(equal: bool) -> dict[str, float]:
    """The variation of G of one family between draws of the data, without a search."""
    values = []
    for draw in range(MANY):
        X, y = synthetic(draw, RIGHT, equal=equal)
        front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=0, rng=0, algorithm="printed")
        values.append(front.gini(n_points=POINTS, rng=0).value)
    return {
        "mean": float(np.mean(values)),
        "sd": float(np.std(values, ddof=1)),
        "least": min(values),
        "most": max(values),
    }


@cache
def drawn_front() -> tuple[FloatArray, npt.NDArray[np.str_], pr.results.Front]:
    """The front of figures 1 and 2, with its cases."""
    X, y = synthetic(0, RIGHT)
    named = np.array(["C1", "C2", "C3"])[y]
    family = pr.fronts.LogisticFamily(scale=1.0, standardise=False)
    return (
        X,
        named,
        pr.search_front(family, X, named, generations=500, costs=100, start="fitted", rng=0, algorithm="printed"),
    )


def densities(places: FloatArray) -> FloatArray:
    """Densities of the three classes, up to a factor; the optimal rule for equal costs predicts the largest."""
    squares = ((places[:, None, :] - CENTRES) ** 2).sum(axis=2)
    by_component: FloatArray = np.exp(-0.5 * squares / RIGHT)
    return by_component.reshape(len(places), 3, 2).sum(axis=2)


def panels(front: pr.results.Front) -> dict[str, int]:
    """The points of figure 1: fewest errors; fewest cases of C2 misclassified; fewest others classified as C2."""
    C = front.rates
    others = C[:, 2, 0] + C[:, 0, 2]
    lost, taken = C[:, 1, 0] + C[:, 1, 2], C[:, 0, 1] + C[:, 2, 1]
    return {
        "fewest errors": int(np.argmax(front.counts.trace(axis1=1, axis2=2))),
        "least C21 + C23, then C31 + C13": int(np.lexsort((others, lost))[0]),
        "least C12 + C32": int(np.lexsort((others, taken))[0]),
    }


def extremes() -> dict[str, float]:
    """The statements about figure 1: the smallest sums of rates, and the largest rate at that point."""
    _, _, front = drawn_front()
    _, lost, taken = (front.rates[place] for place in panels(front).values())
    wrong = taken * (1.0 - np.eye(3))
    return {
        "least C21 + C23": float(lost[1, 0] + lost[1, 2]),
        "C31 + C13 at that point": float(lost[2, 0] + lost[0, 2]),
        "least C12 + C32": float(taken[0, 1] + taken[2, 1]),
        "largest rate at that point less C23": float(wrong.max() - wrong[1, 2]),
    }


def two_classes() -> dict[str, pr.results.Front]:
    """Figure 3: two classifiers of two classes whose fronts cross."""
    rng = np.random.default_rng(SEED)
    y = np.repeat([0, 1], 40)
    noise = rng.normal(size=len(y))
    scores = {"A": np.where(y == 1, 1.2 + 1.9 * noise, noise), "B": np.where(y == 1, 1.1 + 0.5 * noise, noise)}
    probabilities = {
        name: np.column_stack((1.0 - p, p)) for name, p in ((n, _logistic(s)) for n, s in scores.items())
    }
    fronts = pr.front(y, probabilities, draws=10_000, concentration=1.0)
    return dict(fronts) if isinstance(fronts, dict) else {}


def _logistic(score: FloatArray) -> FloatArray:
    probability: FloatArray = 1.0 / (1.0 + np.exp(-score))
    return probability


def crossing() -> dict[str, float]:
    """G and delta of figure 3's two fronts: exact, as for any two classes."""
    volume = pr.fronts.front_volumes(two_classes(), n_points=None)
    G = {name: volume.gini(name).value for name in "AB"}
    ab, ba = volume.exclusive("A", "B").value, volume.exclusive("B", "A").value
    return {"smaller delta": min(ab, ba), "error of the identity": abs(G["A"] - G["B"] - ab + ba)} | {
        "G(A)": G["A"], "G(B)": G["B"], "delta(A, B)": ab, "delta(B, A)": ba,
    }  # fmt: skip


def volumes() -> dict[str, float]:
    """The volume of P with all terms, and the ratio of the two printed terms to it."""
    values = {f"volume, Q = {classes}": float(_volume(classes, classes - 1)) for classes in (2, 3)}
    for classes in (3, 4, 7):
        right, printed = _volume(classes, classes - 1), _volume(classes, 2)
        values[f"printed over right, Q = {classes}"] = float(printed / right)
        values[f"right less polyroc's, relative, Q = {classes}"] = abs(
            pr.fronts.chance_volume(classes) / float(right) - 1.0
        )
    return values


def _volume(classes: int, terms: int) -> Fraction:
    D = classes * (classes - 1)
    return Fraction(sum((-1) ** j * comb(D, j) * (classes - 1 - j) ** D for j in range(terms)), factorial(D))


def over_draws(results: dict[str, Any], begin: str) -> list[dict[str, float]]:
    """The results of each draw of the synthetic data."""
    return [numbers for step, numbers in results.items() if step.startswith(begin)]


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The numbers of table 1, means over draws, and the errata."""
    draws = over_draws(results, "synthetic draw")
    means = {name: float(np.mean([draw[name] for draw in draws])) for name in draws[0]}
    means["error of the identity"] = max(draw["error of the identity"] for draw in draws)
    means["G(k-nn) less G(MLR), least of the draws"] = min(draw["G(k-nn)"] - draw["G(MLR)"] for draw in draws)
    for name in ("G(MLR)", "G(k-nn)"):
        means[f"{name}, least of the draws"] = min(draw[name] for draw in draws)
        means[f"{name}, most of the draws"] = max(draw[name] for draw in draws)
    misprint = over_draws(results, "variance as printed")
    numbers = {
        "Table 1, synthetic": means,
        "Table 1, synthetic, with the printed variance": {
            name: float(np.mean([draw[name] for draw in misprint])) for name in misprint[0]
        },
        "Table 1, Vehicle": results.get("vehicle", {}),
        "Table 1, Image, 210 cases": results.get("image 210", {}),
        "Table 1, Image, 2310 cases": results.get("image", {}),
        "Figure 1": results["figure 1"],
        "Figure 3": results["figure 3"],
        "Section 5, volume of P": results["volumes"],
    }
    for how in ("at random", "of equal components"):
        if f"draws {how}" in results:
            name = f"sd of G over {MANY} draws {how}, MLR as fitted"
            numbers.setdefault("Draws of the synthetic data", {})[name] = results[f"draws {how}"]["sd"]
    return numbers
