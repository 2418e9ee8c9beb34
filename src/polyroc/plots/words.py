"""Words in pictures: the user's names as they are, never read as mathematics, and numbers."""

from math import isnan
from typing import Any

from polyroc.results import ConfidenceInterval

__all__ = ["PLAIN", "between", "capital", "decimals", "percent", "shown"]

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # of every text that may hold a user's name


def shown(name: str, most: int = 28) -> str:
    """A name in at most so many signs, cut in the middle, on one line; what cannot be printed is replaced.

    >>> shown("versicolor"), shown("a name that goes on and on and on", 16)
    ('versicolor', 'a name t…and on')
    """
    signs = " ".join(name.split())
    signs = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in signs)
    if len(signs) <= most:
        return signs
    head = most // 2
    return f"{signs[:head].rstrip()}…{signs[len(signs) - (most - head - 1) :].lstrip()}"


def decimals(value: float, places: int = 3) -> str:
    r"""A number with a real minus sign, none before zero.

    >>> decimals(-0.0261) == "\N{MINUS SIGN}0.026", decimals(-0.0001), decimals(float("nan"))
    (True, '0.000', 'nan')
    """
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


def between(value: float, interval: ConfidenceInterval, places: int = 3) -> str:
    """A value and its interval, as a table has them.

    >>> between(0.9196, ConfidenceInterval(0.882, 0.946))
    '0.920 (0.882 to 0.946)'
    """
    if isnan(value):
        return "undefined"
    if isnan(interval.low) or isnan(interval.high):
        return f"{decimals(value, places)} (no interval)"
    low, high = (decimals(end, places) for end in interval)
    return f"{decimals(value, places)} ({low} to {high})"


def percent(level: float) -> str:
    """A level in words.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:g} %"


def capital(text: str) -> str:
    """With a capital first letter, the rest as it is.

    >>> capital("mean one-versus-all AUC")
    'Mean one-versus-all AUC'
    """
    return text[:1].upper() + text[1:]
