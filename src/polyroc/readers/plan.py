"""The verb `plan_reader_study`: the numbers of readers and cases that have a power."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from polyroc.errors import InputError
from polyroc.messages import Option, short_repr
from polyroc.readers.anova import Fixed
from polyroc.readers.plan_result import NeededCases, ReaderPlan
from polyroc.readers.power import MOST_CASES, PlannedTest, ReaderVariances, smallest_cases
from polyroc.readers.result import ReaderStudy
from polyroc.validation.arguments import checked_alpha, checked_margin, checked_whole
from polyroc.validation.signatures import OpenShare, own_check, validated

__all__ = ["plan_reader_study"]

READERS = (3, 4, 5, 6, 8, 10, 12, 15, 20)
STEPS = (0.5, 1.0, 1.5, 2.0, 3.0)  # numbers of cases, as multiples of those of the components
MOST_READERS = 10_000


@validated
def plan_reader_study(
    pilot: ReaderStudy | ReaderVariances,
    *,
    effect: float | None = None,
    margin: float | None = None,
    readers: Annotated[int | Sequence[int] | None, own_check] = None,
    cases: Annotated[int | Sequence[int] | None, own_check] = None,
    power: OpenShare = 0.8,
    alpha: float | None = None,
    fixed: Fixed | None = None,
) -> ReaderPlan:
    """Compute the number of cases that a reader study of two modalities needs, by number of readers.

    From the variance components of a pilot study, or published ones, by the method of Hillis, Obuchowski &
    Berbaum: the noncentral F distribution with the expected error term and Hillis' degrees of freedom. The measure
    may be any; errors are taken as inversely proportional to the number of cases, in the class shares of the
    pilot.

    Parameters
    ----------
    pilot
        A fully crossed `ReaderStudy` of two modalities or more, or `ReaderVariances`.
    effect
        The expected difference between the modalities; by default that of a pilot study of two modalities. A pilot
        is small, so its own difference is a poor guess: state the smallest difference that matters.
    margin
        Non-inferiority margin: to show that a modality is not worse by this much or more if the difference is
        `effect` (0 by default; positive if it is better). One-sided.
    readers
        The number of readers, or several; 3 to 20 by default.
    cases
        Numbers of cases whose power is computed too; by default multiples of those of the pilot.
    power
        The wanted power.
    alpha
        The significance level: 0.05, or 0.025 with a margin.
    fixed
        What is fixed, as in `reader_study`.

    References
    ----------
    Hillis, Obuchowski & Berbaum, Academic Radiology 18 (2011) 129-142. Obuchowski, Academic Radiology 2 (1995)
    522-529.

    Examples
    --------
    >>> import polyroc as pr
    >>> published = pr.results.ReaderVariances.from_correlations(
    ...     error=0.0008, r1=0.43, r2=0.43, r3=0.30, interaction=0.0002, cases=114
    ... )
    >>> pr.plan_reader_study(published, effect=0.05, readers=[5, 10])
    ReaderPlan(power 0.8 for 0.05; 5 readers: 213 cases, 10 readers: 118 cases)
    """
    study = pilot if isinstance(pilot, ReaderStudy) else None
    variances = ReaderVariances.of(pilot) if isinstance(pilot, ReaderStudy) else pilot
    test = PlannedTest(
        variances=variances,
        effect=_effect(effect, margin, study),
        margin=None if margin is None else checked_margin(margin, np.inf),
        alpha=checked_alpha((0.05 if margin is None else 0.025) if alpha is None else alpha),
        fixed=fixed,
    )
    if margin is not None and test.effect <= -margin:
        raise InputError(
            f"With an expected difference of {test.effect:g} the modality is worse by the margin ({margin:g}) or "
            "more; nothing can show the contrary."
        )
    counts = _numbers(readers, "readers", 2, MOST_READERS, READERS)
    sizes = _numbers(cases, "cases", 2, MOST_CASES, [max(10, round(step * variances.cases)) for step in STEPS])
    smallest = [(r, smallest_cases(test, r, power)) for r in counts]
    return ReaderPlan(
        needed=tuple(NeededCases(r, c, test.power(r, MOST_CASES if c is None else c)) for r, c in smallest),
        readers=counts,
        cases=sizes,
        powers=np.array([[test.power(r, c) for c in sizes] for r in counts]),
        effect=test.effect,
        margin=margin,
        wanted_power=power,
        alpha=test.alpha,
        sides=2 if margin is None else 1,
        fixed=fixed,
        variances=variances,
        measure=None if study is None else study.measure,
        shares=None if study is None else _shares(study),
    )


def _effect(effect: float | None, margin: float | None, study: ReaderStudy | None) -> float:
    """The expected difference: given, 0 with a margin, or that of a pilot study of two modalities."""
    if effect is None and margin is not None:
        return 0.0
    if effect is None and study is not None and len(study.differences) == 1:
        effect = next(iter(study.differences.values())).value
    if effect is None or (effect == 0 and margin is None):
        raise InputError(
            "The difference that the study is to show must be stated, and not be 0: ", Option("effect", 0.05), "."
        )
    return float(effect)


def _numbers(
    numbers: int | Sequence[int] | None, name: str, least: int, most: int, default: Sequence[int]
) -> tuple[int, ...]:
    """One whole number or several, in ascending order."""
    if numbers is None:
        return tuple(sorted(set(default)))
    numbers = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
    is_list = isinstance(numbers, Sequence) and not isinstance(numbers, str | bytes)
    several = list(numbers) if is_list else [numbers]  # type: ignore[arg-type]
    if not several:
        raise InputError(f"{name} must be a whole number or several, got {short_repr(numbers)}.")
    return tuple(sorted({checked_whole(number, name, least, most) for number in several}))


def _shares(study: ReaderStudy) -> dict[str, float]:
    counts = study.provenance.cases
    return {name: count / sum(counts.values()) for name, count in counts.items()}
