"""Slow twins: every measure straight from its definition, in plain loops. Nothing here imports polyroc.

y holds class numbers 0 .. c-1, w a weight per case. A measure's components follow its value's definition: for
each case, the weighted mean outcome of the tuples that contain it, scaled so that the statistic moves by
(component - class mean) / (class weight) per unit of weight given to the case.
"""

from itertools import groupby, pairwise, product
from math import factorial, prod


def psi(a, b):
    """1 if a > b, 1/2 if they tie, 0 otherwise."""
    return 1.0 if a > b else 0.5 if a == b else 0.0


def mean(values, weights):
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def members(y, k):
    return [x for x in range(len(y)) if y[x] == k]


def total(y, w, k):
    return sum(w[x] for x in members(y, k))


# Ranking: two classes, class 1 positive ----------------------------------------------------------------------


def auc(y, s, w):
    pairs = [(psi(s[x], s[z]), w[x] * w[z]) for x in members(y, 1) for z in members(y, 0)]
    return sum(p * v for p, v in pairs) / sum(v for _, v in pairs)


def auc_components(y, s, w):
    out = []
    for x in range(len(y)):
        others = members(y, 1 - y[x])
        wins = [psi(s[x], s[z]) if y[x] == 1 else psi(s[z], s[x]) for z in others]
        out.append(mean(wins, [w[z] for z in others]))
    return out


def roc_points(y, s, w):
    """(FPR, TPR) at every distinct threshold, from (0, 0) to (1, 1)."""
    points = [(0.0, 0.0)]
    for t in sorted(set(s), reverse=True):
        called = [x for x in range(len(y)) if s[x] >= t]
        fpr = sum(w[x] for x in called if y[x] == 0) / total(y, w, 0)
        tpr = sum(w[x] for x in called if y[x] == 1) / total(y, w, 1)
        points.append((fpr, tpr))
    return points


def partial_area(points, low, high):
    """Integral of the piecewise linear curve over [low, high] of its first coordinate."""
    area = 0.0
    for (u0, t0), (u1, t1) in pairwise(points):
        a, b = max(u0, low), min(u1, high)
        if b > a and u1 > u0:
            slope = (t1 - t0) / (u1 - u0)
            area += (b - a) * ((t0 + slope * (a - u0)) + (t0 + slope * (b - u0))) / 2
    return area


def partial_auc(y, s, w, fpr=None, tpr=None, standardised=True):
    points = roc_points(y, s, w)
    if tpr is None:
        low, high = fpr
        area, chance = partial_area(points, low, high), (high**2 - low**2) / 2
    else:
        low, high = tpr
        turned = [(t, u) for u, t in points]
        area, chance = (high - low) - partial_area(turned, low, high), (high - low) - (high**2 - low**2) / 2
    return 0.5 * (1 + (area - chance) / (high - low - chance)) if standardised else area


# Pairs of classes ----------------------------------------------------------------------------------------------


def a_given(y, P, w, i, j):
    """A(i|j): a member of class j has a lower p_i than a member of class i."""
    pairs = [(psi(P[x][i], P[z][i]), w[x] * w[z]) for x in members(y, i) for z in members(y, j)]
    return sum(p * v for p, v in pairs) / sum(v for _, v in pairs)


def hand_till(y, P, w):
    c = len(P[0])
    return sum(a_given(y, P, w, i, j) for i in range(c) for j in range(c) if i != j) / (c * (c - 1))


def hand_till_components(y, P, w):
    c = len(P[0])
    out = []
    for x in range(len(y)):
        k, value = y[x], 0.0
        for other in range(c):
            if other != k:
                zs = members(y, other)
                seen = [psi(P[x][k], P[z][k]) + psi(P[z][other], P[x][other]) for z in zs]
                value += mean(seen, [w[z] for z in zs])
        out.append(value / (c * (c - 1)))
    return out


def one_versus_all(y, P, w, i):
    return auc([int(k == i) for k in y], [row[i] for row in P], w)


def ova(y, P, w):
    c = len(P[0])
    return sum(one_versus_all(y, P, w, i) for i in range(c)) / c


# Ordered classes: one score, class 0 lowest ---------------------------------------------------------------------


def chain(scores):
    """1 if the scores rise, 1/m! for every block of m equal ones, 0 if they fall anywhere."""
    if any(b < a for a, b in pairwise(scores)):
        return 0.0
    return 1.0 / prod(factorial(len(list(block))) for _, block in groupby(scores))


def vus(y, s, w):
    return mean_over_tuples(y, s, w, range(len(y)))


def vus_components(y, s, w):
    return [mean_over_tuples(y, s, w, [x, *(z for z in range(len(y)) if y[z] != y[x])]) for x in range(len(y))]


def mean_over_tuples(y, s, w, cases):
    """The mean worth of the chains of one case per class, among some cases; a single case counts fully."""
    blocks = [[x for x in cases if y[x] == k] for k in sorted(set(y))]
    weights = [[1.0] if len(block) == 1 else [w[x] for x in block] for block in blocks]
    top = sum(
        chain([s[x] for x in pick]) * prod(v) for pick, v in zip(product(*blocks), product(*weights), strict=True)
    )
    return top / prod(sum(v) for v in weights)


# Decisions -----------------------------------------------------------------------------------------------------


def shares(row):
    best = [p == max(row) for p in row]
    return [b / sum(best) for b in best]


def rates(y, P, w):
    c = len(P[0])
    return [
        [mean([shares(P[x])[m] for x in members(y, k)], [w[x] for x in members(y, k)]) for m in range(c)]
        for k in range(c)
    ]


def accuracy(y, P, w):
    return mean([shares(P[x])[y[x]] for x in range(len(y))], w)


def macro_average(y, P, w):
    R = rates(y, P, w)
    return sum(R[k][k] for k in range(len(R))) / len(R)


def ht3(y, P, w):
    c = len(P[0])
    areas = []
    for i in range(c):
        miss = mean([1 - shares(P[x])[i] for x in members(y, i)], [w[x] for x in members(y, i)])
        rest = [x for x in range(len(y)) if y[x] != i]
        alarm = mean([shares(P[x])[i] for x in rest], [w[x] for x in rest])
        areas.append(max(0.5, 1 - miss / 2 - alarm / 2))
    return sum(areas) / c


def pairwise_accuracy(y, P, w):
    c = len(P[0])
    pairs = [(i, j) for i in range(c) for j in range(i + 1, c)]
    value = 0.0
    for i, j in pairs:
        right = [psi(P[x][i], P[x][j]) * w[x] for x in members(y, i)]
        right += [psi(P[x][j], P[x][i]) * w[x] for x in members(y, j)]
        value += sum(right) / (total(y, w, i) + total(y, w, j))
    return value / len(pairs)


# The two-class table: called positive where score >= threshold ---------------------------------------------------


def table(y, s, w, threshold):
    """Weights of (true positives, false negatives, false positives, true negatives)."""
    cells = [0.0, 0.0, 0.0, 0.0]
    for k, score, weight in zip(y, s, w, strict=True):
        cells[(0 if k == 1 else 2) + (0 if score >= threshold else 1)] += weight
    return cells


def sensitivity(y, s, w, threshold):
    tp, fn, _, _ = table(y, s, w, threshold)
    return tp / (tp + fn)


def specificity(y, s, w, threshold):
    _, _, fp, tn = table(y, s, w, threshold)
    return tn / (fp + tn)


def ppv(y, s, w, threshold):
    tp, _, fp, _ = table(y, s, w, threshold)
    return tp / (tp + fp)


def npv(y, s, w, threshold):
    _, fn, _, tn = table(y, s, w, threshold)
    return tn / (fn + tn)


def expected_cost(y, s, w, threshold, false_positive=1.0, false_negative=1.0):
    _, fn, fp, _ = table(y, s, w, threshold)
    return (fn * false_negative + fp * false_positive) / sum(w)


# Variance --------------------------------------------------------------------------------------------------------


def variance(y, components, w=None, groups=None):
    """Sum over classes of var(components) / size, robust to weights, added up inside groups."""
    n = len(y)
    w = [1.0] * n if w is None else w
    groups = list(range(n)) if groups is None else groups
    moved = dict.fromkeys(groups, 0.0)
    for k in sorted(set(y)):
        cases = [x for x in members(y, k) if w[x] > 0]
        units = len({groups[x] for x in cases})
        centre = mean([components[x] for x in cases], [w[x] for x in cases])
        for x in cases:
            step = w[x] * (components[x] - centre) / total(y, w, k)
            moved[groups[x]] += step * (units / (units - 1)) ** 0.5
    return sum(step**2 for step in moved.values())


# Unbiased variance and jackknife ---------------------------------------------------------------------------------


def auc_outcomes(y, s):
    """By pair of classes, the outcome of a case of the first and one of the second; the value sums their means."""
    return {(1, 0): lambda x, z: psi(s[x], s[z])}


def hand_till_outcomes(y, P):
    c = len(P[0])

    def of(k, m):
        return lambda x, z: (psi(P[x][k], P[z][k]) + psi(P[z][m], P[x][m])) / (c * (c - 1))

    return {(k, m): of(k, m) for k in range(c) for m in range(k + 1, c)}


def sum_of_means(y, outcomes):
    value = 0.0
    for (k, m), h in outcomes.items():
        of_pairs = [h(x, z) for x in members(y, k) for z in members(y, m)]
        value += sum(of_pairs) / len(of_pairs)
    return value


def unbiased_covariance(y, first, second):
    """Value times value, less the mean product of the outcomes of two pairs of cases without a common case."""
    covariance = sum_of_means(y, first) * sum_of_means(y, second)
    for (k, m), h in first.items():
        for (i, j), g in second.items():
            pairs = [(x, z) for x in members(y, k) for z in members(y, m)]
            others = [(u, v) for u in members(y, i) for v in members(y, j)]
            products = [h(*one) * g(*two) for one in pairs for two in others if not set(one) & set(two)]
            covariance -= sum(products) / len(products)
    return covariance


def jackknife_moves(y, value, w, groups):
    """By group, how far its absence moves a value that is a function of the weights; class weights are kept."""
    moves = dict.fromkeys(groups, 0.0)
    for k in sorted(set(y)):
        units = sorted({groups[x] for x in members(y, k) if w[x] > 0})
        values = []
        for unit in units:
            left = [0.0 if y[x] == k and groups[x] == unit else w[x] for x in range(len(y))]
            scale = total(y, w, k) / total(y, left, k)
            values.append(value([v * scale if c == k else v for v, c in zip(left, y, strict=True)]))
        for unit, without in zip(units, values, strict=True):
            moves[unit] += ((len(units) - 1) / len(units)) ** 0.5 * (without - sum(values) / len(values))
    return moves
