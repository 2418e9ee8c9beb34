"""Methods: records that compute the covariance of a measure, passed as objects or by name."""

from inspect import signature
from typing import Any

from polyroc.errors import InputError
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.inference.methods.influence import DeLong, Influence
from polyroc.inference.methods.jackknife import Jackknife
from polyroc.inference.methods.ledell import LeDell
from polyroc.inference.methods.mcnemar import McNemar
from polyroc.inference.methods.method import Method
from polyroc.inference.methods.permutation import Permutation
from polyroc.inference.methods.unbiased import Unbiased
from polyroc.messages import Call, Option
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.names_elsewhere import known_test

__all__ = [
    "DEFAULT",
    "METHODS",
    "Bootstrap",
    "DeLong",
    "HanleyMcNeil",
    "Influence",
    "Jackknife",
    "LeDell",
    "McNemar",
    "Method",
    "Permutation",
    "Unbiased",
    "as_estimating_method",
    "as_method",
    "method_named",
]

DEFAULT = Influence()
METHODS: dict[str, type[Method]] = {
    kind.name: kind
    for kind in (Influence, DeLong, Unbiased, HanleyMcNeil, Bootstrap, Jackknife, LeDell, Permutation, McNemar)
}


def as_method(method: Method | str | None) -> Method | None:
    """The method, also from its name, with a fixed seed; None stays None.

    >>> as_method("jackknife")
    Jackknife()
    """
    if method is None:
        return None
    if isinstance(method, str):
        return method_named(method).seeded()
    if not isinstance(method, Method):
        known = ", ".join(f"{kind.__name__}()" for kind in METHODS.values())
        raise InputError(
            f"method must be one of {known}, the name of one ({', '.join(METHODS)}) or None, got {method!r}."
        )
    return method.seeded()


def as_estimating_method(method: Method | str | None) -> Method | None:
    """As `as_method`, for verbs that evaluate classifiers one by one."""
    parsed = as_method(method)
    if parsed is not None and parsed.compares_only:
        raise InputError(Option("method", Call(type(parsed).__name__)), " is for comparisons; use another method.")
    return parsed


def method_named(name: str, **options: Any) -> Method:
    """A method by its name, with those of the options that it has.

    >>> method_named("bootstrap", replicates=500, rng=1)
    Bootstrap(replicates=500, stratified=None, kind='guarded', rng=1)
    >>> method_named("influence", replicates=500, rng=1)
    Influence()
    """
    kind = METHODS.get(name.strip().lower())
    if kind is None:
        raise InputError(f"There is no method {name!r}; {known_test(name) or did_you_mean(name, METHODS)}")
    known = signature(kind).parameters
    return kind(**{option: value for option, value in options.items() if option in known})
