"""Numbers as readers see them: values, p-values, percentages, intervals and counts."""

from math import isnan

__all__ = [
    "DASH",
    "chance_text",
    "defined",
    "estimate_text",
    "interval_text",
    "level_text",
    "number_text",
    "p_number",
    "p_text",
    "percentage",
    "signed_text",
]

DASH = "\N{EN DASH}"  # an undefined number in a report


def number_text(value: float, places: int = 4) -> str:
    """A number with a fixed number of decimals.

    >>> number_text(0.91960000001), number_text(0.9196, 3), number_text(float("nan"))
    ('0.9196', '0.920', 'nan')
    """
    return f"{value:.{places}f}"


def chance_text(value: float) -> str:
    """A chance value, which is tiny for orders of many classes and is never shown as zero then.

    >>> chance_text(0.5), chance_text(1 / 6), chance_text(4.11e-19)
    ('0.5000', '0.1667', '4.11e-19')
    """
    text = number_text(value)
    return f"{value:.3g}" if value and float(text) == 0 else text


def defined(value: float) -> str:
    """The same, with a dash for an undefined number, as the tables of a report have it."""
    return DASH if isnan(value) else number_text(value)


def signed_text(value: float, places: int = 3) -> str:
    r"""The same in typography: a real minus sign, and none before zero.

    >>> signed_text(-0.0261) == "\N{MINUS SIGN}0.026", signed_text(-0.0001), signed_text(float("nan"))
    (True, '0.000', 'nan')
    """
    text = number_text(value, places)
    if float(text) == 0:
        text = text.lstrip("-")
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


def interval_text(interval: tuple[float, float], places: int = 4) -> str:
    """The ends of an interval.

    >>> interval_text((0.88, 0.94), 2)
    '0.88 to 0.94'
    """
    low, high = interval
    return f"{number_text(low, places)} to {number_text(high, places)}"


def estimate_text(
    value: float, interval: tuple[float, float], places: int = 3, *, level: float | None = None
) -> str:
    """A value with its interval in brackets; of an undefined interval, the value alone.

    >>> estimate_text(0.91, (0.88, 0.94), 2), estimate_text(0.91, (0.88, 0.94), 2, level=0.95)
    ('0.91 (0.88 to 0.94)', '0.91 (95 % 0.88 to 0.94)')
    """
    if isnan(interval[0]):
        return number_text(value, places)
    stated = "" if level is None else f"{level_text(level)} "
    return f"{number_text(value, places)} ({stated}{interval_text(interval, places)})"
