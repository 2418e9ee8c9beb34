"""Doubts about valid predictions: columns in another order than the classes, codes among probabilities.

Nothing is changed: a doubt is a note (`Scores.notes`), which says what seems to be the case and what to do.
"""

from collections.abc import Iterable, Iterator
from math import lgamma, sqrt
from typing import Any

import numpy as np

from polyroc.errors import PolyrocWarning, SuspectInputWarning, warn
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.messages import Message, Option, short_repr
from polyroc.scores import Scores

__all__ = ["ROUNDING", "SUM_TOLERANCE", "noted", "with_doubts"]

ROUNDING = 1e-9  # by which probabilities may leave [0, 1]: a softmax may end an ulp or two outside
SUM_TOLERANCE = 0.01  # probabilities written with a few decimals may miss a sum of 1 by this much
MOST_CLASSIFIERS = 50  # more are features
MOST_CLASSES = 100  # of more, the areas of all columns take long
CASES = 200  # of each class, which tell the order of the columns
MIN_GAIN = 0.15  # of the mean area: less can be a property of a weak classifier
MIN_CASES = 5  # of each class
MIN_Z = 2.5  # of the gain, beyond what the best of all orders gains by chance
CODE = 2.0  # a score beyond this among probabilities is a code; below minus this too
MOST_ODD = 0.1  # share of the cases; of more, the others are no probabilities either


def noted(scores: Scores, category: type[PolyrocWarning], notes: Iterable[str]) -> Scores:
    """Return the scores with notes about the input, and warn of each."""
    notes = tuple(notes)
    for note in notes:
        warn(note, category)
    return scores._replace(notes=(*scores.notes, *notes)) if notes else scores


def with_doubts(scores: Scores) -> Scores:
    """Return the scores with notes on predictions that do not look as they were meant."""
    if scores.kind == "decisions" or len(scores.values) >= MOST_CLASSIFIERS:
        return scores
    doubts = _doubts_of_scores if scores.kind == "score" else _doubts_of_matrices
    return noted(scores, SuspectInputWarning, doubts(scores))


def _doubts_of_scores(scores: Scores) -> Iterator[Message]:
    """Yield a note for each classifier with a code such as -99 among its probabilities."""
    for name in scores.values:
        values = scores.values[name]
        if values.min() >= -CODE and values.max() <= CODE:
            continue
        odd = (values < 0) | (values > 1)
        if odd.mean() <= MOST_ODD and (np.abs(values[odd]) > CODE).all():
            yield _odd_rows(name, odd, f"a value that is no probability, such as {values[odd][0]:g}")


def _doubts_of_matrices(scores: Scores) -> Iterator[Message]:
    """Yield notes on rows that are no probabilities although most are, and on the order of the columns."""
    for name, values in scores.values.items():
        outside: BoolArray = (values.min(axis=1) < -ROUNDING) | (values.max(axis=1) > 1 + ROUNDING)
        wrong_sum: BoolArray = ~outside & (np.abs(values.sum(axis=1) - 1.0) > SUM_TOLERANCE)
        if 0 < (outside | wrong_sum).mean() <= MOST_ODD:
            wrong_sum[wrong_sum] = _sums_to_other_than_1(values[wrong_sum])
            if outside.any():
                row = values[outside][0]
                value = row[np.argmax(np.abs(row - 0.5))]
                yield _odd_rows(name, outside, f"a value that is no probability, such as {value:g}")
            if wrong_sum.any():
                total = values[wrong_sum][0].sum()
                yield _odd_rows(
                    name, wrong_sum, f"probabilities that do not sum to 1, but for example to {total:g}"
                )
        yield from _doubt_of_order(scores, name, values)


def _sums_to_other_than_1(rows: FloatArray) -> BoolArray:
    """Return True for the rows whose sum differs from 1 by more than the decimals explain that are written."""
    wrong = np.ones(len(rows), dtype=np.bool_)
    for unit in (0.1, 0.01, 0.001):
        rounded = np.all(np.abs(rows / unit - np.rint(rows / unit)) < 1e-6, axis=1)
        wrong &= ~rounded | (np.abs(rows.sum(axis=1) - 1.0) > unit * rows.shape[1] / 2)
    return wrong


def _odd_rows(name: str, odd: BoolArray, what: str) -> Message:
    number = int(odd.sum())
    rows = f"{number} of {len(odd)} cases {'has' if number == 1 else 'have'}"
    return Message(
        f"{name}: {rows} {what}; the others are probabilities. If this stands for a missing value, leave the cell "
        "empty (nan) and use ",
        Option("missing", "drop"),
        "; otherwise correct it.",
    )


def _doubt_of_order(scores: Scores, name: str, values: FloatArray) -> Iterator[Message]:
    """Yield a note if the columns, in another order, separate the classes far better than as they are."""
    c = scores.n_classes
    if c > MOST_CLASSES or scores.counts.min() < MIN_CASES:
        return
    rows = _some_of_each(scores.codes, c)
    codes, ranks = scores.codes[rows], _ranks(values[rows])
    counts = np.bincount(codes, minlength=c)
    own, n = np.arange(c), len(codes)
    sums = np.stack([np.bincount(codes, ranks[:, j], minlength=c) for j in range(c)], axis=1)
    areas = (sums - counts[:, None] ** 2 / 2) / (counts * (n - counts))[:, None]  # of a class against all others
    if (areas.max(axis=1) - areas.diagonal() < MIN_GAIN).all():
        return
    from scipy.optimize import linear_sum_assignment

    best = linear_sum_assignment(-areas)[1]
    moved = best != own
    gain = (areas[own, best] - areas.diagonal())[moved].mean() if moved.any() else 0.0
    gains = (ranks[np.arange(n), best[codes]] - ranks[np.arange(n), codes]) / (n - counts[codes])
    means = np.bincount(codes, gains, minlength=c) / counts
    # The variance is that of all classes, as those of few cases are uncertain, and twice it, as the ranks of the
    # cases of other classes vary too.
    variance = 2 * ((gains - means[codes]) ** 2)[moved[codes]].sum() / max((counts - 1)[moved].sum(), 1)
    error = sqrt(variance * (1 / counts[moved]).sum()) / max(moved.sum(), 1)
    if gain < MIN_GAIN or gain < (MIN_Z + sqrt(2 * lgamma(c + 1))) * error:
        return
    order = [scores.labels[k] for k in np.argsort(best)]
    yield Message(
        f"{name}: the columns seem to be in the order {short_repr(order)} of the classes, not "
        f"{short_repr([*scores.labels])}: in that order the mean area of a class against the others would be "
        f"{areas[own, best].mean():.3f} instead of {areas.diagonal().mean():.3f}. If so, reorder the "
        "columns or correct their names, or give the classes in the order of the columns with ",
        Option("labels", order),
        ".",
    )


def _some_of_each(codes: Any, c: int) -> IntArray:
    """Return the positions of at most `CASES` cases of each class, evenly spread."""
    members = (np.flatnonzero(codes == k) for k in range(c))
    return np.concatenate([own[:: -(-len(own) // CASES)] for own in members])


def _ranks(values: FloatArray) -> FloatArray:
    """Return the numbers of smaller values in each column, of equal ones one half."""
    columns = [(np.sort(column), column) for column in values.T]
    both = [(np.searchsorted(s, x, "left") + np.searchsorted(s, x, "right")) / 2 for s, x in columns]
    return np.stack(both, axis=1)
