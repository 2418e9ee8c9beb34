"""Plans of `sample_size`: by formula, from pilot data, by simulation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.messages import Option, short_repr
from polyroc.power.allocation import Allocation, Sizes, allocation
from polyroc.power.analytic import (
    MOST_CASES,
    VarianceModel,
    is_near_limit,
    power_at,
    smallest_sizes,
    too_many_cases,
    width_at,
)
from polyroc.power.formulas import CLASSES, CorrelationOf, FormulaVariances, Obuchowski, area_correlation, formula
from polyroc.power.goals import Goal, PlanningQuestion
from polyroc.power.pilot import Pilot, PilotVariances, pilot_scores
from polyroc.power.result import SampleSize
from polyroc.power.simulation import PilotModel, Simulation, SimulationModel, Trials, drawn, search
from polyroc.progress import Progress
from polyroc.scores import Scores

__all__ = ["PlanningRequest", "plan_by_formula", "plan_from_model", "plan_from_pilot"]

DEFAULT_POWER = 0.8
NEAR_LIMIT = "a value less than two standard errors from its limit, where this is rough: check it by simulation"


@dataclass(frozen=True, slots=True)
class PlanningRequest:
    """The arguments of `sample_size` that do not depend on the source of the variance."""

    measure: Measure
    goal: Goal
    value: float | None
    versus: float | None
    n: Any
    ratio: Any


class _Plan(NamedTuple):
    """A question with the allocation of its cases, the method that answers it, and its assumptions."""

    question: PlanningQuestion
    allocation: Allocation
    method: str
    assumptions: tuple[str, ...]

    def result(self, sizes: Sizes, **outcome: Any) -> SampleSize:
        """The result at these class sizes; `outcome` are its power and width."""
        question, goal = self.question, self.question.goal
        return SampleSize(
            measure=str(question.measure),
            by_class=dict(zip(self.allocation.names, sizes, strict=True)),
            sets=self.allocation.sets,
            value=question.value,
            versus=question.versus,
            null=None if goal.width is not None else question.null,
            margin=goal.margin,
            upward=goal.width is None and question.upward,
            alpha=goal.test_alpha,
            sides=goal.test_sides,
            wanted_power=goal.power,
            wanted_width=goal.width,
            method=self.method,
            assumptions=self.assumptions,
            **outcome,
        )


def plan_by_formula(
    request: PlanningRequest,
    correlation: float | None,
    correlation_of: CorrelationOf,
    method: HanleyMcNeil | Obuchowski | None,
) -> SampleSize:
    """The plan for an area, or for the volume of three classes, from the expected values."""
    model = request.measure.normal_model
    if model is None:
        known = ", ".join(key for key, measure in MEASURES.items() if measure.normal_model is not None)
        raise NotApplicableError(
            f"There is a formula for {known}, not for {request.measure}; pass pilot data (y_true, y_score), or ",
            Option("model"),
            " to simulate from.",
        )
    if request.value is None:
        raise InputError(
            Option("value"), ", the expected value, is missing; pass it, or pilot data, or ", Option("model"), "."
        )
    sets = 2 if request.versus is not None and correlation is None else 1
    classes = CLASSES[model]
    planned = allocation(request.ratio, classes, [1.0] * len(classes), sets)
    question = PlanningQuestion(request.measure, len(classes), request.goal, request.value, request.versus)
    variance, name = formula(request.measure, method)
    variances = FormulaVariances(question, variance, textbook=method is not None)  # checks the values
    assumptions = [_test_name(question, variances.textbook), "normal estimates"]
    if correlation is not None:
        r = _correlation(correlation, correlation_of, question)
        variances = replace(variances, correlation=r)
        assumptions.append(f"the two estimates have a correlation of {r:.3g}")
    return _analytic(request, _Plan(question, planned, name, tuple(assumptions)), variances)


def _test_name(question: PlanningQuestion, textbook: bool = False) -> str:
    """The test or interval that the study is planned for."""
    if textbook and question.goal.width is None:
        return "textbook test with the variance under the hypothesis, not that of polyroc"
    return f"{'test' if question.goal.width is None else 'interval'} of `{question.verb}`"


def _correlation(correlation: float, correlation_of: CorrelationOf, question: PlanningQuestion) -> float:
    """The correlation of the two estimates."""
    if question.versus is None:
        raise InputError(
            Option("correlation"), " needs two classifiers; pass ", Option("versus"), ", the value of the second."
        )
    if correlation_of not in ("estimates", "scores"):
        raise InputError(Option("correlation_of"), f" must be 'estimates' or 'scores', got {correlation_of!r}.")
    if not isinstance(correlation, Real) or not -1 <= correlation <= 1:
        raise InputError(Option("correlation"), f" must be a number from -1 to 1, got {correlation!r}.")
    if correlation_of == "estimates":
        return float(correlation)
    if question.classes > 2:
        raise NotApplicableError(
            f"The correlation of scores determines that of estimates for an area, not for {question.measure}; "
            "pass the correlation of the estimates, pilot data, or a model to simulate from."
        )
    low, high = question.limits
    areas = [(value - low) / (high - low) for value in (question.value, question.versus)]
    return area_correlation(float(correlation), *areas)


def _analytic(request: PlanningRequest, plan: _Plan, model: VarianceModel) -> SampleSize:
    """The result from variances that are known for any class sizes."""
    question, target = plan.question, request.goal.power or DEFAULT_POWER

    def suffices(sizes: Sizes) -> bool:
        return power_at(question, model, sizes) >= target

    planned = plan.allocation.by_formula()
    sizes = smallest_sizes(suffices, planned) if request.n is None else plan.allocation.sizes_of(request.n)
    if sizes is None:
        sizes = planned.sizes(max(MOST_CASES, planned.fewest))
        if request.goal.width is not None:
            raise too_many_cases(f"a width of {width_at(question, model, sizes):.2g}")
        raise too_many_cases(f"a power of {power_at(question, model, sizes):.3f}")
    if is_near_limit(question, model, sizes):
        plan = plan._replace(assumptions=(*plan.assumptions, NEAR_LIMIT))
    return plan.result(sizes, power=power_at(question, model, sizes), width=width_at(question, model, sizes))


def plan_from_pilot(
    request: PlanningRequest,
    y_true: Any,
    y_score: Any,
    simulation: Simulation | None,
    progress: Progress | None,
    **reading: Any,
) -> SampleSize:
    """The plan for any measure, from the variance of its structural components on pilot data."""
    sets = pilot_scores(y_true, y_score, **reading)
    pilot = Pilot(request.measure, sets, request.ratio)
    requested = [request.value, request.versus]
    if len(pilot.values) == 1 and request.versus is not None:
        raise InputError(
            Option("versus"), " is for two classifiers, the pilot data have one; pass the scores of both."
        )
    if simulation is not None and requested != [None, None]:
        raise InputError(
            "Resampled pilot data have their own values; omit ", Option("value"), " and ", Option("versus"), "."
        )
    values = [own if value is None else value for own, value in zip(pilot.values, requested, strict=False)]
    question = PlanningQuestion(request.measure, sets[0].n_classes, request.goal, *values)
    counts = " and ".join(", ".join(f"{count} {name}" for name, count in scores.cases.items()) for scores in sets)
    if simulation is not None:
        plan = _Plan(question, pilot.allocation, "", (f"cases are those of the pilot data ({counts})",))
        models = {f"set {i}": PilotModel(scores) for i, scores in enumerate(sets)}
        return _simulated(request, plan, Trials(question, models, None, simulation.seeded(), progress))
    assumptions = (f"cases vary as in the pilot data ({counts})", _test_name(question), "normal estimates")
    model = PilotVariances(question, pilot)
    return _analytic(request, _Plan(question, pilot.allocation, "Influence() on pilot data", assumptions), model)


def plan_from_model(
    request: PlanningRequest, model: Any, simulation: Simulation, progress: Progress | None
) -> SampleSize:
    """The plan for any measure, by simulation."""
    models: Mapping[str, SimulationModel] = model if isinstance(model, Mapping) else {"model": model}
    if not 1 <= len(models) <= 2 or not all(hasattr(m, "sample") for m in models.values()):
        raise InputError(
            Option("model"),
            " must have a method sample(sizes, rng), like polyroc.datasets.HandTill(3, 1.0), or be a dict of two "
            f"such models, got {model!r}.",
        )
    labels, probe = _probe(models)
    value, versus = _true_values(request, models, probe)
    question = PlanningQuestion(request.measure, probe.n_classes, request.goal, value, versus)
    planned = allocation(request.ratio, probe.names, [1.0] * probe.n_classes, len(models))
    plan = _Plan(question, planned, "", tuple(f"scores as in {m!r}" for m in models.values()))
    return _simulated(request, plan, Trials(question, models, labels, simulation.seeded(), progress))


def _probe(models: Mapping[str, SimulationModel]) -> tuple[list[Any] | None, Scores]:
    """The classes of a model, and a small sample of it."""
    first = next(iter(models.values()))
    try:
        small = first.sample(2, np.random.default_rng(0))
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:  # a method sample of another meaning
        raise InputError(
            Option("model"),
            f": sample(2, rng) of {short_repr(first)} failed ({type(error).__name__}: {error}); it must give 2 "
            "cases of each class.",
        ) from error
    if isinstance(small, Scores):
        return None, small
    labels = np.unique(np.asarray(small[0])).tolist()
    return labels, drawn(first, (2,) * len(labels), np.random.default_rng(0), labels)


def _true_values(
    request: PlanningRequest, models: Mapping[str, SimulationModel], probe: Scores
) -> tuple[float, float | None]:
    """The true value of each classifier: that of the model, or the given one if the model has none."""
    if len(models) == 2:
        known = [getattr(model, str(request.measure), None) for model in models.values()]
    else:
        own = getattr(next(iter(models.values())), str(request.measure), None)
        known = [own.get(name) if isinstance(own, Mapping) else own for name in probe.classifiers]
    if len(known) > 2 or (len(known) == 1 and request.versus is not None):
        raise InputError(f"A study has one classifier, or two with versus, but the model has {len(known)}.")
    requested = [request.value, request.versus]
    true = [float(value) for value in known if isinstance(value, Real)]
    if len(true) == len(known) and requested != [None, None]:
        values = ", ".join(f"{value:g}" for value in true)
        raise InputError(f"The model has its own true {request.measure} ({values}); omit value and versus.")
    if len(true) < len(known):
        true = [value for value in requested if value is not None]
    if len(true) < len(known):
        names = "value" if len(known) == 1 else "value and versus"
        raise InputError(f"The model does not have its true {request.measure}; pass {names}.")
    return true[0], true[1] if len(true) == 2 else None


def _simulated(request: PlanningRequest, plan: _Plan, trials: Trials) -> SampleSize:
    """The result from simulated samples."""
    if request.n is None:
        sizes = search(trials, plan.allocation, request.goal.power or DEFAULT_POWER)
    else:
        sizes = plan.allocation.sizes_of(request.n)
    simulated, simulation = trials.power(sizes), trials.simulation
    plan = plan._replace(method=repr(simulation), assumptions=(*plan.assumptions, _test_name(plan.question)))
    return plan.result(
        sizes,
        power=simulated.value,
        width=simulated.width,
        simulations=simulation.replicates,
        seed=simulation.seed,
    )
