"""Measures of classifiers from their definitions, in rational arithmetic.

Every function takes the class codes `y` (0 .. c-1), the predictions and a weight per case, all numbers as
`Fraction`, and loops over cases, pairs or tuples as the definition says. Nothing here imports numpy, a
statistics package or polyroc. Of two classes, class 1 is positive and high scores indicate it. Ties count one
half, or are shared equally.

Variances need no second formula. With the distributions within the classes fixed but for one, many measures are
means over that class; so the structural component of a case is the value of the measure when the case has the
whole weight of its class (`components`). For the AUC these components are DeLong's placement values. Other
measures are linearised (`derivatives`), the partial area by leaving out cases (`left_out`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import groupby, pairwise, permutations, product
from math import comb, factorial, prod

Row = Sequence[Fraction]
Value = Callable[[Row], Fraction]  # a measure as a function of the weights

HALF = Fraction(1, 2)
STEP = Fraction(1, 10**30)  # of a derivative
ROUNDED = 10**27  # derivatives are multiples of 1 / ROUNDED


def psi(first: Fraction, second: Fraction) -> Fraction:
    """1 if the first is larger, 1/2 if both are equal, 0 otherwise."""
    return Fraction(1) if first > second else HALF if first == second else Fraction(0)


def mean(values: Row, weights: Row) -> Fraction:
    """The weighted mean."""
    return sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0)) / sum(weights)


def members(y: Sequence[int], k: int) -> list[int]:
    """The positions of the cases of class k."""
    return [x for x, code in enumerate(y) if code == k]


def mean_over_pairs(scores: Row, above: list[int], below: list[int], w: Row) -> Fraction:
    """The weighted share of pairs in which the case of `above` has the higher score."""
    wins = Fraction(0)
    for x in above:
        if w[x]:
            wins += w[x] * sum((w[z] * psi(scores[x], scores[z]) for z in below if w[z]), Fraction(0))
    return wins / (sum(w[x] for x in above) * sum(w[z] for z in below))


# Two classes, one score ---------------------------------------------------------------------------------------


def auc(y: Sequence[int], s: Row, w: Row) -> Fraction:
    """The probability that a positive case has a higher score than a negative one."""
    return mean_over_pairs(s, members(y, 1), members(y, 0), w)


def roc_points(y: Sequence[int], s: Row, w: Row) -> list[tuple[Fraction, Fraction]]:
    """False and true positive rate at every distinct threshold, from (0, 0) to (1, 1)."""
    totals = [sum(w[x] for x in members(y, k)) for k in (0, 1)]
    points = [(Fraction(0), Fraction(0))]
    for threshold in sorted(set(s), reverse=True):
        called = [sum((w[x] for x in members(y, k) if s[x] >= threshold), Fraction(0)) for k in (0, 1)]
        points.append((called[0] / totals[0], called[1] / totals[1]))
    return points


def partial_auc(y: Sequence[int], s: Row, w: Row, low: Fraction, high: Fraction) -> Fraction:
    """The area under the ROC curve between two false positive rates."""
    area = Fraction(0)
    for (u0, t0), (u1, t1) in pairwise(roc_points(y, s, w)):
        a, b = max(u0, low), min(u1, high)
        if b > a:
            slope = (t1 - t0) / (u1 - u0)
            area += (b - a) * (2 * t0 + slope * (a + b - 2 * u0)) / 2
    return area


def average_precision(y: Sequence[int], s: Row, w: Row) -> Fraction:
    """The sum over distinct scores of the precision times the increase of the recall."""
    value = Fraction(0)
    totals = [sum(w[x] for x in members(y, k)) for k in (0, 1)]
    for (_, before), (fpr, tpr) in pairwise(roc_points(y, s, w)):
        if tpr > before:
            value += (tpr - before) * totals[1] * tpr / (totals[1] * tpr + totals[0] * fpr)
    return value


def cost_area(y: Sequence[int], s: Row, w: Row) -> Fraction:
    """The integral over the cost share p of the least of p (1 - TPR) + (1 - p) FPR."""
    points = roc_points(y, s, w)

    def least(p: Fraction) -> Fraction:
        return min(p * (1 - tpr) + (1 - p) * fpr for fpr, tpr in points)

    # The least cost is linear between the shares at which two thresholds cost the same.
    crossings = {Fraction(0), Fraction(1)}
    for (u0, t0), (u1, t1) in product(points, points):
        if u1 - u0 + t1 - t0 > 0:
            crossings.add((u1 - u0) / (u1 - u0 + t1 - t0))
    return sum(((b - a) * (least(a) + least(b)) / 2 for a, b in pairwise(sorted(crossings))), Fraction(0))


def table(y: Sequence[int], s: Row, w: Row, threshold: Fraction) -> list[Fraction]:
    """Weights of true positives, false negatives, false positives and true negatives at a threshold."""
    cells = [Fraction(0)] * 4
    for code, score, weight in zip(y, s, w, strict=True):
        cells[(0 if code == 1 else 2) + (0 if score >= threshold else 1)] += weight
    return cells


def sensitivity(y: Sequence[int], s: Row, w: Row, threshold: Fraction) -> Fraction:
    """The share of the positives at or above the threshold."""
    tp, fn, _, _ = table(y, s, w, threshold)
    return tp / (tp + fn)


def specificity(y: Sequence[int], s: Row, w: Row, threshold: Fraction) -> Fraction:
    """The share of the negatives below the threshold."""
    _, _, fp, tn = table(y, s, w, threshold)
    return tn / (fp + tn)


def ppv(y: Sequence[int], s: Row, w: Row, threshold: Fraction) -> Fraction:
    """The share of positives among the cases at or above the threshold."""
    tp, _, fp, _ = table(y, s, w, threshold)
    return tp / (tp + fp)


def npv(y: Sequence[int], s: Row, w: Row, threshold: Fraction) -> Fraction:
    """The share of negatives among the cases below the threshold."""
    _, fn, _, tn = table(y, s, w, threshold)
    return tn / (tn + fn)


def expected_cost(
    y: Sequence[int], s: Row, w: Row, threshold: Fraction, false_positive: int, false_negative: int
) -> Fraction:
    """The cost of all errors, per case."""
    _, fn, fp, _ = table(y, s, w, threshold)
    return (false_negative * fn + false_positive * fp) / sum(w)


def highest_at(y: Sequence[int], s: Row, w: Row, fpr: Fraction) -> Fraction:
    """The height of the ROC curve, straight between its points, at a false positive rate; the highest one."""
    return height_at(roc_points(y, s, w), fpr)


def height_at(points: Sequence[tuple[Fraction, Fraction]], fpr: Fraction) -> Fraction:
    """The height of a curve through these points at a false positive rate; the highest one."""
    before = max(point for point in points if point[0] <= fpr)
    after = min((point for point in points if point[0] > fpr), default=before)
    if before[0] == after[0]:
        return before[1]
    return before[1] + (after[1] - before[1]) * (fpr - before[0]) / (after[0] - before[0])


def rate_components(y: Sequence[int], s: Row, w: Row, fpr: Fraction, slope: Fraction) -> list[Fraction]:
    """Components of the height R of the ROC curve at a false positive rate u (Pepe 2003).

    Of a positive, the value with that case alone. Of a negative R - slope (share of it beyond the threshold - u):
    the threshold is a quantile of the negatives.
    """
    here, out = highest_at(y, s, w, fpr), components(lambda v: highest_at(y, s, v, fpr), y, w)
    negatives = members(y, 0)
    whole = sum(w[x] for x in negatives)
    for x in negatives:
        start = sum((w[z] for z in negatives if s[z] > s[x]), Fraction(0)) / whole
        length = sum(w[z] for z in negatives if s[z] == s[x]) / whole
        out[x] = here - slope * (min(max((fpr - start) / length, Fraction(0)), Fraction(1)) - fpr)
    return out


def net_benefit(y: Sequence[int], p: Row, w: Row, threshold: Fraction) -> Fraction:
    """True positives less false positives at the odds of the threshold, per case."""
    tp, _, fp, _ = table(y, p, w, threshold)
    return (tp - fp * threshold / (1 - threshold)) / sum(w)


def isotonic_terms(y: Sequence[int], p: Row, w: Row) -> tuple[Fraction, Fraction, Fraction]:
    """Miscalibration, discrimination and uncertainty of the Brier score (Dimitriadis, Gneiting & Jordan 2021)."""
    values = sorted(set(p))
    sizes = [sum(w[x] for x in range(len(p)) if p[x] == v) for v in values]
    events = [sum((w[x] for x in range(len(p)) if p[x] == v and y[x] == 1), Fraction(0)) for v in values]

    def share(i: int, j: int) -> Fraction:
        return sum(events[i : j + 1], Fraction(0)) / sum(sizes[i : j + 1])

    # The min-max formula of isotonic regression: no algorithm that could be wrong.
    m = len(values)
    fitted = [max(min(share(i, j) for j in range(k, m)) for i in range(k + 1)) for k in range(m)]
    recalibrated = dict(zip(values, fitted, strict=True))
    overall = share(0, m - 1)
    stated, best, constant = (
        mean([(code - q) ** 2 for code, q in zip(y, forecast, strict=True)], w)
        for forecast in (p, [recalibrated[q] for q in p], [overall] * len(p))
    )
    return stated - best, constant - best, constant


# Several classes, a column per class --------------------------------------------------------------------------


def area_between(y: Sequence[int], P: Sequence[Row], w: Row, i: int, j: int) -> Fraction:
    """Hand & Till's A(i|j): a case of class i has a higher value in column i than a case of class j."""
    return mean_over_pairs([row[i] for row in P], members(y, i), members(y, j), w)


def hand_till(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """Hand & Till's M: the mean of A(i|j) over all ordered pairs of classes."""
    pairs = list(permutations(range(len(P[0])), 2))
    return sum((area_between(y, P, w, i, j) for i, j in pairs), Fraction(0)) / len(pairs)


def one_versus_all(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The mean over classes of the AUC of a class against all others together."""
    c = len(P[0])
    areas = [auc([int(code == i) for code in y], [row[i] for row in P], w) for i in range(c)]
    return sum(areas, Fraction(0)) / c


def pdi(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The polytomous discrimination index: of one case per class, that of class i is the largest in column i.

    Equal values share: a case that is tied with m others counts 1/(m + 1), which is the integral over t of the
    product of (share below + t share equal) over the other classes.
    """
    c = len(P[0])
    value = Fraction(0)
    for i in range(c):
        own = members(y, i)
        shares = [shared_maximum(y, [row[i] for row in P], w, x, [j for j in range(c) if j != i]) for x in own]
        value += mean(shares, [w[x] for x in own])
    return value / c


def shared_maximum(y: Sequence[int], scores: Row, w: Row, x: int, others: list[int]) -> Fraction:
    """The probability that x has the largest score among one case of each other class, ties shared."""
    polynomial = [Fraction(1)]
    for j in others:
        cases = members(y, j)
        whole = sum(w[z] for z in cases)
        below = sum((w[z] for z in cases if scores[z] < scores[x]), Fraction(0)) / whole
        equal = sum((w[z] for z in cases if scores[z] == scores[x]), Fraction(0)) / whole
        shifted = [Fraction(0), *polynomial]
        polynomial = [below * a + equal * b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)]
    return sum((a / (power + 1) for power, a in enumerate(polynomial)), Fraction(0))


def decision_shares(row: Row) -> list[Fraction]:
    """1 for the class of the largest value; equal shares where several are the largest."""
    best = [p == max(row) for p in row]
    return [Fraction(int(b), sum(best)) for b in best]


def accuracy(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The share of cases whose own class has the largest value."""
    return mean([decision_shares(row)[code] for row, code in zip(P, y, strict=True)], w)


def macro_average(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The mean over classes of the share of the class that is decided correctly."""
    rates = []
    for k in range(len(P[0])):
        own = members(y, k)
        rates.append(mean([decision_shares(P[x])[k] for x in own], [w[x] for x in own]))
    return sum(rates, Fraction(0)) / len(rates)


def pairwise_accuracy(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The mean over pairs of classes of the share of their cases whose own column is the larger of the two."""
    c = len(P[0])
    shares = []
    for i in range(c):
        for j in range(i + 1, c):
            cases = [(x, i, j) for x in members(y, i)] + [(x, j, i) for x in members(y, j)]
            shares.append(
                mean([psi(P[x][own], P[x][other]) for x, own, other in cases], [w[x] for x, *_ in cases])
            )
    return sum(shares, Fraction(0)) / len(shares)


def one_threshold_areas(y: Sequence[int], P: Sequence[Row], w: Row) -> list[Fraction]:
    """By class, the area under the two lines through the one point of its decisions, against the rest."""
    areas = []
    for i in range(len(P[0])):
        own = members(y, i)
        rest = [x for x in range(len(y)) if y[x] != i]
        right = mean([decision_shares(P[x])[i] for x in own], [w[x] for x in own])
        wrong = mean([decision_shares(P[x])[i] for x in rest], [w[x] for x in rest])
        areas.append((1 + right - wrong) / 2)
    return areas


def ht3(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """Ferri, Hernandez-Orallo & Salido's (2003) HT3: the mean of these areas, none below 1/2."""
    areas = one_threshold_areas(y, P, w)
    return sum((max(area, HALF) for area in areas), Fraction(0)) / len(areas)


def ht3_not_cut(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The mean of the areas as they are: where all are above 1/2, this is HT3, and a mean over each class."""
    areas = one_threshold_areas(y, P, w)
    return sum(areas, Fraction(0)) / len(areas)


def decided_by_one(y: Sequence[int], P: Sequence[Row], Q: Sequence[Row]) -> tuple[int, int]:
    """How many cases the first classifier alone decides rightly, and how many the second alone."""
    shares = [[decision_shares(row)[code] for row, code in zip(rows, y, strict=True)] for rows in (P, Q)]
    first, second = (sum(a > b for a, b in zip(*order, strict=True)) for order in (shares, shares[::-1]))
    return first, second


def mcnemar(y: Sequence[int], P: Sequence[Row], Q: Sequence[Row]) -> Fraction | None:
    """The two-sided, binomial p-value of McNemar's test of right decisions; None with equal values."""
    if any(decision_shares(row)[code] not in (0, 1) for rows in (P, Q) for row, code in zip(rows, y, strict=True)):
        return None
    first, second = decided_by_one(y, P, Q)
    n = first + second
    tail = sum(comb(n, i) for i in range(min(first, second) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n))


def cochran_q(y: Sequence[int], tables: Sequence[Sequence[Row]]) -> Fraction | None:
    """Cochran's Q of the right decisions of several classifiers; None with equal values or decisions."""
    columns = [[decision_shares(row)[code] for row, code in zip(P, y, strict=True)] for P in tables]
    if any(share not in (0, 1) for column in columns for share in column):
        return None
    k, by_classifier, by_case = (
        len(columns),
        [sum(c) for c in columns],
        [sum(r) for r in zip(*columns, strict=True)],
    )
    n = sum(by_classifier)
    rest = k * n - sum(right**2 for right in by_case)
    return Fraction((k - 1) * (k * sum(right**2 for right in by_classifier) - n**2)) / rest if rest else None


def chi_square(values: Row, covariance: Sequence[Row]) -> Fraction:
    """The Wald statistic of equal values: their differences d from the last one, d' C^-1 d, C the covariance of d.

    By elimination; a difference that the ones before determine adds nothing.
    """
    last = len(values) - 1
    rows = [
        [
            covariance[i][j] - covariance[i][last] - covariance[last][j] + covariance[last][last]
            for j in range(last)
        ]
        + [values[i] - values[last]]
        for i in range(last)
    ]
    statistic = Fraction(0)
    for i in range(last):
        if rows[i][i] == 0:
            continue
        statistic += rows[i][last] ** 2 / rows[i][i]
        for below in rows[i + 1 :]:
            factor = below[i] / rows[i][i]
            below[:] = [a - factor * b for a, b in zip(below, rows[i], strict=True)]
    return statistic


def brier(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The mean squared distance between probabilities and outcome; of two classes, half of it."""
    scale = 2 if len(P[0]) == 2 else 1
    distances = [
        sum(((p - int(m == code)) ** 2 for m, p in enumerate(row)), Fraction(0)) / scale
        for row, code in zip(P, y, strict=True)
    ]
    return mean(distances, w)


def brier_skill(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """1 less the Brier score divided by that of the shares of the classes."""
    shares = [sum(w[x] for x in members(y, k)) / sum(w) for k in range(len(P[0]))]
    return 1 - brier(y, P, w) / brier(y, [shares] * len(y), w)


# One ordered score, or one case per class ---------------------------------------------------------------------


def chain(scores: Row) -> Fraction:
    """1 if the scores rise, 1/m! for every block of m equal ones, 0 if they fall anywhere."""
    if any(b < a for a, b in pairwise(scores)):
        return Fraction(0)
    return Fraction(1, prod(factorial(len(list(block))) for _, block in groupby(scores)))


def mean_over_tuples(y: Sequence[int], w: Row, outcome: Callable[..., Fraction]) -> Fraction:
    """The weighted mean outcome of all tuples with one case of each class."""
    blocks = [[x for x in members(y, k) if w[x]] for k in range(max(y) + 1)]
    value = sum((outcome(*pick) * prod(w[x] for x in pick) for pick in product(*blocks)), Fraction(0))
    return value / prod(sum(w[x] for x in block) for block in blocks)


def vus(y: Sequence[int], s: Row, w: Row) -> Fraction:
    """The probability that one case of each class is in the order of the classes (Nakas & Yiannoutsos 2004).

    By the weight of partial chains at each distinct score, rising, instead of over all tuples: that of classes 1
    to k grows by chains whose last m classes are tied at this score, which count 1/m!.
    """
    c = max(y) + 1
    chains = [Fraction(1)] + [Fraction(0)] * c
    for value in sorted(set(s)):
        here = [sum((w[x] for x in members(y, k) if s[x] == value), Fraction(0)) for k in range(c)]
        chains = [
            chains[k]
            + sum((chains[k - m] * prod(here[k - m : k]) / factorial(m) for m in range(1, k + 1)), Fraction(0))
            for k in range(c + 1)
        ]
    return chains[c] / prod(sum(w[x] for x in members(y, k)) for k in range(c))


def umbrella(y: Sequence[int], s: Row, w: Row) -> Fraction:
    """The probability that the case of the middle class of three has the largest score; ties shared."""

    def outcome(*pick: int) -> Fraction:
        scores = [s[x] for x in pick]
        return Fraction(int(scores[1] == max(scores)), scores.count(max(scores)))

    return mean_over_tuples(y, w, outcome)


def orderings(y: Sequence[int], s: Row, w: Row) -> list[Fraction]:
    """Scurfield's volumes: the probability of each order of one case per class."""
    orders = permutations(range(max(y) + 1))
    return [mean_over_tuples(y, w, lambda *pick, o=order: chain([s[pick[k]] for k in o])) for order in orders]


def mossman(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """Mossman's three-way volume: the third class highest in its column, the first two in order of p2 - p1."""

    def outcome(first: int, second: int, third: int) -> Fraction:
        rises = psi(P[second][1] - P[second][0], P[first][1] - P[first][0])
        tops = [P[x][2] for x in (first, second, third)]
        return rises * Fraction(int(tops[2] == max(tops)), tops.count(max(tops)))

    return mean_over_tuples(y, w, outcome)


def best_assignment(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The share of tuples whose assignment to the true classes has the largest sum of scores; ties shared."""
    assignments = list(permutations(range(len(P[0]))))

    def outcome(*pick: int) -> Fraction:
        sums = [sum(P[x][i] for x, i in zip(pick, a, strict=True)) for a in assignments]
        return Fraction(int(sums[0] == max(sums)), sums.count(max(sums)))

    return mean_over_tuples(y, w, outcome)


def best_product(y: Sequence[int], P: Sequence[Row], w: Row) -> Fraction:
    """The same with the largest product of probabilities, which is the largest sum of their logarithms."""
    assignments = list(permutations(range(len(P[0]))))

    def outcome(*pick: int) -> Fraction:
        products = [prod(P[x][i] for x, i in zip(pick, a, strict=True)) for a in assignments]
        return Fraction(int(products[0] == max(products)), products.count(max(products)))

    return mean_over_tuples(y, w, outcome)


def malignant_surface(P: Sequence[Row]) -> tuple[Callable[..., Fraction], Callable[..., Fraction]]:
    """Outcomes of a triple whose means are area and volume of the surface of class 0 (Sahiner et al. 2008).

    With r = p1 / p0 and s = p2 / p0, a case of class 1 at (r, s) and one of class 2 span the domain: +1 if r falls
    and s rises from the former to the latter, -1 in the opposite case, 0 otherwise. The volume counts those whose
    line alpha r + beta s = 1 has the case of class 0 on the side of 0. Equal ratios, or three points on a line,
    raise an error.
    """
    r, s = ([row[k] / row[0] for row in P] for k in (1, 2))

    def domain(_: int, b: int, n: int) -> Fraction:
        if r[b] == r[n] or s[b] == s[n]:
            raise ValueError("Equal ratios have no agreed convention.")
        return Fraction(int(r[b] > r[n]) - int(s[b] > s[n]))

    def volume(m: int, b: int, n: int) -> Fraction:
        sign = domain(m, b, n)
        if not sign:
            return sign
        whole = r[b] * s[n] - s[b] * r[n]
        place = ((s[n] - s[b]) * r[m] + (r[b] - r[n]) * s[m]) / whole
        if place == 1:
            raise ValueError("A case on the line has no agreed convention.")
        return sign * int(place < 1)

    return domain, volume


def sahiner(y: Sequence[int], P: Sequence[Row], w: Row) -> tuple[Fraction, list[Fraction]]:
    """The normalised volume under that surface, and its components: those of a ratio, to first order."""
    domain, volume = malignant_surface(P)
    area, whole = (mean_over_tuples(y, w, outcome) for outcome in (domain, volume))
    areas, volumes = (
        components(lambda v, o=outcome: mean_over_tuples(y, v, o), y, w) for outcome in (domain, volume)
    )
    value = whole / area
    return value, [value + (v - value * a) / area for v, a in zip(volumes, areas, strict=True)]


# Variances ----------------------------------------------------------------------------------------------------


def components(value: Value, y: Sequence[int], w: Row) -> list[Fraction]:
    """Of each case, the value if it has the whole weight of its class."""
    out = []
    for x, code in enumerate(y):
        whole = sum(w[z] for z in members(y, code))
        alone = [Fraction(0) if y[z] == code else w[z] for z in range(len(y))]
        alone[x] = whole
        out.append(value(alone))
    return out


def derivatives(value: Value, y: Sequence[int], w: Row) -> list[Fraction]:
    """Of each case, the value plus its derivative as the case gains a share of its class from the others.

    Of a mean over the class it is `components`. The error of the derivative is of the order of STEP, or of its
    square where the value is smooth; it is rounded to as many digits as can be right.
    """
    out, here = [], value(w)
    for x, code in enumerate(y):
        whole = sum(w[z] for z in members(y, code))
        ends = []
        for step in (STEP, -STEP):
            moved = [v * (1 - step) if y[z] == code else v for z, v in enumerate(w)]
            moved[x] += step * whole
            ends.append(value(moved))
        slope = (ends[0] - ends[1]) / (2 * STEP)
        if isinstance(slope, Fraction):
            slope = Fraction(round(slope * ROUNDED), ROUNDED)
        out.append(here + slope)
    return out


def left_out(value: Value, y: Sequence[int], s: Row, w: Row) -> list[Fraction]:
    """Components of a partial area: of the negatives, on whose axis the range is, jackknife pseudo-values.

    With m the share of a negative in its class, that is the value + (1/m - 1) (value - value without the case).
    Negatives with the same score are one place of the curve: each is left out with their mean weight.
    """
    out, here, negatives = components(value, y, w), value(w), [x for x in members(y, 0) if w[x]]
    whole = sum(w[x] for x in negatives)
    for x in negatives:
        tied = [z for z in negatives if s[z] == s[x]]
        rest = list(w)
        for z in tied:
            rest[z] *= Fraction(len(tied) - 1, len(tied))
        share = sum(w[z] for z in tied) / len(tied) / whole
        out[x] = here + (1 / share - 1) * (here - value(rest))
    return out


def jackknife(value: Value, y: Sequence[int]) -> Fraction:
    """The jackknife variance, class sizes fixed: (n - 1) / n times the squares about the mean, class by class.

    Without weights; the rest of the class has the weight of the case that is left out.
    """
    total = Fraction(0)
    for k in range(max(y) + 1):
        own = members(y, k)
        n = len(own)
        without = []
        for x in own:
            w = [Fraction(n, n - 1) if code == k else Fraction(1) for code in y]
            w[x] = Fraction(0)
            without.append(value(w))
        centre = sum(without) / n
        total += sum((v - centre) ** 2 for v in without) * (n - 1) / n
    return total


def hanley_mcneil(y: Sequence[int], s: Row, kind: str) -> Fraction:
    """Hanley & McNeil's (1982) variance of the AUC, from placement values or by exponential distributions."""
    one = [Fraction(1)] * len(y)
    area, columns = auc(y, s, one), components(lambda v: auc(y, s, v), y, one)
    n0, n1 = (len(members(y, k)) for k in (1, 0))
    if kind == "exponential":
        qa, qb = area / (2 - area), 2 * area**2 / (1 + area)
    else:
        qa, qb = (sum(columns[x] ** 2 for x in members(y, k)) / len(members(y, k)) for k in (0, 1))
    return (area * (1 - area) + (n0 - 1) * (qa - area**2) + (n1 - 1) * (qb - area**2)) / (n0 * n1)


def covariance(
    first: Row,
    second: Row,
    y: Sequence[int],
    w: Row,
    groups: Sequence[int] | None = None,
    *,
    corrected: bool = True,
) -> Fraction:
    """The covariance of two values from their components, class sizes fixed.

    The deviation of a component from the mean of its class, times the share of the case in the weight of the
    class, is the influence of the case; influences are added up within groups, and their products over groups. n
    / (n - 1) corrects for the estimated mean, n the number of cases of the class; of groups, each of which must
    have cases of all classes, their number. Without weights and groups it is DeLong's. Not corrected, it is the
    infinitesimal jackknife.
    """
    value = Fraction(0)
    units = range(len(y)) if groups is None else groups
    sums: dict[int, list[Fraction]] = {unit: [Fraction(0), Fraction(0)] for unit in units}
    for k in range(max(y) + 1):
        cases = [x for x in members(y, k) if w[x]]
        n = len({units[x] for x in cases})
        if groups is not None and n != len(sums):
            raise ValueError("Each group must have cases of all classes.")
        weights = [w[x] for x in cases]
        for side, column in enumerate((first, second)):
            centre = mean([column[x] for x in cases], weights)
            for x in cases:
                sums[units[x]][side] += w[x] * (column[x] - centre) / sum(weights)
        if groups is None:
            products = sum((sums[x][0] * sums[x][1] for x in cases), Fraction(0))
            value += products * (Fraction(n, n - 1) if corrected else 1)
    if groups is not None:
        n = len(sums)
        value = sum((a * b for a, b in sums.values()), Fraction(0)) * (Fraction(n, n - 1) if corrected else 1)
    return value


def unbiased_variance(outcome: Callable[..., Fraction], y: Sequence[int]) -> Fraction:
    """The unbiased variance of a mean over tuples: its square less that of tuples without a common case."""
    picks = [(pick, outcome(*pick)) for pick in product(*(members(y, k) for k in range(max(y) + 1)))]
    whole = sum((u for _, u in picks), Fraction(0)) / len(picks)
    disjoint = [u * v for one, u in picks for two, v in picks if not set(one) & set(two)]
    return whole**2 - sum(disjoint, Fraction(0)) / len(disjoint)
