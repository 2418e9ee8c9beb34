"""What the modules that make answers share: numbers with 60 digits, and the record of an item."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

DIGITS = 20  # printed; computed with 60
mpmath.mp.dps = 60

# Fractions longer than this are left out: the digits say what a reader can use.
LONGEST = 60

Number = Fraction | mpmath.mpf


def answer(
    quantity: str, statistic: str, classifiers: Sequence[str], value: Number, **options: str
) -> dict[str, Any]:
    """One item of an answer file."""
    item: dict[str, Any] = {"quantity": quantity, "statistic": statistic, "classifiers": list(classifiers)}
    if options:
        item["options"] = options
    if isinstance(value, Fraction):
        if (
            value.denominator.bit_length() + value.numerator.bit_length() < 4 * LONGEST
            and len(str(value)) <= LONGEST
        ):
            item["fraction"] = str(value)
        value = mpmath.mpf(value.numerator) / value.denominator
    item["value"] = mpmath.nstr(value, DIGITS, min_fixed=-5, max_fixed=5)
    return item


def real(value: Number) -> mpmath.mpf:
    """A number with 60 digits."""
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def rational(value: mpmath.mpf) -> Fraction:
    """The fraction with the same 60 digits."""
    return Fraction(mpmath.nstr(value, 60))


def two_sided(z: mpmath.mpf) -> mpmath.mpf:
    """P(|Z| >= |z|) of the standard normal distribution."""
    return mpmath.erfc(abs(z) / mpmath.sqrt(2))


def chi_square_tail(statistic: Number, df: int) -> mpmath.mpf:
    """P(chi-square >= statistic)."""
    return mpmath.gammainc(mpmath.mpf(df) / 2, real(statistic) / 2, regularized=True)


def f_tail(statistic: Number, df1: int, df2: Number) -> mpmath.mpf:
    """P(F >= statistic); of df1 = 1, that of |t| >= its root."""
    f, second = real(statistic), real(df2)
    return mpmath.betainc(second / 2, mpmath.mpf(df1) / 2, 0, second / (second + df1 * f), regularized=True)
