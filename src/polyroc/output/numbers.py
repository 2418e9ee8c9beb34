"""Numbers as readers see them: values, p-values, percentages, intervals and counts."""

from math import ceil, isnan, log10

__all__ = [
    "DASH",
    "chance_text",
    "count_text",
    "defined",
    "end_texts",
    "estimate_text",
    "estimated_text",
    "interval_text",
    "level_text",
    "number_text",
    "p_number",
    "p_text",
    "percentage",
    "signed_text",
    "unit_of",
]

DASH = "\N{EN DASH}"  # an undefined number in a report
SMALL_CHANCE = 0.001  # of more than six ordered classes
NOISE = 1e-6  # share of the larger end below which the other one may be the error of a search for it
ROUNDING = 1e-12  # relative size of what is left of equal numbers after a long computation


def number_text(value: float, places: int = 4, unit: float = 1.0) -> str:
    """A number with a fixed number of decimals, or three significant digits where these would all be zero.

    `unit` is the order of magnitude of what is computed. A number that is tiny beside it is a rounding error, and
    shown as zero; with a unit below 1, numbers of one decimal that is not zero have three significant digits, too.

    >>> number_text(0.91960000001), number_text(0.9196, 3), number_text(float("nan"))
    ('0.9196', '0.920', 'nan')
    >>> number_text(0.00001234), number_text(-1e-17), number_text(2e-18, unit=4e-19)
    ('1.23e-05', '0.0000', '2e-18')
    """
    text = f"{value:.{places}f}"
    if abs(value) <= ROUNDING * unit:
        return text.lstrip("-") if float(text) == 0 else text
    is_small = abs(value) < 10.0 ** (1 - places) if unit < 1 else float(text) == 0
    return f"{value:.3g}" if is_small else text


def chance_text(value: float) -> str:
    """A chance value, which is tiny for orders of many classes and is never shown as zero then.

    >>> chance_text(0.5), chance_text(1 / 6), chance_text(4.11e-19)
    ('0.5000', '0.1667', '4.11e-19')
    """
    return number_text(value, unit=unit_of(value))


def count_text(count: int) -> str:
    """Return all digits of a count below 1e15; else its order of magnitude.

    >>> count_text(59239093), count_text(5 * 10**57)
    ('59239093', '5.000000e+57')
    """
    return str(count) if count < 10**15 else f"{float(count):.6e}" if count < 10**300 else "> 1e300"


def unit_of(chance: float | None) -> float:
    """The order of magnitude of a measure: its chance value if that is small, as for many ordered classes, else 1.

    >>> unit_of(0.5), unit_of(None), unit_of(0.0), unit_of(4.11e-19)
    (1.0, 1.0, 1.0, 4.11e-19)
    """
    return chance if chance is not None and 0 < chance < SMALL_CHANCE else 1.0


def estimated_text(value: float, error: float, places: int = 4, unit: float = 1.0) -> str:
    """A value beside its standard error, or beside an end of its interval: with no more decimals than these need.

    >>> estimated_text(0.00002, 0.01), estimated_text(0.00002, 0.00001)
    ('0.0000', '2e-05')
    """
    decimals_suffice = unit == 1.0 and round(error, places) > 0
    return number_text(value, places, _fixed(places) if decimals_suffice else unit)


def _fixed(places: int) -> float:
    """A unit beside which a number that its decimals show as zero is zero."""
    return 10.0**-places / ROUNDING


def defined(value: float, unit: float = 1.0) -> str:
    """A number with a dash for an undefined one, as the tables of a report have it."""
    return DASH if isnan(value) else number_text(value, unit=unit)


def signed_text(value: float, places: int = 3, unit: float = 1.0) -> str:
    r"""A number in a picture: a real minus sign, none before zero, and decimals alone unless the unit is small.

    >>> signed_text(-0.0261) == "\N{MINUS SIGN}0.026", signed_text(-0.0001), signed_text(float("nan"))
    (True, '0.000', 'nan')
    """
    text = number_text(value, places, unit if unit < 1 else _fixed(places))
    return text.replace("-", "\N{MINUS SIGN}")


def p_number(pvalue: float) -> str:
    """A p-value with three decimals; a smaller one is given as a bound, not as zero.

    >>> p_number(0.0213), p_number(0.00001), p_number(1.0)
    ('0.021', '< 0.001', '1.000')
    """
    return "< 0.001" if pvalue < 0.001 else f"{pvalue:.3f}"


def p_text(pvalue: float) -> str:
    """A p-value in a sentence.

    >>> p_text(0.0213), p_text(0.00001)
    ('p = 0.021', 'p < 0.001')
    """
    text = p_number(pvalue)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def level_text(level: float) -> str:
    """A confidence or significance level in per cent.

    >>> level_text(0.95), level_text(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:g} %"


def percentage(share: float) -> str:
    """An observed share in per cent.

    >>> percentage(0.1234)
    '12.3 %'
    """
    return f"{100 * share:.1f} %"


def interval_text(
    interval: tuple[float, float], places: int = 4, unit: float = 1.0, *, signed: bool = False
) -> str:
    """Return the ends of an interval, with the decimals that the larger one needs.

    There are more if the sign of a negative end would vanish, and, if `signed`, that of a positive one.

    >>> interval_text((0.88, 0.94), 2), interval_text((0.00001, 0.25)), interval_text((0.00001, 0.000025))
    ('0.88 to 0.94', '0.0000 to 0.2500', '1e-05 to 2.5e-05')
    >>> interval_text((-0.00009, 0.25)), interval_text((-0.00001, 0.25)), interval_text((-1e-17, 0.25))
    ('-0.0001 to 0.2500', '-0.00001 to 0.25000', '0.0000 to 0.2500')
    >>> interval_text((0.0004, 0.05), 3), interval_text((0.0004, 0.05), 3, signed=True)
    ('0.000 to 0.050', '0.0004 to 0.0500')
    """
    return " to ".join(end_texts(interval, places, unit, signed=signed))


def end_texts(
    interval: tuple[float, float], places: int = 4, unit: float = 1.0, *, signed: bool = False
) -> tuple[str, str]:
    """Return the two ends of an interval, as in `interval_text`, for columns of their own."""
    low, high = interval
    size = max(abs(low), abs(high))
    if round(size, places) > 0:
        ends = [abs(end) for end in interval if (signed or end < 0) and abs(end) > NOISE * size]
        places = max([places, *(ceil(-log10(end)) for end in ends if round(end, places) == 0)])
        unit = _fixed(places)  # a smaller end is zero, as exactly as the other one is shown
    return number_text(low, places, unit), number_text(high, places, unit)


def estimate_text(
    value: float,
    interval: tuple[float, float],
    places: int = 3,
    *,
    level: float | None = None,
    unit: float = 1.0,
) -> str:
    """A value with its interval in brackets; of an undefined interval, the value alone.

    >>> estimate_text(0.91, (0.88, 0.94), 2), estimate_text(0.91, (0.88, 0.94), 2, level=0.95)
    ('0.91 (0.88 to 0.94)', '0.91 (95 % 0.88 to 0.94)')
    """
    if isnan(interval[0]):
        return number_text(value, places, unit)
    stated = "" if level is None else f"{level_text(level)} "
    shown = estimated_text(value, max(map(abs, interval)), places, unit)
    return f"{shown} ({stated}{interval_text(interval, places, unit)})"
