"""Slow twins: every measure straight from its definition, in plain loops. Nothing here imports polyroc.

y holds class numbers 0 .. c-1, w a weight per case. A measure's components follow its value's definition: for
each case, the weighted mean outcome of the tuples that contain it, scaled so that the statistic moves by
(component - class mean) / (class weight) per unit of weight given to the case.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, groupby, pairwise, permutations, product
from math import erfc, exp, factorial, hypot, inf, log, log2, nan, pi, prod, sqrt
from operator import mul

from scipy.optimize import linprog
from scipy.stats import beta, binom, gamma, norm


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


def partial_auc_components(y, s, w, fpr=None, tpr=None, standardised=True):
    """For the class on the axis jackknife pseudo-values, for the other the value with each of its cases alone.

    What is left out is the mean weight of the cases that tie, from all of them alike. Cases without weight: None.
    """
    axis = 0 if tpr is None else 1

    def value(v):
        return partial_auc(y, s, v, fpr, tpr, standardised)

    whole, out, moved = value(w), [None] * len(y), {}
    for x in [x for x in range(len(y)) if w[x] > 0]:
        if y[x] != axis:
            out[x] = value([w[z] if y[z] == axis or z == x else 0.0 for z in range(len(y))])
            continue
        ties = [z for z in members(y, axis) if s[z] == s[x] and w[z] > 0]
        kept = 1 - 1 / len(ties)
        rest = [w[z] * kept if z in ties else w[z] for z in range(len(y))]
        left = total(y, rest, axis)
        removed = total(y, w, axis) - left
        moved[x] = left / removed * (whole - value(rest)) if left > 1e-12 * removed else 0.0
    centre = mean([*moved.values()], [w[x] for x in moved])
    for x, step in moved.items():
        out[x] = whole + step - centre
    return out


def pointwise_band(y, s, u, level):
    """The interval of the true positive rate at a rate u inside (0, 1); every case counts one."""
    points, (negatives, positives) = roc_points(y, s, [1.0] * len(y)), (len(members(y, k)) for k in (0, 1))
    tail = (1 - level) / 2

    def mid(j):
        return sum(binom.pmf(i, negatives, u) for i in range(j)) + binom.pmf(j, negatives, u) / 2

    likely = [j for j in range(negatives + 1) if tail < mid(j) < 1 - tail]
    left = height(points, (likely[0] - 1) / negatives) if likely[0] > 0 else 0.0
    right = height(points, likely[-1] / negatives) if likely[-1] < negatives else 1.0
    p, z = height(points, u), norm.isf(tail)
    root = z * sqrt(p * (1 - p) / positives + z**2 / (4 * positives**2))
    ends = [(p + z**2 / (2 * positives) + side * root) / (1 + z**2 / positives) for side in (-1, 1)]
    for i, called in enumerate((round(p * positives, 9), round((1 - p) * positives, 9))):
        if called == 0:
            ends[i] = float(i)
        elif called <= 3:
            edge = gamma.ppf(1 - level, called) / positives
            ends[i] = min(ends[0], edge) if i == 0 else max(ends[1], 1 - edge)
    low = p - hypot(p - ends[0], max(p - left, 0.0))
    high = p + hypot(ends[1] - p, max(right - p, 0.0))
    return max(low, 0.0), min(high, 1.0)


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


def under_the_umbrella(scores):
    """What three scores are worth: 1 if the second is the largest, shared with those that equal it."""
    return (scores[1] == max(scores)) / scores.count(max(scores))


def vus(y, s, w, worth=chain):
    return mean_over_tuples(y, s, w, range(len(y)), worth)


def vus_components(y, s, w, worth=chain):
    return [
        mean_over_tuples(y, s, w, [x, *(z for z in range(len(y)) if y[z] != y[x])], worth) for x in range(len(y))
    ]


def mean_over_tuples(y, s, w, cases, worth):
    """The mean worth of one case per class, in the order of the classes, among some cases; one counts fully."""
    blocks = [[x for x in cases if y[x] == k] for k in sorted(set(y))]
    weights = [[1.0] if len(block) == 1 else [w[x] for x in block] for block in blocks]
    top = sum(
        worth([s[x] for x in pick]) * prod(v) for pick, v in zip(product(*blocks), product(*weights), strict=True)
    )
    return top / prod(sum(v) for v in weights)


def in_order(order):
    """The worth of a chain that goes through the classes in another order."""
    return lambda scores: chain([scores[k] for k in order])


def scurfield_volumes(y, s, w):
    return {order: vus(y, s, w, in_order(order)) for order in permutations(sorted(set(y)))}


def scurfield(y, s, w):
    volumes = scurfield_volumes(y, s, w).values()
    return log2(len(volumes)) + sum(v * log2(v) for v in volumes if v > 0)


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


def sensitivity_at(y, s, w, fpr):
    """The height of the ROC curve, straight along ties; the highest point where it is vertical."""
    points = roc_points(y, s, w)
    reached = [tpr for u, tpr in points if u <= fpr + 1e-12]
    before = max((point for point in points if point[0] <= fpr + 1e-12), key=lambda point: point)
    after = min((point for point in points if point[0] > fpr + 1e-12), default=None)
    if after is None or fpr <= before[0]:
        return max(reached)
    return before[1] + (after[1] - before[1]) * (fpr - before[0]) / (after[0] - before[0])


def sensitivity_at_error(y, s, fpr):
    """The standard error of the sensitivity at a false positive rate, cases unweighted and scores distinct.

    A proportion of m positives, and the threshold: a quantile of n negatives, whose true rate follows a beta
    distribution. The slope is the standard deviation of the sensitivity over it, in units of that of the rate.
    """
    weights, positives = [1.0] * len(y), [x for x, k in zip(s, y, strict=True) if k]
    negatives = sorted((x for x, k in zip(s, y, strict=True) if not k), reverse=True)
    n, m = len(negatives), len(positives)
    rates = beta.ppf([(i + 0.5) / 64 for i in range(64)], n * fpr + 1, n * (1 - fpr))
    heights = [sensitivity_at(y, s, weights, u) for u in rates]
    mean = sum(heights) / 64
    slope = sqrt(sum((height - mean) ** 2 for height in heights) / 64 / (fpr * (1 - fpr) / n))
    # the share of each case beyond the threshold: the k highest negatives, and a part of the next
    whole = int(fpr * n + 1e-9)
    part = fpr * n - whole if fpr * n - whole > 1e-9 else 0.0
    cut = negatives[whole] if whole < n else -inf
    of_positives = [float(x > cut) for x in positives]
    of_negatives = [-slope * (1.0 if i < whole else part if i == whole else 0.0) for i in range(n)]

    def variance(values):
        mean = sum(values) / len(values)
        return sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)

    return sqrt(variance(of_positives) + variance(of_negatives)) if min(m, n) > 1 else nan


def specificity_at(y, s, w, tpr):
    """The sensitivity at 1 - tpr, classes exchanged and scores negated."""
    return sensitivity_at([1 - k for k in y], [-x for x in s], w, 1 - tpr)


def ppv(y, s, w, threshold):
    tp, _, fp, _ = table(y, s, w, threshold)
    return tp / (tp + fp)


def npv(y, s, w, threshold):
    _, fn, _, tn = table(y, s, w, threshold)
    return tn / (fn + tn)


def expected_cost(y, s, w, threshold, false_positive=1.0, false_negative=1.0):
    _, fn, fp, _ = table(y, s, w, threshold)
    return (fn * false_negative + fp * false_positive) / sum(w)


def cost_of_decisions(y, decided, w, costs, priors=None):
    """The mean over cases of the cost of each decision; with priors the mean of each class times its prior."""
    classes = range(len(costs))
    own = [total(y, w, k) / sum(w) for k in classes]
    priors = own if priors is None else priors
    return sum(w[i] / sum(w) / own[y[i]] * priors[y[i]] * costs[y[i]][decided[i]] for i in range(len(y)))


def bayes_decisions(y, P, w, costs, priors=None):
    """For each row the first decision of least expected cost, where the columns are posteriors of these cases."""
    classes = range(len(costs))
    own = [total(y, w, k) / sum(w) for k in classes]
    priors = own if priors is None else priors
    risks = [
        [sum(costs[k][m] * priors[k] / own[k] * row[k] for k in classes) for m in classes] for row in P.tolist()
    ]
    return [next(m for m in classes if risk[m] <= min(risk) * (1 + 1e-12)) for risk in risks]


# Probabilities, whose rows sum to 1 ----------------------------------------------------------------------------


def brier_of(row, k):
    """The squared distance from what happened; half of it for two classes."""
    total = sum((p - (m == k)) ** 2 for m, p in enumerate(row))
    return total / 2 if len(row) == 2 else total


def brier(y, P, w):
    return mean([brier_of(row, k) for row, k in zip(P, y, strict=True)], w)


def brier_skill(y, P, w):
    """1 - the Brier score over that of predicting the shares of the classes."""
    shares = [total(y, w, k) / sum(w) for k in range(len(P[0]))]
    return 1 - brier(y, P, w) / brier(y, [shares] * len(y), w)


def log_loss(y, P, w):
    return mean([-log(row[k]) for row, k in zip(P, y, strict=True)], w)


def spherical(y, P, w):
    return mean([row[k] / sqrt(sum(p**2 for p in row)) for row, k in zip(P, y, strict=True)], w)


def recalibration(y, p):
    """Calibration-in-the-large and slope, by Newton's method in plain numbers."""
    x = [log(q / (1 - q)) for q in p]
    a = 0.0
    for _ in range(50):
        mu = [1 / (1 + exp(-(a + v))) for v in x]
        a += sum(k - m for k, m in zip(y, mu, strict=True)) / sum(m * (1 - m) for m in mu)
    c, b = 0.0, 1.0
    for _ in range(50):
        mu = [1 / (1 + exp(-(c + b * v))) for v in x]
        h = [m * (1 - m) for m in mu]
        g = [k - m for k, m in zip(y, mu, strict=True)]
        s0, s1, s2 = sum(h), sum(map(mul, h, x)), sum(k * v * v for k, v in zip(h, x, strict=True))
        g0, g1 = sum(g), sum(map(mul, g, x))
        det = s0 * s2 - s1 * s1
        c, b = c + (s2 * g0 - s1 * g1) / det, b + (s0 * g1 - s1 * g0) / det
    return a, b


def isotonic(totals, weights):
    """The largest of all smallest means of runs: max over i <= k of min over j >= k of mean(i..j)."""

    def mean_of(i, j):
        return sum(totals[i : j + 1]) / sum(weights[i : j + 1])

    n = len(totals)
    return [max(min(mean_of(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]


def corp(y, p, w):
    """Miscalibration, discrimination and uncertainty of the Brier score."""
    return corp_terms(y, p, w, lambda k, q: (k - q) ** 2)


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


def cohort_variance(y, contributions, w=None, groups=None):
    """The same where class sizes are random, from what each case contributes to a mean over all cases.

    Contributions vary within classes, and their class means vary from class to class.
    """
    n = len(y)
    w = [1.0] * n if w is None else w
    groups = list(range(n)) if groups is None else groups
    cases = [x for x in range(n) if w[x] > 0]
    units, whole = len({groups[x] for x in cases}), sum(w)
    centre = mean([contributions[x] for x in cases], [w[x] for x in cases])
    moved = dict.fromkeys(groups, 0.0)
    for k in sorted(set(y)):
        own = [x for x in members(y, k) if w[x] > 0]
        few = max(2, len({groups[x] for x in own}))  # one unit does not deviate from its own mean
        level = mean([contributions[x] for x in own], [w[x] for x in own])
        for x in own:
            moved[groups[x]] += w[x] / whole * (contributions[x] - level) * (few / (few - 1)) ** 0.5
            moved[groups[x]] += w[x] / whole * (level - centre) * (units / (units - 1)) ** 0.5
    return sum(step**2 for step in moved.values())


# Unbiased variance and jackknife ---------------------------------------------------------------------------------


def auc_outcomes(y, s):
    """By tuple of classes, the outcome of one case of each; the value is the sum of their means."""
    return {(1, 0): lambda x, z: psi(s[x], s[z])}


def hand_till_outcomes(y, P):
    c = len(P[0])

    def of(k, m):
        return lambda x, z: (psi(P[x][k], P[z][k]) + psi(P[z][m], P[x][m])) / (c * (c - 1))

    return {(k, m): of(k, m) for k in range(c) for m in range(k + 1, c)}


def vus_outcomes(y, s):
    return {tuple(sorted(set(y))): lambda *pick: chain([s[x] for x in pick])}


def tuples(y, classes):
    return list(product(*(members(y, k) for k in classes)))


def sum_of_means(y, outcomes):
    return sum(sum(h(*pick) for pick in tuples(y, ks)) / len(tuples(y, ks)) for ks, h in outcomes.items())


def unbiased_covariance(y, first, second):
    """Value times value, less the mean product of the outcomes of two tuples of cases without a common case."""
    covariance = sum_of_means(y, first) * sum_of_means(y, second)
    for (ks, h), (ls, g) in product(first.items(), second.items()):
        picks, others = ([(pick, f(*pick)) for pick in tuples(y, classes)] for classes, f in ((ks, h), (ls, g)))
        products = [u * v for one, u in picks for two, v in others if not set(one) & set(two)]
        covariance -= sum(products) / len(products)
    return covariance


def jackknife_moves(y, value, w, groups):
    """By group, how far its absence moves a value that is a function of the weights; class sizes are kept."""
    moves = dict.fromkeys(groups, 0.0)
    for k in sorted(set(y)):
        units = sorted({groups[x] for x in members(y, k) if w[x] > 0})
        values = []
        for unit in units:
            left = [0.0 if y[x] == k and groups[x] == unit else w[x] for x in range(len(y))]
            sizes = [sum(v[x] > 0 for x in members(y, k)) for v in (w, left)]
            scale = sizes[0] / sizes[1]
            values.append(value([v * scale if c == k else v for v, c in zip(left, y, strict=True)]))
        for unit, without in zip(units, values, strict=True):
            moves[unit] += ((len(units) - 1) / len(units)) ** 0.5 * (without - sum(values) / len(values))
    return moves


# One case per class, each class by its own column: the polytomous discrimination index ---------------------------


def recognised(P, pick, i):
    """Whether the case of class i has the largest p_i of one case per class; ties share the credit."""
    column = [P[x][i] for x in pick]
    return (column[i] == max(column)) / column.count(max(column))


def pdi_of_class(y, P, w, i, cases=None):
    """PDI_i, the mean over all tuples of some cases, one per class; a single case counts fully."""
    blocks = [[x for x in (cases or range(len(y))) if y[x] == k] for k in range(len(P[0]))]
    weights = [[1.0] if len(block) == 1 else [w[x] for x in block] for block in blocks]
    picks = zip(product(*blocks), product(*weights), strict=True)
    return sum(recognised(P, pick, i) * prod(v) for pick, v in picks) / prod(sum(v) for v in weights)


def pdi_of_class_components(y, P, w, i):
    others = [[z for z in range(len(y)) if y[z] != y[x]] for x in range(len(y))]
    return [pdi_of_class(y, P, w, i, [x, *rest]) for x, rest in enumerate(others)]


def pdi(y, P, w):
    return sum(pdi_of_class(y, P, w, i) for i in range(len(P[0]))) / len(P[0])


def pdi_components(y, P, w):
    by_class = [pdi_of_class_components(y, P, w, i) for i in range(len(P[0]))]
    return [sum(of_case) / len(of_case) for of_case in zip(*by_class, strict=True)]


# Decisions by a rule, and what they tell -------------------------------------------------------------------------


def mossman_decision(p, alpha, beta):
    if p[2] >= alpha:
        return 2
    return 0 if p[1] - p[0] <= beta else 1


def information_gain(R, priors):
    """Mutual information of class and decision, in bits; R[i][j] = P(decision j | class i)."""
    c = len(R)
    gain = 0.0
    for i, j in product(range(c), range(c)):
        called = sum(priors[k] * R[k][j] for k in range(c))
        if priors[i] * R[i][j] > 0:
            gain += priors[i] * R[i][j] * log2(R[i][j] / called)
    return gain


# Conversions between one probability per class and one score -----------------------------------------------------


def sampat_score(row):
    """k - 0.5 + p_k, k the class of the largest probability; the mean of these where several share it."""
    values = [k + 0.5 + p for k, p in enumerate(row) if p == max(row)]
    return sum(values) / len(values)


def expected_class(row):
    return sum((k + 1) * p for k, p in enumerate(row)) / sum(row)


def normal_probabilities(y, s, w, priors, x):
    """The probability of each class at score x: priors times normal densities, by Bayes' rule.

    All densities are divided by the largest: of classes that are narrow and far away they may all be 0 otherwise.
    """
    logs = []
    for k, prior in enumerate(priors):
        cases = members(y, k)
        centre = mean([s[i] for i in cases], [w[i] for i in cases])
        variance = mean([(s[i] - centre) ** 2 for i in cases], [w[i] for i in cases])
        logs.append(log(prior) - (x - centre) ** 2 / (2 * variance) - log(2 * pi * variance) / 2)
    likely = [exp(logarithm - max(logs)) for logarithm in logs]
    return [p / sum(likely) for p in likely]


# Three classes, one case of each: Mossman's and Sahiner's volumes ------------------------------------------------


def mean_outcome(y, w, outcome, cases=None):
    """The mean of outcome(x0, x1, x2) over the triples of some cases, one per class; a single one counts fully."""
    blocks = [[x for x in (cases or range(len(y))) if y[x] == k] for k in range(3)]
    weights = [[1.0] if len(block) == 1 else [w[x] for x in block] for block in blocks]
    picks = zip(product(*blocks), product(*weights), strict=True)
    return sum(outcome(*pick) * prod(v) for pick, v in picks) / prod(sum(v) for v in weights)


def mean_outcomes(y, w, outcome):
    """The same of the triples that contain a case, for each case."""
    return [mean_outcome(y, w, outcome, [x, *(z for z in range(len(y)) if y[z] != y[x])]) for x in range(len(y))]


def three_way(P):
    """Class 0 below class 1 along d = p1 - p0, and class 2 highest in p2; ties shared."""

    def outcome(x, z, top):
        d, e = P[x][1] - P[x][0], P[z][1] - P[z][0]
        rises = 0.5 if abs(d - e) <= 1e-12 else float(d < e)
        p = [P[i][2] for i in (x, z, top)]
        return rises * (p[2] == max(p)) / p.count(max(p))

    return outcome


def mossman(y, P, w):
    return mean_outcome(y, w, three_way(P))


def mossman_components(y, P, w):
    return mean_outcomes(y, w, three_way(P))


NEARLY_ZERO, NEARLY_ONE = Fraction(1, 2**20000), Fraction(1, 10**9)


def order(a, b):
    """1 if a is larger, -1 if b is, 0 if they are equal but for a share of 1e-9; exact, as they are fractions."""
    return 0 if abs(a - b) <= NEARLY_ONE * max(abs(a), abs(b)) else 1 if a > b else -1


def surface(P, malignant):
    """Outcomes of a triple for the area of Sahiner's domain, and for the volume under his surface."""
    M, B, N = malignant, *(k for k in range(3) if k != malignant)
    exact = [[Fraction(p) if p > 0 else NEARLY_ZERO for p in map(float, row)] for row in P]
    r, s = [row[B] / row[M] for row in exact], [row[N] / row[M] for row in exact]

    def sign(*pick):
        b, n = pick[B], pick[N]
        return (order(r[b], r[n]) + order(s[n], s[b])) / 2

    def signed_share(*pick):
        """The sign, if alpha r + beta s <= 1 for the case of M, with equality for those of B and N."""
        m, b, n = pick[M], pick[B], pick[N]
        for corner in (b, n):  # level with an end of a falling line, or straight above or below, is not on it
            right, up = order(r[m], r[corner]), order(s[m], s[corner])
            if abs(sign(*pick)) == 1 and (right == 0) != (up == 0):
                return sign(*pick) * (right + up < 0)
        by_r = abs(order(s[n], s[b]) * order(r[m], r[b])) * (s[n] - s[b]) * (r[m] - r[b])
        by_s = abs(order(r[b], r[n]) * order(s[m], s[b])) * (r[b] - r[n]) * (s[m] - s[b])
        beyond = order(by_r, -by_s) * order(sign(*pick), 0)
        return sign(*pick) * (1 - beyond) / 2

    return sign, cache(signed_share)


def sahiner(y, P, w, malignant):
    area, volume = (mean_outcome(y, w, outcome) for outcome in surface(P, malignant))
    return volume / area


def sahiner_components(y, P, w, malignant):
    """Linearised, so that they say how the ratio moves."""
    sign, signed_share = surface(P, malignant)
    area, height = mean_outcome(y, w, sign), sahiner(y, P, w, malignant)
    both = zip(mean_outcomes(y, w, signed_share), mean_outcomes(y, w, sign), strict=True)
    return [height + (volume - height * domain) / area for volume, domain in both]


# The best assignment of one case per class ----------------------------------------------------------------------


def scored(P, scoring):
    """The scores of each case for each class, and within what their sums are equal: 8 c^2 ulps of the largest."""
    if scoring == "log":
        S = [[log(p) if p > 0 else -inf for p in row] for row in P]
    elif scoring == "linear":
        S = [list(row) for row in P]
    else:
        S = [[-sqrt(sum((p - (i == j)) ** 2 for j, p in enumerate(row))) for i in range(len(row))] for row in P]
    size = max([abs(s) for row in S for s in row if s > -inf] + [1.0 if scoring == "log" else 1e-290])
    return S, 8 * len(P[0]) ** 2 * 2.0**-52 * size


def right_assignment(tolerance):
    """What a tuple of rows is worth: 1 / (number of best assignments) if to each its own class is one, else 0."""

    def worth(rows):
        sums = [sum(row[i] for row, i in zip(rows, a, strict=True)) for a in permutations(range(len(rows)))]
        right, *others = sums
        if right == -inf:
            return 0.0 if max(others) > -inf else 1.0 / (1 + len(others))
        if max(others) > right + tolerance:
            return 0.0
        return 1.0 / (1 + sum(other >= right - tolerance for other in others))

    return worth


def he(y, P, w, scoring="log"):
    S, tolerance = scored(P, scoring)
    return vus(y, S, w, right_assignment(tolerance))


def he_components(y, P, w, scoring="log"):
    S, tolerance = scored(P, scoring)
    return vus_components(y, S, w, right_assignment(tolerance))


def right_block(S, blocks, w, tolerance):
    """Of three blocks of cases (-1: none), the mean worth of the triples whose right sum is finite, and by case.

    By class the cases that have a finite score for it.
    """
    worth, of_triples = right_assignment(tolerance), {}
    blocks = [[x for x in block if x >= 0] for block in blocks]
    totals = [sum(w[x] for x in block) for block in blocks]
    for pick in product(*blocks):
        if all(S[x][k] > -inf for k, x in enumerate(pick)):
            of_triples[pick] = worth([S[x] for x in pick])
    value = sum(
        v * prod(w[x] / total for x, total in zip(pick, totals, strict=True)) for pick, v in of_triples.items()
    )
    components = [dict.fromkeys(block, 0.0) for block in blocks]
    for pick, v in of_triples.items():
        for k, x in enumerate(pick):
            components[k][x] += v * prod(w[z] / totals[i] for i, z in enumerate(pick) if i != k)
    return value, components


# Curves: two classes, class 1 positive --------------------------------------------------------------------------


def height(points, u):
    """The highest point of a curve at a false positive rate; straight between its points."""
    level = [t for v, t in points if v == u]
    if level:
        return max(level)
    (u0, t0), (u1, t1) = next((p, q) for p, q in pairwise(points) if p[0] < u < q[0])
    return t0 + (t1 - t0) * (u - u0) / (u1 - u0)


def hull_height(points, u):
    """The highest point at a rate that lots between two operating points can reach."""
    best = max(t for v, t in points if v <= u)
    for (u0, t0), (u1, t1) in product(points, points):
        if u0 <= u <= u1 and u0 < u1:
            best = max(best, t0 + (t1 - t0) * (u - u0) / (u1 - u0))
    return best


def average_precision(y, s, w):
    value, before = 0.0, 0.0
    share = total(y, w, 1) / sum(w)
    for fpr, tpr in roc_points(y, s, w)[1:]:
        if tpr > before:
            value += (tpr - before) * share * tpr / (share * tpr + (1 - share) * fpr)
            before = tpr
    return value


def least_cost(points, p):
    return min(p * (1 - tpr) + (1 - p) * fpr for fpr, tpr in points)


def cost_area(y, s, w):
    """The integral of the least cost over p: it is straight between places where two cost lines cross."""
    points = roc_points(y, s, w)
    crossings = {0.0, 1.0}
    for (u0, t0), (u1, t1) in product(points, points):
        if u1 - u0 + t1 - t0 > 0:
            crossings.add((u1 - u0) / (u1 - u0 + t1 - t0))
    return sum(
        (b - a) * (least_cost(points, a) + least_cost(points, b)) / 2 for a, b in pairwise(sorted(crossings))
    )


def normal(z):
    return 0.5 * erfc(-z / sqrt(2))


def binormal_log_likelihood(negatives, positives, a, b, cuts):
    """Counts by rising category; negatives N(0, 1), P(positive <= c) = Phi(b c - a)."""
    edges = [-inf, *cuts, inf]
    value = 0.0
    for n, m, (low, high) in zip(negatives, positives, pairwise(edges), strict=True):
        value += n * log(normal(high) - normal(low)) if n else 0.0
        value += m * log(normal(b * high - a) - normal(b * low - a)) if m else 0.0
    return value


# Operating points ------------------------------------------------------------------------------------------------


def cost_decision(p, L):
    """The decision of least cost; the first of several."""
    risks = [sum(L[k][j] * p[k] for k in range(len(p))) for j in range(len(p))]
    return min(range(len(p)), key=lambda j: (risks[j] > min(risks) * (1 + 1e-12), j))


def expected_loss(R, costs, priors):
    c = len(R)
    return sum(priors[k] * costs[k][m] * R[k][m] for k in range(c) for m in range(c))


def threshold_rates(y, s, w):
    """By threshold (none called positive, then every score): the confusion rates; class 1 is positive."""
    by_key = {}
    for t in [float("inf"), *sorted({x for x, v in zip(s, w, strict=True) if v > 0}, reverse=True)]:
        tp, fn, fp, tn = table(y, s, w, t)
        by_key[t] = [[tn / (tn + fp), fp / (tn + fp)], [fn / (tp + fn), tp / (tp + fn)]]
    return by_key


def cut_rates(y, s, w, cuts):
    """The confusion rates of cut-points: class j is decided from cut j - 1 on, up to cut j."""
    c = len(cuts) + 1
    R = [[0.0] * c for _ in range(c)]
    for k, x, v in zip(y, s, w, strict=True):
        R[k][sum(x >= t for t in cuts)] += v / total(y, w, k)
    return R


def all_cut_rates(y, s, w, c):
    """By cut-points (scores of positive weight, or infinity; not falling): their confusion rates."""
    thresholds = [*sorted({x for x, v in zip(s, w, strict=True) if v > 0}), float("inf")]
    return {cuts: cut_rates(y, s, w, cuts) for cuts in combinations_with_replacement(thresholds, c - 1)}


def net_benefit(y, p, w, t):
    """True positives less false alarms at the odds of the threshold, per case."""
    tp, _, fp, _ = table(y, p, w, t)
    return (tp - fp * t / (1 - t)) / sum(w)


# Measure against measure: ranked lists, and pairs of them --------------------------------------------------------


def pair_counts(values):
    """Pairs of outputs with values (f, g): agree, disagree, only f differs, only g differs, neither does."""
    counts = [0, 0, 0, 0, 0]
    for (f1, g1), (f2, g2) in combinations(values, 2):
        if f1 != f2 and g1 != g2:
            counts[0 if (f1 > f2) == (g1 > g2) else 1] += 1
        else:
            counts[2 if f1 != f2 else 3 if g1 != g2 else 4] += 1
    return counts


def ranked_lists(sizes, ties=False):
    """Every list, once: scores by case, cases grouped by class; with ties any scores without a gap below them."""
    n = sum(sizes)
    y = [k for k, size in enumerate(sizes) for _ in range(size)]
    scores = product(range(n), repeat=n) if ties else permutations(range(n))
    lists = set()
    for s in scores:
        if set(s) == set(range(max(s) + 1)):
            lists.add(tuple(v for k in range(len(sizes)) for v in sorted(s[x] for x in members(y, k))))
    return y, sorted(lists)


def calls(s, cuts):
    """For each case the chance of being called each class, over all ways to break ties; the lowest are 0."""
    n = len(s)
    called = [m for m, size in enumerate(cuts) for _ in range(size)]
    orders = [order for order in permutations(range(n)) if all(s[a] <= s[b] for a, b in pairwise(order))]
    shares = [[0.0] * len(cuts) for _ in range(n)]
    for order in orders:
        for place, x in enumerate(order):
            shares[x][called[place]] += 1 / len(orders)
    return shares


# Fronts of error rates -------------------------------------------------------------------------------------------


def dominates(a, b):
    return all(x <= y for x, y in zip(a, b, strict=True)) and any(x < y for x, y in zip(a, b, strict=True))


def non_dominated(vectors):
    """Each vector that none of the others dominates, once."""
    distinct = {tuple(v) for v in vectors}
    return {v for v in distinct if not any(dominates(other, v) for other in distinct)}


def least_cost_decision(p, costs):
    """The decision of least expected cost; risks within rounding of the least tie, and the first of them wins."""
    c = len(p)
    risks = []
    for j in range(c):
        risk = 0.0
        for k in range(c):
            risk += p[k] * costs[k][j]
        risks.append(risk)
    least = min(risks)
    return next(j for j in range(c) if risks[j] <= least + 1e-12 * abs(least))


def decision_counts(y, P, costs, w):
    """At [k][j], the weight of the cases of class k given to j."""
    c = len(costs)
    counts = [[0] * c for _ in range(c)]
    for k, p, weight in zip(y, P, w, strict=True):
        counts[k][least_cost_decision(p, costs)] += weight
    return counts


def dominated_share(fronts, points):
    """The share of the points that the first front dominates or holds, and none of the others."""
    hits = 0
    for x in points:
        below = [any(all(a <= b for a, b in zip(m, x, strict=True)) for m in front) for front in fronts]
        hits += below[0] and not any(below[1:])
    return hits / len(points)


def box_share(corner, classes):
    """The share of {x in [0, 1]^D : sum x <= Q - 1} above a corner, in whole fractions, over all 2^D sets."""

    def above(corner):
        D, total = len(corner), Fraction(0)
        for chosen in product((0, 1), repeat=D):
            left = classes - 1 - sum(1 if s else c for s, c in zip(chosen, corner, strict=True))
            total += (-1) ** sum(chosen) * max(left, Fraction(0)) ** D
        return total

    return above([Fraction(c) for c in corner]) / above([Fraction(0)] * len(corner))


def union_share(members, classes):
    """The same for what several points dominate, by inclusion and exclusion over all sets of them."""
    total = Fraction(0)
    for size in range(1, len(members) + 1):
        for chosen in combinations(members, size):
            total -= (-1) ** size * box_share([max(column) for column in zip(*chosen, strict=True)], classes)
    return total


def grid_staircase_share(members, cells):
    """Two classes, rates that are whole numbers of cells: the dominated cells of the triangle, counted."""
    area = Fraction(0)
    for i in range(cells):
        for j in range(cells - i):
            if any(a <= i and b <= j for a, b in members):
                area += Fraction(1, 2) if i + j == cells - 1 else 1
    return area / Fraction(cells**2, 2)


# Choosing a point of a front


def cheapest_point(counts, costs, limits):
    """The place of the cheapest table within the limits; ties: least sum of error rates, then the first.

    Costs are whole numbers and so are the counts; None if no table keeps the limits.
    """
    best, place = None, None
    for i, table in enumerate(counts):
        totals = [sum(row) for row in table]
        beyond = [
            (Fraction(table[k][m], totals[k]) - Fraction(share).limit_denominator(1000)) * (-1 if k == m else 1)
            for (k, m), share in limits.items()
        ]
        if any(excess > 0 for excess in beyond):
            continue
        cells = [(k, m) for k in range(len(table)) for m in range(len(table)) if k != m]
        cost = sum(costs[k][m] * table[k][m] for k, m in cells)
        errors = sum(Fraction(table[k][m], totals[k]) for k, m in cells)
        if best is None or (cost, errors) < best:
            best, place = (cost, errors), i
    return place


# Summaries of studies: folds x learners, data sets x learners --------------------------------------------------


def two_way_anova(y):
    """Sums of squares of learners, folds and error, from every single term; a row for each fold."""
    r, c = len(y), len(y[0])
    grand = sum(map(sum, y)) / (r * c)
    learner = [sum(row[j] for row in y) / r for j in range(c)]
    fold = [sum(row) / c for row in y]
    learners = sum((learner[j] - grand) ** 2 for _ in range(r) for j in range(c))
    folds = sum((fold[i] - grand) ** 2 for i in range(r) for _ in range(c))
    total = sum((y[i][j] - grand) ** 2 for i in range(r) for j in range(c))
    return learners, folds, total - learners - folds


def homogeneous_ranges(means, critical):
    """Duncan's procedure as he words it: means in order, critical[p] for a range of p of them; widest range first.

    A range that is not significant is underlined, and nothing inside it is tested.
    """
    underlined = []
    for p in range(len(means), 0, -1):
        for start in range(len(means) - p + 1):
            inside = any(a <= start and start + p <= b for a, b in underlined)
            if not inside and (p == 1 or abs(means[start] - means[start + p - 1]) <= critical[p]):
                underlined.append((start, start + p))
    return sorted(underlined)


def friedman(rows):
    """Mean ranks, the smallest value first, and the chi-square with the correction for ties, run by run."""
    n, k = len(rows), len(rows[0])
    ranks = [[1 + sum(psi(a, b) for b in row) - 0.5 for a in row] for row in rows]
    mean_ranks = [sum(row[j] for row in ranks) / n for j in range(k)]
    plain = 12 * n / (k * (k + 1)) * (sum(R**2 for R in mean_ranks) - k * (k + 1) ** 2 / 4)
    runs = [len(list(run)) for row in rows for _, run in groupby(sorted(row))]
    ties = 1 - sum(t**3 - t for t in runs) / (n * (k**3 - k))
    return mean_ranks, plain, ties


def signed_rank(differences):
    """The sum of the ranks of positive differences, and its two-sided p-value over every assignment of signs."""
    d = [difference for difference in differences if difference != 0]
    ranks = [0.5 + sum(psi(abs(a), abs(b)) for b in d) for a in d]
    observed = sum(rank for rank, difference in zip(ranks, d, strict=True) if difference > 0)
    middle = sum(ranks) / 2
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(d))
    ]
    return observed, sum(abs(total - middle) >= abs(observed - middle) for total in sums) / len(sums)


def corrected_t(a, b, train, test):
    """Nadeau & Bengio's t of paired values."""
    d = [x - y for x, y in zip(a, b, strict=True)]
    n = len(d)
    centre = sum(d) / n
    variance = sum((difference - centre) ** 2 for difference in d) / (n - 1)
    return centre / sqrt((1 / n + test / train) * variance)


def signed_rank_shares(differences, weights, rope):
    """Shares of pairs of data sets whose mean difference is above, within, below; weights begin with the prior."""
    above = below = 0.0
    z = [0.0, *differences]
    for x, u in zip(z, weights, strict=True):
        for y, v in zip(z, weights, strict=True):
            above += u * v * psi((x + y) / 2, rope)
            below += u * v * psi(-(x + y) / 2, rope)
    return above, 1 - above - below, below


# Fronts that are searched: objectives, posteriors of the families


def false_positives(tables, sizes, whole):
    """For each class the shares of the others that are called so, in parts of a common multiple of the sizes."""
    values = []
    for table in tables:
        c = len(table)
        values.append(tuple(sum(table[j][k] * (whole // sizes[j]) for j in range(c) if j != k) for k in range(c)))
    return values


def neighbour_posteriors(x, cases, codes, classes, k, beta):
    """exp(beta m_j / k) over the sum, m_j of the k nearest cases being of class j; the earlier of equals."""
    distance = [sum((a - b) ** 2 for a, b in zip(x, case, strict=True)) for case in cases]
    nearest = sorted(range(len(cases)), key=lambda i: (distance[i], i))[:k]
    votes = [sum(codes[i] == j for i in nearest) for j in range(classes)]
    weights = [exp(beta * m / k) for m in votes]
    return [w / sum(weights) for w in weights]


def logistic_posteriors(x, parameters):
    """exp(a_j + b_j x) over the sum; parameters: a list of (a_j, b_j1, b_j2 ...)."""
    weights = [exp(row[0] + sum(b * v for b, v in zip(row[1:], x, strict=True))) for row in parameters]
    return [w / sum(weights) for w in weights]


def rule_exists(P, decisions):
    """Whether some costs L >= 0 decide so: argmin over j of sum over k of L[k][j] p_k, the first if they tie."""
    c = len(P[0])
    cells = [(k, j) for k in range(c) for j in range(c) if k != j]
    less, strict = [], []
    for p, j in zip(P, decisions, strict=True):
        for m in range(c):
            if m != j:  # risk_j - risk_m <= 0, < 0 if m comes first
                less.append([p[k] * (col == j) - p[k] * (col == m) for k, col in cells])
                strict.append(float(m < j))
    margin = [[*row, s] for row, s in zip(less, strict, strict=True)]
    result = linprog([0] * len(cells) + [-1], A_ub=margin, b_ub=[0] * len(margin), bounds=(0, 1))
    return not any(strict) or -result.fun > 1e-7


def least_rule_cost(y, P, w, costs, priors, limits=None):
    """The least expected cost of any rule within limits: all decisions of the cases, cheapest first.

    A limit of an error is the largest rate, of a right decision (k, k) the least.
    """
    kept = [i for i in range(len(y)) if w[i] > 0]
    c = len(costs)
    share = {i: w[i] / total(y, w, y[i]) for i in kept}

    def cost(decisions):
        return sum(share[i] * priors[y[i]] * costs[y[i]][j] for i, j in zip(kept, decisions, strict=True))

    def allowed(decisions):
        for (k, m), limit in (limits or {}).items():
            rate = sum(share[i] for i, j in zip(kept, decisions, strict=True) if y[i] == k and j == m)
            if (rate < limit - 1e-12) if k == m else (rate > limit + 1e-12):
                return False
        return True

    for decisions in sorted(product(range(c), repeat=len(kept)), key=cost):
        if allowed(decisions) and rule_exists([P[i] for i in kept], decisions):
            return cost(decisions)
    return inf


# Cross-validated predictions ------------------------------------------------------------------------------------


def cross_validated_auc(y, s, w, fold, repeat, unit):
    """The mean area over the folds of each repeat, then over repeats; and its variance from influence values.

    The influence of a row is that within its fold, divided by the number of folds and of repeats; a unit (case or
    group) has the sum of those of its rows. Components of a class are centred within folds, with one degree of
    freedom less per fold; at the class's mean of all folds if it has fewer than two units per fold on average.
    With repeats, half the number of folds times the variance of the values of the repeats is added.
    """
    repeats = sorted(set(repeat))
    blocks = sorted(set(zip(repeat, fold, strict=True)))
    shares = {b: 1 / len(repeats) / sum(other[0] == b[0] for other in blocks) for b in blocks}
    rows = {b: [i for i in range(len(y)) if (repeat[i], fold[i]) == b] for b in blocks}
    value, component, by_repeat = 0.0, {}, dict.fromkeys(repeats, 0.0)
    for b in blocks:
        own = [[data[i] for i in rows[b]] for data in (y, s, w)]
        value += shares[b] * auc(*own)
        by_repeat[b[0]] += shares[b] * len(repeats) * auc(*own)
        component.update(zip(rows[b], auc_components(*own), strict=True))
    influence = dict.fromkeys(unit, 0.0)
    for k in (0, 1):
        cases = {b: [i for i in rows[b] if y[i] == k] for b in blocks}
        units = {b: len({unit[i] for i in cases[b] if w[i] > 0}) for b in blocks}
        m, distinct = sum(units.values()), len({unit[i] for b in blocks for i in cases[b] if w[i] > 0})
        within = m >= 2 * len(blocks)
        factor = m / (m - len(blocks)) if within else distinct / (distinct - 1)
        means = {b: mean([component[i] for i in cases[b]], [w[i] for i in cases[b]]) for b in blocks}
        for b in blocks:
            centre = means[b] if within else sum(shares[other] * means[other] for other in blocks)
            for i in cases[b]:
                total_weight = sum(w[j] for j in cases[b])
                influence[unit[i]] += sqrt(factor) * shares[b] * w[i] * (component[i] - centre) / total_weight
    variance = sum(v * v for v in influence.values())
    if len(repeats) > 1:
        between = sum((v - value) ** 2 for v in by_repeat.values()) / (len(repeats) - 1)
        variance += len(blocks) / len(repeats) / 2 * between
    return value, variance


def cvauc_variance(y, s, fold, ids):
    """The variance of ci.cvAUC and ci.pooled.cvAUC (cvAUC 1.1.3): ids are in one fold each, ties count 0."""
    n, n_ids = len(y), len(set(ids))
    by_fold = []
    for v in set(fold):
        rows = [i for i in range(n) if fold[i] == v]
        area = auc([y[i] for i in rows], [s[i] for i in rows], [1] * len(rows))
        influence = {ids[i]: 0.0 for i in rows}
        for i in rows:
            others = [j for j in rows if y[j] != y[i]]
            right = sum(s[i] > s[j] if y[i] else s[i] < s[j] for j in others) / len(others)
            influence[ids[i]] += n / sum(k == y[i] for k in y) * (right - area) * n_ids / n
        by_fold.append(sum(v * v for v in influence.values()) / len(influence))
    return sum(by_fold) / len(by_fold) / n_ids


# Tests of whole ROC curves ---------------------------------------------------------------------------------------


def curve_errors_paired(y, first, second):
    """Venkatraman & Begg's E: over all k, the difference in errors if the k lowest cases are called negative."""

    def share_below(scores, i, k):
        """How much of case i is among the k lowest, a tie being shared."""
        low, tied = sum(s < scores[i] for s in scores), sum(s == scores[i] for s in scores)
        return min(max((k - low) / tied, 0.0), 1.0)

    def errors(scores, k):
        called_negative = [share_below(scores, i, k) for i in range(len(y))]
        return sum(share if positive else 1 - share for positive, share in zip(y, called_negative, strict=True))

    return sum(abs(errors(first, k) - errors(second, k)) for k in range(1, len(y) + 1))


def curve_errors_weighted(y, first, second, weight):
    """The area between two curves of weighted errors, over the weight called negative; in units of the mean."""
    mean = sum(weight) / len(weight)

    def excess(scores, u):
        """Positives minus negatives by weight, among the lowest cases that have the weight u; a tie is shared."""
        total = 0.0
        for t in sorted(set(scores)):
            tied = [i for i in range(len(y)) if scores[i] == t]
            size = sum(weight[i] for i in tied) / mean
            share = min(max(u / size, 0.0), 1.0)
            total += share * sum(weight[i] if y[i] else -weight[i] for i in tied) / mean
            u -= size
        return total

    def corners(scores):
        return {sum(w for w, s in zip(weight, scores, strict=True) if s <= t) / mean for t in scores}

    ends, area = sorted({0.0} | corners(first) | corners(second)), 0.0
    for start, end in pairwise(ends):  # the difference is linear from corner to corner
        a, b = (excess(first, u) - excess(second, u) for u in (start, end))
        crossing = start + (end - start) * a / (a - b) if a * b < 0 else start
        area += abs(a) * (crossing - start) / 2 + abs(b) * (end - crossing) / 2
        area += abs(a) * (end - start) / 2 if a * b >= 0 else 0.0
    return area


def curve_errors_unpaired(samples, cuts=20_000):
    """The area between two curves of errors, by a fine grid; each sample is (classes, scores)."""
    kappa = sum(sum(y) for y, _ in samples) / sum(len(y) for y, _ in samples)

    def function(y, scores):
        """Points (kappa F + (1 - kappa) G, kappa F + (1 - kappa) (1 - G)) at every distinct score."""
        points = [(0.0, 1 - kappa)]
        for t in sorted(set(scores)):
            f = sum(s <= t for s, k in zip(scores, y, strict=True) if k) / sum(y)
            g = sum(s <= t for s, k in zip(scores, y, strict=True) if not k) / (len(y) - sum(y))
            points.append((kappa * f + (1 - kappa) * g, kappa * f + (1 - kappa) * (1 - g)))
        return points

    def height(points, x):
        i = max(j for j in range(len(points) - 1) if points[j][0] <= x)
        (x0, e0), (x1, e1) = points[i], points[i + 1]
        return e0 + (e1 - e0) * (x - x0) / (x1 - x0)

    one, two = (function(y, scores) for y, scores in samples)
    middles = [(i + 0.5) / cuts for i in range(cuts)]
    return sum(abs(height(one, x) - height(two, x)) for x in middles) / cuts


def reader_mean_squares(values):
    """MS(modality), MS(reader), MS(modality x reader) of a table values[modality][reader], from the definition."""
    t, r = len(values), len(values[0])
    grand = sum(map(sum, values)) / (t * r)
    rows = [sum(row) / r for row in values]
    columns = [sum(row[j] for row in values) / t for j in range(r)]
    rest = [values[i][j] - rows[i] - columns[j] + grand for i in range(t) for j in range(r)]
    return (
        r * sum((row - grand) ** 2 for row in rows) / (t - 1),
        t * sum((column - grand) ** 2 for column in columns) / (r - 1),
        sum(one**2 for one in rest) / ((t - 1) * (r - 1)),
    )


def reader_error_covariances(covariance):
    """The mean variance and Cov1, Cov2, Cov3 of a table covariance[i][j][k][l] of modalities and readers."""
    t, r = len(covariance), len(covariance[0])
    sums = {"variance": [], "cov1": [], "cov2": [], "cov3": []}
    for i, j, k, m in product(range(t), range(r), range(t), range(r)):
        name = {(True, True): "variance", (False, True): "cov1", (True, False): "cov2"}.get(
            (i == k, j == m), "cov3"
        )
        sums[name].append(covariance[i][j][k][m])
    return {name: sum(own) / len(own) for name, own in sums.items()}


def corp_terms(y, p, w, loss):
    """Miscalibration, discrimination and uncertainty of a loss of an outcome and a probability."""
    values = sorted(set(p))
    own = [[x for x in range(len(p)) if p[x] == value] for value in values]
    totals = [sum(w[x] * y[x] for x in cases) for cases in own]
    weights = [sum(w[x] for x in cases) for cases in own]
    fitted = dict(zip(values, isotonic(totals, weights), strict=True))
    share = mean(y, w)
    before, after, constant = (
        mean([loss(k, q) for k, q in zip(y, forecast, strict=True)], w)
        for forecast in (p, [fitted[q] for q in p], [share] * len(y))
    )
    return before - after, constant - after, constant


def squared_calibration_error(y, p, w, bins):
    """The mean over bins, by their weight, of the mean product of the residuals of two different cases."""
    total = weight = 0.0
    for own in sorted(set(bins)):
        cases = [x for x in range(len(p)) if bins[x] == own]
        pairs = [(i, j) for i in cases for j in cases if i != j]
        if not pairs:
            continue
        products = sum(w[i] * w[j] * (y[i] - p[i]) * (y[j] - p[j]) for i, j in pairs)
        size = sum(w[x] for x in cases)
        total += size * products / sum(w[i] * w[j] for i, j in pairs)
        weight += size
    return total / weight


def kernel_calibration_error(y, rows, w, width):
    """The mean over pairs of cases of the kernel of their rows times the product of their residuals."""
    total = weight = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if i != j:
                first, second = ([(y[x] == k) - q for k, q in enumerate(rows[x])] for x in (i, j))
                distance = sum((a - b) ** 2 for a, b in zip(rows[i], rows[j], strict=True)) ** 0.5
                product = sum(a * b for a, b in zip(first, second, strict=True))
                total += w[i] * w[j] * product * exp(-distance / width)
                weight += w[i] * w[j]
    return total / weight
