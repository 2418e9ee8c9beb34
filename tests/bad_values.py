"""Values that are no valid argument, and what a call with one of them led to."""

import datetime
import re
import signal
import traceback
import warnings
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from polyroc.errors import PolyrocError

LONGEST = 20  # seconds of the processor that a call may take
SOURCE = str(Path("src", "polyroc"))


class Unusable:
    """An object that has nothing to do with polyroc."""

    def __repr__(self):
        return "an object"


class Hostile:
    """An object whose comparisons and conversions fail."""

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self):
        raise RuntimeError("no truth value")


# Made anew for each call: generators are used up. The first ones are tried in every run of the tests.
BAD_VALUES = {
    "None": lambda: None,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "1.5": lambda: 1.5,
    "2**70": lambda: 2**70,
    "True": lambda: True,
    "empty text": lambda: "",
    "text": lambda: "no such thing",
    "text of a number": lambda: "0.5",
    "bytes": lambda: b"auc",
    "empty list": list,
    "list": lambda: [1, 2, 3],
    "empty dict": dict,
    "dict": lambda: {"a": 1},
    "object": Unusable,
    "2-d array": lambda: np.zeros((2, 2)),
    "complex": lambda: 1 + 2j,
    "lambda": lambda: lambda: None,
    # the wider sweep
    "-0.5": lambda: -0.5,
    "1": lambda: 1,
    "2": lambda: 2,
    "-inf": lambda: float("-inf"),
    "-2**70": lambda: -(2**70),
    "10**400": lambda: 10**400,
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "False": lambda: False,
    "Fraction": lambda: Fraction(1, 3),
    "np.float64": lambda: np.float64("nan"),
    "np.bool": lambda: np.bool_(True),
    "0-d array": lambda: np.array(0.5),
    "null character": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "long text": lambda: "x" * 10_000,
    "bytearray": lambda: bytearray(b"x"),
    "tuple": lambda: (0.5,),
    "nested list": lambda: [[1], [2, 3]],
    "list of None": lambda: [None, None],
    "list of text": lambda: ["a", "b", "b"],
    "list of nan": lambda: [float("nan")] * 3,
    "list of objects": lambda: [Unusable(), Unusable()],
    "deep list": lambda: deep(200),
    "endless list": lambda: endless(),
    "set": lambda: {1, 2},
    "frozenset": lambda: frozenset("ab"),
    "dict of lists": lambda: {"a": [1], "b": []},
    "dict of None": lambda: {None: None},
    "range": lambda: range(4),
    "slice": lambda: slice(None),
    "generator": lambda: (i for i in range(3)),
    "iterator": lambda: iter([1, 2]),
    "empty array": lambda: np.array([]),
    "array without columns": lambda: np.zeros((3, 0)),
    "3-d array": lambda: np.zeros((2, 2, 2)),
    "array of objects": lambda: np.array([Unusable(), None], dtype=object),
    "complex array": lambda: np.array([1j, 2]),
    "masked array": lambda: np.ma.masked_all(3),
    "structured array": lambda: np.zeros(3, dtype=[("a", float), ("b", int)]),
    "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "date": lambda: datetime.date(2020, 1, 1),
    "time delta": lambda: datetime.timedelta(1),
    "empty series": lambda: pd.Series([], dtype=float),
    "series": lambda: pd.Series([1.0, 2.0]),
    "data frame": lambda: pd.DataFrame({"a": [1], "b": ["x"]}),
    "categorical": lambda: pd.Categorical(["a", "b"]),
    "random state": lambda: np.random.RandomState(0),
    "generator of numbers": lambda: np.random.default_rng(0),
    "class": lambda: dict,
    "function": lambda: max,
    "module": lambda: re,
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "path": lambda: Path("no/such/folder/file"),
    "folder": lambda: Path.cwd(),
    "exception": lambda: ValueError("x"),
    "hostile": Hostile,
}
FEW = list(BAD_VALUES)[:20]


def deep(levels):
    """A list in a list in a list."""
    nested = []
    for _ in range(levels):
        nested = [nested]
    return nested


def endless():
    """A list that contains itself."""
    nested = []
    nested.append(nested)
    return nested


class TooLongError(BaseException):
    """A call has used too much time; no error that a function might catch."""


@contextmanager
def limited(seconds):
    """Stop what uses more seconds of the processor, whatever else the machine does."""
    if not hasattr(signal, "ITIMER_VIRTUAL"):
        yield
        return

    def stop(*_):
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Outcome(NamedTuple):
    """What a call led to: "answer", "named", "unnamed", "bare" or "long"; and the message."""

    kind: str
    message: str = ""


def outcome(call, argument, value, names=()):
    """Make the call with one argument replaced; the error must name it, or one of the names related to it."""
    try:
        with warnings.catch_warnings(), limited(LONGEST):
            warnings.simplefilter("ignore")
            call(**{argument: value})
    except TooLongError:
        return Outcome("long", f"{LONGEST} seconds of the processor")
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        polyroc = isinstance(error, PolyrocError) or (
            type(error) in (TypeError, ValueError)
            and SOURCE in traceback.extract_tb(error.__traceback__)[-1].filename
        )
        if not polyroc:
            where = [frame for frame in traceback.extract_tb(error.__traceback__) if SOURCE in frame.filename]
            place = f"{where[-1].filename.split(SOURCE)[1]}:{where[-1].lineno}" if where else ""
            return Outcome("bare", f"{message} {place}")
        named = any(re.search(rf"\b{re.escape(name)}\b", str(error)) for name in (argument, *names))
        return Outcome("named" if named else "unnamed", message)
    return Outcome("answer")
