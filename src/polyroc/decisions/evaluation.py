"""Evaluate a chosen rule, on the cases it was chosen on or on others: its rates and its expected cost."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from polyroc.data_options import DataOptions, cases_of
from polyroc.decisions.criteria import Objective
from polyroc.decisions.files import FileCases
from polyroc.decisions.operating_point import OPTIMISTIC, OperatingPoint, Optimality
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.rates import one_classifier, rates_of
from polyroc.decisions.uncertainty import ThresholdUncertainty
from polyroc.engines.files import is_frame, is_source
from polyroc.engines.options import EngineOptions
from polyroc.errors import InputError, OptimismWarning, warn
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.messages import Call, Message, Option, short_repr
from polyroc.progress import ProgressOption
from polyroc.rules import Rule
from polyroc.scores import Scores
from polyroc.validation.scores import as_scores

__all__ = ["evaluation_cases", "operating_point", "rates_on"]


def evaluation_cases(
    evaluate_on: Any, labels: tuple[Hashable, ...], positive: int | None, options: DataOptions
) -> Scores | EngineOptions | None:
    """Return the cases to evaluate on, with the same classes in the same order; None if there are none."""
    if evaluate_on is None:
        return None
    pos_label = None if positive is None else labels[positive]
    if isinstance(evaluate_on, EngineOptions):
        return replace(evaluate_on, labels=list(labels), pos_label=pos_label)
    if isinstance(evaluate_on, tuple) and len(evaluate_on) == 2:
        kept: dict[str, Any] = {
            name: value for name, value in options.items() if name in ("sampling", "missing", "negate")
        }
        evaluate_on = as_scores(*evaluate_on, labels=list(labels), pos_label=pos_label, **kept)
    elif options.get("truth") is not None and (is_source(evaluate_on) or is_frame(evaluate_on)):
        of_file: DataOptions = {**options, "labels": list(labels), "pos_label": pos_label}
        evaluate_on = cases_of("operate", evaluate_on, None, of_file)
        if isinstance(evaluate_on, EngineOptions):
            return evaluate_on
    if not isinstance(evaluate_on, Scores):
        raise InputError(
            Option("evaluate_on"), f" must be (y_true, y_score) or Scores, got {short_repr(evaluate_on)}."
        )
    if evaluate_on.labels != labels:
        raise InputError(
            Option("evaluate_on"),
            f" has the classes {short_repr(list(evaluate_on.labels))}, the rule was chosen for "
            f"{short_repr(list(labels))}; use ",
            Option("labels", [...]),
            " in the same order.",
        )
    _require_all_classes(evaluate_on.counts == 0, evaluate_on.names)
    return evaluate_on


def rates_on(
    cases: Scores | EngineOptions, rule: Rule, only: str | None, progress: ProgressOption = None
) -> Rates:
    """Return the confusion rates of a rule on cases in memory, or that an engine reads."""
    if isinstance(cases, EngineOptions):
        rates = FileCases(cases, only, progress).rates(rule)
        _require_all_classes(rates.fewest == 0, rates.classes)
        return rates
    return rates_of(cases, one_classifier(cases, only), rule)


def _require_all_classes(absent: BoolArray, names: Sequence[str]) -> None:
    if absent.any():
        raise InputError(
            Option("evaluate_on"),
            f" has no case of class {names[int(absent.argmax())]!r}, so the rule cannot be evaluated.",
        )


def operating_point(
    objective: Objective,
    rule: Rule,
    apparent: Rates,
    evaluated: Rates | None,
    optimality: Optimality | None,
    point: int | None = None,
    repeated: tuple[ThresholdUncertainty, Rates] | None = None,
    of_front: bool = False,
) -> OperatingPoint:
    """The result of `operate`; if the rule was evaluated on the cases it was fitted to, with a warning.

    Parameters
    ----------
    objective, rule
        The objective, and the rule chosen for it.
    apparent
        The rates on the cases the rule was chosen on.
    evaluated
        The rates on other cases, if there are any.
    optimality, point
        As in `OperatingPoint`.
    repeated
        If the choice was repeated in resamples: the uncertainty of the thresholds, and the corrected rates.
    of_front
        Whether the rule was chosen on a front, whose choice is not repeated in resamples.
    """
    uncertainty, corrected = (None, apparent) if repeated is None else repeated
    rates = corrected if evaluated is None else evaluated
    names = rates.classes
    chosen = OperatingPoint(
        aim=objective.words,
        rule=rule,
        confusion=rates,
        cost=_expected_cost(rates, objective, apparent),
        costs=objective.costs,
        priors=objective.priors,
        at_most={(names[k], names[m]): limit for (k, m), limit in objective.limits.items() if k != m},
        at_least={names[k]: limit for (k, m), limit in objective.limits.items() if k == m} or None,
        apparent_cost=_total(objective.losses, apparent),
        held_out=evaluated is not None,
        optimality=optimality,
        point=point,
        uncertainty=uncertainty,
    )
    if chosen.is_optimistic:
        warn(
            Message(
                f"{OPTIMISTIC} Evaluate it on other cases with ",
                Option("evaluate_on"),
                *((", or correct them with ", Option("method", Call("Bootstrap"))) if not of_front else ()),
                ".",
            ),
            OptimismWarning,
        )
    return chosen


def _expected_cost(rates: Rates, objective: Objective, apparent: Rates) -> Estimate:
    """The expected cost; priors that were not given are the class shares of the cases the rule was chosen on."""
    losses = objective.losses
    return rates.estimate(
        _total(losses, rates),
        losses,
        None if objective.priors_given else (objective.costs * rates.rates).sum(axis=1),
        apparent,
        measure="expected_cost",
        name="expected cost per case",
        limits=(0.0, float(losses.max(axis=1).sum())),
        chance=None,
    )


def _total(losses: FloatArray, rates: Rates) -> float:
    return float((losses * rates.rates).sum())
