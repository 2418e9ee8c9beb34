"""Plain arrays are validated in few steps, with the result of the general validation."""

import itertools

import numpy as np
import pytest

from polyroc.errors import InputError
from polyroc.validation import scores as general
from polyroc.validation.plain_arrays import plain_scores

NAN = np.nan
TRUTHS = (
    np.array([0, 1, 1, 0]),
    np.array([0, 1, 1, 0], dtype=np.int8)[::-1],
    np.array([False, True, True, False]),
    np.array([0, 1, 1, 0], dtype=np.uint8),
    np.array([0.0, 1.0, 1.0, 0.0]),
    np.array([1, 1, 1, 1]),
    np.array([0, 0, 0, 0]),
    np.array([-1, 1, 1, -1]),
    np.array([1, 2, 2, 1]),
    np.array([0, 1, 2, 1]),
    np.array([1, 2, 3, 1]),
    np.array([0, 2, 0, 2]),
    np.array([-(2**63), 2**63 - 1, 0, 1]),
    np.array(["a", "b", "a", "b"]),
    np.array([[0, 1], [1, 0]]),
    np.array([0, 1, 1]),
    np.array([], dtype=np.int64),
    np.ma.masked_array([0, 1, 1, 0], [False, False, False, True]),
)
VALUES = (
    np.array([0.2, 0.9, 0.4, 0.1]),
    np.array([0.2, 0.9, 0.4, 0.1], dtype=np.float32),
    np.array([2, 9, 4, 1]),
    np.array([0.2, NAN, 0.4, 0.1]),
    np.array([0.2, np.inf, 0.4, 0.1]),
    np.array([1e300, -1e300, 0.4, 0.1]),
    np.arange(8.0).reshape(4, 2),
    np.arange(12.0).reshape(3, 4).T,
    np.arange(4.0).reshape(4, 1),
    np.arange(16.0).reshape(4, 2, 2),
    np.ma.masked_array([0.2, 0.9, 0.4, 0.1], [False, True, False, False]),
    np.array(0.5),
)


def outcome(y_true, y_score):
    """The fields of the scores, or the message."""
    try:
        scores = general.normalise(y_true, y_score)
    except InputError as error:
        return str(error)
    parts = {name: getattr(scores, name) for name in scores.__dataclass_fields__}
    parts["values"] = {name: (values.dtype, values.tolist()) for name, values in scores.values.items()}
    return {name: part.tolist() if isinstance(part, np.ndarray) else part for name, part in parts.items()} | {
        "types": [*map(type, scores.labels), scores.codes.dtype, scores.counts.dtype]
    }


def test_the_short_way_gives_the_scores_and_errors_of_the_general_one(monkeypatch):
    pairs = list(itertools.product(TRUTHS, VALUES))
    short = [outcome(*pair) for pair in pairs]
    monkeypatch.setattr(general, "plain_scores", lambda *_: None)
    assert short == [outcome(*pair) for pair in pairs]


@pytest.mark.parametrize(
    ("y_true", "y_score"), [(TRUTHS[0], VALUES[0]), (TRUTHS[2], VALUES[0]), (TRUTHS[9], VALUES[7])]
)
def test_the_usual_arrays_take_the_short_way(y_true, y_score):
    assert plain_scores(y_true, y_score) is not None
