"""Models from the learners of a plan: classes imported, parameters checked, preprocessing in one pipeline."""

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any, NamedTuple

from polyroc.cross_validation.fits import set_random_state
from polyroc.errors import InputError, MissingPackageError
from polyroc.studies.data import Data
from polyroc.studies.import_paths import import_object, importable_from, unknown_parameter
from polyroc.studies.plan import Plan
from polyroc.studies.plan_entries import Learner, Step, is_factory, object_text

__all__ = ["Code", "check_learners", "code_of", "learner_codes", "make_model", "predictions_path"]


class Code(NamedTuple):
    """Tell a learner from another one of the same name: a digest of its parameters, versions of its packages."""

    digest: str
    versions: dict[str, str]


def code_of(model: Any) -> Code:
    """Return the code of an unfitted model; of one that cannot be pickled, the digest of its text."""
    import joblib

    try:
        digest = joblib.hash(model)
    except Exception:  # whatever an object raises that cannot be pickled, such as a lambda
        digest = joblib.hash(object_text(model))
    parts = [model, *(model.get_params(deep=True).values() if hasattr(model, "get_params") else ())]
    packages = {type(part).__module__.partition(".")[0] for part in parts}
    versions = {"python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    for package in sorted({"numpy", *packages} - set(sys.stdlib_module_names)):
        stated = getattr(sys.modules.get(package), "__version__", None)
        if isinstance(stated, str):
            versions[package] = stated
    return Code(digest, versions)


def make_model(learner: Learner, steps: tuple[Step, ...], data: Data, seed: int) -> Any:
    """Make an unfitted model: the encoder of nominal features, the preprocessing steps and the classifier.

    Every parameter named random_state that the plan does not set gets the seed.
    """
    parts = _parts(learner, steps)
    for part in parts:
        set_random_state(part, seed)
    return _joined([_encoder(data), *parts] if data.nominal else parts)


def learner_codes(plan: Plan) -> list[Code]:
    """Return the code of each learner of a plan, with its preprocessing."""
    codes = []
    with importable_from(plan.folder):
        for number, learner in enumerate(plan.learners):
            where = plan.location("learners", number)
            if learner.predictions is not None:
                codes.append(_predictions_code(plan, learner, where))
            else:
                codes.append(code_of(_joined(_parts(learner, plan.steps_of(learner), where))))
    return codes


def predictions_path(plan: Plan, learner: Learner, data_set: str) -> Path:
    """Return the file of predictions made elsewhere, for a data set."""
    return Path(plan.folder or ".", str(learner.predictions).replace("{data}", data_set))


def _predictions_code(plan: Plan, learner: Learner, where: str) -> Code:
    """Return the content of the files of a learner, in place of its code."""
    content = b""
    for entry in plan.data:
        path = predictions_path(plan, learner, entry.name)
        try:
            content += path.read_bytes()
        except OSError as error:
            raise InputError(
                f"{where}: the predictions of {learner.name!r} cannot be read from '{path}' ({error.strerror})."
            ) from None
    return Code(hashlib.sha256(content).hexdigest(), {})


def _parts(learner: Learner, steps: tuple[Step, ...], where: str = "learner") -> list[Any]:
    places = (f"{where}.steps[{number}]" for number in range(len(steps)))
    made = [_make_estimator(step.path, step.parameters, place) for step, place in zip(steps, places, strict=False)]
    return [*made, _make_learner(learner, where)]


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*parts)


def _make_learner(learner: Learner, where: str = "learner") -> Any:
    """Make the unfitted estimator of a learner, without its preprocessing."""
    if learner.estimator is not None:
        return _instance(learner.estimator, {})
    if learner.description is not None:
        raise InputError(
            f"{where}: {learner.name!r} was an object in Python ({learner.description}); run the study from "
            "Python, with this object."
        )
    return _make_estimator(learner.path, learner.parameters, where)


def _make_estimator(path: str, parameters: Mapping[str, Any], where: str) -> Any:
    """Make an estimator of an import path; errors begin with its place in the plan."""
    try:
        source = import_object(path)
    except InputError as error:
        kind = MissingPackageError if "polyroc[study]" in str(error) else InputError
        raise kind(f"{where}.class: ", error.message) from None
    if not (is_factory(source) or hasattr(source, "fit")) or isinstance(source, BuiltinFunctionType):
        raise InputError(
            f"{where}.class: expected a class, a function that returns an estimator, or an estimator, got the "
            f"{type(source).__name__} {path!r}."
        )
    unknown = unknown_parameter(source, parameters) if is_factory(source) else None
    if unknown is not None:
        raise InputError(f"{where}.parameters.{unknown[0]}: {unknown[1]}")
    made = {name: _parameter(value, f"{where}.parameters.{name}") for name, value in parameters.items()}
    try:
        return _instance(source, made)
    except Exception as error:
        raise InputError(
            f"{where}: {path!r} cannot be constructed with these parameters: {type(error).__name__}: {error}."
        ) from None


def _instance(source: Any, parameters: Mapping[str, Any]) -> Any:
    """Make an unfitted estimator: of a class or a function its result, of an estimator a clone."""
    if is_factory(source):
        return source(**parameters)
    from sklearn.base import clone

    estimator = clone(source, safe=False)  # safe=False: copies what is no estimator of scikit-learn
    return estimator.set_params(**parameters) if parameters else estimator


def _parameter(value: Any, key: str) -> Any:
    """Make a parameter; a table with a class is an estimator, such as the base of an ensemble or a step."""
    if isinstance(value, Mapping) and "class" in value:
        return _make_estimator(value["class"], value.get("parameters", {}), key)
    if isinstance(value, list | tuple):
        return [_parameter(entry, f"{key}[{number}]") for number, entry in enumerate(value)]
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
    """Raise an error for a learner or step that cannot be made, or a learner without its `output`."""
    with importable_from(plan.folder):
        for number, step in enumerate(plan.steps):
            _make_estimator(step.path, step.parameters, plan.location("steps", number))
        for number, learner in enumerate(plan.learners):
            if learner.predictions is not None:
                continue
            where = plan.location("learners", number)
            model = _parts(learner, learner.steps or (), where)[-1]
            if not hasattr(model, "fit"):
                raise InputError(
                    f"{where}: {learner.path or learner.name!r} has no fit; give a scikit-learn classifier."
                )
            if not hasattr(model, learner.output):
                other = "decision_function" if learner.output == "predict_proba" else "predict_proba"
                hint = f'; set output = "{other}"' if hasattr(model, other) else ""
                raise InputError(f"{where}: {learner.name!r} has no {learner.output}{hint}.")
