"""Metamorphic relations: data are changed so that the answer is known, whatever it was before.

A relation says for every measure why it does not hold, or nothing. `tests/fuzz/test_relations.py` goes through
all of them; `make fuzz` draws tables for minutes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2

import numpy as np

import polyroc as pr
from all_measures import ALL, at_fixed_rate
from fuzz.registry import subject
from fuzz.tables import Answer, Table, compared, table_for

RENAMED = ("n", "a", "z", "c", "m")


@dataclass(frozen=True)
class Pair:
    """Data and measure before and after a change, and what the answer must be.

    Attributes
    ----------
    before, after
        The tables.
    measure
        The measure after the change, if it is another one.
    expected
        From the answer before the change and what else is needed, the answer after it.
    """

    before: Table
    after: Table
    measure: pr.Measure | None = None
    expected: Callable[[Answer], Answer] = lambda answer: answer


@dataclass(frozen=True)
class Relation:
    """A change of data whose effect is known.

    Attributes
    ----------
    law
        What is promised.
    change
        From random numbers, a table and a measure, the pair; None if this table cannot be changed so.
    exception
        Of a measure, the reason why it does not obey; None if it does.
    only_values
        Of a measure, the reason why its standard errors change; None if they obey, too.
    """

    law: str
    change: Callable[[np.random.Generator, Table, pr.Measure], Pair | None]
    exception: Callable[[pr.Measure], str | None]
    only_values: Callable[[pr.Measure], str | None]


RELATIONS: dict[str, Relation] = {}


def no_reason(measure):
    """For relations that every measure obeys."""
    return


def relation(law, exception=no_reason, only_values=no_reason):
    """Register a change."""

    def register(change):
        RELATIONS[change.__name__.replace("_", " ")] = Relation(law, change, exception, only_values)
        return change

    return register


def has_threshold(measure):
    return measure.settings.get("threshold") is not None


# Rows and names


@relation("the order of the cases does not matter")
def reorder_rows(rng, table, measure):
    return Pair(table, table.rows(rng.permutation(len(table.y))))


@relation("the names of the classes do not matter")
def rename_classes(rng, table, measure):
    labels = RENAMED[: table.classes]
    roles = {name: labels[table.labels.index(measure.settings[name])] for name in measure.roles}
    if measure.settings.get("costs"):
        number = table.labels.index
        roles["costs"] = {
            (labels[number(true)], labels[number(decision)]): cost
            for (true, decision), cost in measure.settings["costs"].items()
        }
    return Pair(table, replace(table, labels=labels), measure.with_options(**roles))


@relation(
    "the order of the classes and of their columns does not matter",
    exception=lambda measure: None if measure.symmetric else "a class, or the order of the classes, has a role",
)
def reorder_classes(rng, table, measure):
    old = rng.permutation(table.classes)  # of each new column, the old one
    new = np.argsort(old)
    if table.width == 1 and measure.needs != "ordered":
        return None
    moved = table.each_score(lambda values: values if values.ndim == 1 else values[:, old])
    return Pair(table, replace(moved, y=new[table.y]))


# Weights


def whole_cases(measure):
    """Why standard errors of some measures depend on the size of a case."""
    if measure.key == "partial_auc":
        return "components come of leaving out a case in full"
    return "the window of the slope depends on the number of cases" if at_fixed_rate(measure) else None


def weights_or_ones(table):
    return np.ones(len(table.y)) if table.weights is None else table.weights


@relation("a case is two cases of half its weight in one group", only_values=whole_cases)
def double_with_half_weight(rng, table, measure):
    n = len(table.y)
    grouped = table if table.groups is not None else replace(table, groups=np.arange(n))
    halved = replace(grouped, weights=weights_or_ones(table) / 2)
    return Pair(grouped, halved.rows(rng.permutation(np.repeat(np.arange(n), 2))))


@relation("only ratios of weights matter")
def multiply_weights(rng, table, measure):
    weights = weights_or_ones(table)
    before = replace(table, weights=weights)
    return Pair(before, replace(before, weights=weights * 2.0 ** rng.integers(-20, 20)))


@relation("a case without weight changes nothing")
def add_cases_without_weight(rng, table, measure):
    n, more = len(table.y), int(rng.integers(1, 4))
    weights = weights_or_ones(table)
    before = replace(table, weights=weights)
    after = before.rows(np.concatenate([np.arange(n), rng.integers(0, n, more)]))
    return Pair(before, replace(after, weights=np.concatenate([weights, np.zeros(more)])))


@relation(
    "the value is the mean of the values of parts of all cases, by their weight",
    exception=lambda measure: (
        None
        if measure.mean_over_cases and measure.settings.get("prevalence") is None
        else "it is no mean over all cases, or one with a given prevalence"
    ),
    only_values=lambda _: "standard errors are those of parts",
)
def split_cases(rng, table, measure):
    weights = weights_or_ones(table)
    sides = rng.random(len(table.y)) < 0.5
    for k in range(table.classes):  # both parts need a case of each class
        heavy = np.flatnonzero((table.y == k) & (weights > 0))
        if len(heavy) < 2:
            return None
        sides[heavy[0]], sides[heavy[1]] = False, True
    parts = [replace(table, groups=None).rows(np.flatnonzero(sides == side)) for side in (False, True)]
    shares = [weights[sides == side].sum() / weights.sum() for side in (False, True)]
    return Pair(table, table, expected=lambda answer: mixed(parts, shares, measure, answer))


@relation(
    "the value is the mean of the values with either part of one class, the weight of the class being fixed",
    exception=lambda measure: None if measure.linear else "it is not linear in the distribution of a class",
    only_values=lambda _: "standard errors are those of parts",
)
def split_a_class(rng, table, measure):
    weights = weights_or_ones(table)
    own = rng.permutation(np.flatnonzero((table.y == rng.integers(table.classes)) & (weights > 0)))
    if len(own) < 2:
        return None
    cut = int(rng.integers(1, len(own)))
    parts, shares = [], []
    for gone, left in ((own[:cut], own[cut:]), (own[cut:], own[:cut])):
        scaled = weights.copy()
        scaled[gone] = 0.0
        scaled[left] *= weights[own].sum() / weights[left].sum()
        parts.append(replace(table, weights=scaled, groups=None))
        shares.append(weights[left].sum() / weights[own].sum())
    return Pair(table, table, expected=lambda answer: mixed(parts, shares, measure, answer))


def mixed(parts, shares, measure, answer):
    """The mean of the values of parts; the covariance stays that of the whole."""
    answers = [compared(part, measure) for part in parts]
    if any(part.error for part in answers):
        return answers[0] if answers[0].error else answers[1]
    values = sum(share * part.values for share, part in zip(shares, answers, strict=True))
    return Answer(values, answer.covariance)


# Scores


def rising(rng, values):
    """A rising function of all values."""
    steps = np.unique(values)
    images = np.sort(rng.normal(size=len(steps)) * 10.0 ** rng.integers(-3, 3))
    return images[np.searchsorted(steps, values)] if len(np.unique(images)) == len(steps) else values


@relation(
    "a rising function of the scores changes nothing",
    exception=lambda measure: (
        None if measure.rank_based and not has_threshold(measure) else "the numbers matter, not only their order"
    ),
)
def rising_function(rng, table, measure):
    def change(values):
        if values.ndim == 1 or measure.needs != "columns":  # one scale for all columns
            return rising(rng, values)
        return np.column_stack([rising(rng, column) for column in values.T])

    return Pair(table, table.each_score(change))


@relation(
    "scores and threshold in another unit change nothing",
    exception=lambda measure: (
        None
        if has_threshold(measure) and measure.key != "net_benefit"
        else "it has no threshold, or one of probabilities"
    ),
)
def another_unit(rng, table, measure):
    if max(np.abs(values).max() for values in table.scores.values()) > 1e300:
        return None
    factor = 2.0 ** rng.integers(0, 9)
    other = measure.with_options(threshold=factor * measure.settings["threshold"])
    return Pair(table, table.each_score(lambda values: factor * values), other)


COMPLEMENTS = {
    "auc": lambda answer: answer.line(1.0, -1.0),
    "gini": lambda answer: answer.line(0.0, -1.0),
    "hand_till": lambda answer: answer.line(1.0, -1.0),
    "ova": lambda answer: answer.line(1.0, -1.0),
    "pairwise_accuracy": lambda answer: answer.line(1.0, -1.0),
    "scurfield": lambda answer: answer,  # every order of the classes becomes the reverse one
}


@relation(
    "negated scores have the complement, or the same information",
    exception=lambda measure: (
        None if measure.key in COMPLEMENTS else "it is no mean over pairs, and cuts the scores on one side"
    ),
)
def negate_scores(rng, table, measure):
    return Pair(table, table.each_score(np.negative), expected=COMPLEMENTS[measure.key])


def swapped(measure):
    """The measure that answers the same when scores are negated and two classes, or their order, swapped."""
    options = dict(measure.chosen)
    if measure.key == "partial_auc":
        area = measure.settings
        other, low, high = ("fpr", *area["tpr"]) if area["tpr"] else ("tpr", *area["fpr"])
        return measure.key, {other: (1 - high, 1 - low), "standardised": area["standardised"]}
    names = {"sensitivity": "specificity", "specificity": "sensitivity", "ppv": "npv", "npv": "ppv"}
    if at_fixed_rate(measure):
        fixed = measure.settings
        rate = 1 - fixed["fpr"] if fixed.get("fpr") is not None else fixed.get(names[measure.key])
        return (names[measure.key], {measure.key: rate}) if rate is not None else None
    if options.get("threshold") is not None:
        options["threshold"] = -options["threshold"]
    if options.get("prevalence") is not None:
        options["prevalence"] = 1 - options["prevalence"]
    if options.get("costs"):
        options["costs"] = {(decision, true): cost for (true, decision), cost in options["costs"].items()}
    elif measure.key == "expected_cost":
        costs = measure.settings
        options |= {"false_positive": costs["false_negative"], "false_negative": costs["false_positive"]}
    return names.get(measure.key, measure.key), options


ONE_SIDED = {
    "average_precision": "precision is that of the positive class",
    "net_benefit": "it counts benefits of the positive class",
    "umbrella": "negated, the middle class would be the lowest",
    "he": "negated probabilities are none",
    "mossman": "negated probabilities are none",
    "sahiner": "negated probabilities are none",
    "brier": "negated probabilities are none",
    "brier_skill": "negated probabilities are none",
    "log_loss": "negated probabilities are none",
    "spherical": "negated probabilities are none",
}


@relation(
    "negated scores with the two classes, or their order, swapped have the same answer",
    exception=lambda measure: (
        "negated probabilities are none" if measure.settings.get("rule") == "bayes" else ONE_SIDED.get(measure.key)
    ),
)
def negate_and_swap(rng, table, measure):
    if measure.needs != "ordered" and table.classes > 2:
        return None
    if has_threshold(measure) and any((v == measure.settings["threshold"]).any() for v in table.scores.values()):
        return None  # such a case is positive before and after
    other = swapped(measure)
    if other is None:
        return None
    negated = table.each_score(np.negative)
    return Pair(table, replace(negated, y=table.classes - 1 - table.y), pr.measure(other[0], **other[1]))


# Classifiers and classes


@relation(
    "another classifier changes nothing",
    exception=lambda measure: "a classifier without a domain is an error" if measure.key == "sahiner" else None,
)
def add_a_classifier(rng, table, measure):
    n = len(table.y)
    more = {**table.scores, "more": next(iter(table.scores.values()))[rng.permutation(n)]}
    return Pair(table, replace(table, scores=more), expected=None)


@relation("a classifier and its copy differ by 0, and have one variance")
def copy_a_classifier(rng, table, measure):
    first = next(iter(table.scores.values()))
    both = replace(table, scores={"a": first, "copy": first.copy()})
    return Pair(both, both, expected=twice)


def twice(answer):
    """The first classifier, two times."""
    if answer.error:
        return answer
    return Answer(np.repeat(answer.values[:1], 2), np.full((2, 2), answer.covariance[0, 0]))


def with_a_class(measure, c, share):
    """Intercept and slope of the new value as a function of the old one; share: of the old cases among all."""
    pairs = c * (c - 1) / 2
    more = (c + 1) * c / 2
    return {
        "vus": (0.0, 1.0),
        "scurfield": (log2(c + 1), 1.0),
        "hand_till": (1 - pairs / more, pairs / more),
        "pairwise_accuracy": (1 - pairs / more, pairs / more),
        "pdi": (1 / (c + 1), c / (c + 1)),
        "macro_average": (1 / (c + 1), c / (c + 1)),
        "accuracy": (1 - share, share),
        "spherical": (1 - share, share),
        "log_loss": (0.0, share),
        "brier": (0.0, share * (2.0 if c == 2 else 1.0)),  # of two classes it is half the squared distance
        "he": (0.0, 1.0),
    }.get(measure.key)


@relation(
    "a further class that every classifier separates perfectly has a known effect",
    exception=lambda measure: (
        None
        if with_a_class(measure, 3, 0.5)
        else "it has two classes, or three"
        if measure.classes[1] in (2, 3)
        else "it depends on the shares of the other classes"
    ),
)
def add_a_separated_class(rng, table, measure):
    c, n, more = table.classes, len(table.y), 2 + int(rng.integers(0, 3))
    if c == 5 or table.groups is not None:
        return None
    if measure.needs != "forecast" and table.width > 1 and not all((v > 0).all() for v in table.scores.values()):
        return None  # a zero would tie with the new class
    if measure.estimates_prevalence and table.weights is not None:
        return None  # varying weights make the share of the new class random
    before = replace(table, sampling="case-control")  # the shares of the classes are given
    scores = {name: widened(values, more) for name, values in table.scores.items()}
    weights = None if table.weights is None else np.concatenate([table.weights, np.ones(more)])
    share = n / (n + more) if weights is None else table.weights.sum() / weights.sum()
    after = replace(
        before,
        y=np.concatenate([table.y, np.full(more, c)]),
        scores=scores,
        weights=weights,
        labels=(*table.labels, c if 0 in table.labels else f"class {c}"),
    )
    line = with_a_class(measure, c, share)
    return Pair(before, after, expected=lambda answer: answer.line(*line))


def widened(values, more):
    """Predictions with a class more: highest in its own column, lowest in all others."""
    if values.ndim == 1:
        return np.concatenate([values, np.nextafter(values.max(), np.inf) + np.arange(more)])
    n, c = values.shape
    out = np.zeros((n + more, c + 1))
    out[:n, :c] = values
    out[n:, c] = 1.0
    return out


def check(name, rng, table, measure):
    """True if the data were rejected before and after, False if the relation holds, None if it is not for them."""
    rule = RELATIONS[name]
    if rule.exception(measure):
        return None
    pair = rule.change(rng, table, measure)
    if pair is None:
        return None
    before, after = compared(pair.before, measure), compared(pair.after, pair.measure or measure)
    if pair.expected is None:  # further classifiers come last
        kept = len(pair.before.scores)
        expected = before
        after = after if after.error else Answer(after.values[:kept], after.covariance[:kept, :kept])
    else:
        expected = pair.expected(before)
    errors = rule.only_values(measure) is None
    assert after.near(expected, errors), (
        f"{measure}, {name}: {rule.law}. Before {before}; expected {expected}; got {after}"
    )
    return after.error is not None


@subject(
    "relations of answers",
    f"random tables, changed in {len(RELATIONS)} ways whose effect on the answer is known",
    "values, standard errors and covariances are those that follow",
    "tests/fuzz/test_relations.py",
    share=4.0,
    is_damaged=False,
)
def relations(rng, folder):
    measure = ALL[rng.integers(len(ALL))]
    table = table_for(rng, measure)
    results = [check(name, rng, table, measure) for name in RELATIONS]
    return True in results
