"""Learners as the plan names them: imported, told their parameters, with their preprocessing in one pipeline."""

from collections.abc import Mapping
from typing import Any

from polyroc.errors import InputError, MissingPackageError
from polyroc.studies.data import Data
from polyroc.studies.import_paths import check_parameters, found, on_path
from polyroc.studies.plan import Learner, Plan, Step

__all__ = ["built", "check_learners"]


def built(learner: Learner, steps: tuple[Step, ...], data: Data, seed: int) -> Any:
    """A fresh model: nominal features encoded, then the steps, then the classifier, all fitted together.

    Every parameter named random_state that the plan leaves alone gets the seed.
    """
    asked: list[Step | Learner] = [*steps, learner]
    parts = [made(each.path, each.parameters) for each in asked]
    for part in parts:
        _seed(part, seed)
    parts = [_encoder(data), *parts] if data.nominal else parts
    if len(parts) == 1:
        return parts[0]
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*parts)


def made(path: str, parameters: Mapping[str, Any]) -> Any:
    """An estimator by its path; a parameter that is a table with a class is one too."""
    return found(path)(**{name: _told(value) for name, value in parameters.items()})


def _told(value: Any) -> Any:
    if isinstance(value, Mapping) and "class" in value:
        return made(value["class"], value.get("parameters", {}))
    return value


def _seed(estimator: Any, seed: int) -> None:
    if not hasattr(estimator, "get_params"):
        return
    open_ = [
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    if open_:
        estimator.set_params(**dict.fromkeys(open_, seed))


def _encoder(data: Data) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    if data.encode == "one-hot":
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    else:
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_column_transformer((encoder, list(data.nominal)), remainder="passthrough")


def check_learners(plan: Plan) -> None:
    """Import every learner and step of the plan and compare its parameters with what it takes."""
    with on_path(plan.folder):
        for number, step in enumerate(plan.steps):
            _check(plan, ("steps", number), step.path, step.parameters)
        for number, learner in enumerate(plan.learners):
            _check(plan, ("learners", number), learner.path, learner.parameters)
            for place, step in enumerate(learner.steps or ()):
                _check(plan, ("learners", number, "steps", place), step.path, step.parameters)
            _check_output(plan, number, learner)


def _check(plan: Plan, path: tuple[str | int, ...], name: str, parameters: Mapping[str, Any]) -> None:
    try:
        what = found(name)
    except InputError as error:
        kind = MissingPackageError if "polyroc[study]" in str(error) else InputError
        raise kind(f"{plan.place(*path, 'class')}: {error}") from None
    if not isinstance(what, type):
        raise InputError(f"{plan.place(*path, 'class')}: {name!r} is not a class but {type(what).__name__}.")
    trouble = check_parameters(what, parameters)
    if trouble is not None:
        wrong = next((key for key in parameters if f"{key!r}" in trouble), "")
        raise InputError(f"{plan.place(*path, 'parameters', wrong)}: {trouble}")
    for key, value in parameters.items():
        if isinstance(value, Mapping) and "class" in value:
            _check(plan, (*path, "parameters", key), value["class"], value.get("parameters", {}))


def _check_output(plan: Plan, number: int, learner: Learner) -> None:
    """A learner has what its output is read from; that it is there at all is known before it is fitted."""
    place = plan.place("learners", number)
    try:
        model = made(learner.path, learner.parameters)
    except Exception as error:
        raise InputError(
            f"{place}: {learner.name!r} cannot be made with these parameters: {type(error).__name__}: {error}."
        ) from None
    if not hasattr(model, "fit"):
        raise InputError(f"{place}: {learner.path!r} has no fit; give a scikit-learn classifier.")
    if not hasattr(model, learner.output):
        other = "decision_function" if learner.output == "predict_proba" else "predict_proba"
        hint = f'; say output = "{other}"' if hasattr(model, other) else ""
        raise InputError(f"{place}: {learner.name!r} has no {learner.output}{hint}.")
