"""Arguments: their names in messages, and checks that several verbs share (levels, margins, names)."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral
from typing import Any, TypeGuard

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray
from polyroc.messages import short_repr

__all__ = [
    "ALPHA_WORDS",
    "LEVEL_WORDS",
    "SAMPLING_WORDS",
    "WEIGHT_WORDS",
    "ArgumentNames",
    "checked_alpha",
    "checked_cv",
    "checked_labels",
    "checked_level",
    "checked_margin",
    "checked_whole",
    "did_you_mean",
    "is_number",
]

LEVEL_WORDS = "between 0 and 1 (0.95 for 95 %)"
ALPHA_WORDS = "between 0 and 1 (0.05 for 5 %)"
SAMPLING_WORDS = "'cohort' (class sizes are random) or 'case-control' (class sizes were fixed in advance)"
WEIGHT_WORDS = "'importance' (how much a case counts) or 'frequency' (how many cases a row stands for)"


@dataclass(frozen=True, slots=True)
class ArgumentNames:
    """The names of the arguments in messages: those of Python, or the columns and rows of a file.

    `row` is empty where rows are not known.
    """

    truth: str = "y_true"
    scores: str = "y_score"
    weight: str = "sample_weight"
    groups: str = "groups"
    folds: str = "folds"
    repeats: str = "repeats"
    by: str = "by"
    row: str = "position"
    first: int = 0

    def of(self, classifier: str, among: int) -> str:
        """The name of one classifier's scores, where there are so many classifiers."""
        return self.scores if among == 1 else f"{self.scores}[{classifier!r}]"

    def where(self, bad: BoolArray) -> str:
        """The first few bad rows, and how many more there are.

        >>> ArgumentNames().where(np.array([False, True, True]))
        'positions 1, 2'
        """
        positions = np.flatnonzero(bad)
        rows = ", ".join(str(i + self.first) for i in positions[:3].tolist())
        more = f" and {len(positions) - 3} more" if len(positions) > 3 else ""
        return f"{self.row}{'s' if len(positions) > 1 else ''} {rows}{more}"


def checked_level(level: float) -> float:
    """The confidence level, which must be between 0 and 1."""
    if not (is_number(level) and 0 < level < 1):
        raise InputError(f"level must be {LEVEL_WORDS}, got {short_repr(level)}.")
    return level


def checked_alpha(alpha: float) -> float:
    """The significance level, which must be between 0 and 1."""
    if not (is_number(alpha) and 0 < alpha < 1):
        raise InputError(f"alpha must be {ALPHA_WORDS}, got {short_repr(alpha)}.")
    return alpha


def checked_margin(margin: float, largest: float, *, zero: bool = False) -> float:
    """The margin of a test: positive, and below the largest possible difference.

    A margin as large as the range of the measure would make every test significant: 5 for 5 percentage points.

    Parameters
    ----------
    margin
        The largest difference that does not matter.
    largest
        The largest possible difference.
    zero
        True if the margin may be 0.
    """
    if not is_number(margin) or not (margin >= 0 if zero else margin > 0):
        expected = "0 or more" if zero else "positive, the largest difference that does not matter"
        raise InputError(f"margin must be {expected}, got {short_repr(margin)}.")
    if margin > 0 and margin >= largest:
        raise InputError(
            f"margin must be below {largest:g}, the largest possible difference, got {margin:g}; 5 percentage "
            "points are 0.05."
        )
    return margin


def checked_whole(value: Any, name: str, low: int, high: int | None = None) -> int:
    """A whole number in a range, of any integer type.

    >>> checked_whole(np.int64(3), "folds", 2)
    3
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        limits = f"from {low} to {high}" if high is not None else f"of {low} or more"
        raise InputError(f"{name} must be a whole number {limits}, got {short_repr(value)}.")
    return int(value)


def checked_labels(labels: Any, name: str = "labels") -> tuple[Hashable, ...]:
    """Two or more different classes."""
    sequence = isinstance(labels, Iterable) and not isinstance(labels, str | bytes | Mapping)
    listed = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels) if sequence else ()
    hashable = all(isinstance(label, Hashable) for label in listed)
    if not hashable or len(listed) < 2 or len(set(listed)) < len(listed):
        raise InputError(f"{name} must be two or more different classes, got {short_repr(labels)}.")
    return listed


def checked_cv(cv: Any, *, prefit: bool = False) -> Any:
    """A number of folds, a splitter of scikit-learn, or pairs of training and test cases; or "prefit"."""
    whole = isinstance(cv, Integral) and not isinstance(cv, bool) and 2 <= cv < 2**31  # type: ignore[operator]
    splitter = hasattr(cv, "split") and hasattr(cv, "get_n_splits")
    pairs = isinstance(cv, list | tuple) and len(cv) > 0 and all(map(_is_pair, cv))
    named = prefit and isinstance(cv, str) and cv == "prefit"
    if not (cv is None or whole or splitter or pairs or named or hasattr(cv, "__next__")):
        words = ", or 'prefit'" if prefit else ""
        raise InputError(
            "cv must be a number of folds (2 or more), a splitter of scikit-learn, or pairs of training and test "
            f"positions{words}, got {short_repr(cv)}."
        )
    return cv


def _is_pair(split: object) -> bool:
    return isinstance(split, list | tuple) and len(split) == 2


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest known one, or all of them if none is near.

    >>> did_you_mean("folds_", ["folds", "repeats"])
    "did you mean 'folds'?"
    >>> did_you_mean("x", ["folds", "repeats"])
    'known: folds, repeats.'
    """
    names = list(known)
    near = get_close_matches(str(name), names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}."


def is_number(value: object) -> TypeGuard[float]:
    """True for an integer or a float, of Python or numpy; numpy's functions take no fractions."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
