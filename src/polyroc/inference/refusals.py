"""Whether a way to make a variance fits the measure and the data; if not, what to use instead."""

from collections.abc import Collection

from polyroc.errors import NotApplicableError
from polyroc.measures import Measure
from polyroc.scores import Scores

__all__ = ["require_measure", "require_plain_cases"]

INSTEAD = "use DeLong() or Bootstrap()"


def require_measure(method: object, measure: Measure, keys: Collection[str]) -> None:
    """Refuse a measure for which the method has no formula."""
    if measure.key not in keys:
        raise NotApplicableError(f"{method} has a formula for {', '.join(keys)}, not for {measure}; {INSTEAD}.")


def require_plain_cases(method: object, scores: Scores) -> None:
    """Refuse weights and groups, for which the formula does not hold."""
    given = {"sample_weight": scores.sample_weight, "groups": scores.groups}
    named = " and ".join(name for name, value in given.items() if value is not None)
    if named:
        raise NotApplicableError(
            f"{method} is for independent cases that count one each, here {named} came; leave out {named}, "
            f"or {INSTEAD}."
        )
