"""Statistics of tests from their definitions, in rational arithmetic, and permutation tests by enumeration.

As in `definitions`, nothing here imports numpy, a statistics package or polyroc. Tables of values have one row per
fold or data set, and one column per learner.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import NamedTuple

from definitions import Row, auc

Table = Sequence[Row]


def midranks(values: Row) -> list[Fraction]:
    """Ranks from 1 on; equal values share the mean of theirs."""
    return [sum(v < u for v in values) + Fraction(sum(v == u for v in values) + 1, 2) for u in values]


# Paired classifiers -------------------------------------------------------------------------------------------


def exchanges(first: Row, second: Row) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
    """All ways in which each case keeps its two ranks or exchanges them."""
    one, two = midranks(first), midranks(second)
    for kept in product((True, False), repeat=len(one)):
        rows = [(a, b) if keep else (b, a) for a, b, keep in zip(one, two, kept, strict=True)]
        yield [a for a, _ in rows], [b for _, b in rows]


def exchange_p_value(y: Sequence[int], first: Row, second: Row) -> Fraction:
    """The share of exchanges whose areas differ as much as the observed ones (Bandos, Rockette & Gur 2005)."""
    w = [Fraction(1)] * len(y)
    distances = [abs(auc(y, a, w) - auc(y, b, w)) for a, b in exchanges(first, second)]
    return Fraction(sum(d >= distances[0] for d in distances), len(distances))


def error_distance(y: Sequence[int], first: Sequence[int], second: Sequence[int]) -> int:
    """Venkatraman & Begg's (1996) E of two orders of the cases, each from the lowest to the highest.

    The sum over k of the absolute difference between the errors that are made if the k lowest cases are called
    negative: with each positive case there is one error more, with each negative one less.
    """
    total = gap = 0
    for a, b in zip(first, second, strict=True):
        gap += (1 if y[a] else -1) - (1 if y[b] else -1)
        total += abs(gap)
    return total


def orders(ranks: Row) -> list[list[int]]:
    """All orders of the cases by rising rank; equal ranks in every order."""
    found: list[list[int]] = [[]]
    for rank in sorted(set(ranks)):
        tied = [x for x, own in enumerate(ranks) if own == rank]
        found = [[*before, *after] for before in found for after in permutations(tied)]
    return found


def venkatraman_p_value(y: Sequence[int], first: Row, second: Row) -> Fraction:
    """The share of exchanges, equal ranks in random order, whose E is as large; no observed ties."""
    (one,), (two,) = orders(midranks(first)), orders(midranks(second))
    observed, share, number = error_distance(y, one, two), Fraction(0), 0
    for a, b in exchanges(first, second):
        outcomes = [error_distance(y, p, q) >= observed for p in orders(a) for q in orders(b)]
        share, number = share + Fraction(sum(outcomes), len(outcomes)), number + 1
    return share / number


def mcnemar_chi_square(only_first: int, only_second: int, *, corrected: bool) -> Fraction:
    """McNemar's chi-square, with Edwards's correction for continuity or without."""
    distance = max(abs(only_first - only_second) - int(corrected), 0)
    return Fraction(distance**2, only_first + only_second)


# Learners over folds or data sets -----------------------------------------------------------------------------


def differences(table: Table, first: int, second: int) -> list[Fraction]:
    """First minus second, row by row."""
    return [row[first] - row[second] for row in table]


def sample_variance(values: Row) -> Fraction:
    """With n - 1 below."""
    centre = sum(values, Fraction(0)) / len(values)
    return sum(((v - centre) ** 2 for v in values), Fraction(0)) / (len(values) - 1)


def anova_f(table: Table) -> Fraction:
    """F of the learners in the two-way analysis of variance, rows as blocks."""
    r, c = len(table), len(table[0])
    whole = sum((sum(row) for row in table), Fraction(0)) / (r * c)
    columns = [sum(row[j] for row in table) / r for j in range(c)]
    rows = [sum(row) / c for row in table]
    error = sum((table[i][j] - rows[i] - columns[j] + whole) ** 2 for i in range(r) for j in range(c))
    return r * sum((m - whole) ** 2 for m in columns) * (r - 1) / error


def corrected_t_square(d: Row, train: int, test: int) -> Fraction:
    """The square of Nadeau & Bengio's (2003) t: the mean squared, over (1/n + test/train) times the variance."""
    centre = sum(d, Fraction(0)) / len(d)
    return centre**2 / ((Fraction(1, len(d)) + Fraction(test, train)) * sample_variance(d))


def five_by_two_f(d: Row) -> Fraction:
    """Alpaydin's (1999) F: all squares over twice the variances within the five repeats."""
    return sum(v**2 for v in d) / sum((d[i] - d[i + 1]) ** 2 for i in range(0, 10, 2))


def five_by_two_t_square(d: Row) -> Fraction:
    """The square of Dietterich's (1998) t: the first difference over the mean variance within repeats."""
    return d[0] ** 2 / (sum((d[i] - d[i + 1]) ** 2 for i in range(0, 10, 2)) / 10)


def signed_rank(d: Row) -> tuple[Fraction, Fraction]:
    """Wilcoxon's sum of the ranks of positive differences, and its p-value over all signs."""
    kept = [v for v in d if v]
    ranks = midranks([abs(v) for v in kept])
    observed = sum((r for v, r in zip(kept, ranks, strict=True) if v > 0), Fraction(0))
    smaller = min(observed, sum(ranks) - observed)
    sums = [sum((r for r, s in zip(ranks, signs, strict=True) if s), Fraction(0)) for signs in signs_of(ranks)]
    return observed, min(Fraction(1), Fraction(2 * sum(v <= smaller for v in sums), len(sums)))


def signs_of(ranks: Row) -> Iterator[tuple[bool, ...]]:
    """All signs of the differences."""
    return product((False, True), repeat=len(ranks))


def friedman_chi_square(table: Table) -> Fraction:
    """Friedman's chi-square, corrected for ties."""
    n, k = len(table), len(table[0])
    ranks = [midranks(row) for row in table]
    middle = Fraction(k + 1, 2)
    within = sum((r - middle) ** 2 for row in ranks for r in row)
    between = n * sum((sum(row[j] for row in ranks) / n - middle) ** 2 for j in range(k))
    return n * (k - 1) * between / within


# Readers ------------------------------------------------------------------------------------------------------


class ReaderTest(NamedTuple):
    """F of equal modalities, and its denominator degrees of freedom; None: a chi-square of df1 F."""

    f: Fraction
    df: Fraction | None


def reader_test(values: Table, errors: Sequence[Sequence[Table]], fixed: str) -> ReaderTest:
    """Obuchowski & Rockette's (1995) F with Hillis' (2007) degrees of freedom.

    `values` at [modality][reader], `errors` their covariance at [modality][reader][modality][reader]; what is
    `fixed`: "none", "readers" or "cases".
    """
    t, r = len(values), len(values[0])
    whole = sum(sum(row) for row in values) / (t * r)
    modality = [sum(row) / r for row in values]
    reader = [sum(row[j] for row in values) / t for j in range(r)]
    between = r * sum((m - whole) ** 2 for m in modality) / (t - 1)
    rest = [(values[i][j] - modality[i] - reader[j] + whole) ** 2 for i in range(t) for j in range(r)]
    interaction = sum(rest) / ((t - 1) * (r - 1))
    pairs = list(product(range(t), range(r), range(t), range(r)))

    def average(same_modality: bool, same_reader: bool) -> Fraction:
        own = [errors[i][j][k][m] for i, j, k, m in pairs if ((i == k), (j == m)) == (same_modality, same_reader)]
        return sum(own, Fraction(0)) / len(own)

    variance, cov1, cov2, cov3 = (
        average(True, True),
        average(False, True),
        average(True, False),
        average(False, False),
    )
    excess = max(cov2 - cov3, Fraction(0))
    if fixed == "readers":
        return ReaderTest(between / (variance - cov1 + (r - 1) * excess), None)
    error = interaction + (r * excess if fixed == "none" else 0)
    return ReaderTest(between / error, (t - 1) * (r - 1) * (error / interaction) ** 2)


# Several tests ------------------------------------------------------------------------------------------------


def adjusted(p_values: Row, method: str) -> list[Fraction]:
    """P-values adjusted for their number: Bonferroni, Holm (1979), or Benjamini & Hochberg (1995)."""
    m = len(p_values)
    order = sorted(range(m), key=lambda i: p_values[i])
    out = [min(Fraction(1), m * p) for p in p_values]
    if method == "bonferroni":
        return out
    for place, i in enumerate(order):
        if method == "holm":  # the largest of (m - r + 1) p over those up to this one
            out[i] = max((m - r) * p_values[order[r]] for r in range(place + 1))
        else:  # the smallest of m p / r over this one and those after it
            out[i] = min(Fraction(m, r + 1) * p_values[order[r]] for r in range(place, m))
        out[i] = min(Fraction(1), out[i])
    return out
