"""From what was asked to the answer: by formula, from pilot data, by simulation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.messages import Option
from polyroc.power.aims import Aim, Question
from polyroc.power.allocation import Allocation, Sizes, allocation
from polyroc.power.formulas import CLASSES, CorrelationOf, FormulaVariances, Obuchowski, area_correlation, formula
from polyroc.power.pilot import Pilot, PilotVariances, pilot_scores
from polyroc.power.result import SampleSize
from polyroc.power.simulation import PilotModel, Simulation, SimulationModel, Trials, drawn, search
from polyroc.power.variances import MOST, VarianceModel, is_near_limit, power_at, smallest, unreachable, width_at
from polyroc.progress import Progress
from polyroc.scores import Scores

__all__ = ["Asked", "from_formula", "from_model", "from_pilot"]

USUAL_POWER = 0.8
NEAR_LIMIT = "a value less than two standard errors from its limit, where this is rough: check it by simulation"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked, before it is known where the variance comes from; see `sample_size`."""

    measure: Measure
    aim: Aim
    value: float | None
    versus: float | None
    n: Any
    ratio: Any


class _Plan(NamedTuple):
    """A question, the classes it is asked of, and how it is answered."""

    question: Question
    allocation: Allocation
    method: str
    assumptions: tuple[str, ...]

    def answer(self, sizes: Sizes, **found: Any) -> SampleSize:
        question, aim = self.question, self.question.aim
        return SampleSize(
            measure=str(question.measure),
            by_class=dict(zip(self.allocation.names, sizes, strict=True)),
            sets=self.allocation.sets,
            value=question.value,
            versus=question.versus,
            null=None if aim.width is not None else question.null,
            margin=aim.margin,
            upward=aim.width is None and question.upward,
            alpha=aim.test_alpha,
            sides=aim.test_sides,
            wanted_power=aim.power,
            wanted_width=aim.width,
            method=self.method,
            assumptions=self.assumptions,
            **found,
        )


def from_formula(
    asked: Asked,
    correlation: float | None,
    correlation_of: CorrelationOf,
    method: HanleyMcNeil | Obuchowski | None,
) -> SampleSize:
    """The answer for an area, or for the volume of three classes, from the values expected."""
    model = asked.measure.normal_model
    if model is None:
        known = ", ".join(key for key, each in MEASURES.items() if each.normal_model is not None)
        raise NotApplicableError(
            f"There is a formula for {known}, not for {asked.measure}; give pilot data (y_true, "
            "y_score), or a model to simulate from."
        )
    if asked.value is None:
        raise InputError("value is missing: the value that is expected (or give pilot data, or a model).")
    sets = 2 if asked.versus is not None and correlation is None else 1
    classes = CLASSES[model]
    shared = allocation(asked.ratio, classes, [1.0] * len(classes), sets)
    question = Question(asked.measure, len(classes), asked.aim, asked.value, asked.versus)
    variance, name = formula(asked.measure, method)
    variances = FormulaVariances(question, variance, textbook=method is not None)  # checks the values
    assumptions = [_test_named(question, variances.textbook), "normal estimates"]
    if correlation is not None:
        r = _correlation(correlation, correlation_of, question)
        variances = replace(variances, correlation=r)
        assumptions.append(f"the two estimates have a correlation of {r:.3g}")
    return _analytic(asked, _Plan(question, shared, name, tuple(assumptions)), variances)


def _test_named(question: Question, textbook: bool = False) -> str:
    """The test, or the interval, that the study is planned for."""
    if textbook and question.aim.width is None:
        return "textbook test with the variance under the hypothesis, not that of polyroc"
    return f"{'test' if question.aim.width is None else 'interval'} of `{question.verb}`"


def _correlation(given: float, of: CorrelationOf, question: Question) -> float:
    """The correlation between the two estimates."""
    if question.versus is None:
        raise InputError(
            Option("correlation", given),
            " is that of two classifiers; give the expected value of the second one with ",
            Option("versus", ...),
            ".",
        )
    if of not in ("estimates", "scores"):
        raise InputError(f"correlation_of must be 'estimates' or 'scores', got {of!r}.")
    if not isinstance(given, Real) or not -1 <= given <= 1:
        raise InputError(f"correlation must be a number from -1 to 1, got {given!r}.")
    if of == "estimates":
        return float(given)
    if question.classes > 2:
        raise NotApplicableError(
            f"The correlation of the scores tells that of the estimates of an area, not of {question.measure}; "
            "give that of the estimates, or pilot data, or a model to simulate from."
        )
    low, high = question.limits
    areas = [(value - low) / (high - low) for value in (question.value, question.versus)]
    return area_correlation(float(given), *areas)


def _analytic(asked: Asked, plan: _Plan, model: VarianceModel) -> SampleSize:
    """The answer where variances are known for any class sizes."""
    question, wanted = plan.question, asked.aim.power or USUAL_POWER
    if asked.aim.width is not None and asked.aim.power is not None:
        raise InputError(
            "power has no part in the width that a formula gives (that where the estimate is as expected); leave "
            "it out, or simulate: then it is the chance that the interval is narrow enough."
        )

    def reached(sizes: Sizes) -> bool:
        if asked.aim.width is not None:
            return width_at(question, model, sizes) <= asked.aim.width
        return power_at(question, model, sizes) >= wanted

    shared = plan.allocation.by_formula()
    sizes = smallest(reached, shared) if asked.n is None else plan.allocation.given(asked.n)
    if sizes is None:
        sizes = shared.sizes(max(MOST, shared.fewest))
        best = f"a width of {width_at(question, model, sizes):.2g}"
        raise unreachable(
            best if asked.aim.width is not None else f"a power of {power_at(question, model, sizes):.3f}"
        )
    if is_near_limit(question, model, sizes):
        plan = plan._replace(assumptions=(*plan.assumptions, NEAR_LIMIT))
    power = None if asked.aim.width is not None else power_at(question, model, sizes)
    return plan.answer(sizes, power=power, width=width_at(question, model, sizes))


def from_pilot(
    asked: Asked,
    y_true: Any,
    y_score: Any,
    simulation: Simulation | None,
    progress: Progress | None,
    **reading: Any,
) -> SampleSize:
    """The answer for any measure, from how much it varies with the cases of pilot data."""
    sets = pilot_scores(y_true, y_score, **reading)
    pilot = Pilot(asked.measure, sets, asked.ratio)
    given = [asked.value, asked.versus]
    if len(pilot.values) == 1 and asked.versus is not None:
        raise InputError("versus is for two classifiers, the pilot data have one; give the other's scores too.")
    if simulation is not None and given != [None, None]:
        raise InputError("Resampled pilot data have the values they have; leave out value and versus.")
    values = [own if told is None else told for own, told in zip(pilot.values, given, strict=False)]
    question = Question(asked.measure, sets[0].n_classes, asked.aim, *values)
    counts = " and ".join(", ".join(f"{count} {name}" for name, count in each.cases.items()) for each in sets)
    if simulation is not None:
        plan = _Plan(question, pilot.allocation, "", (f"cases are those of the pilot data ({counts})",))
        models = {f"set {i}": PilotModel(scores) for i, scores in enumerate(sets)}
        return _simulated(asked, plan, Trials(question, models, None, simulation.seeded(), progress))
    assumptions = (f"cases vary as in the pilot data ({counts})", _test_named(question), "normal estimates")
    model = PilotVariances(question, pilot)
    return _analytic(asked, _Plan(question, pilot.allocation, "DeLong() on pilot data", assumptions), model)


def from_model(asked: Asked, model: Any, simulation: Simulation, progress: Progress | None) -> SampleSize:
    """The answer for any measure, by simulation."""
    models: Mapping[str, SimulationModel] = model if isinstance(model, Mapping) else {"model": model}
    if not 1 <= len(models) <= 2 or not all(hasattr(each, "sample") for each in models.values()):
        raise InputError(
            "model must have sample(sizes, rng), such as polyroc.datasets.HandTill(3, 1.0), or be a dict of two "
            f"such, got {model!r}."
        )
    labels, probe = _probe(models)
    value, versus = _true_values(asked, models, probe)
    question = Question(asked.measure, probe.n_classes, asked.aim, value, versus)
    shared = allocation(asked.ratio, probe.names, [1.0] * probe.n_classes, len(models))
    plan = _Plan(question, shared, "", tuple(f"scores as in {each!r}" for each in models.values()))
    return _simulated(asked, plan, Trials(question, models, labels, simulation.seeded(), progress))


def _probe(models: Mapping[str, SimulationModel]) -> tuple[list[Any] | None, Scores]:
    """The classes of a model, and a small sample of it."""
    first = next(iter(models.values()))
    small = first.sample(2, np.random.default_rng(0))
    if isinstance(small, Scores):
        return None, small
    labels = np.unique(np.asarray(small[0])).tolist()
    return labels, drawn(first, (2,) * len(labels), np.random.default_rng(0), labels)


def _true_values(asked: Asked, models: Mapping[str, SimulationModel], probe: Scores) -> tuple[float, float | None]:
    """The value of each classifier: the model's own, or where it does not know it what the user says."""
    if len(models) == 2:
        known = [getattr(each, str(asked.measure), None) for each in models.values()]
    else:
        own = getattr(next(iter(models.values())), str(asked.measure), None)
        known = [own.get(name) if isinstance(own, Mapping) else own for name in probe.classifiers]
    if len(known) > 2 or (len(known) == 1 and asked.versus is not None):
        raise InputError(f"A study has one classifier, or two with versus; the model has {len(known)}.")
    told = [asked.value, asked.versus]
    true = [float(each) for each in known if isinstance(each, Real)]
    if len(true) == len(known) and told != [None, None]:
        shown = ", ".join(f"{each:g}" for each in true)
        raise InputError(f"The model knows its true {asked.measure} ({shown}); leave out value and versus.")
    if len(true) < len(known):
        true = [each for each in told if each is not None]
    if len(true) < len(known):
        named = "value" if len(known) == 1 else "value and versus"
        raise InputError(f"The model does not know its true {asked.measure}; say {named}, what it is.")
    return true[0], true[1] if len(true) == 2 else None


def _simulated(asked: Asked, plan: _Plan, trials: Trials) -> SampleSize:
    """The answer where samples can be drawn."""
    if asked.n is None:
        sizes = search(trials, plan.allocation, asked.aim.power or USUAL_POWER)
    else:
        sizes = plan.allocation.given(asked.n)
    share, simulation = trials.share(sizes), trials.simulation
    plan = plan._replace(method=repr(simulation), assumptions=(*plan.assumptions, _test_named(plan.question)))
    return plan.answer(sizes, power=share.value, width=share.width, simulations=simulation.n, seed=simulation.seed)
