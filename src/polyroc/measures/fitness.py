"""Whether a measure fits the data, and what would help if it does not."""

import numpy as np

from polyroc.measures.measure import Measure
from polyroc.scores import Scores

__all__ = ["refusal"]

ROUNDING = 1e-9  # a softmax may end an ulp or two outside [0, 1]


def refusal(measure: Measure, scores: Scores, asked: bool) -> str | None:
    """Why the measure cannot be computed on these data; None if it can.

    A 1-D numeric score is read as decisions only where the measure was asked for by name.
    """
    few, most = measure.classes
    if scores.n_classes < few:
        return f"needs at least {few} classes, here {scores.n_classes}"
    if most is not None and scores.n_classes > most:
        exchanged = scores.n_classes > max(10, len(scores) / 2)
        hint = " (nearly one per case: are y_true and y_score exchanged?)" if exchanged else ""
        return f"is for {most} classes, here {scores.n_classes}{hint}"
    if measure.needs == "score":
        return _no_ranking(scores) or _no_positive(scores)
    if measure.needs == "ordered":
        return _no_order(scores)
    if measure.needs == "probabilities":
        return _no_probabilities(scores)
    if scores.kind == "score" and not asked and measure.settings.get("threshold") is None:
        return "needs decisions or one column per class, here one score per case"
    return _no_positive(scores) if most == 2 else None


def _no_ranking(scores: Scores) -> str | None:
    return "needs a ranking score, here decisions" if scores.kind == "decisions" else None


def _no_order(scores: Scores) -> str | None:
    if scores.kind != "score":
        held = "decisions" if scores.kind == "decisions" else "one column per class"
        return f"needs one score per case that rises along the classes, here {held}"
    return None if scores.ordered else "needs the order of the classes; give it with labels=[...]"


def _no_positive(scores: Scores) -> str | None:
    if scores.positive is not None:
        return None
    return f"needs to know the positive class; say pos_label={scores.labels[1]!r} or {scores.labels[0]!r}"


def _no_probabilities(scores: Scores) -> str | None:
    if scores.kind != "matrix":
        held = "decisions" if scores.kind == "decisions" else "one score per case"
        return f"needs probabilities, one column per class, here {held}"
    for classifier, values in scores.values.items():
        if values.min() < -ROUNDING or values.max() > 1 + ROUNDING:
            row, column = np.argwhere((values < -ROUNDING) | (values > 1 + ROUNDING))[0]
            return (
                f"needs probabilities in [0, 1], but {classifier!r} gives class {scores.names[column]!r} "
                f"{values[row, column]:g} at position {row}; turn the scores into probabilities"
            )
    return None
