"""How the error bar is made: option records."""

from dataclasses import dataclass

__all__ = ["DEFAULT", "DeLong", "Method"]


@dataclass(frozen=True, slots=True)
class DeLong:
    """Standard errors from components: DeLong's method, carried to every measure that is a mean over tuples.

    variance = sum over classes of var(components within the class) / class size, for the class sizes at hand.
    With `groups`, the centred components are added up inside each group first (Obuchowski 1997). With
    `sample_weight`, components count by their weight and the variance is the robust (linearised) one.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845. Obuchowski, Biometrics 53 (1997) 567-578.
    """


Method = DeLong
DEFAULT = DeLong()
