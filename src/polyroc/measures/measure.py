"""Measure: what is asked. A record of facts, not a class hierarchy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from polyroc.errors import MeasureError
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic

__all__ = ["Measure", "Needs", "always", "one_in_classes"]

Needs = Literal["score", "ordered", "probabilities", "decisions"]

T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measure:
    """One way to judge a classifier, with the facts that generic code goes by.

    Attributes
    ----------
    key, name, symbol
        How it is asked for, called and written.
    needs
        "score" (one number a case, or the column of the positive class), "ordered" (one number a case, and the
        order of the classes), "probabilities" (one column per class, in [0, 1]) or "decisions" (given as labels,
        or made from the columns: the largest wins).
    classes
        The fewest and the most classes it is defined for; None for no limit.
    range, chance
        From the number of classes and the options: the smallest and the largest value it can take; the value of a
        constant score, None if there is none.
    paper
        Where it was defined.
    compute
        The value on a sample, and on demand the components and parts.
    options, either
        What it can be told, with the defaults; and which of these replace each other.
    told
        What it was told.
    roles
        The options that name a class and must be told: which class plays a special role is never guessed.
    larger_is_better
        False for a cost.
    symmetric
        True if no class plays a special role, so that renaming the classes changes nothing.
    rank_based
        True if only the order of the scores matters, so that a rising function of them changes nothing.
    prevalence
        True if the value depends on the shares of the classes among the cases. Where class sizes are random (a
        cohort), its standard error accounts for their uncertainty.
    degree
        From the number of classes: how many cases the tuples have whose mean outcome is the value. The mean
        components of the classes then add up to that many times the value, which is checked whenever a standard
        error is made. None if the components are derivatives of something else than a mean.
    """

    key: str
    name: str
    symbol: str
    needs: Needs
    classes: tuple[int, int | None]
    range: Callable[..., tuple[float, float]]
    chance: Callable[..., float] | None
    paper: str
    compute: Callable[..., Statistic]
    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    either: tuple[str, ...] = ()
    told: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    roles: tuple[str, ...] = ()
    larger_is_better: bool = True
    symmetric: bool = True
    rank_based: bool = True
    prevalence: bool = False
    degree: Callable[[int], int] | None = None

    def __call__(self, sample: Sample) -> Statistic:
        """Compute the measure on a sample with this record's options."""
        return self.compute(sample, **self.settings)

    @property
    def settings(self) -> dict[str, Any]:
        """The options as they stand: the defaults, and what it was told."""
        replaced = dict.fromkeys(self.either) if set(self.either) & set(self.told) else {}
        return {**self.options, **replaced, **self.told}

    @property
    def estimates_prevalence(self) -> bool:
        """True if the shares of the classes enter the value and are taken from the data."""
        return self.prevalence and self.settings.get("prevalence") is None

    def __str__(self) -> str:
        """The key, with what it was told: the form in which `measure` reads it.

        >>> from polyroc import measure
        >>> str(measure("partial_auc", fpr=(0, 0.2)))
        'partial_auc(fpr=(0, 0.2))'
        """
        told = ", ".join(f"{name}={value!r}" for name, value in self.told.items())
        return f"{self.key}({told})" if told else self.key

    def __repr__(self) -> str:
        return f"<Measure {self}: {self.name}>"

    def tell(self, **options: Any) -> "Measure":
        """The same measure with these options."""
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise MeasureError(f"{self.key} has no option {name!r}; it knows: {known}.")
        plain = {name: each.item() if isinstance(each, np.generic) else each for name, each in options.items()}
        return replace(self, told=MappingProxyType({**self.told, **plain}))


def always(value: T) -> Callable[..., T]:
    """A range or a chance value that depends on nothing."""
    return lambda *_, **__: value


def one_in_classes(classes: int) -> float:
    """The chance value 1/c."""
    return 1.0 / classes
