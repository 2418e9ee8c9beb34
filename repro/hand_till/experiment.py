"""Hand & Till (2001): the artificial case of section 4 with figures 1 and 2, and table 1 over many splits."""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import rankdata

import polyroc as pr
from polyroc import datasets

__all__ = ["MEASURES", "PUBLISHED", "SETS", "measured", "ranks_of", "splits_of", "steps"]

CASES = {3: 1.0, 4: 0.7, 5: 0.5}  # classes, and how far apart they are
MEASURES = {"M": "hand_till", "C1": "accuracy", "C2": "pairwise_accuracy"}
SEED, CHUNK = 2001, 5  # splits to a step

# The seven sets that can be had. Classes and cases where the paper's choice is not known: as many classes as it
# says, few enough cases that the largest M of the paper is not exceeded by every rule.
SETS: dict[str, dict[str, Any]] = {
    "WDBC": {"name": "wdbc"},
    "TAE": {"name": "tae"},
    "IRIS": {"name": "iris"},
    "CAR": {"name": "car"},
    "PEN": {"name": "pen", "classes": "01234", "cases": 600},
    "GLASS": {"name": "glass", "classes": "12357"},
    "OPTICAL": {"name": "optical", "classes": "0123456", "cases": 600},
}
LARGE = ("CAR", "PEN", "OPTICAL")

# Table 1: ranks of logistic regression, 9 nearest neighbours and a tree, by M, C1 and C2.
PUBLISHED = {
    "WDBC": {"M": (1, 2, 3), "C1": (1, 3, 2), "C2": (1, 3, 2)},
    "TAE": {"M": (1, 2, 3), "C1": (1, 2, 3), "C2": (2, 1, 3)},
    "IRIS": {"M": (1, 2, 3), "C1": (1, 2.5, 2.5), "C2": (1, 2, 3)},
    "CAR": {"M": (3, 1, 2), "C1": (1, 2, 3), "C2": (3, 1.5, 1.5)},
    "PEN": {"M": (2, 1, 3), "C1": (2, 1, 3), "C2": (2, 1, 3)},
    "GLASS": {"M": (2, 3, 1), "C1": (2, 3, 1), "C2": (2, 3, 1)},
    "OPTICAL": {"M": (1, 2, 3), "C1": (2, 1, 3), "C2": (1, 3, 2)},
}


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """The equations, their simulation, the figures; then table 1, some splits to a step."""
    found: dict[str, Callable[[], Any]] = {
        "equations": equations,
        "simulated": partial(simulated, 1000 if quick else 4000),
        "figures": figures,
        "PEN all": pen_all,
    }
    for name in SETS:
        splits = {True: (5, 10), False: (30, 100)}[quick][name not in LARGE]
        for first in range(0, splits, CHUNK):
            found[f"{name} splits from {first}"] = partial(table_1, name, first)
    return found


def equations() -> dict[str, dict[str, float]]:
    """Equations 8 to 11, and what equation 11 gives as it is printed."""
    found = {"2 classes, mu = 1": {"A (8)": datasets.Binormal(separation=1.0).auc}}
    for classes, mu in CASES.items():
        model = datasets.HandTill(classes, mu)
        found[f"{classes} classes, mu = {mu:g}"] = {
            "M (9)": model.hand_till,
            "C1 (10)": model.accuracy,
            "C2 (11)": model.pairwise_accuracy,
            "C2 (11) as printed": (classes - 1) * model.pairwise_accuracy,
        }
    return found


def simulated(per_class: int) -> dict[str, float]:
    """How many standard errors the measures of a sample are away from the equations, by model and measure."""
    found = {}
    for classes, mu in CASES.items():
        model = datasets.HandTill(classes, mu)
        y, P = model.sample(per_class, rng=SEED)
        for symbol, key in MEASURES.items():
            estimate = pr.evaluate(y, P, measure=key)
            away = abs(estimate.value - getattr(model, key)) / estimate.standard_error
            found[f"{symbol}, {classes} classes"] = float(away)
    return found


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
    """Where the classes can be parted the likelihood has no maximum, and the iterations end at their limit.

    One thread: the sets are small, and more of them stand in each other's way.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return rule.fit(X, y)


def table_1(name: str, first: int) -> list[dict[str, list[float]]]:
    """Some splits into halves: M, C1 and C2 of the three rules."""
    from sklearn.model_selection import train_test_split

    facts = SETS[name]
    data = datasets.load(facts["name"])
    data = data.only(facts["classes"]) if "classes" in facts else data
    found = []
    for split in range(first, first + CHUNK):
        rng = np.random.default_rng([SEED, split])
        kept = rng.permutation(len(data.y))[: facts.get("cases", len(data.y))]
        X, y = data.X[kept], data.y[kept]
        seed = int(rng.integers(2**31))
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        said = {rule: _fitted(how, X_train, y_train).predict_proba(X_test) for rule, how in _rules().items()}
        judged = _judged(y_test, said, data.pos_label)
        found.append(judged | _two_class_areas(y_test, said, data.pos_label))
    return found


def _judged(y: Any, said: dict[str, Any], pos_label: str | None) -> dict[str, list[float]]:
    options = {} if pos_label is None else {"pos_label": pos_label}
    found = pr.evaluate(y, said, measure=list(MEASURES.values()), method=None, **options)
    return {symbol: [found[rule, key].value for rule in said] for symbol, key in MEASURES.items()}


def _two_class_areas(y: Any, said: dict[str, Any], pos_label: str | None) -> dict[str, list[float]]:
    """For two classes also the AUC, of which M is the other name."""
    if pos_label is None:
        return {}
    column = sorted(set(y.tolist())).index(pos_label)
    scores = {rule: P[:, column] for rule, P in said.items()}
    found = pr.evaluate(y, scores, measure=["auc"], pos_label=pos_label, method=None)
    return {"AUC": [found[rule, "auc"].value for rule in said]}


def pen_all() -> dict[str, float]:
    """M of 9 nearest neighbours on half of all PEN digits, learnt from the other half."""
    data = datasets.load("pen")
    half = np.random.default_rng(SEED).permutation(len(data.y)) < len(data.y) // 2
    P = _rules()["9-nn"].fit(data.X[half], data.y[half]).predict_proba(data.X[~half])
    return {"M": pr.evaluate(data.y[~half], P, measure="hand_till", method=None).value}


def splits_of(results: dict[str, Any], name: str) -> list[dict[str, list[float]]]:
    """M, C1 and C2 of the three rules in each split of a set."""
    return [row for step, rows in results.items() if step.startswith(f"{name} splits") for row in rows]


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The numbers of section 4 and table 1."""
    found: dict[str, dict[str, float]] = {f"Equations, {k}": v for k, v in results["equations"].items()}
    found["Equations, simulated: distance in standard errors"] = results["simulated"]
    found["Figure 1"] = _figure_1(results["figures"])
    splits = {name: splits_of(results, name) for name in SETS}
    for name, rows in splits.items():
        found[f"Table 1, {name}"] = _shares(name, rows)
    found["Table 1, seven sets"] = {
        f"sets in which {other} orders the rules differently": sum(
            found[f"Table 1, {name}"][f"splits in which M and {other} differ"] for name in SETS
        )
        for other in ("C1", "C2")
    }
    sets = found["Table 1, seven sets"]
    for other in ("C1", "C2"):
        differ = [found[f"Table 1, {name}"][f"splits in which M and {other} differ"] for name in SETS]
        sets[f"standard deviation of that number, {other}"] = float(np.sqrt(sum(p * (1.0 - p) for p in differ)))
    found["Table 1, two classes"] = {
        "largest distance of C1 and C2": _largest(splits["WDBC"], "C1", "C2"),
        "largest distance of M and the AUC, 9-nn and tree": _largest(splits["WDBC"], "M", "AUC"),
    }
    found["Section 5, PEN"] = {"M of 9-nn, half of all cases": results["PEN all"]["M"]}
    return found


def _figure_1(figure: dict[str, Any]) -> dict[str, float]:
    """What is said of figure 1: where the curves begin, that they rise, and how they lie."""
    curves = {
        symbol: [np.array(by_class[str(c)]) for c in range(2, 6)] for symbol, by_class in figure["curves"].items()
    }
    found = {
        f"{symbol} at mu = 0, {c} classes": float(curves[symbol][c - 2][0]) for symbol in curves for c in (2, 5)
    }
    falls = [float(-np.diff(curve).min()) for lines in curves.values() for curve in lines]
    found["largest fall of a curve"] = max(falls)
    found["M: most that more classes take away"] = max(float((a - b).max()) for a, b in pairwise(curves["M"]))
    found["C1: most that more classes add"] = max(float((b - a).max()) for a, b in pairwise(curves["C1"]))
    return found


def ranks_of(values: list[float]) -> tuple[float, ...]:
    """1 for the largest; ties share the mean of their ranks."""
    return tuple(rankdata(-np.round(values, 12)).tolist())


def _shares(name: str, rows: list[dict[str, list[float]]]) -> dict[str, float]:
    ranks = {symbol: [ranks_of(row[symbol]) for row in rows] for symbol in MEASURES}
    found = {
        f"splits with the printed ranks of {symbol}": float(
            np.mean([r == PUBLISHED[name][symbol] for r in orders])
        )
        for symbol, orders in ranks.items()
    }
    for other in ("C1", "C2"):
        differ = [m != c for m, c in zip(ranks["M"], ranks[other], strict=True)]
        found[f"splits in which M and {other} differ"] = float(np.mean(differ))
    for place, rule in enumerate(("logistic", "9-nn", "tree")):
        found[f"mean M, {rule}"] = float(np.mean([row["M"][place] for row in rows]))
    return found


def _largest(rows: list[dict[str, list[float]]], one: str, other: str) -> float:
    """Not of logistic regression, which says 1 of many cases: its column of 1 - p has ties that p has not."""
    return max(abs(a - b) for row in rows for a, b in zip(row[one][1:], row[other][1:], strict=True))
