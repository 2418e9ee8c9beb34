"""Hand & Till (2001): the artificial case of section 4 with figures 1 and 2, and table 1 over many splits."""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from repro.evaluation import estimate, value
from repro.expected import available
from scipy.stats import rankdata

import polyroc as pr
from polyroc import datasets

__all__ = ["MEASURES", "PUBLISHED", "SETS", "measured", "ranks_of", "splits_of", "steps"]

CASES = {3: 1.0, 4: 0.7, 5: 0.5}  # classes, and how far apart they are
MEASURES = {"M": "hand_till", "C1": "accuracy", "C2": "pairwise_accuracy"}
SEED, CHUNK = 2001, 5  # CHUNK: splits per step

# The seven sets that are available. The paper does not say which classes and cases of PEN, GLASS and OPTICAL it
# used; here as many classes as it says, and so few cases that not every rule exceeds its largest M.
SETS: dict[str, dict[str, Any]] = {
    "WDBC": {"name": "wdbc"},
    "TAE": {"name": "tae"},
    "IRIS": {"name": "iris"},
    "CAR": {"name": "car"},
    "PEN": {"name": "pen", "classes": [*"01234"], "cases": 600},
    "GLASS": {"name": "glass", "classes": [*"12357"]},
    "OPTICAL": {"name": "optical", "classes": [*"0123456"], "cases": 600},
}
LARGE = ("CAR", "PEN", "OPTICAL")

# Table 1: ranks of logistic regression, 9 nearest neighbours and a tree, by M, C1 and C2.
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "WDBC": {"M": (1, 2, 3), "C1": (1, 3, 2), "C2": (1, 3, 2)},
    "TAE": {"M": (1, 2, 3), "C1": (1, 2, 3), "C2": (2, 1, 3)},
    "IRIS": {"M": (1, 2, 3), "C1": (1, 2.5, 2.5), "C2": (1, 2, 3)},
    "CAR": {"M": (3, 1, 2), "C1": (1, 2, 3), "C2": (3, 1.5, 1.5)},
    "PEN": {"M": (2, 1, 3), "C1": (2, 1, 3), "C2": (2, 1, 3)},
    "GLASS": {"M": (2, 3, 1), "C1": (2, 3, 1), "C2": (2, 3, 1)},
    "OPTICAL": {"M": (1, 2, 3), "C1": (2, 1, 3), "C2": (1, 3, 2)},
}


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """The equations, their simulation, the figures, then table 1 with some splits per step."""
    steps_by_name: dict[str, Callable[[], Any]] = {
        "equations": equations,
        "simulated": partial(simulated, 1000 if quick else 4000),
        "figures": figures,
    }
    if available("pen"):
        steps_by_name["PEN all"] = pen_all
    for name in SETS if available("sklearn") else ():
        if not available(SETS[name]["name"]):
            continue
        splits = {True: (5, 10), False: (30, 100)}[quick][name not in LARGE]
        for first in range(0, splits, CHUNK):
            steps_by_name[f"{name} splits from {first}"] = partial(table_1, name, first)
    return steps_by_name


def equations() -> dict[str, dict[str, float]]:
    """Equations 8 to 11, and the value of equation 11 as printed."""
    values = {"2 classes, mu = 1": {"A (8)": datasets.Binormal(separation=1.0).auc}}
    for classes, mu in CASES.items():
        model = datasets.HandTill(classes, mu)
        values[f"{classes} classes, mu = {mu:g}"] = {
            "M (9)": model.hand_till,
            "C1 (10)": model.accuracy,
            "C2 (11)": model.pairwise_accuracy,
            "C2 (11) as printed": (classes - 1) * model.pairwise_accuracy,
        }
    return values


def simulated(per_class: int) -> dict[str, float]:
    """Distance of the sample measures from the equations in standard errors, by model and measure."""
    distances = {}
    for classes, mu in CASES.items():
        model = datasets.HandTill(classes, mu)
        y, P = model.sample(per_class, rng=SEED)
        for symbol, key in MEASURES.items():
            sample = estimate(y, P, key)
            distance = abs(sample.value - getattr(model, key)) / sample.standard_error
            distances[f"{symbol}, {classes} classes"] = float(distance)
    return distances


def figures() -> dict[str, Any]:
    """M, C1 and C2 against mu for two to five classes."""
    grid = np.linspace(0.0, 5.0, 51).tolist()
    curves = {
        symbol: {c: [getattr(datasets.HandTill(c, mu), key) for mu in grid] for c in range(2, 6)}
        for symbol, key in MEASURES.items()
    }
    return {"mu": grid, "curves": curves}


def _rules() -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=1e6, max_iter=300)),
        "9-nn": KNeighborsClassifier(9),
        "tree": DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=5, min_samples_split=10, random_state=0
        ),
    }


def _fitted(rule: Any, X: Any, y: Any) -> Any:
    """The fitted rule.

    If classes are separable the likelihood has no maximum, and the iterations stop at their limit. One thread,
    since more are slower on sets this small.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return rule.fit(X, y)


def table_1(name: str, first: int) -> list[dict[str, list[float]]]:
    """M, C1 and C2 of the three rules on some splits into halves."""
    from sklearn.model_selection import train_test_split

    chosen = SETS[name]
    data = datasets.load(chosen["name"])
    data = data.only(chosen["classes"]) if "classes" in chosen else data
    by_split = []
    for split in range(first, first + CHUNK):
        rng = np.random.default_rng([SEED, split])
        kept = rng.permutation(len(data.y))[: chosen.get("cases", len(data.y))]
        X, y = data.X[kept], data.y[kept]
        seed = int(rng.integers(2**31))
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        predictions = {
            name: _fitted(rule, X_train, y_train).predict_proba(X_test) for name, rule in _rules().items()
        }
        values = _values(y_test, predictions, data.pos_label)
        by_split.append(values | _two_class_areas(y_test, predictions, data.pos_label))
    return by_split


def _values(y: Any, predictions: dict[str, Any], pos_label: str | None) -> dict[str, list[float]]:
    options: dict[str, Any] = {} if pos_label is None else {"pos_label": pos_label}
    evaluation = pr.evaluate(y, predictions, measure=list(MEASURES.values()), method=None, **options)
    return {symbol: [evaluation[rule, key].value for rule in predictions] for symbol, key in MEASURES.items()}


def _two_class_areas(y: Any, predictions: dict[str, Any], pos_label: str | None) -> dict[str, list[float]]:
    """For two classes also the AUC, to which M is then equal."""
    if pos_label is None:
        return {}
    column = sorted(set(y.tolist())).index(pos_label)
    scores = {rule: P[:, column] for rule, P in predictions.items()}
    evaluation = pr.evaluate(y, scores, measure=["auc"], pos_label=pos_label, method=None)
    return {"AUC": [evaluation[rule, "auc"].value for rule in predictions]}


def pen_all() -> dict[str, float]:
    """M of 9 nearest neighbours on half of all PEN digits, trained on the other half."""
    data = datasets.load("pen")
    half = np.random.default_rng(SEED).permutation(len(data.y)) < len(data.y) // 2
    P = _rules()["9-nn"].fit(data.X[half], data.y[half]).predict_proba(data.X[~half])
    return {"M": value(data.y[~half], P, "hand_till")}


def splits_of(results: dict[str, Any], name: str) -> list[dict[str, list[float]]]:
    """M, C1 and C2 of the three rules in each split of a set."""
    return [row for step, rows in results.items() if step.startswith(f"{name} splits") for row in rows]


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The numbers of section 4 and table 1."""
    numbers: dict[str, dict[str, float]] = {f"Equations, {k}": v for k, v in results["equations"].items()}
    numbers["Equations, simulated: distance in standard errors"] = results["simulated"]
    numbers["Figure 1"] = _figure_1(results["figures"])
    splits = {name: rows for name in SETS if (rows := splits_of(results, name))}
    for name, rows in splits.items():
        numbers[f"Table 1, {name}"] = _shares(name, rows)
    if len(splits) == len(SETS):
        numbers["Table 1, seven sets"] = _orders(numbers)
    if "WDBC" in splits:
        numbers["Table 1, two classes"] = {
            "largest distance of C1 and C2": _largest(splits["WDBC"], "C1", "C2"),
            "largest distance of M and the AUC, 9-nn and tree": _largest(splits["WDBC"], "M", "AUC"),
        }
    if "PEN all" in results:
        numbers["Section 5, PEN"] = {"M of 9-nn, half of all cases": results["PEN all"]["M"]}
    return numbers


def _orders(numbers: dict[str, dict[str, float]]) -> dict[str, float]:
    """In how many of the seven sets M orders the rules otherwise than C1 and C2."""
    sets = {}
    for other in ("C1", "C2"):
        differ = [numbers[f"Table 1, {name}"][f"splits in which M and {other} differ"] for name in SETS]
        sets[f"sets in which {other} orders the rules differently"] = sum(differ)
        sets[f"standard deviation of that number, {other}"] = float(np.sqrt(sum(p * (1.0 - p) for p in differ)))
    return sets


def _figure_1(figure: dict[str, Any]) -> dict[str, float]:
    """The statements about figure 1: where the curves begin, that they rise, and their order."""
    curves = {
        symbol: [np.array(by_class[str(c)]) for c in range(2, 6)] for symbol, by_class in figure["curves"].items()
    }
    numbers = {
        f"{symbol} at mu = 0, {c} classes": float(curves[symbol][c - 2][0]) for symbol in curves for c in (2, 5)
    }
    falls = [float(-np.diff(curve).min()) for lines in curves.values() for curve in lines]
    numbers["largest fall of a curve"] = max(falls)
    numbers["M: most that more classes take away"] = max(float((a - b).max()) for a, b in pairwise(curves["M"]))
    numbers["C1: most that more classes add"] = max(float((b - a).max()) for a, b in pairwise(curves["C1"]))
    return numbers


def ranks_of(values: list[float]) -> tuple[float, ...]:
    """1 for the largest; ties share the mean of their ranks."""
    return tuple(rankdata(-np.round(values, 12)).tolist())


def _shares(name: str, rows: list[dict[str, list[float]]]) -> dict[str, float]:
    ranks = {symbol: [ranks_of(row[symbol]) for row in rows] for symbol in MEASURES}
    numbers = {
        f"splits with the printed ranks of {symbol}": float(
            np.mean([r == PUBLISHED[name][symbol] for r in orders])
        )
        for symbol, orders in ranks.items()
    }
    for other in ("C1", "C2"):
        differ = [m != c for m, c in zip(ranks["M"], ranks[other], strict=True)]
        numbers[f"splits in which M and {other} differ"] = float(np.mean(differ))
    for position, rule in enumerate(("logistic", "9-nn", "tree")):
        numbers[f"mean M, {rule}"] = float(np.mean([row["M"][position] for row in rows]))
    return numbers


def _largest(rows: list[dict[str, list[float]]], one: str, other: str) -> float:
    """The largest distance of two measures, k-nn and tree only.

    Logistic regression predicts 1 for many cases, so its column 1 - p has ties where p has none.
    """
    return max(abs(a - b) for row in rows for a, b in zip(row[one][1:], row[other][1:], strict=True))
