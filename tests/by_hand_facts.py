"""What the pages of docs/by_hand must say, made from their data by the definitions of reference/.

Every function yields pieces of a page: rows of tables, sentences, lines of the examples. White space is not
compared. `exact` is the module reference/definitions.py.
"""

# ruff: noqa: RUF001 - the pages have minus signs

from fractions import Fraction
from itertools import pairwise, product
from math import erfc, factorial, sqrt

__all__ = ["FACTS", "SIGNS"]

SIGNS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅙": "1/6", "⅛": "1/8", "⅝": "5/8"}
WORDS = {1: "one", 2: "two", 3: "three"}
SUBSCRIPTS = "₀₁₂"


def shown(value):
    """A fraction as the pages write it."""
    signs = {Fraction(text): sign for sign, text in SIGNS.items()}
    return signs.get(value, str(value))


def decimal(value):
    """A fraction that ends, as a decimal number."""
    return f"{float(value):.10g}"


def mixed(number):
    """A number of halves as a page writes it."""
    whole, half = divmod(number, 1)
    return (str(whole) if whole or not half else "") + ("½" if half else "")


def listed(values):
    return ", ".join(map(decimal, values))


def point(rates):
    return f"({', '.join(map(shown, rates))})"


def floats(values):
    """A list as Python writes it."""
    return str([float(value) for value in values])


def fractions(text):
    return [Fraction(value) for value in text.split()]


SIX = [1, 1, 1, 0, 0, 0]
A, B = fractions("0.9 0.6 0.4 0.7 0.3 0.4"), fractions("0.8 0.7 0.5 0.6 0.2 0.1")
ONES = [Fraction(1)] * 6


def comparisons(x, scores, y):
    """The numbers of the negative cases below a positive one, and of those tied with it."""
    negative = [z for z, code in enumerate(y) if not code]
    below = [str(z + 1) for z in negative if scores[z] < scores[x]]
    tied = [str(z + 1) for z in negative if scores[z] == scores[x]]
    return below, tied


def sentence(x, scores, y):
    """The sentence about a positive case."""
    below, tied = comparisons(x, scores, y)
    if len(below) == 3:
        return f"case {x + 1} is above all three negative cases"
    text = f"case {x + 1} above {WORDS[len(below)]} ({', '.join(below)})"
    return text + (f" and tied with {WORDS[len(tied)]} ({', '.join(tied)})" if tied else "")


def wins(scores, y):
    """The negative cases below each positive one, ties one half."""
    counts = [comparisons(x, scores, y) for x in range(len(y)) if y[x]]
    return [len(below) + Fraction(len(tied), 2) for below, tied in counts]


def two_classes(exact):
    columns = [exact.components(lambda v, s=s: exact.auc(SIX, s, v), SIX, ONES) for s in (A, B)]
    areas = [exact.auc(SIX, s, ONES) for s in (A, B)]
    of_a, of_b = ([v - area for v in column] for column, area in zip(columns, areas, strict=True))
    for x in range(6):
        label = "positive" if SIX[x] else "negative"
        yield f"| {x + 1} | {label} | {decimal(A[x])} | {decimal(B[x])} |"
        yield f"| {x + 1} | {columns[0][x]} | {of_a[x] * 18}/18 | {columns[1][x]} | {of_b[x]} |"
    sums = [" + ".join(map(decimal, wins(s, SIX))) + f" = {decimal(sum(wins(s, SIX)))} of {3 * 3}" for s in (A, B)]
    cases = ", ".join(sentence(x, A, SIX) for x in range(3))
    yield f"Of a, {cases}: {sums[0]} pairs, so the AUC is {areas[0]} = {float(areas[0]):.4f}. Of b: {sums[1]}, "
    yield f"of {3 * 3}, {float(areas[1]):.4f}."
    yield from delong(of_a, of_b)
    first, second, both = (
        exact.covariance(p, q, SIX, ONES) for p, q in ((columns[0],) * 2, (columns[1],) * 2, columns)
    )
    yield f"Together {first * 324}/324 = {first}, and the standard error is √5 / 9 = {sqrt(first):.4f}."
    yield f"Together {both * 324}/324. The difference {areas[0] * 18}/18 − {areas[1] * 18}/18 = "
    yield f"−{areas[1] - areas[0]} has the variance ({first * 324} + {second * 324} − 2·{both * 324}) / 324 = "
    variance = first + second - 2 * both
    z = float(areas[0] - areas[1]) / sqrt(variance)
    yield f"= {variance}, so z = −(1/6) √54 = −{-z:.4f}"
    yield f"of the normal distribution is {erfc(-z / sqrt(2)):.4f}."
    yield f">>> y = {SIX} >>> a, b = {floats(A)}, {floats(B)}"


def delong(of_a, of_b):
    """Variances and covariances by class, from deviations of components."""
    parts = []
    for label, own in (("positive", slice(0, 3)), ("negative", slice(3, 6))):
        squares = [(18 * d) ** 2 for d in of_a[own]]
        quotient = sum(squares) / 2
        yield f"{label}: ({' + '.join(map(str, squares))}) / 324 / 2 = {quotient}/324, divided by 3 cases: "
        yield f"divided by 3 cases: {quotient / 3}/324{';' if own.start == 0 else '. Together'}"
        terms = [(18 * d, 9 * e) for d, e in zip(of_a[own], of_b[own], strict=True)]
        signs = ["−" if d * e < 0 else "+" for d, e in terms]
        text = " ".join(f"{sign} {abs(d)}·{abs(e)}" for sign, (d, e) in zip(signs, terms, strict=True))
        product_sum = sum(d * e for d, e in terms)
        yield f"{label}: ({text.removeprefix('+ ')}) / 162 / 2 / 3 = {product_sum}/972 = {product_sum / 3}/324"
        parts.append(sum(e**2 for e in of_b[own]) / 6)
    yield f"Of b: {parts[0]} + {parts[1]} = {sum(parts) * 324}/324."


PROBABILITIES = ["0.6 0.3 0.1", "0.4 0.5 0.1", "0.2 0.6 0.2", "0.3 0.3 0.4", "0.1 0.3 0.6", "0.4 0.2 0.4"]
P, THREE = [fractions(row) for row in PROBABILITIES], [0, 0, 1, 1, 2, 2]


def several_classes(exact):
    for x, row in enumerate(P):
        yield f"| {x + 1} | {THREE[x]} | " + " | ".join(map(decimal, row)) + " |"
    yield f"| wins of {2 * 2} |"
    areas = []
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
        own, other = ([P[x][i] for x in exact.members(THREE, k)] for k in (i, j))
        won = [sum((exact.psi(p, q) for q in other), Fraction(0)) for p in own]
        text = str(sum(won)) if sum(won).denominator == 1 else " + ".join(map(mixed, won))
        areas.append(sum(won) / 4)
        cells = [f"p{SUBSCRIPTS[i]}", listed(own), listed(other), text, decimal(areas[-1])]
        yield rf"| A({i}\|{j}) | " + " | ".join(cells) + " |"
    yield f"M is their mean, {decimal(sum(areas))} / {len(areas)} = {decimal(exact.hand_till(THREE, P, ONES))}."
    yield from components_of_m(exact, len(areas))
    yield from discrimination(exact)
    yield f">>> y = {THREE} >>> P = [{', '.join(floats(row) for row in P)}]"


def components_of_m(exact, n_areas):
    """The components of a case, the fourth in words, and the variance."""
    columns = exact.components(lambda v: exact.hand_till(THREE, P, v), THREE, ONES)
    parts = []
    for k in range(3):
        # A component of M contains the areas without the class, too; the page counts those with the class.
        own = [columns[x] * n_areas for x in exact.members(THREE, k)]
        rest = exact.hand_till(THREE, P, ONES) * n_areas - sum(own) / 2
        with_class = [c + rest - absent(exact, k) for c in own]
        centre = sum(with_class) / 2
        squares = sum((c - centre) ** 2 for c in with_class)
        parts.append(squares / 2)
        yield f"| {k} | {listed(with_class)} | " + " | ".join(map(decimal, (centre, squares, squares / 2))) + " |"
        if k == 1:
            yield (
                fourth_case(exact)
                + f" Together {decimal(with_class[1])}. All six (each to be divided by {n_areas})"
            )
    variance = sum(parts) / n_areas**2
    yield f"({' + '.join(map(decimal, parts))}) / {n_areas**2} = {float(variance):.7f}"
    yield f"the standard error {sqrt(variance):.4f}."


def fourth_case(exact):
    """What case 4, of class 1, contributes: comparisons in its own column and in those of the other classes."""
    zero, two, own = [P[x] for x in (0, 1)], [P[x] for x in (4, 5)], P[3]
    mine = {k: sum(exact.psi(own[1], row[1]) for row in rows) / 2 for k, rows in ((0, zero), (2, two))}
    theirs = {k: sum(exact.psi(row[k], own[k]) for row in rows) / 2 for k, rows in ((0, zero), (2, two))}
    (tied,), (above,) = ([r[1] for r in zero if test(r[1])] for test in (own[1].__eq__, own[1].__lt__))
    (also,), (below,) = ([r[1] for r in two if test(r[1])] for test in (own[1].__eq__, own[1].__gt__))
    (high,), (equal,) = ([r[2] for r in two if test(r[2])] for test in (own[2].__lt__, own[2].__eq__))
    assert all(row[0] > own[0] for row in zero)
    return (
        f"For case 4, with class 0: p₁ = {decimal(own[1])} is tied with {decimal(tied)} and "
        f"below {decimal(above)} ({shown(mine[0])}), and both p₀ of class 0 are above {decimal(own[0])} "
        f"({shown(theirs[0])}); with class 2: tied with {decimal(also)} and above {decimal(below)} "
        f"({shown(mine[2])}), and p₂ = {decimal(high)} is above {decimal(own[2])}, {decimal(equal)} tied "
        f"({shown(theirs[2])})."
    )


def absent(exact, k):
    """The sum of the areas between the two classes other than k."""
    i, j = (c for c in range(3) if c != k)
    return exact.area_between(THREE, P, ONES, i, j) + exact.area_between(THREE, P, ONES, j, i)


def discrimination(exact):
    """The polytomous discrimination index, case by case."""
    indexes = []
    for i in range(3):
        shares = [triples(x, i) for x in exact.members(THREE, i)]
        indexes.append(sum(sum(share.values()) / 4 for share in shares) / 2)
        yield f"Class {i}, column p{SUBSCRIPTS[i]}: case {2 * i + 1} ({decimal(P[2 * i][i])})"
        yield pdi_sentence(i, shares) + f" PDI{SUBSCRIPTS[i]} = {indexes[i]}."
    value = exact.pdi(THREE, P, ONES)
    yield f"PDI = ({' + '.join(map(str, indexes))}) / 3 = {value} = {float(value):.4f}."


def pdi_sentence(i, shares):
    """From the first case of class i, which is always the largest, to the share of the second."""
    (always,), other = set(shares[0].values()), shares[1]
    mean, first = sum(other.values()) / 4, f"({decimal(P[2 * i][i])})"
    second = f"Case {2 * i + 2} ({decimal(P[2 * i + 1][i])})"
    if i == 1:
        three, two = (next(pair for pair, share in other.items() if share == Fraction(1, n)) for n in (3, 2))
        (never,) = {pair[0] for pair in other} - {pair[0] for pair, share in other.items() if share}
        return (
            f"{first}: {always}. {second}: with cases {three[0]} and {three[1]} all three are equal, "
            f"{shown(other[three])}; with {two[0]} and {two[1]} two are, {shown(other[two])}; with case {never} "
            f"({decimal(P[never - 1][1])}) it is not the largest. ({' + '.join(map(shown, other.values()))}) / "
            f"{len(other)} = {mean}."
        )
    # The rival of the later class decides: the values of the other one are small.
    (largest,), (tied,) = ({pair[1] for pair, share in other.items() if share == s} for s in (1, Fraction(1, 2)))
    if i == 0:
        text = f"is always the largest: {always}. {second} is the largest with case {largest}, and tied"
    else:
        text = f": {always}. {second}: the largest with case {largest}, tied"
    return f"{text} with case {tied}: {shown(mean)}."


def triples(x, i):
    """By the numbers of one case of either other class: the share of the largest value of column i that is x's."""
    others = [[z for z in range(6) if THREE[z] == k] for k in range(3) if k != i]
    shares = {}
    for pair in product(*others):
        values = [P[z][i] for z in (x, *pair)]
        largest = values[0] == max(values)
        shares[tuple(z + 1 for z in pair)] = Fraction(largest, values.count(max(values)))
    return shares


def ordered_classes(exact):
    s, names = [Fraction(v) for v in (1, 3, 2, 3, 4, 5)], ("low", "middle", "high")
    for k, name in enumerate(names):
        yield f"| {name} | {s[2 * k]}, {s[2 * k + 1]} |"
    two, three = (shown(exact.chain([Fraction(1)] * n + [Fraction(2)] * (3 - n))) for n in (2, 3))
    yield f"Two equal scores count {two}, three {three}."
    yield f"| low | middle | high {s[4]} | high {s[5]} |"
    for low, middle in product(s[:2], s[2:4]):
        counts = " | ".join(shown(exact.chain([low, middle, high])) for high in s[4:])
        yield f"| {low} | {middle} | {counts} |"
    columns, volume = exact.components(lambda v: exact.vus(THREE, s, v), THREE, ONES), exact.vus(THREE, s, ONES)
    yield f"VUS = {volume} = {decimal(volume)}; chance is 1/{factorial(3)}."
    yield f"| squared deviations from {volume} |"
    for k, name in enumerate(names):
        own = columns[2 * k : 2 * k + 2]
        deviation, squares = abs(own[0] - volume), sum((c - volume) ** 2 for c in own)
        text = f"2 · ({deviation})² = {decimal(squares)}" if deviation else "0"
        yield f"| {name} | {shown(own[0])}, {shown(own[1])} | {text} | {decimal(squares / 2)} |"
    variance = exact.covariance(columns, columns, THREE, ONES)
    yield f"The variance is {decimal(variance)}, the standard error {sqrt(variance):.4f}."
    yield f"pr.evaluate(y, [{', '.join(map(str, s))}], measure"


def isotonic(y):
    """The regression of y on its place by the formula of largest least means, which has no pooling."""

    def mean(i, j):
        return Fraction(sum(y[i : j + 1]), j + 1 - i)

    n = len(y)
    return [max(min(mean(i, j) for j in range(x, n)) for i in range(x + 1)) for x in range(n)]


def probabilities(exact):
    y, p, w = [0, 0, 1, 0, 1, 1, 0, 1], fractions("0.1 0.2 0.3 0.4 0.5 0.7 0.8 0.9"), [Fraction(1)] * 8
    errors = [(c - q) ** 2 for c, q in zip(y, p, strict=True)]
    yield "| forecast | " + " | ".join(map(decimal, p)) + " |"
    yield "| event | " + " | ".join(map(str, y)) + " |"
    yield "| squared error | " + " | ".join(map(decimal, errors)) + " |"
    yield f"{decimal(sum(errors))} / 8 = {decimal(sum(errors) / 8)}"
    fitted, terms = isotonic(y), exact.isotonic_terms(y, p, w)
    halves, thirds = ([x for x in range(8) if fitted[x] == value] for value in (Fraction(1, 2), Fraction(2, 3)))
    outcomes, forecasts = (
        " and ".join(map(write, [of[x] for x in halves])) for write, of in ((str, y), (decimal, p))
    )
    yield f"{outcomes} ({forecasts}) become {', '.join(shown(fitted[x]) for x in halves)}; then "
    outcomes, forecasts = (
        ", ".join(map(write, [of[x] for x in thirds])) for write, of in ((str, y), (decimal, p))
    )
    yield f"; then {outcomes} ({forecasts}) become {', '.join(shown(fitted[x]) for x in thirds)}."
    yield "| recalibrated | " + " | ".join(map(shown, fitted)) + " |"
    left = [(c - q) ** 2 for c, q in zip(y, fitted, strict=True)]
    yield "| squared error | " + " | ".join(map(shown, left)) + " |"
    share = Fraction(sum(y), 8)
    assert sum(left) / 8 == terms[2] - terms[1]
    assert share * (1 - share) == terms[2]
    score = sum(left) / 8
    yield f"is ({shown(sum(left[:4]))} + {shown(sum(left[4:]))}) / 8 = {score} = {float(score):.5f}."
    yield f"A forecast of {shown(share)}, the share of all events, for every case would have {decimal(terms[2])}."
    yield f"= {float(terms[0]):.5f}; - discrimination"
    yield f"= {float(terms[1]):.5f}; - uncertainty: {decimal(terms[2])}."
    yield f"{float(terms[0]):.5f} − {float(terms[1]):.5f} + {decimal(terms[2])} = {decimal(sum(errors) / 8)} again"
    yield f">>> y, p = {y}, {floats(p)}"


def fronts(exact):
    positive, negative = A[:3], A[3:]
    first, second = (f"{decimal(s[0])}, {decimal(s[1])} and {decimal(s[2])}" for s in (positive, negative))
    yield f"the positive ones have the probabilities {first}, the negative ones {second}."
    points = [(fpr, 1 - tpr) for fpr, tpr in exact.roc_points(SIX, A, ONES)]
    front = [p for p in reversed(points) if not dominating(p, points)]
    for threshold, rates in zip(["never", *map(decimal, sorted(set(A), reverse=True))], points, strict=True):
        above = [point(p) for p in front if p in dominating(rates, points)]
        remark = f"dominated by {', '.join(above)}" if above else "on the front"
        yield f"| {threshold} | {' | '.join(map(shown, rates))} | {remark} |"
    yield "the two rates sum to less than 1, of area ½."
    areas, lines = [], []
    for rates in front:
        side = 1 - sum(rates)
        areas.append(side**2 / 2)
        lines.append(f"{point(rates)}: sides of 1 − {shown(rates[0])} − {shown(rates[1])} = {shown(side)}, ")
        lines[-1] += f"area {shown(side)} · {shown(side)} / 2 = {areas[-1]}"
    yield f"what the rates of the point leave to 1: - {'; - '.join(lines)}."
    corners = [point(max(one, other) for one, other in zip(*pair, strict=True)) for pair in pairwise(front)]
    yield f"The first and the second meet in the point {corners[0]} only, the second and the third in "
    volume = " + ".join(map(str, areas))
    yield f"the second and the third in {corners[1]}, so G = ({volume}) / ½ = {shown(2 * sum(areas))}."
    area = exact.auc(SIX, A, ONES)
    yield f"2 AUC − 1 = 2 · {area} − 1 = {2 * area - 1}."
    (tied,) = [(x + 1, z + 1) for x in range(3) for z in range(3, 6) if A[x] == A[z]]
    won = sum(p > q for p, q in product(positive, negative))
    yield f"if the tie of cases {tied[0]} and {tied[1]} counted nothing, the AUC would be {won}/9, and"
    yield f"{won}/9, and 2 · {won}/9 − 1 = {shown(Fraction(2 * won, 9) - 1)}."
    yield f">>> y, a = {SIX}, {floats(A)}"


def dominating(rates, points):
    return [p for p in points if p != rates and all(a <= b for a, b in zip(p, rates, strict=True))]


PAGE_FACTS = (two_classes, several_classes, ordered_classes, probabilities, fronts)
FACTS = {function.__name__: function for function in PAGE_FACTS}
