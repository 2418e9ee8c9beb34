"""Write the reference set: data as CSV files, exact answers as JSON (`python reference/build.py`).

With --check nothing is written; the exit code is 1 if a stored file differs from what would be.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import definitions as exact
import mpmath
from cases import Cases, all_cases, large_auc

SETS = Path(__file__).parent / "sets"
DIGITS = 20  # printed; computed with 60
mpmath.mp.dps = 60

# Fractions longer than this are left out: the digits say what a reader can use.
LONGEST = 60
RECIPES = (100_000, 10_000_000)
STEP = Fraction(1, 10**25)  # of a derivative
THRESHOLDS = (Fraction(1, 4), Fraction(1, 2))
MEANS_OVER_CASES = ("accuracy", "brier", "log_loss", "spherical", "net_benefit", "expected_cost")

Number = Fraction | mpmath.mpf


def answer(
    quantity: str, statistic: str, classifiers: Sequence[str], value: Number, **options: str
) -> dict[str, Any]:
    """One item of an answer file."""
    item: dict[str, Any] = {"quantity": quantity, "statistic": statistic, "classifiers": list(classifiers)}
    if options:
        item["options"] = options
    if isinstance(value, Fraction):
        if len(str(value)) <= LONGEST:
            item["fraction"] = str(value)
        value = mpmath.mpf(value.numerator) / value.denominator
    item["value"] = mpmath.nstr(value, DIGITS, min_fixed=-5, max_fixed=5)
    return item


Separable = tuple[str, dict[str, str], Callable[..., Number]]


def separable(cases: Cases) -> Iterator[Separable]:
    """The measures of the data whose components are values with one case alone in its class, and their options."""
    if cases.ordered:
        yield "vus", {}, exact.vus
        if max(cases.y) == 2:
            yield "umbrella", {}, exact.umbrella
    elif max(cases.y) == 1:
        yield "auc", {}, exact.auc
        yield "gini", {}, gini
        if cases.probabilities:
            yield from of_probabilities(
                [two_class_rows(exact.brier), *map(two_class_rows, LOGARITHM_AND_ROOT)], cases
            )
            yield from at_thresholds()
    else:
        yield from (("hand_till", {}, exact.hand_till), ("ova", {}, exact.one_versus_all), ("pdi", {}, exact.pdi))
        if cases.probabilities:
            yield "accuracy", {}, exact.accuracy
            yield "macro_average", {}, exact.macro_average
            yield "pairwise_accuracy", {}, exact.pairwise_accuracy
            yield from of_probabilities([exact.brier, *LOGARITHM_AND_ROOT], cases)
        if "triples" in cases.extra:
            yield "mossman", {}, exact.mossman
            yield "he", {"scoring": "linear"}, exact.best_assignment
            yield "he", {"scoring": "log"}, exact.best_product


def gini(y: Sequence[int], s: exact.Row, w: exact.Row) -> Fraction:
    """2 AUC - 1."""
    return 2 * exact.auc(y, s, w) - 1


def log_loss(y: Sequence[int], P: Sequence[exact.Row], w: exact.Row) -> mpmath.mpf:
    """The mean of -ln p, p the probability of the true class."""
    return weighted_mean([-mpmath.log(real(row[code])) for row, code in zip(P, y, strict=True)], w)


def spherical(y: Sequence[int], P: Sequence[exact.Row], w: exact.Row) -> mpmath.mpf:
    """The mean of p / norm, p the probability of the true class and the norm that of the row."""
    norms = [mpmath.sqrt(real(sum((p**2 for p in row), Fraction(0)))) for row in P]
    return weighted_mean([real(row[code]) / norm for row, code, norm in zip(P, y, norms, strict=True)], w)


LOGARITHM_AND_ROOT = (log_loss, spherical)


def weighted_mean(values: Sequence[mpmath.mpf], w: exact.Row) -> mpmath.mpf:
    """The mean of irrational numbers."""
    return mpmath.fsum(v * real(q) for v, q in zip(values, w, strict=True)) / real(sum(w, Fraction(0)))


def two_class_rows(measure: Callable[..., Number]) -> Callable[..., Number]:
    """The measure of probabilities of class 1."""
    return lambda y, p, w: measure(y, [[1 - q, q] for q in p], w)


def of_probabilities(measures: Sequence[Callable[..., Number]], cases: Cases) -> Iterator[Separable]:
    """The Brier, logarithmic and spherical score; the second only without a zero at a true class."""
    for name, measure in zip(("brier", "log_loss", "spherical"), measures, strict=True):
        if name != "log_loss" or all(own_probabilities(cases, classifier) for classifier in cases.columns):
            yield name, {}, measure


def own_probabilities(cases: Cases, classifier: str) -> bool:
    """Whether no true class has the probability 0."""
    rows = cases.exact(classifier)
    rows = [[1 - row[0], row[0]] for row in rows] if len(rows[0]) == 1 else rows
    return all(row[code] > 0 for row, code in zip(rows, cases.y, strict=True))


def at_thresholds() -> Iterator[Separable]:
    """Rates, net benefit and expected cost."""
    for t in THRESHOLDS:
        at = {"threshold": str(t)}
        for name, measure in (
            ("sensitivity", exact.sensitivity),
            ("specificity", exact.specificity),
            ("net_benefit", exact.net_benefit),
        ):
            yield name, at, partial(measure, threshold=t)
        costs = {"false_positive": 1, "false_negative": 5}
        yield (
            "expected_cost",
            at | {k: str(v) for k, v in costs.items()},
            partial(exact.expected_cost, threshold=t, **costs),
        )


def predictions(cases: Cases, classifier: str) -> Any:
    """What the definitions take: a score per case, or a row per case."""
    rows = cases.exact(classifier)
    return [row[0] for row in rows] if len(rows[0]) == 1 else rows


def with_errors(cases: Cases) -> Iterator[dict[str, Any]]:
    """Value, variance, and of two classifiers covariance, z and p-value."""
    y, w = cases.y, cases.exact_weights()
    for quantity, options, measure in separable(cases):
        parts = {}
        for name in cases.columns:
            prediction = predictions(cases, name)
            yield answer(quantity, "value", [name], measure(y, prediction, w), **options)
            if not has_variance(cases):
                continue
            part = parts[name] = Part.of(lambda v, p=prediction, m=measure: m(y, p, v), cases)
            yield answer(quantity, "variance", [name], covariance(part, part, cases), **options)
            if quantity == "auc":
                jackknife = exact.covariance(part.columns, part.columns, y, w, cases.groups, corrected=False)
                yield answer(quantity, "infinitesimal_jackknife", [name], jackknife)
            if quantity in MEANS_OVER_CASES:
                cohort = mpmath.fsum(total**2 for total in influences(part, cases, random_sizes=True).values())
                yield answer(quantity, "cohort_variance", [name], cohort, **options)
        for first, second in combinations(parts, 2):
            yield from paired(quantity, (first, second), parts, cases, options)
        if len(parts) > 2:
            yield all_equal(quantity, parts, cases, options)


def has_variance(cases: Cases) -> bool:
    """Whether every class has two cases; of very many, components by the definition would take too long."""
    return len(cases.y) <= 100 and all(cases.y.count(k) > 1 for k in set(cases.y))


class Part(NamedTuple):
    """A value, its component of each case, and its derivative by the logarithm of the weight of each class."""

    value: Number
    columns: list[Number]
    slopes: list[Number]

    @classmethod
    def of(cls, value: Callable[[exact.Row], Number], cases: Cases) -> "Part":
        """Of a measure as a function of the weights."""
        y, w = cases.y, cases.exact_weights()
        slopes = []
        for k in range(max(y) + 1):
            # The error is of the order STEP^2, far beyond the digits that are printed.
            up, down = (
                [v * (1 + h) if code == k else v for code, v in zip(y, w, strict=True)] for h in (STEP, -STEP)
            )
            slopes.append((value(up) - value(down)) / (2 * STEP))
        return cls(value(w), exact.components(value, y, w), slopes)

    def minus(self, other: "Part") -> "Part":
        """The difference of two values."""
        columns = [a - b for a, b in zip(self.columns, other.columns, strict=True)]
        slopes = [a - b for a, b in zip(self.slopes, other.slopes, strict=True)]
        return Part(self.value - other.value, columns, slopes)


def covariance(first: Part, second: Part, cases: Cases) -> Number:
    """Between the cases of a data set, or its groups; class sizes fixed."""
    if cases.weights and any(abs(slope) > STEP for slope in (*first.slopes, *second.slopes)):
        one, other = (influences(part, cases, random_sizes=False) for part in (first, second))
        return mpmath.fsum(one[unit] * other[unit] for unit in one)
    return exact.covariance(first.columns, second.columns, cases.y, cases.exact_weights(), cases.groups)


def influences(part: Part, cases: Cases, *, random_sizes: bool) -> dict[int, mpmath.mpf]:
    """By case or group: within classes, and through the weights of the classes.

    The first is w (component - mean) / W, times the root of m / (m - 1); the second w / W, or (w - mean of w) / W
    if class sizes are fixed, times the slope of the class, times the root of n / (n - 1). m is the number of cases
    (or groups) of the class and n that of all.
    """
    y, w = cases.y, cases.exact_weights()
    units = cases.groups if cases.groups is not None else list(range(len(y)))
    sums: dict[int, mpmath.mpf] = {}
    n = len({units[x] for x in range(len(y)) if w[x]})
    for k in sorted(set(y)):
        own = [x for x in exact.members(y, k) if w[x]]
        weights, m = [w[x] for x in own], len({units[x] for x in own})
        centre = exact.mean([part.columns[x] for x in own], weights)
        expected = Fraction(0) if random_sizes else sum(weights) / len(own)
        for x in own:
            within = w[x] * (part.columns[x] - centre) / sum(weights)
            between = (w[x] - expected) * part.slopes[k] / sum(weights)
            influence = real(within) * root_of_correction(m) + real(between) * root_of_correction(n)
            sums[units[x]] = sums.get(units[x], mpmath.mpf(0)) + influence
    return sums


def paired(
    quantity: str, pair: tuple[str, str], parts: dict[str, Part], cases: Cases, options: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Covariance of two classifiers, and the z test of their difference (DeLong, DeLong & Clarke-Pearson 1988)."""
    first, second = (parts[name] for name in pair)
    yield answer(quantity, "covariance", pair, covariance(first, second, cases), **options)
    difference = first.minus(second)
    variance = covariance(difference, difference, cases)
    if variance > 0:
        z = real(difference.value) / mpmath.sqrt(real(variance))
        yield answer(quantity, "z", pair, z, **options)
        yield answer(quantity, "p_value", pair, mpmath.erfc(abs(z) / mpmath.sqrt(2)), **options)


def all_equal(quantity: str, parts: dict[str, Part], cases: Cases, options: dict[str, str]) -> dict[str, Any]:
    """The chi-square statistic of the hypothesis that all classifiers have the same value."""
    table = [[covariance(one, other, cases) for other in parts.values()] for one in parts.values()]
    statistic = exact.chi_square([part.value for part in parts.values()], table)
    return answer(quantity, "chi_square", [*parts], statistic, **options)


def real(value: Number) -> mpmath.mpf:
    """A number with 60 digits."""
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def root_of_correction(m: int) -> mpmath.mpf:
    """The root of m / (m - 1)."""
    return mpmath.sqrt(mpmath.mpf(m) / (m - 1))


def not_cut(cases: Cases) -> Iterator[dict[str, Any]]:
    """HT3: its value, and where no area is cut at 1/2, its variance and test."""
    if max(cases.y) == 1 or cases.ordered or not cases.probabilities:
        return
    y, w, parts = cases.y, cases.exact_weights(), {}
    for name in cases.columns:
        P = predictions(cases, name)
        value = exact.ht3(y, P, w)
        yield answer("ht3", "value", [name], value)
        if has_variance(cases) and min(exact.one_threshold_areas(y, P, w)) > Fraction(1, 2):
            part = parts[name] = Part.of(lambda v, p=P: exact.ht3_not_cut(y, p, v), cases)
            yield answer("ht3", "variance", [name], covariance(part, part, cases))
    for first, second in combinations(parts, 2):
        yield from paired("ht3", (first, second), parts, cases, {})


def right_decisions(cases: Cases) -> Iterator[dict[str, Any]]:
    """McNemar's test of the accuracies of two classifiers, without weights and groups."""
    if cases.weights or cases.groups or max(cases.y) == 1 or cases.ordered or not cases.probabilities:
        return
    for first, second in combinations(cases.columns, 2):
        p_value = exact.mcnemar(cases.y, predictions(cases, first), predictions(cases, second))
        if p_value is not None:
            yield answer("accuracy", "mcnemar_p_value", [first, second], p_value)
    if len(cases.columns) > 2:
        q = exact.cochran_q(cases.y, [predictions(cases, name) for name in cases.columns])
        if q is not None:
            p = mpmath.gammainc(mpmath.mpf(len(cases.columns) - 1) / 2, real(q) / 2, regularized=True)
            yield answer("accuracy", "cochran_p_value", [*cases.columns], p)


def surfaces(cases: Cases) -> Iterator[dict[str, Any]]:
    """Sahiner's normalised volume of class 0, with its variance and test."""
    if "sahiner" not in cases.extra:
        return
    parts, options = {}, {"malignant": "0"}
    for name in cases.columns:
        value, columns = exact.sahiner(cases.y, predictions(cases, name), cases.exact_weights())
        part = parts[name] = Part(value, columns, [])
        yield answer("sahiner", "value", [name], value, **options)
        yield answer("sahiner", "variance", [name], covariance(part, part, cases), **options)
    for first, second in combinations(parts, 2):
        yield from paired("sahiner", (first, second), parts, cases, options)


def unbiased(cases: Cases) -> Iterator[dict[str, Any]]:
    """The unbiased variance of the AUC and of the volume of three classes, unweighted and unclustered."""
    if cases.weights or cases.groups or not has_variance(cases) or len(cases.y) > 24:
        return
    for name in cases.columns if cases.ordered or max(cases.y) == 1 else ():
        s = predictions(cases, name)
        quantity = "vus" if cases.ordered else "auc"
        if max(cases.y) < 3:
            outcome = exact.unbiased_variance(lambda *pick, s=s: exact.chain([s[x] for x in pick]), cases.y)
            yield answer(quantity, "unbiased_variance", [name], outcome)


def two_class_values(cases: Cases) -> Iterator[dict[str, Any]]:
    """Values of two classes and one score that are not means over one class."""
    y, w = cases.y, cases.exact_weights()
    for name in cases.columns if len(y) <= 100 else ():
        s = predictions(cases, name)
        for high in (Fraction(1, 4), Fraction(1, 2)):
            area = exact.partial_auc(y, s, w, Fraction(0), high)
            yield answer("partial_auc", "value", [name], area, fpr_from="0", fpr_to=str(high), standardised="no")
        yield answer("average_precision", "value", [name], exact.average_precision(y, s, w))
        yield answer("cost_area", "value", [name], exact.cost_area(y, s, w))
        for fpr in (Fraction(3, 16), Fraction(7, 16)):
            yield answer("tpr", "value", [name], exact.highest_at(y, s, w, fpr), fpr=str(fpr))
        if cases.probabilities:
            yield from forecasts(cases, name)


def forecasts(cases: Cases, name: str) -> Iterator[dict[str, Any]]:
    """Values of probabilities of two classes."""
    y, w, p = cases.y, cases.exact_weights(), predictions(cases, name)
    yield answer("brier_skill", "value", [name], exact.brier_skill(y, [[1 - q, q] for q in p], w))
    yield from calibration(cases, name)
    for term, value in zip(
        ("miscalibration", "discrimination", "uncertainty"), exact.isotonic_terms(y, p, w), strict=True
    ):
        yield answer(f"brier_{term}", "value", [name], value)
    for threshold in THRESHOLDS:
        tp, fn, fp, tn = exact.table(y, p, w, threshold)
        at = {"threshold": str(threshold)}
        yield answer("ppv", "value", [name], tp / (tp + fp), **at)
        if tn + fn:
            yield answer("npv", "value", [name], tn / (tn + fn), **at)


def calibration(cases: Cases, name: str) -> Iterator[dict[str, Any]]:
    """Spiegelhalter's z, and intercept and slope of the logistic regression on the logit (Cox 1958)."""
    if cases.weights or cases.groups:
        return
    y, p = cases.y, predictions(cases, name)
    excess = sum(((code - q) * (1 - 2 * q) for code, q in zip(y, p, strict=True)), Fraction(0))
    variance = sum(((1 - 2 * q) ** 2 * q * (1 - q) for q in p), Fraction(0))
    yield answer("spiegelhalter", "z", [name], real(excess) / mpmath.sqrt(real(variance)))
    if min(p) <= 0 or max(p) >= 1:
        return
    logits = [mpmath.log(real(q) / real(1 - q)) for q in p]

    def scores(intercept: mpmath.mpf, slope: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        rest = [code - 1 / (1 + mpmath.exp(-intercept - slope * x)) for code, x in zip(y, logits, strict=True)]
        return mpmath.fsum(rest), mpmath.fsum(r * x for r, x in zip(rest, logits, strict=True))

    in_the_large = mpmath.findroot(lambda a: scores(a, mpmath.mpf(1))[0], 0)
    yield answer("calibration_in_the_large", "value", [name], in_the_large)
    _, slope = mpmath.findroot(scores, (0, 1))
    yield answer("calibration_slope", "value", [name], slope)


def ordered_values(cases: Cases) -> Iterator[dict[str, Any]]:
    """Scurfield's discriminability in bits."""
    for name in cases.columns if max(cases.y) in (2, 3) else ():
        volumes = exact.orderings(cases.y, predictions(cases, name), cases.exact_weights())
        real = [mpmath.mpf(v.numerator) / v.denominator for v in volumes if v]
        bits = mpmath.log(len(volumes), 2) + mpmath.fsum(v * mpmath.log(v, 2) for v in real)
        yield answer("scurfield", "value", [name], bits)


def several_class_values(cases: Cases) -> Iterator[dict[str, Any]]:
    """The Brier skill score of several classes."""
    for name in cases.columns if cases.probabilities else ():
        yield answer(
            "brier_skill", "value", [name], exact.brier_skill(cases.y, cases.exact(name), cases.exact_weights())
        )


def answers(cases: Cases) -> dict[str, Any]:
    """The answer file of a data set."""
    by_classes = two_class_values if max(cases.y) == 1 else several_class_values
    values = ordered_values if cases.ordered else by_classes
    kind = "ordered" if cases.ordered else "score" if max(cases.y) == 1 else "columns"
    return {
        "name": cases.name,
        "level": cases.level,
        "description": cases.about,
        "cases": len(cases.y),
        "classes": max(cases.y) + 1,
        "predictions": kind,
        "probabilities": cases.probabilities,
        "items": [
            *with_errors(cases),
            *not_cut(cases),
            *surfaces(cases),
            *right_decisions(cases),
            *unbiased(cases),
            *values(cases),
        ],
    }


def recipe_answers(n: int) -> dict[str, Any]:
    """The answer file of the recipe for large data."""
    value, variance = large_auc(n)
    items = [answer("auc", "value", ["a"], value), answer("auc", "variance", ["a"], variance)]
    return {
        "name": f"recipe_{n}",
        "level": "higher" if n > 10**6 else "average",
        "description": f"{n:,} cases by the recipe of the README, with ties",
        "cases": n,
        "classes": 2,
        "predictions": "score",
        "probabilities": False,
        "recipe": True,
        "items": items,
    }


def table_of(cases: Cases) -> str:
    """The data as CSV: class, one column per classifier (and class), weight and group if there are any."""
    width = len(next(iter(cases.columns.values()))[0])
    names = [f"{name}_{k}" if width > 1 else name for name in cases.columns for k in range(width)]
    extra = {"weight": cases.weights, "group": cases.groups}
    header = ["class", *names, *(key for key, column in extra.items() if column)]
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(header)
    for x, code in enumerate(cases.y):
        values = [repr(value) for name in cases.columns for value in cases.columns[name][x]]
        writer.writerow([code, *values, *(column[x] for column in extra.values() if column)])
    return lines.getvalue()


def files(recipes: Sequence[int] = RECIPES) -> Iterator[tuple[str, str]]:
    """Name and content of every file of the set."""
    for cases in all_cases():
        yield f"{cases.name}.csv", table_of(cases)
        yield f"{cases.name}.json", json.dumps(answers(cases), indent=1) + "\n"
    for n in recipes:
        yield f"recipe_{n}.json", json.dumps(recipe_answers(n), indent=1) + "\n"


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing")
    check = parser.parse_args().check
    differing = []
    for name, content in files():
        path = SETS / name
        if check:
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                differing.append(name)
        else:
            path.write_text(content, encoding="utf-8", newline="\n")
    for name in differing:
        sys.stderr.write(f"{name} differs from what reference/build.py makes.\n")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
