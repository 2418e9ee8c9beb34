"""The items of tests: paired decisions, exchanges, calibration, readers, and learners over folds or data sets."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import definitions as exact
import hypothesis_tests as tests
import mpmath
from cases import Cases, Values
from items import Number, answer, chi_square_tail, f_tail, real, two_sided

MOST_EXCHANGED = 11  # cases, 2^11 exchanges
ADJUSTMENTS = ("bonferroni", "holm", "benjamini-hochberg")
ROPE = Fraction(1, 32)  # half the width of the region of practical equivalence


def tests_of_cases(cases: Cases) -> Iterator[dict[str, Any]]:
    """Of cases without weights and groups."""
    if cases.weights or cases.groups:
        return
    if max(cases.y) == 1:
        yield from of_areas(cases)
        yield from of_exchanges(cases)
        if cases.probabilities:
            for name in cases.columns:
                yield from of_calibration(cases, name)
        if "readers" in cases.extra:
            yield from of_readers(cases)
    elif cases.probabilities and not cases.ordered:
        yield from of_right_decisions(cases)


def of_areas(cases: Cases) -> Iterator[dict[str, Any]]:
    """Hanley & McNeil's variances of the AUC."""
    if min(cases.y.count(k) for k in (0, 1)) < 2:
        return
    for name, kind in product(cases.columns, ("nonparametric", "exponential")):
        variance = exact.hanley_mcneil(cases.y, cases.predictions(name), kind)
        yield answer("auc", "hanley_mcneil_variance", [name], variance, kind=kind)


def of_exchanges(cases: Cases) -> Iterator[dict[str, Any]]:
    """Permutation tests of two classifiers, over all exchanges of their ranks."""
    if len(cases.y) > MOST_EXCHANGED:
        return
    for pair in combinations(cases.columns, 2):
        first, second = (cases.predictions(name) for name in pair)
        yield answer("permutation", "p_value", pair, tests.exchange_p_value(cases.y, first, second), measure="auc")
        if "curves" in cases.extra:
            (one,), (two,) = (tests.orders(tests.midranks(column)) for column in (first, second))
            distance = Fraction(tests.error_distance(cases.y, one, two))
            yield answer("venkatraman", "value", pair, distance)
            yield answer("venkatraman", "p_value", pair, tests.venkatraman_p_value(cases.y, first, second))


def of_right_decisions(cases: Cases) -> Iterator[dict[str, Any]]:
    """McNemar's and Cochran's tests of the accuracies; adjusted p-values where there are several."""
    p_values = {}
    for pair in combinations(cases.columns, 2):
        first, second = (cases.predictions(name) for name in pair)
        p_value = exact.mcnemar(cases.y, first, second)
        if p_value is None:
            continue
        p_values[pair] = p_value
        yield answer("accuracy", "mcnemar_p_value", pair, p_value)
        numbers = exact.decided_by_one(cases.y, first, second)
        for corrected in (True, False) if any(numbers) else ():
            statistic = tests.mcnemar_chi_square(*numbers, corrected=corrected)
            options = {"exact": "no", "corrected": "yes" if corrected else "no"}
            yield answer("accuracy", "mcnemar_p_value", pair, chi_square_tail(statistic, 1), **options)
    if len(cases.columns) > 2 and p_values:
        for method in ADJUSTMENTS:
            together = tests.adjusted([*p_values.values()], method)
            for pair, p_value in zip(p_values, together, strict=True):
                yield answer("accuracy", "mcnemar_p_value", pair, p_value, adjustment=method)
        q = exact.cochran_q(cases.y, [cases.predictions(name) for name in cases.columns])
        if q is not None:
            yield answer(
                "accuracy", "cochran_p_value", [*cases.columns], chi_square_tail(q, len(cases.columns) - 1)
            )


def of_calibration(cases: Cases, name: str) -> Iterator[dict[str, Any]]:
    """Spiegelhalter's test; logistic regression on the logit (Cox 1958), and its score test."""
    y, p = cases.y, cases.predictions(name)
    excess = sum(((code - q) * (1 - 2 * q) for code, q in zip(y, p, strict=True)), Fraction(0))
    variance = sum(((1 - 2 * q) ** 2 * q * (1 - q) for q in p), Fraction(0))
    z = real(excess) / mpmath.sqrt(real(variance))
    yield answer("spiegelhalter", "z", [name], z)
    yield answer("spiegelhalter", "p_value", [name], two_sided(z))
    if min(p) <= 0 or max(p) >= 1:
        return
    logits = [mpmath.log(real(q) / real(1 - q)) for q in p]
    large, of_large = regression(y, [[mpmath.mpf(1)]] * len(y), logits)
    yield answer("calibration_in_the_large", "value", [name], large[0])
    yield answer("calibration_in_the_large", "variance", [name], of_large[0])
    line, of_line = regression(y, [[mpmath.mpf(1), x] for x in logits], [mpmath.mpf(0)] * len(y))
    yield answer("calibration_slope", "value", [name], line[1])
    yield answer("calibration_slope", "variance", [name], of_line[1])
    u, v = mpmath.zeros(2, 1), mpmath.zeros(2, 2)
    for code, q, x in zip(y, map(real, p), logits, strict=True):
        row = mpmath.matrix([1, x])
        u, v = u + row * (code - q), v + row * row.T * q * (1 - q)
    statistic = (u.T * v**-1 * u)[0]
    yield answer("calibration", "chi_square", [name], statistic)
    yield answer("calibration", "p_value", [name], chi_square_tail(statistic, 2))


def regression(
    y: Sequence[int], rows: Sequence[Sequence[mpmath.mpf]], offsets: Sequence[mpmath.mpf]
) -> tuple[list[mpmath.mpf], list[mpmath.mpf]]:
    """Coefficients of the logistic regression by maximum likelihood, and their variances.

    These are the sums of the squared influences H^-1 x (y - mu), H the sum of x x' mu (1 - mu), times n / (n - 1).
    """
    width, n = len(rows[0]), len(y)

    def fitted(theta: Sequence[mpmath.mpf]) -> list[mpmath.mpf]:
        sums = [
            offset + mpmath.fsum(t * x for t, x in zip(theta, row, strict=True))
            for row, offset in zip(rows, offsets, strict=True)
        ]
        return [1 / (1 + mpmath.exp(-s)) for s in sums]

    def scores(*theta: mpmath.mpf) -> list[mpmath.mpf]:
        mu = fitted(theta)
        return [mpmath.fsum((y[i] - mu[i]) * rows[i][k] for i in range(n)) for k in range(width)]

    if width == 1:
        theta = [mpmath.findroot(lambda intercept: scores(intercept)[0], 0)]
    else:
        theta = [*mpmath.findroot(scores, (0, 1))]
    mu = fitted(theta)
    h = mpmath.zeros(width, width)
    for row, m in zip(rows, mu, strict=True):
        h += mpmath.matrix(row) * mpmath.matrix(row).T * m * (1 - m)
    influences = [h**-1 * mpmath.matrix(row) * (code - m) for row, code, m in zip(rows, y, mu, strict=True)]
    correction = mpmath.mpf(n) / (n - 1)
    return theta, [mpmath.fsum(influence[k] ** 2 for influence in influences) * correction for k in range(width)]


def of_readers(cases: Cases) -> Iterator[dict[str, Any]]:
    """Obuchowski & Rockette's test: the first half of the columns is one modality, the rest the other."""
    y, w, names = cases.y, cases.exact_weights(), [*cases.columns]
    readers = len(names) // 2
    columns = {}
    for name in names:
        s = cases.predictions(name)
        columns[name] = exact.components(lambda v, s=s: exact.auc(y, s, v), y, w)
    cells = [names[:readers], names[readers:]]
    values = [[exact.auc(y, cases.predictions(name), w) for name in row] for row in cells]
    errors = [
        [[[exact.covariance(columns[a], columns[b], y, w) for b in other] for other in cells] for a in row]
        for row in cells
    ]
    for fixed in ("none", "readers", "cases"):
        test = tests.reader_test(values, errors, fixed)
        options = {"measure": "auc", "readers": str(readers), "fixed": fixed}
        if test.df is None:
            yield answer("reader_study", "chi_square", names, test.f, **options)
            yield answer("reader_study", "p_value", names, chi_square_tail(test.f, 1), **options)
        else:
            yield answer("reader_study", "f", names, test.f, **options)
            yield answer("reader_study", "df", names, test.df, **options)
            yield answer("reader_study", "p_value", names, f_tail(test.f, 1, test.df), **options)


def tests_of_values(table: Values) -> Iterator[dict[str, Any]]:
    """Of a table of values: learners by folds, or by data sets."""
    rows, names = table.exact(), [*table.columns]
    pairs = [
        (pair, tests.differences(rows, names.index(pair[0]), names.index(pair[1])))
        for pair in combinations(names, 2)
    ]
    if table.train is None:
        yield from over_data_sets(rows, names, pairs)
    else:
        yield from over_folds(rows, names, pairs, (table.train, table.test))


def over_data_sets(
    rows: tests.Table, names: Sequence[str], pairs: Sequence[tuple[Sequence[str], exact.Row]]
) -> Iterator[dict[str, Any]]:
    """Wilcoxon's signed ranks, and Friedman's test with the F of Iman & Davenport."""
    for pair, d in pairs:
        statistic, p_value = tests.signed_rank(d)
        yield answer("wilcoxon", "value", pair, statistic)
        yield answer("wilcoxon", "p_value", pair, p_value)
    n, k, chi_square = len(rows), len(names), tests.friedman_chi_square(rows)
    f = (n - 1) * chi_square / (n * (k - 1) - chi_square)
    yield answer("friedman", "chi_square", names, chi_square)
    yield answer("friedman", "p_value", names, chi_square_tail(chi_square, k - 1), distribution="chi-square")
    yield answer("friedman", "f", names, f)
    yield answer("friedman", "p_value", names, f_tail(f, k - 1, (k - 1) * (n - 1)), distribution="F")


def over_folds(
    rows: tests.Table,
    names: Sequence[str],
    pairs: Sequence[tuple[Sequence[str], exact.Row]],
    sizes: tuple[int, int],
) -> Iterator[dict[str, Any]]:
    """Analysis of variance, Nadeau & Bengio's t, its posterior, and the tests of five repeats of two folds."""
    n, k, f = len(rows), len(names), tests.anova_f(rows)
    yield answer("anova", "f", names, f)
    yield answer("anova", "p_value", names, f_tail(f, k - 1, (k - 1) * (n - 1)))
    options = {"train": str(sizes[0]), "test": str(sizes[1])}
    for pair, d in pairs:
        sign = 1 if sum(d) > 0 else -1
        square = tests.corrected_t_square(d, *sizes)
        yield answer("corrected_t", "t", pair, sign * mpmath.sqrt(real(square)), **options)
        yield answer("corrected_t", "p_value", pair, f_tail(square, 1, n - 1), **options)
        yield answer("correlated_t", "probability", pair, above_rope(d, sizes), rope=str(ROPE), **options)
        for distribution, value, df in (
            ("F", tests.five_by_two_f(d), (10, 5)),
            ("t", tests.five_by_two_t_square(d), (1, 5)),
        ):
            yield answer("five_by_two", "p_value", pair, f_tail(value, *df), distribution=distribution)


def above_rope(d: exact.Row, sizes: tuple[int, int]) -> Number:
    """The posterior probability that the first learner is better by more than ROPE (Corani & Benavoli 2015)."""
    n, centre = len(d), sum(d, Fraction(0)) / len(d)
    error = (Fraction(1, n) + Fraction(sizes[1], sizes[0])) * tests.sample_variance(d)
    tail = f_tail((centre - ROPE) ** 2 / error, 1, n - 1) / 2
    return 1 - tail if centre > ROPE else tail
