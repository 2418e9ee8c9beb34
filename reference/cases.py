"""The data of the reference set: small tables that can be made again, and a recipe for large data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from definitions import members


@dataclass(frozen=True)
class Cases:
    """One data set: class codes, predictions by classifier (a column per class, or one score), weights and groups.

    A number of a CSV file means the double nearest to it, and the answers are those of these doubles, exactly.
    """

    name: str
    level: str  # "lower", "average" or "higher" difficulty
    about: str
    y: Sequence[int]
    columns: dict[str, list[list[float]]]  # of each classifier a row per case
    weights: list[int] | None = None
    groups: list[int] | None = None
    ordered: bool = False  # one score for more than two classes, which are in its order
    probabilities: bool = False
    extra: tuple[str, ...] = field(default=())  # quantities beyond those of the kind of data

    def exact(self, classifier: str) -> list[list[Fraction]]:
        """The predictions as fractions."""
        return [[Fraction(value) for value in row] for row in self.columns[classifier]]

    def predictions(self, classifier: str) -> Any:
        """What the definitions take: a score per case, or a row per case."""
        rows = self.exact(classifier)
        return [row[0] for row in rows] if len(rows[0]) == 1 else rows

    def exact_weights(self) -> list[Fraction]:
        """The weights as fractions; 1 where there are none."""
        return [Fraction(1)] * len(self.y) if self.weights is None else [Fraction(v) for v in self.weights]


@dataclass(frozen=True)
class Values:
    """A table of values: a column per learner, a row per fold or data set.

    `train` and `test` are the numbers of cases of a fold; None of data sets.
    """

    name: str
    about: str
    columns: dict[str, list[float]]
    train: int | None = None
    test: int | None = None

    def exact(self) -> list[list[Fraction]]:
        """The rows as fractions."""
        return [[Fraction(value) for value in row] for row in zip(*self.columns.values(), strict=True)]

    def text(self) -> str:
        """The table as CSV."""
        rows = zip(*self.columns.values(), strict=True)
        return "".join(",".join(line) + "\n" for line in [[*self.columns], *([*map(repr, row)] for row in rows)])


def sequence(seed: int) -> Iterator[int]:
    """Pseudo-random integers below 2^31 (the minimal standard generator of Park & Miller), the same everywhere."""
    state = seed
    while True:
        state = state * 16807 % 2147483647
        yield state


def scores(y: Sequence[int], seed: int, steps: int, shift: int) -> list[list[float]]:
    """Integers from 0 to steps - 1, `shift` higher for each class: many steps make ties rare."""
    draws = sequence(seed)
    return [[float(next(draws) // 64 % steps + shift * code)] for code in y]


def votes(y: Sequence[int], seed: int, parts: int) -> list[list[float]]:
    """Rows of multiples of 1 / parts that sum to 1: of the votes, one in seven is for the true class."""
    draws, c = sequence(seed), max(y) + 1
    rows = []
    for code in y:
        row = [0] * c
        for _ in range(parts):
            draw = next(draws) // 64
            row[code if draw % 7 == 0 else draw // 7 % c] += 1
        rows.append([count / parts for count in row])
    return rows


def distinct_votes(y: Sequence[int], seed: int) -> list[list[float]]:
    """Rows of multiples of 1/4096, a quarter of them for the true class: all positive and different in a row.

    Ratios to the first column are different between rows, too.
    """
    draws, c, rows = sequence(seed), max(y) + 1, list[list[float]]()
    seen: set[tuple[int, Fraction]] = set()
    for code in y:
        while True:
            cuts = sorted(next(draws) // 64 % 3071 + 1 for _ in range(c - 1))
            row = [high - low for low, high in pairwise([0, *cuts, 3072])]
            row[code] += 1024
            ratios = {(k, Fraction(row[k], row[0])) for k in range(1, c)} if row[0] else seen
            if min(row) > 0 and len(set(row)) == c and not ratios & seen:
                break
        seen |= ratios
        rows.append([count / 4096 for count in row])
    return rows


def binary_probabilities(y: Sequence[int], seed: int, parts: int) -> list[list[float]]:
    """One probability of class 1 per case, a multiple of 1 / parts that is neither 0 nor 1."""
    draws = sequence(seed)
    return [[(1 + (next(draws) // 64 + code * parts // 3) % (parts - 1)) / parts] for code in y]


def classes(*sizes: int) -> list[int]:
    """Class codes, mixed: a case of each class in turn until none is left."""
    left = list(sizes)
    y: list[int] = []
    while any(left):
        for code, size in enumerate(left):
            if size:
                y.append(code)
                left[code] -= 1
    return y


def two_classes() -> list[Cases]:
    """Plain data, ties, weights, clusters, and few cases."""
    y, many = classes(9, 8), classes(33, 27)
    return [
        Cases(
            "plain",
            "lower",
            "distinct scores",
            y,
            {"a": scores(y, 11, 9001, 3000), "b": scores(y, 12, 9001, 1500)},
        ),
        Cases(
            "ratings",
            "lower",
            "ratings from 1 to 5 and more",
            y,
            {"a": scores(y, 13, 4, 1), "b": scores(y, 14, 3, 1)},
        ),
        Cases(
            "weights",
            "average",
            "integer weights",
            y,
            {"a": scores(y, 15, 7, 2), "b": scores(y, 16, 9, 2)},
            weights=[1 + 3 * i % 5 for i in range(len(y))],
        ),
        Cases(
            "trio",
            "lower",
            "three classifiers",
            y,
            {"a": scores(y, 61, 9001, 2000), "b": scores(y, 62, 9001, 2500), "c": scores(y, 63, 9001, 3000)},
        ),
        Cases(
            "eight",
            "lower",
            "few cases, so that all exchanges of two classifiers can be listed",
            (e := classes(4, 4)),
            {"a": scores(e, 81, 9001, 6000), "b": scores(e, 82, 9001, 1000)},
            extra=("curves",),
        ),
        Cases(
            "readers",
            "average",
            "ratings of three readers with one modality (a, b, c) and, in the same order, with another (d, e, f)",
            (r := classes(12, 10)),
            {name: scores(r, 83 + i, 5, 1 + i // 3) for i, name in enumerate("abcdef")},
            extra=("readers",),
        ),
        Cases(
            "patients",
            "average",
            "cases in clusters of one or two positives and one or two negatives",
            (q := [code for patient in range(6) for code in (0, 1, patient % 2)]),
            {"a": scores(q, 17, 9, 3), "b": scores(q, 18, 9, 2)},
            groups=[case // 3 for case in range(len(q))],
        ),
        Cases("single", "average", "one case of each class", [0, 1], {"a": [[0.25], [0.75]], "b": [[2.0], [2.0]]}),
        Cases(
            "couples",
            "average",
            "two cases of each class",
            [0, 1, 0, 1],
            {"a": [[1.0], [2.0], [3.0], [4.0]], "b": [[2.0], [2.0], [1.0], [5.0]]},
        ),
        Cases(
            "one_positive",
            "average",
            "one positive case",
            [0, 0, 1, 0, 0],
            {"a": [[0.1], [0.4], [0.35], [0.8], [0.35]]},
        ),
        Cases(
            "votes",
            "average",
            "shares of five votes, as of nearest neighbours",
            many,
            {"a": [[row[1]] for row in votes(many, 19, 5)], "b": [[row[1]] for row in votes(many, 20, 5)]},
        ),
    ]


def limits() -> list[Cases]:
    """AUC 0, 1/2 and 1; identical, nested and collinear classifiers."""
    y = classes(6, 5)
    a = scores(y, 31, 9001, 3000)
    best = [[float(10 * code + i)] for i, code in enumerate(y)]
    rows = [[float(5 * (20 - i) + 100 * code)] for i, code in enumerate(y)]
    return [
        Cases("perfect", "average", "the AUC is 1", y, {"a": rows}),
        Cases("reversed", "average", "the AUC is 0", y, {"a": [[-row[0]] for row in rows]}),
        Cases("constant", "average", "one score for all cases: the AUC is 1/2", y, {"a": [[0.1]] * len(y)}),
        Cases("identical", "average", "b repeats a: equal variances and covariance", y, {"a": a, "b": [*a]}),
        Cases(
            "nested", "average", "b is a rounded down to thousands", y, {"a": a, "b": [[v // 1000] for (v,) in a]}
        ),
        Cases(
            "collinear",
            "average",
            "b = 2 a + 1, and c another score",
            y,
            {"a": a, "b": [[2 * v + 1] for (v,) in a], "c": best},
        ),
    ]


def numbers() -> list[Cases]:
    """Doubles at the ends of their range, or next to one another."""
    y = classes(5, 5)
    order = [3, 0, 4, 1, 2, 6, 5, 9, 7, 8]
    tiny, last = 5e-324, 2.0**-52
    return [
        Cases(
            "denormal",
            "higher",
            "multiples of the smallest positive double",
            y,
            {"a": [[tiny * k] for k in order]},
        ),
        Cases(
            "signed_zero",
            "higher",
            "0.0 and -0.0 are equal",
            y,
            {"a": [[(-0.0, 0.0, 1.0, -1.0)[k % 4]] for k in order]},
        ),
        Cases(
            "huge",
            "higher",
            "scores from -1.7e308 to 1.7e308, whose differences overflow",
            y,
            {"a": [[(k - 4.5) * 3.7e307] for k in order]},
        ),
        Cases(
            "last_bit",
            "higher",
            "scores that differ in the last bit only",
            y,
            {"a": [[1 + last * k] for k in order]},
        ),
        Cases(
            "wide", "higher", "scores from 1e-300 to 1e300", y, {"a": [[10.0 ** (66 * k - 300)] for k in order]}
        ),
        Cases(
            "imbalance",
            "higher",
            "one positive case among 10,000 negative ones",
            [int(i == 7000) for i in range(10001)],
            {"a": [[float(i * 7919 % 10007 // 3)] for i in range(10001)]},
        ),
    ]


def several_classes() -> list[Cases]:
    """Three classes and more, a column per class: probabilities that are multiples of a power of two."""
    y, z, four = classes(6, 5, 5), classes(9, 8, 7), classes(4, 4, 3, 3)
    twenty = classes(*[2 + k % 2 for k in range(20)])
    return [
        Cases(
            "three",
            "lower",
            "three classes",
            y,
            {"a": votes(y, 41, 16), "b": votes(y, 42, 16)},
            probabilities=True,
            extra=("triples",),
        ),
        Cases(
            "decided",
            "lower",
            "three classes, no equal values: every decision is certain",
            (d := classes(8, 7, 7)),
            {"a": distinct_votes(d, 56), "b": distinct_votes(d, 57), "c": distinct_votes(d, 58)},
            probabilities=True,
            extra=("triples", "sahiner"),
        ),
        Cases(
            "three_votes",
            "average",
            "three classes, shares of four votes",
            z,
            {"a": votes(z, 43, 4), "b": votes(z, 44, 4)},
            probabilities=True,
            extra=("triples",),
        ),
        Cases(
            "three_weights",
            "average",
            "three classes, integer weights",
            y,
            {"a": votes(y, 45, 16), "b": votes(y, 46, 16)},
            weights=[1 + 5 * i % 4 for i in range(len(y))],
            probabilities=True,
            extra=("triples",),
        ),
        Cases(
            "three_patients",
            "average",
            "three classes, clusters of one case of each class",
            (q := [code for _ in range(6) for code in (0, 1, 2)]),
            {"a": votes(q, 47, 16), "b": votes(q, 48, 16)},
            groups=[case // 3 for case in range(len(q))],
            probabilities=True,
        ),
        Cases(
            "three_couples",
            "average",
            "two cases of each of three classes",
            (t := classes(2, 2, 2)),
            {"a": votes(t, 49, 8)},
            probabilities=True,
            extra=("triples",),
        ),
        Cases(
            "three_single",
            "average",
            "one case of each of three classes",
            [0, 1, 2],
            {"a": votes([0, 1, 2], 50, 8)},
            probabilities=True,
            extra=("triples",),
        ),
        Cases(
            "three_constant",
            "average",
            "equal probabilities for all cases",
            t,
            {"a": [[0.25, 0.25, 0.5]] * len(t)},
            probabilities=True,
            extra=("triples",),
        ),
        Cases(
            "four",
            "lower",
            "four classes",
            four,
            {"a": votes(four, 51, 16), "b": votes(four, 52, 16)},
            probabilities=True,
        ),
        Cases(
            "twenty",
            "higher",
            "twenty classes of two or three cases",
            twenty,
            {"a": votes(twenty, 53, 8), "b": votes(twenty, 54, 8)},
            probabilities=True,
        ),
        Cases(
            "logits",
            "average",
            "three classes, values of any sign that do not sum to 1",
            y,
            {"a": [[16 * v - 5 for v in row] for row in votes(y, 55, 16)]},
        ),
    ]


def ordered_classes() -> list[Cases]:
    """One score, higher classes having higher scores."""
    y, four, twenty = classes(7, 6, 6), classes(4, 4, 4, 4), classes(*[2] * 20)
    return [
        Cases(
            "ordered",
            "lower",
            "three ordered classes, distinct scores",
            y,
            {"a": scores(y, 61, 9001, 3000), "b": scores(y, 62, 9001, 2000)},
            ordered=True,
        ),
        Cases(
            "ordered_ratings",
            "average",
            "three ordered classes, ratings",
            y,
            {"a": scores(y, 63, 4, 1), "b": scores(y, 64, 3, 1)},
            ordered=True,
        ),
        Cases(
            "ordered_weights",
            "average",
            "three ordered classes, ratings, integer weights",
            y,
            {"a": scores(y, 65, 5, 2), "b": scores(y, 66, 5, 1)},
            weights=[1 + 5 * i % 4 for i in range(len(y))],
            ordered=True,
        ),
        Cases(
            "ordered_four",
            "average",
            "four ordered classes, ratings",
            four,
            {"a": scores(four, 67, 5, 2), "b": scores(four, 68, 6, 2)},
            ordered=True,
        ),
        Cases(
            "ordered_twenty",
            "higher",
            "twenty ordered classes: the volume is far below double precision of 1",
            twenty,
            {"a": scores(twenty, 69, 12, 3)},
            ordered=True,
        ),
    ]


def binary_forecasts() -> list[Cases]:
    """Probabilities of two classes: multiples of a power of two, so that the answers are short fractions."""
    y, rare = classes(14, 10), classes(30, 3)
    return [
        Cases(
            "forecasts",
            "lower",
            "probabilities that are multiples of 1/32",
            y,
            {"a": binary_probabilities(y, 71, 32), "b": binary_probabilities(y, 72, 32)},
            probabilities=True,
        ),
        Cases(
            "forecast_ties",
            "average",
            "probabilities that are multiples of 1/4",
            y,
            {"a": binary_probabilities(y, 73, 4), "b": binary_probabilities(y, 74, 8)},
            probabilities=True,
        ),
        Cases(
            "forecast_weights",
            "average",
            "integer weights",
            y,
            {"a": binary_probabilities(y, 75, 16), "b": binary_probabilities(y, 76, 16)},
            weights=[1 + 3 * i % 5 for i in range(len(y))],
            probabilities=True,
        ),
        Cases(
            "forecast_rare",
            "average",
            "3 events among 33 cases",
            rare,
            {"a": binary_probabilities(rare, 77, 64)},
            probabilities=True,
        ),
    ]


def all_cases() -> list[Cases]:
    """Every data set that is stored as a file."""
    groups = (two_classes(), limits(), numbers(), binary_forecasts(), several_classes(), ordered_classes())
    return [cases for group in groups for cases in group]


def shares(seed: int, n: int, low: int) -> list[float]:
    """Multiples of 1/64, some of them equal."""
    draws = sequence(seed)
    return [(low + next(draws) // 64 % 12) / 64 for _ in range(n)]


def all_values() -> list[Values]:
    """Every table of values."""
    return [
        Values(
            "folds",
            "five repeats of two folds of 64 cases, three learners",
            {"a": shares(91, 10, 48), "b": shares(92, 10, 46), "c": shares(93, 10, 40)},
            train=32,
            test=32,
        ),
        Values(
            "data_sets",
            "three learners on twelve data sets, with ties",
            {"a": shares(94, 12, 44), "b": shares(95, 12, 46), "c": shares(96, 12, 41)},
        ),
    ]


def large(n: int) -> tuple[list[int], list[int]]:
    """Class codes and integer scores of the recipe for large data: no file, the same integers in any language.

    For i = 1 .. n: q = 7368787 i mod 10000019, r = 15485863 i mod 10000019; the score is q // 7, and the case is
    positive if 3 r < 10000000 + q. Every intermediate number is below 2^53.
    """
    y, s = [], []
    for i in range(1, n + 1):
        q, r = 7368787 * i % 10000019, 15485863 * i % 10000019
        y.append(int(3 * r < 10000000 + q))
        s.append(q // 7)
    return y, s


def large_auc(n: int) -> tuple[Fraction, Fraction]:
    """The AUC of the recipe and DeLong's variance, by integer counts per distinct score."""
    y, s = large(n)
    counts: dict[int, list[int]] = {}
    for code, score in zip(y, s, strict=True):
        counts.setdefault(score, [0, 0])[code] += 1
    sizes = [len(members(y, k)) for k in (0, 1)]
    # Placement values times twice the size of the other class are integers.
    sums, squares = [0, 0], [0, 0]
    below = [0, 0]
    for score in sorted(counts):
        here = counts[score]
        of_positive = 2 * below[0] + here[0]  # negatives below, ties one half
        of_negative = 2 * (sizes[1] - below[1] - here[1]) + here[1]  # positives above
        for k, placed in ((1, of_positive), (0, of_negative)):
            sums[k] += here[k] * placed
            squares[k] += here[k] * placed * placed
        below = [below[0] + here[0], below[1] + here[1]]
    value = Fraction(sums[1], 2 * sizes[0] * sizes[1])
    variance = Fraction(0)
    for k in (0, 1):
        m, other = sizes[k], 2 * sizes[1 - k]
        variance += (Fraction(squares[k], other**2) - m * value**2) / (m - 1) / m
    return value, variance
