"""Applicability: why a measure, or a method, cannot be used on these data, and what to do instead."""

from collections.abc import Callable, Mapping

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.measures.measure import Measure
from polyroc.messages import Call, Message, Option, short_repr
from polyroc.scores import Schema, Scores
from polyroc.validation.doubts import ROUNDING, SUM_TOLERANCE
from polyroc.validation.labels import is_hashable

__all__ = [
    "ROUNDING",
    "SOFTMAX",
    "SUM_TOLERANCE",
    "inapplicable_reason",
    "inapplicable_reasons",
    "require_formula",
    "require_plain_cases",
]


SOFTMAX = Message("of logits, ", Call("to_probabilities", ..., Option("rule", "softmax")), " makes probabilities")
NO_ORDER = Message("needs the order of the classes; give it with ", Option("labels", [...]))


def inapplicable_reasons(measures: Mapping[str, Measure], scores: Scores | Schema) -> dict[str, str]:
    """By key, why measures that were not named cannot be computed on these data; without those that can."""
    reasons: dict[str, str] = {}
    shared: dict[object, str | None] = {}
    n = scores.n_classes
    for key, measure in measures.items():
        # Most are not for this number of classes, or their options do not matter: their reason is that of their
        # kind, which is computed once.
        few, most = measure.classes
        kind: object = (few, most)
        if few <= n and (most is None or n <= most):
            kind = measure if measure.required or measure.roles else (measure.needs, most == 2)
        if kind not in shared:
            shared[kind] = inapplicable_reason(measure, scores, by_name=False)
        reason = shared[kind]
        if reason is not None:
            reasons[key] = reason
    return reasons


def inapplicable_reason(measure: Measure, scores: Scores | Schema, by_name: bool) -> str | None:
    """Why the measure cannot be computed on these data; None if it can.

    A `Schema` is enough where the values are not known (yet): the range of probabilities is then not checked.

    Parameters
    ----------
    measure, scores
        The measure and the data.
    by_name
        True if the user named the measure. Only then is a 1-D numeric score read as decisions. An ordered measure
        is computed from probabilities, after a conversion that the result states, only if it was not named.
    """
    few, most = measure.classes
    if scores.n_classes < few:
        hint = "; for two classes use auc" if by_name and scores.n_classes == 2 else ""
        return f"needs at least {few} classes, here {scores.n_classes}{hint}"
    if most is not None and scores.n_classes > most:
        hint = _more_classes(measure, scores, by_name)
        return f"is for {most if most == few else f'{few} to {most}'} classes, here {scores.n_classes}{hint}"
    unset = next((name for name in measure.required if measure.settings[name] is None), None)
    if unset is not None:
        return f"needs a value of {unset}; write it like {measure.key}({unset}=0.2)"
    if measure.needs == "score":
        return _no_ranking(scores) or _no_positive(scores)
    if measure.needs == "ordered":
        return _no_order(scores, by_name)
    if measure.needs == "columns":
        return _no_columns(scores, by_name)
    if measure.needs == "probabilities":
        return _no_probabilities(scores, by_name) or _no_role(measure, scores)
    if measure.needs == "forecast":
        return _no_forecast(scores, by_name)
    if scores.kind == "score" and not by_name and measure.settings.get("threshold") is None:
        return "needs decisions or one column per class, here one score per case"
    return _no_positive(scores) if most == 2 else None


def _more_classes(measure: Measure, scores: Scores | Schema, by_name: bool) -> str:
    """What may be wrong if a measure is for fewer classes than there are, or what to use instead."""
    if not by_name:
        return ""
    for name, variant in measure.variants.items():
        if variant.classes[1] is None and not measure.chosen:
            return f"; for more classes give {name}, such as {measure.key}({name}=...)"
    if measure.needs == "score":
        return "; use hand_till or ova" if scores.kind == "matrix" else "; use vus if the classes have an order"
    return "; use macro_average, or the rates of the decisions" if measure.needs == "decisions" else ""


def _no_ranking(scores: Scores | Schema) -> str | None:
    return "needs a ranking score, here decisions" if scores.kind == "decisions" else None


def _no_order(scores: Scores | Schema, by_name: bool) -> str | None:
    if scores.kind == "decisions" or (scores.kind == "matrix" and (by_name or scores.n_classes == 2)):
        kind = "decisions" if scores.kind == "decisions" else "one column per class"
        reason = f"needs one score per case that rises along the classes, here {kind}"
        if not by_name:
            return reason
        if scores.n_classes == 2:
            return f"{reason}; for two classes use auc"
        return Message(reason, "; convert it with ", Call("to_ordered", ...))
    if not scores.ordered:
        return NO_ORDER
    return _no_probabilities(scores, by_name) if scores.kind == "matrix" else None


def _no_role(measure: Measure, scores: Scores | Schema) -> str | None:
    for role in measure.roles:
        label = measure.settings[role]
        if label is None:
            first, *others = map(repr, scores.labels)
            return f"needs to know the {role} class; write {measure.key}({role}={first}), or {' or '.join(others)}"
        if not is_hashable(label) or label not in set(scores.labels):
            classes = ", ".join(map(repr, scores.labels))
            return f"has no class {short_repr(label)} to be {role}; the classes are {classes}"
    return None


def _no_positive(scores: Scores | Schema) -> str | None:
    if scores.positive is not None:
        return None
    return Message("needs to know the positive class; use ", Option("pos_label", *reversed(scores.labels)))


def _no_columns(scores: Scores | Schema, by_name: bool, values: str = "scores") -> str | None:
    if scores.kind == "matrix":
        return None
    kind = "decisions" if scores.kind == "decisions" else "one score per case"
    reason = f"needs {values}, one column per class, here {kind}"
    hint = by_name and scores.kind == "score"
    return Message(reason, "; convert it with ", Call("to_probabilities", ...)) if hint else reason


def _no_probabilities(scores: Scores | Schema, by_name: bool) -> str | None:
    reason = _no_columns(scores, by_name, "probabilities")
    if reason is not None:
        return reason
    for classifier, values in scores.values.items() if isinstance(scores, Scores) else ():
        if values.min() < -ROUNDING or values.max() > 1 + ROUNDING:
            row, column = np.argwhere((values < -ROUNDING) | (values > 1 + ROUNDING))[0]
            return Message(
                f"needs probabilities in [0, 1], but {classifier!r} gives class {scores.names[column]!r} "
                f"{values[row, column]:g} at position {row}; ",
                SOFTMAX,
            )
    return None


def _no_forecast(scores: Scores | Schema, by_name: bool) -> str | None:
    """Why the predictions are not the probabilities of the classes."""
    if not by_name:
        return "is about probabilities, not ranks; name it if the predictions are the probabilities of the classes"
    if scores.kind != "score":
        return _no_probabilities(scores, by_name) or _no_sum(scores)
    if scores.n_classes > 2:
        return _no_columns(scores, by_name, "probabilities")
    missing = _no_positive(scores)
    for classifier, values in scores.values.items() if isinstance(scores, Scores) and missing is None else ():
        low, high = float(values.min()), float(values.max())
        if low < -ROUNDING or high > 1 + ROUNDING:
            return (
                f"needs the probability of the positive class, in [0, 1], but {classifier!r} has values from "
                f"{low:g} to {high:g}; of log odds x it is 1 / (1 + exp(-x))"
            )
    return missing


def _no_sum(scores: Scores | Schema) -> str | None:
    """Why the rows of probabilities are not distributions over the classes."""
    for classifier, values in scores.values.items() if isinstance(scores, Scores) else ():
        wrong = np.abs(values.sum(axis=1) - 1.0) > SUM_TOLERANCE
        if wrong.any():
            row = int(np.argmax(wrong))
            return (
                f"needs probabilities that sum to 1 for each case, but those of {classifier!r} at position {row} "
                f"sum to {values[row].sum():g}; divide each row by its sum if that is meant"
            )
    return None


# methods for every measure, weights and groups
GENERAL_METHODS = Option("method", Call("Influence"), Call("Bootstrap"))


def require_formula(method: object, measure: Measure, has_formula: Callable[[Measure], bool]) -> None:
    """Raise an error if the method has no formula for the measure, naming the measures that have one."""
    if not has_formula(measure):
        from polyroc.measures.registry import MEASURES

        known = ", ".join(key for key, candidate in MEASURES.items() if has_formula(candidate))
        raise NotApplicableError(
            f"{method} has a formula for {known}, not for {measure.key}; use ", GENERAL_METHODS, "."
        )


def require_plain_cases(method: object, scores: Scores) -> None:
    """Raise an error for weights and groups, for which the formula does not hold."""
    optional = {"sample_weight": scores.sample_weight, "groups": scores.units}
    named = " and ".join(name for name, value in optional.items() if value is not None)
    if named:
        raise NotApplicableError(
            f"{method} is for independent, unweighted cases, but there are {named}; leave out {named}, or use ",
            GENERAL_METHODS,
            ".",
        )
