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
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import definitions as exact
import mpmath
from cases import Cases, Values, all_cases, all_values, large_auc
from definitions import STEP
from items import Number, answer, rational, real, two_sided
from items_of_tests import tests_of_cases, tests_of_values

SETS = Path(__file__).parent / "sets"
RECIPES = (100_000, 10_000_000)
THRESHOLDS = (Fraction(1, 4), Fraction(1, 2))
MANY = 100  # cases; of more, components by the definition would take too long
JACKKNIFED = (
    "average_precision",
    "cost_area",
    "partial_auc",
    "ppv",
    "npv",
    "brier_skill",
)  # others: as `variance`
RATES = (Fraction(3, 16), Fraction(7, 16))  # between the steps of the curves


Separable = tuple[str, dict[str, str], Callable[..., Number]]
Components = Callable[[Callable[[exact.Row], Number], Cases, Any], list[Number]]


class Question(NamedTuple):
    """A measure of the data with its options, and how the components of its cases are made."""

    quantity: str
    options: dict[str, str]
    measure: Callable[..., Number]
    components: Components


def alone(value: Callable[[exact.Row], Number], cases: Cases, _: Any) -> list[Number]:
    """Components that are the values with one case alone in its class."""
    return exact.components(value, cases.y, cases.exact_weights())


def by_derivative(value: Callable[[exact.Row], Number], cases: Cases, _: Any) -> list[Number]:
    """Components that are derivatives."""
    return exact.derivatives(value, cases.y, cases.exact_weights())


def questions(cases: Cases) -> Iterator[Question]:
    """All measures of the data."""
    if "readers" in cases.extra:  # many pairs of columns: one measure is enough
        yield Question("auc", {}, exact.auc, alone)
        return
    for quantity, options, measure in separable(cases):
        yield Question(quantity, options, measure, alone)
    for quantity, options, measure in linearised(cases):
        yield Question(quantity, options, measure, by_derivative)
    if max(cases.y) == 1 and len(cases.y) <= MANY:
        yield from of_ranges()


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


def linearised(cases: Cases) -> Iterator[Separable]:
    """The measures of the data that are no means over a class: their components are derivatives."""
    if cases.ordered:
        if max(cases.y) in (2, 3):
            yield "scurfield", {}, scurfield
    elif max(cases.y) == 1:
        if len(cases.y) <= MANY:
            yield "average_precision", {}, exact.average_precision
            yield "cost_area", {}, exact.cost_area
        if cases.probabilities:
            yield "brier_skill", {}, two_class_rows(exact.brier_skill)
            for t in THRESHOLDS:
                yield "ppv", {"threshold": str(t)}, partial(exact.ppv, threshold=t)
                yield "npv", {"threshold": str(t)}, partial(exact.npv, threshold=t)
    elif cases.probabilities:
        yield "brier_skill", {}, exact.brier_skill


def of_ranges() -> Iterator[Question]:
    """Partial areas and heights of the ROC curve: a rate is fixed, so its threshold is estimated."""
    for high in (Fraction(1, 4), Fraction(1, 2)):
        options = {"fpr_from": "0", "fpr_to": str(high), "standardised": "no"}
        measure = partial(exact.partial_auc, low=Fraction(0), high=high)
        yield Question(
            "partial_auc",
            options,
            measure,
            lambda value, cases, s: exact.left_out(value, cases.y, s, cases.exact_weights()),
        )
    for fpr in RATES:
        yield Question(
            "tpr",
            {"fpr": str(fpr)},
            partial(exact.highest_at, fpr=fpr),
            lambda _, cases, s, u=fpr: exact.rate_components(
                cases.y, s, cases.exact_weights(), u, slope(cases, s, u)
            ),
        )


def slope(cases: Cases, s: exact.Row, fpr: Fraction) -> Fraction:
    """Standard deviation of the height over the distribution of the true rate, in standard errors of the rate.

    The rate u of the threshold follows beta(n u + 1, n (1 - u)), taken at its 64 quantiles (i - 1/2) / 64; n is
    the number of negatives, by Kish with weights.
    """
    w = cases.exact_weights()
    own = [w[x] for x in exact.members(cases.y, 0)]
    n = sum(own) ** 2 / sum(v**2 for v in own)
    points = exact.roc_points(cases.y, s, w)
    heights = [exact.height_at(points, rate) for rate in beta_quantiles(n * fpr + 1, n * (1 - fpr))]
    mean = sum(heights) / len(heights)
    variance = sum((height - mean) ** 2 for height in heights) / len(heights)
    return rational(mpmath.sqrt(real(variance * n / (fpr * (1 - fpr)))))


@cache
def beta_quantiles(a: Fraction, b: Fraction) -> list[Fraction]:
    """The quantiles (i - 1/2) / 64 of a beta distribution, by bisection and Newton's method."""
    first, second, found = real(a), real(b), []
    scale = mpmath.beta(first, second)
    for i in range(64):
        p, low, high = mpmath.mpf(2 * i + 1) / 128, mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(12):
            middle = (low + high) / 2
            below = mpmath.betainc(first, second, 0, middle, regularized=True) < p
            low, high = (middle, high) if below else (low, middle)
        x = (low + high) / 2
        for _ in range(60):
            density = x ** (first - 1) * (1 - x) ** (second - 1) / scale
            step = (mpmath.betainc(first, second, 0, x, regularized=True) - p) / density
            x = min(max(x - step, x / 2), (1 + x) / 2)
            if abs(step) < mpmath.mpf(10) ** -50:
                break
        found.append(rational(x))
    return found


def scurfield(y: Sequence[int], s: exact.Row, w: exact.Row) -> mpmath.mpf:
    """Scurfield's discriminability in bits."""
    volumes = exact.orderings(y, s, w)
    return mpmath.log(len(volumes), 2) + mpmath.fsum(real(v) * mpmath.log(real(v), 2) for v in volumes if v)


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


def with_errors(cases: Cases) -> Iterator[dict[str, Any]]:
    """Value and variances, of two classifiers covariance, z and p-value, of more the test that all are equal."""
    for question in questions(cases):
        parts: dict[str, Part] = {}
        for name in cases.columns:
            try:
                value = question.measure(cases.y, cases.predictions(name), cases.exact_weights())
            except ZeroDivisionError:  # a predictive value, and no case is called so
                continue
            yield answer(question.quantity, "value", [name], value, **question.options)
            if has_variance(cases):
                parts[name] = Part.of(question, cases, name)
                yield from variances(question, name, parts[name], cases)
        for pair in combinations(parts, 2):
            yield from paired(question.quantity, pair, parts, cases, question.options)
        if len(parts) > 2:
            yield all_equal(question.quantity, parts, cases, question.options)


def variances(question: Question, name: str, part: "Part", cases: Cases) -> Iterator[dict[str, Any]]:
    """The variance of one classifier, class sizes fixed; others where they are different or agreed elsewhere."""
    y, w = cases.y, cases.exact_weights()

    def item(statistic: str, value: Number) -> dict[str, Any]:
        return answer(question.quantity, statistic, [name], value, **question.options)

    yield item("variance", covariance(part, part, cases))
    if question.quantity == "auc":
        yield item(
            "infinitesimal_jackknife",
            exact.covariance(part.columns, part.columns, y, w, cases.groups, corrected=False),
        )
    if part.depends_on_shares:
        totals = influences(part, cases, random_sizes=True).values()
        yield item("cohort_variance", mpmath.fsum(total**2 for total in totals))
    if question.quantity in JACKKNIFED and not cases.weights and not cases.groups:
        prediction = cases.predictions(name)
        try:
            yield item("jackknife_variance", exact.jackknife(lambda v: question.measure(y, prediction, v), y))
        except ZeroDivisionError:  # undefined without some case
            return


def has_variance(cases: Cases) -> bool:
    """Whether every class has two cases; of very many, components by the definition would take too long."""
    return len(cases.y) <= MANY and all(cases.y.count(k) > 1 for k in set(cases.y))


class Part(NamedTuple):
    """A value, its component of each case, and its derivative by the logarithm of the weight of each class."""

    value: Number
    columns: list[Number]
    slopes: list[Number]

    @classmethod
    def of(cls, question: Question, cases: Cases, name: str) -> "Part":
        """Of a measure and a classifier."""
        y, w, prediction = cases.y, cases.exact_weights(), cases.predictions(name)

        def value(weights: exact.Row) -> Number:
            return question.measure(y, prediction, weights)

        slopes = []
        for k in range(max(y) + 1):
            # The error is of the order STEP^2, far beyond the digits that are printed.
            up, down = (
                [v * (1 + h) if code == k else v for code, v in zip(y, w, strict=True)] for h in (STEP, -STEP)
            )
            slopes.append((value(up) - value(down)) / (2 * STEP))
        return cls(value(w), question.components(value, cases, prediction), slopes)

    @property
    def depends_on_shares(self) -> bool:
        """Whether the value depends on the shares of the classes."""
        return any(abs(slope) > STEP for slope in self.slopes)

    def minus(self, other: "Part") -> "Part":
        """The difference of two values."""
        columns = [a - b for a, b in zip(self.columns, other.columns, strict=True)]
        slopes = [a - b for a, b in zip(self.slopes, other.slopes, strict=True)]
        return Part(self.value - other.value, columns, slopes)


def covariance(first: Part, second: Part, cases: Cases) -> Number:
    """Between the cases of a data set, or its groups; class sizes fixed."""
    if cases.weights and (first.depends_on_shares or second.depends_on_shares):
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
        yield answer(quantity, "p_value", pair, two_sided(z), **options)


def all_equal(quantity: str, parts: dict[str, Part], cases: Cases, options: dict[str, str]) -> dict[str, Any]:
    """The chi-square statistic of the hypothesis that all classifiers have the same value."""
    table = [[covariance(one, other, cases) for other in parts.values()] for one in parts.values()]
    statistic = exact.chi_square([part.value for part in parts.values()], table)
    return answer(quantity, "chi_square", [*parts], statistic, **options)


def root_of_correction(m: int) -> mpmath.mpf:
    """The root of m / (m - 1)."""
    return mpmath.sqrt(mpmath.mpf(m) / (m - 1))


def not_cut(cases: Cases) -> Iterator[dict[str, Any]]:
    """HT3: its value, and where no area is cut at 1/2, its variance and test."""
    if max(cases.y) == 1 or cases.ordered or not cases.probabilities:
        return
    y, w, parts = cases.y, cases.exact_weights(), {}
    not_cut_question = Question("ht3", {}, exact.ht3_not_cut, alone)
    for name in cases.columns:
        P = cases.predictions(name)
        value = exact.ht3(y, P, w)
        yield answer("ht3", "value", [name], value)
        if has_variance(cases) and min(exact.one_threshold_areas(y, P, w)) > Fraction(1, 2):
            part = parts[name] = Part.of(not_cut_question, cases, name)
            yield from variances(not_cut_question, name, part, cases)
    for first, second in combinations(parts, 2):
        yield from paired("ht3", (first, second), parts, cases, {})


def surfaces(cases: Cases) -> Iterator[dict[str, Any]]:
    """Sahiner's normalised volume of class 0, with its variance and test."""
    if "sahiner" not in cases.extra:
        return
    parts, options = {}, {"malignant": "0"}
    for name in cases.columns:
        value, columns = exact.sahiner(cases.y, cases.predictions(name), cases.exact_weights())
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
        s = cases.predictions(name)
        quantity = "vus" if cases.ordered else "auc"
        if max(cases.y) < 3:
            outcome = exact.unbiased_variance(lambda *pick, s=s: exact.chain([s[x] for x in pick]), cases.y)
            yield answer(quantity, "unbiased_variance", [name], outcome)


def brier_terms(cases: Cases) -> Iterator[dict[str, Any]]:
    """Miscalibration, discrimination and uncertainty of the Brier score of two classes."""
    terms = ("miscalibration", "discrimination", "uncertainty")
    for name in cases.columns if cases.probabilities and max(cases.y) == 1 else ():
        values = exact.isotonic_terms(cases.y, cases.predictions(name), cases.exact_weights())
        yield from (answer(f"brier_{term}", "value", [name], v) for term, v in zip(terms, values, strict=True))


def answers(cases: Cases) -> dict[str, Any]:
    """The answer file of a data set."""
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
            *unbiased(cases),
            *brier_terms(cases),
            *tests_of_cases(cases),
        ],
    }


def answers_of_values(table: Values) -> dict[str, Any]:
    """The answer file of a table of values."""
    return {
        "name": table.name,
        "level": "lower",
        "description": table.about,
        "cases": len(table.exact()),
        "classes": 0,
        "predictions": "values",
        "probabilities": False,
        "items": [*tests_of_values(table)],
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
    for table in all_values():
        yield f"{table.name}.csv", table.text()
        yield f"{table.name}.json", json.dumps(answers_of_values(table), indent=1) + "\n"
    for n in recipes:
        yield f"recipe_{n}.json", json.dumps(recipe_answers(n), indent=1) + "\n"


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing")
    check = parser.parse_args().check
    compared, differing = 0, []
    for name, content in files():
        path = SETS / name
        if check:
            compared += 1
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                differing.append(name)
        else:
            path.write_text(content, encoding="utf-8", newline="\n")
    for name in differing:
        sys.stderr.write(f"{name} differs from what reference/build.py makes.\n")
    if check:
        sys.stdout.write(f"{compared - len(differing)} of {compared} files are as stored.\n")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
