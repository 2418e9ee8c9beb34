"""How the error bar is made: option records."""

from dataclasses import dataclass

from polyroc.errors import InputError
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.inference.methods.jackknife import Jackknife
from polyroc.inference.methods.permutation import Permutation
from polyroc.inference.methods.unbiased import Unbiased

__all__ = ["DEFAULT", "Bootstrap", "DeLong", "HanleyMcNeil", "Jackknife", "Method", "Permutation", "Unbiased"]


@dataclass(frozen=True, slots=True)
class DeLong:
    """Standard errors from components: DeLong's method, carried to every measure that is a mean over tuples.

    variance = sum over classes of var(components within the class) / class size. In a cohort, where class sizes
    are random, a measure that depends on the shares of the classes has one more term: the variance over all cases
    of the derivative of the value with respect to the share of their class, / number of cases.

    With `groups`, the centred components are added up inside each group first (Obuchowski 1997). With
    `sample_weight` of the kind "importance", components count by their weight and the variance is the robust
    (linearised) one: weights say how much a case counts, not how many cases were seen, so scaling all of them
    changes nothing. Weights of the kind "frequency" are numbers of cases, and repeat the rows.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845. Obuchowski, Biometrics 53 (1997) 567-578.
    """


Method = DeLong | Unbiased | HanleyMcNeil | Bootstrap | Jackknife | Permutation
DEFAULT = DeLong()


def checked(method: Method | None) -> Method | None:
    """The method, its seed settled once for all that is done by it; a complaint if it is none."""
    if method is None:
        return None
    if not isinstance(method, Method):
        known = "DeLong(), Unbiased(), HanleyMcNeil(), Bootstrap(), Jackknife(), Permutation()"
        raise InputError(f"method must be one of {known} or None, got {method!r}.")
    return method.settled() if isinstance(method, Bootstrap) else method
