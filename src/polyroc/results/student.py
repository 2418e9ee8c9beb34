"""Student's intervals: a value, its standard error, and how well that is known."""

from polyroc.results.intervals import ConfidenceInterval, checked_level

__all__ = ["student_interval"]


def student_interval(value: float, standard_error: float, df: float, level: float = 0.95) -> ConfidenceInterval:
    """Value plus or minus the quantile of Student's t with df degrees of freedom times the standard error.

    >>> student_interval(1.0, 0.5, 9)
    ConfidenceInterval(low=-0.1310785..., high=2.1310785...)
    """
    checked_level(level)
    from scipy.special import stdtrit

    reach = float(stdtrit(df, 0.5 + level / 2)) * standard_error
    return ConfidenceInterval(value - reach, value + reach)
