"""Models from the learners of a plan: classes imported, parameters checked, preprocessing in one pipeline."""

from collections.abc import Mapping
from typing import Any

from polyroc.cross_validation.fits import set_random_state
from polyroc.errors import InputError, MissingPackageError
from polyroc.studies.data import Data
from polyroc.studies.import_paths import import_object, importable_from, unknown_parameter
from polyroc.studies.plan import Learner, Plan, Step

__all__ = ["check_learners", "make_model"]


def make_model(learner: Learner, steps: tuple[Step, ...], data: Data, seed: int) -> Any:
    """An unfitted model: the encoder of nominal features, the preprocessing steps and the classifier.

    Every parameter named random_state that the plan does not set gets the seed.
    """
    entries: list[Step | Learner] = [*steps, learner]
    parts = [_make_estimator(entry.path, entry.parameters) for entry in entries]
    for part in parts:
        set_random_state(part, seed)
    if data.nominal:
        parts.insert(0, _encoder(data))
    if len(parts) == 1:
        return parts[0]
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*parts)


def _make_estimator(path: str, parameters: Mapping[str, Any]) -> Any:
    return import_object(path)(**{name: _parameter(value) for name, value in parameters.items()})


def _parameter(value: Any) -> Any:
    """A parameter; a table with a class is an estimator, such as the base of an ensemble."""
    if isinstance(value, Mapping) and "class" in value:
        return _make_estimator(value["class"], value.get("parameters", {}))
    return value


def _encoder(data: Data) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    # A value that occurs in test cases only is encoded as no category (one-hot) or as -1 (ordinal).
    if data.encode == "one-hot":
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    else:
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_column_transformer((encoder, list(data.nominal)), remainder="passthrough")


def check_learners(plan: Plan) -> None:
    """Raise an error for a learner or step that cannot be imported, or whose parameters are wrong."""
    with importable_from(plan.folder):
        for number, step in enumerate(plan.steps):
            _check_class(plan, ("steps", number), step.path, step.parameters)
        for number, learner in enumerate(plan.learners):
            _check_class(plan, ("learners", number), learner.path, learner.parameters)
            for position, step in enumerate(learner.steps or ()):
                _check_class(plan, ("learners", number, "steps", position), step.path, step.parameters)
            _check_output(plan, number, learner)


def _check_class(plan: Plan, key: tuple[str | int, ...], path: str, parameters: Mapping[str, Any]) -> None:
    try:
        estimator = import_object(path)
    except InputError as error:
        kind = MissingPackageError if "polyroc[study]" in str(error) else InputError
        raise kind(f"{plan.location(*key, 'class')}: {error}") from None
    if not isinstance(estimator, type):
        raise InputError(
            f"{plan.location(*key, 'class')}: expected a class, got the {type(estimator).__name__} {path!r}."
        )
    unknown = unknown_parameter(estimator, parameters)
    if unknown is not None:
        name, message = unknown
        raise InputError(f"{plan.location(*key, 'parameters', name)}: {message}")
    for name, value in parameters.items():
        if isinstance(value, Mapping) and "class" in value:
            _check_class(plan, (*key, "parameters", name), value["class"], value.get("parameters", {}))


def _check_output(plan: Plan, number: int, learner: Learner) -> None:
    """Raise an error for a learner that is no classifier, or has no method of the name `output`."""
    location = plan.location("learners", number)
    try:
        model = _make_estimator(learner.path, learner.parameters)
    except Exception as error:
        raise InputError(
            f"{location}: {learner.name!r} cannot be constructed with these parameters: {type(error).__name__}: "
            f"{error}."
        ) from None
    if not hasattr(model, "fit"):
        raise InputError(f"{location}: {learner.path!r} has no fit; give a scikit-learn classifier.")
    if not hasattr(model, learner.output):
        other = "decision_function" if learner.output == "predict_proba" else "predict_proba"
        hint = f'; set output = "{other}"' if hasattr(model, other) else ""
        raise InputError(f"{location}: {learner.name!r} has no {learner.output}{hint}.")
