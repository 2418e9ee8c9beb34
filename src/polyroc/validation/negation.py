"""Scores whose direction is turned round on request: small values indicate the positive class."""

from typing import Any

from polyroc.errors import InputError
from polyroc.messages import Message, Option, short_repr
from polyroc.scores import Scores
from polyroc.validation.arguments import did_you_mean

__all__ = ["classifiers_of", "negated", "not_negatable"]


def negated(scores: Scores, negate: Any) -> Scores:
    """The scores with those of some classifiers multiplied by -1, so that large ones indicate the positive class.

    Parameters
    ----------
    scores
        One score per case; one column per class has no direction that could be turned round.
    negate
        The name of a classifier, a list of names, or True for all. None or an empty list: none.

    >>> negated(Scores([0, 1], [0.9, 0.2]), True).values["classifier"]
    array([-0.9, -0.2])
    """
    names = classifiers_of(negate, scores.classifiers)
    if not names:
        return scores
    if scores.kind != "score":
        raise InputError(
            not_negatable(names[0], "decisions" if scores.kind == "decisions" else "one column per class")
        )
    values = {name: -column if name in names else column for name, column in scores.values.items()}
    signs = tuple(name for name in values if (name in names) != (name in scores.negated))
    return scores._replace(values=values, negated=signs)


def not_negatable(name: str, what: str) -> Message:
    """The message that there is not a single score that could be negated."""
    return Message(
        f"Only a single score per case can be negated, but {name!r} has {what}. Check that the columns are in the "
        "order of the classes (",
        Option("labels"),
        "), or leave out ",
        Option("negate"),
        " or the sign.",
    )


def classifiers_of(negate: Any, known: tuple[str, ...]) -> list[str]:
    """The names of classifiers in `negate`: a name, a list of names, True for all, None or False for none."""
    if negate is None or isinstance(negate, bool):
        return [*known] if negate else []
    names = [negate] if isinstance(negate, str) else negate
    if not isinstance(names, list | tuple | set | frozenset) or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"negate must be the name of a classifier, a list of names, or True for all, got {short_repr(negate)}."
        )
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise InputError(
            f"negate names {short_repr(unknown)}, which is not a classifier; {did_you_mean(unknown, known)}"
        )
    return [*names]
