"""True values: exact where a formula or an integral exists, otherwise from large samples, kept in truths.csv.

The integrals are means over 20,000 equally likely scores, right to 1e-5 or better. A simulated value has its Monte
Carlo error beside it.
"""

import csv
import math
import zlib
from functools import cache
from pathlib import Path

import numpy as np
from models import (
    MODELS,
    Floats,
    Law,
    Model,
    area,
    distance,
    draw,
    standard,
    standard_cdf,
    standard_nodes,
    steps,
    volume,
)
from quantities import BENEFIT_AT, FIXED_RATE, FORECASTS, SPECIAL, Setting, chances, inputs, measure_text, order
from scipy.optimize import brentq
from scipy.special import logit, ndtri

import polyroc as pr

STORE = Path(__file__).parent / "truths.csv"
KEY = ("measure", "model", "value", "shares")
LARGE = 500_000  # cases of the largest class behind a simulated value
SLOW = {"he": (500, 300), "sahiner(malignant=2)": (300, 800)}  # cases of the largest class a sample; samples
SAMPLES = 25
BY_PREVALENCE = (
    "ova",
    "accuracy",
    "pairwise_accuracy",
    "ht3",
    "information_gain",
    *FORECASTS,
)  # of those without a formula
AT_CHANCE = {
    "ht3": 0.5,
    "pairwise_accuracy": 0.5,
    "scurfield": 0.0,
    "scurfield(corrected=True)": 0.0,
    "umbrella": 1 / 3,
}


def setting_of(model: Model) -> Setting:
    """The decision threshold, near the middle between two classes."""
    return Setting(1.0 if model.family == "exponential" else 0.25, model.cohort)


def truth(measure: str, model: Model, value: float, sizes: tuple[int, ...]) -> float:
    """The true value of a quantity for one classifier; `sizes` give the prevalences."""
    exact = _exact(measure, model, value, sizes)
    return _simulated(*name_of(measure, model, value, sizes))[0] if exact is None else exact


Name = tuple[str, str, float, tuple[int, ...]]


def name_of(measure: str, model: Model, value: float, sizes: tuple[int, ...]) -> Name:
    """What a simulated value depends on; class sizes in lowest terms, if they matter.

    The correction of Scurfield's D vanishes in large samples.
    """
    measure = measure.replace("(corrected=True)", "")
    common = math.gcd(*sizes)
    proportions = tuple(size // common for size in sizes) if measure in BY_PREVALENCE else (1,) * len(sizes)
    return measure, model.name, value, proportions


@cache
def _exact(measure: str, model: Model, value: float, sizes: tuple[int, ...]) -> float | None:
    step, classes = distance(model, value, len(sizes)), len(sizes)
    if value == 0.5 and measure in AT_CHANCE and model.columns:
        return AT_CHANCE[measure]
    if model.columns:
        return _of_columns(measure, model, step, sizes)
    laws = model.laws(step, classes)
    if classes > 2:
        return _of_ordered(measure, laws, at_chance=step < 1e-9)
    prevalence = sizes[1] / sum(sizes)
    setting = setting_of(model)
    if measure in FORECASTS:
        return _of_forecasts(measure, laws, prevalence, setting)
    ranked = _of_ranks(measure, laws, prevalence)
    return _of_decisions(measure, laws, prevalence, setting) if ranked is None else ranked


def _of_ordered(measure: str, laws: list[Law], at_chance: bool) -> float | None:
    if at_chance and measure in AT_CHANCE:
        return AT_CHANCE[measure]
    if measure == "vus" and len(laws) == 3:
        return volume(laws)
    if measure == "umbrella" and not laws[0].rounded:
        return laws[2].mean(lambda x: laws[0].cdf(x) * laws[1].cdf(x))
    return None


def _of_ranks(measure: str, laws: list[Law], prevalence: float) -> float | None:
    """Two classes, measures of the whole curve."""
    negative, positive = laws
    if measure in ("auc", "gini"):
        value = area(negative, positive)
        return value if measure == "auc" else 2.0 * value - 1.0
    if measure == "partial_auc" and not negative.rounded:
        piece = negative.mean(lambda x: np.where(1.0 - negative.cdf(x) <= 0.1, 1.0 - positive.cdf(x), 0.0))
        return (1.0 + (piece - 0.005) / (0.1 - 0.005)) / 2.0
    if measure == "partial_auc(tpr=(0.8, 1))" and not negative.rounded:
        piece = positive.mean(lambda x: np.where(1.0 - positive.cdf(x) >= 0.8, negative.cdf(x), 0.0))
        return (1.0 + (piece - 0.02) / (0.2 - 0.02)) / 2.0
    if measure in FIXED_RATE:
        return _at_fixed_rate(measure, laws)
    if measure == "average_precision":
        return positive.mean(lambda x: _precision(laws, prevalence, x))
    return _cost_area(laws) if measure == "cost_area" else None


def _at_fixed_rate(measure: str, laws: list[Law]) -> float | None:
    """Sensitivity at specificity 0.9, or specificity at sensitivity 0.9."""
    fixed, share = (laws[0], 0.9) if measure.startswith("sensitivity") else (laws[1], 0.1)
    if fixed.rounded:  # straight along ties
        scores = np.arange(-60.0, 61.0)
        below, above = (law.cdf(scores) for law in laws)
        by_share = (below, 1.0 - above) if fixed is laws[0] else (above, below)
        return float(np.interp(share, *by_share))
    cut = brentq(lambda x: float(fixed.cdf(x)) - share, -1e3, 1e3)
    return 1.0 - float(laws[1].cdf(cut)) if fixed is laws[0] else float(laws[0].cdf(cut))


def _precision(laws: list[Law], prevalence: float, x: Floats) -> Floats:
    false, true = (1.0 - law.cdf(x, left=True) for law in laws)
    return np.asarray(prevalence * true / (prevalence * true + (1.0 - prevalence) * false))


def _cost_area(laws: list[Law]) -> float:
    """The mean over probability-costs of the least cost of all thresholds."""
    x = np.concatenate([points[::10] for law in laws for _, points in law.nodes()])
    x = np.unique(np.r_[x, x.min() - 1e3, x.max() + 1e3])
    false, missed = 1.0 - laws[0].cdf(x), laws[1].cdf(x)
    p = (np.arange(1000) + 0.5) / 1000
    return float(np.mean([np.min(share * missed + (1.0 - share) * false) for share in p]))


def benefit_curve(model: Model, value: float, sizes: tuple[int, ...], thresholds: tuple[float, ...]) -> Floats:
    """The net benefit of one classifier at each threshold."""
    laws, prevalence = model.laws(distance(model, value, 2), 2), sizes[1] / sum(sizes)
    cuts = setting_of(model).threshold + logit(np.array(thresholds))
    false, true = (1.0 - law.cdf(cuts, left=True) for law in laws)
    odds = np.array(thresholds) / (1.0 - np.array(thresholds))
    return np.asarray(prevalence * true - (1.0 - prevalence) * false * odds)


def _of_decisions(measure: str, laws: list[Law], prevalence: float, setting: Setting) -> float | None:
    """Two classes, measures at one threshold."""
    at = setting.threshold
    if measure == "net_benefit":
        at += float(logit(BENEFIT_AT))
    false, true = (1.0 - float(law.cdf(at, left=True)) for law in laws)
    p, q = prevalence, 1.0 - prevalence
    matrix = np.array([[1.0 - false, false], [1.0 - true, true]])
    exact = {
        "sensitivity": true,
        "rate": true,
        "specificity": 1.0 - false,
        "ppv": p * true / (p * true + q * false),
        "npv": q * (1.0 - false) / (q * (1.0 - false) + p * (1.0 - true)),
        "expected_cost": p * (1.0 - true) + q * false,
        "likelihood_ratio": true / false,
        "net_benefit": p * true - q * false * BENEFIT_AT / (1.0 - BENEFIT_AT),
        "information_gain": _information(matrix, np.array([q, p])),
    }
    return exact.get(measure)


def _of_forecasts(measure: str, laws: list[Law], prevalence: float, setting: Setting) -> float:
    """Proper scores of two classes: means over the scores of either class."""

    def score(p: Floats) -> Floats:
        if measure == "log_loss":
            return np.asarray(-np.log(p))
        return np.asarray(p / np.hypot(p, 1.0 - p) if measure == "spherical" else (1.0 - p) ** 2)

    negative = laws[0].mean(lambda x: score(1.0 - chances(x, setting)))
    positive = laws[1].mean(lambda x: score(chances(x, setting)))
    mean = prevalence * positive + (1.0 - prevalence) * negative
    return 1.0 - mean / (prevalence * (1.0 - prevalence)) if measure == "brier_skill" else mean


def _information(rates: Floats, priors: Floats) -> float:
    joint = priors[:, None] * rates
    return float((joint * np.log2(joint / np.outer(priors, joint.sum(axis=0)))).sum())


def _of_columns(measure: str, model: Model, step: float, sizes: tuple[int, ...]) -> float | None:
    """Columns without ties and mixtures: all follows from P(own column above one other, above all others)."""
    if model.rounded or model.swapped or model.weighted:
        return None
    classes, priors = len(sizes), np.array(sizes) / sum(sizes)
    higher = [
        standard_cdf(model.family, standard_nodes(model.family) + shift) for shift in steps(model, step, classes)
    ]
    right = np.array([np.mean(probability ** (classes - 1)) for probability in higher])
    rates = np.where(np.eye(classes, dtype=bool), right[:, None], ((1.0 - right) / (classes - 1))[:, None])
    exact = {
        "hand_till": float(np.mean([probability.mean() for probability in higher])),
        "ova": float(np.mean([probability.mean() for probability in higher])),
        "pdi": float(right.mean()),
        "macro_average": float(right.mean()),
        "accuracy": float(priors @ right),
        "rate": float(right[-1]),
        "information_gain": _information(rates, priors),
    }
    if measure in ("pairwise_accuracy", "ht3"):
        return _of_frequencies(measure, priors[:, None] * rates)
    return exact.get(measure)


def _of_frequencies(measure: str, joint: Floats) -> float:
    """A measure of decisions from the probabilities of [class, decision], given as weights."""
    y, decision = np.indices(joint.shape)
    return float(
        pr.evaluate(y.ravel(), decision.ravel(), measure=measure, sample_weight=joint.ravel(), method=None)
    )  # type: ignore[arg-type]


@cache
def stored() -> dict[tuple[str, ...], tuple[float, float]]:
    """The simulated values that are kept, with their Monte Carlo errors."""
    if not STORE.exists():
        return {}
    with STORE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {tuple(row[name] for name in KEY): (float(row["truth"]), float(row["error"])) for row in rows}


def key_of(measure: str, model: str, value: float, proportions: tuple[int, ...]) -> tuple[str, ...]:
    """How a simulated value is named in truths.csv."""
    return measure, model, f"{value:g}", "+".join(map(str, proportions))


@cache
def _simulated(measure: str, name: str, value: float, proportions: tuple[int, ...]) -> tuple[float, float]:
    """The value and its Monte Carlo error, from truths.csv or anew."""
    key = key_of(measure, name, value, proportions)
    return stored().get(key) or simulate(measure, name, value, proportions)


def simulate(measure: str, name: str, value: float, proportions: tuple[int, ...]) -> tuple[float, float]:
    """The mean over large samples, and the standard error of this mean."""
    model = MODELS[name]
    cases, samples = SLOW.get(measure, (LARGE // SAMPLES, SAMPLES))
    sizes = tuple(max(1, round(cases * share / max(proportions))) for share in proportions)
    setting = setting_of(model)
    seed = zlib.crc32(" ".join(key_of(measure, name, value, proportions)).encode())
    values = [_value(measure, model, value, sizes, setting, [seed, i]) for i in range(samples)]
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(samples))


def _value(
    measure: str, model: Model, value: float, sizes: tuple[int, ...], setting: Setting, seed: list[int]
) -> float:
    data = draw(model, (value,), sizes, np.random.default_rng(seed))
    if measure in SPECIAL:
        return SPECIAL[measure](data, setting).value
    weight = {} if data.weights is None else {"sample_weight": data.weights}
    y_score, named = inputs(measure, data, 0, setting), measure_text(measure, setting)
    estimate = pr.evaluate(data.y, y_score, measure=named, method=None, **weight, **order(measure, data))
    return float(estimate)  # type: ignore[arg-type]


def write(entries: dict[tuple[str, ...], tuple[float, float]]) -> None:
    """Keep simulated values, in the order of their names."""
    with STORE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEY, "truth", "error"])
        writer.writerows([*key, f"{value:.6f}", f"{error:.6f}"] for key, (value, error) in sorted(entries.items()))


def has_formula(measure: str, model: Model, value: float, sizes: tuple[int, ...]) -> bool:
    """True if the value needs no simulation."""
    return _exact(measure, model, value, sizes) is not None


@cache
def height(point: str, model: Model, value: float, sizes: tuple[int, ...]) -> float:
    """Of a curve: "tpr at fpr 0.1" or "precision at recall 0.5"; models of one part only."""
    what, rate = point.split()[0], float(point.split()[-1])
    laws = model.laws(distance(model, value, 2), 2)
    part = laws[0 if what == "tpr" else 1].parts[0]
    threshold = part.location + part.scale * standard(model.family, ndtri(1.0 - rate))
    if what == "tpr":
        return 1.0 - float(laws[1].cdf(threshold))
    return float(_precision(laws, sizes[1] / sum(sizes), threshold))
