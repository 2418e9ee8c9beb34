"""Exceptions and warnings.

    ValueError
      PolyrocError              everything that bad data or a bad request can cause
        InputError              the data cannot be used as they are
          MissingFileError      there is no such file (also a FileNotFoundError)
        MeasureError            no such measure, or an option it does not know
        NotApplicableError      the measure exists but does not fit these data
        OutOfSpaceError         memory or disk does not suffice
        MissingPackageError     an optional package is not installed (also an ImportError)
        ComponentsError         components do not add up to the value: a fault of polyroc, not of the data

    UserWarning
      PolyrocWarning            the result is valid, with a reservation
        UndefinedMeasureWarning a class has no case, so the measure is nan
        InfiniteLossWarning     a case has the probability 0 of its true class, so the log loss is infinite
        MiscalibrationWarning   probabilities that are treated as right are not
        SmallClassWarning       a class of one case: no standard error is available
        FewEffectiveCasesWarning
                                less than one effective case of a class bears on the value: a very wide interval
        DroppedRowsWarning      rows with missing values were dropped (missing='drop')
        NegativeVarianceWarning an unbiased variance came out negative
        OptimismWarning         values may be too high: rule or model and evaluation share cases
        UnseenClassWarning      a class has no case in a training set, so a model cannot predict it
        DegenerateComparisonWarning
                                a difference without any sampling variance has no p-value
        ToleranceWarning        certified bounds are further apart than the tolerance
        CompilationCacheWarning compiled code cannot be stored, so every process compiles it again
        PooledFoldsWarning      folds were pooled, though their scores are not on one scale
        StackedRowsWarning      several rows per case seem to be evaluated as different cases
        SuspectInputWarning     columns seem to be in another order, probabilities to hold codes
        OtherNameWarning        a measure was written by a name from elsewhere, and is computed under its own

Every message says what was expected, what came, and what to do next. References to options and calls are parts of
the message (see `polyroc.messages`), which the command line and the web page render in their own spelling.
"""

import sys
import warnings
from types import FrameType
from typing import Self

from polyroc.messages import Message, Reference, Spelling

__all__ = [
    "CompilationCacheWarning",
    "ComponentsError",
    "DegenerateComparisonWarning",
    "DroppedRowsWarning",
    "FewEffectiveCasesWarning",
    "InfiniteLossWarning",
    "InputError",
    "MeasureError",
    "MiscalibrationWarning",
    "MissingFileError",
    "MissingPackageError",
    "NegativeVarianceWarning",
    "NotApplicableError",
    "OptimismWarning",
    "OtherNameWarning",
    "OutOfSpaceError",
    "PolyrocError",
    "PolyrocWarning",
    "PooledFoldsWarning",
    "ReversedScoreWarning",
    "SmallClassWarning",
    "StackedRowsWarning",
    "SuspectInputWarning",
    "ToleranceWarning",
    "UndefinedMeasureWarning",
    "UnseenClassWarning",
    "warn",
]


class PolyrocError(ValueError):
    """Base class of all polyroc errors: bad data, or a request that cannot be met.

    >>> from polyroc.messages import Option
    >>> error = InputError("Rows are incomplete; use ", Option("missing", "drop"), " to drop them.")
    >>> print(error)
    Rows are incomplete; use missing='drop' to drop them.
    >>> error.render(lambda option: f"--{option.name} {option.values[0]}")
    'Rows are incomplete; use --missing drop to drop them.'
    """

    def __init__(self, *parts: str | Reference) -> None:
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """The message with its references to options and calls, to be part of another one."""
        return Message(*self.args)

    def render(self, spelling: Spelling) -> str:
        """The message in the spelling of a front end; `str` is that of Python."""
        return self.message.render(spelling)


class InputError(PolyrocError):
    """The data cannot be used as they are."""


class MissingFileError(InputError, FileNotFoundError):
    """There is no such file."""

    # Libraries that copy exceptions between processes (tblib, used by Dask) call `__new__` of the class; the one
    # that would be inherited is ValueError's, which must not make an OSError.
    def __new__(cls, *parts: object) -> Self:  # noqa: ARG004, D102
        return FileNotFoundError.__new__(cls)  # parts would be read as errno and strerror


class MeasureError(PolyrocError):
    """No such measure, or an option it does not know."""


class NotApplicableError(PolyrocError):
    """The measure exists but does not fit these data."""


class OutOfSpaceError(PolyrocError):
    """Memory or disk does not suffice."""


class MissingPackageError(PolyrocError, ImportError):
    """An optional package is not installed."""

    def __new__(cls, *parts: object) -> Self:  # noqa: ARG004, D102 - as in MissingFileError
        return ImportError.__new__(cls)


class ComponentsError(PolyrocError):
    """Components do not add up to the value, so the standard error would be wrong: a fault of polyroc."""


class PolyrocWarning(UserWarning):
    """Base class of all polyroc warnings: the result is valid, with a reservation."""

    @property
    def message(self) -> Message:
        """The message with its references to options and calls, to be part of another one."""
        return Message(*self.args)

    def render(self, spelling: Spelling) -> str:
        """The message in the spelling of a front end; `str` is that of Python."""
        return self.message.render(spelling)


class UndefinedMeasureWarning(PolyrocWarning):
    """A class has no case, so the measure is nan."""


class InfiniteLossWarning(PolyrocWarning):
    """A case has the probability 0 of its true class, so the log loss is infinite."""


class MiscalibrationWarning(PolyrocWarning):
    """Probabilities that are treated as right are not."""


class SmallClassWarning(PolyrocWarning):
    """A class of one case: no standard error is available."""


class FewEffectiveCasesWarning(PolyrocWarning):
    """Less than one effective case of a class bears on the value, so its interval is very wide."""


class DroppedRowsWarning(PolyrocWarning):
    """Rows with missing values were dropped, as `missing="drop"` requests."""


class NegativeVarianceWarning(PolyrocWarning):
    """An unbiased variance came out negative."""


class DegenerateComparisonWarning(PolyrocWarning):
    """A difference without any sampling variance has no p-value."""


class ToleranceWarning(PolyrocWarning):
    """Certified bounds are further apart than the tolerance."""


class CompilationCacheWarning(PolyrocWarning):
    """Compiled code cannot be stored, so that every process compiles it again."""


class PooledFoldsWarning(PolyrocWarning):
    """The folds of a cross-validation were pooled into one sample, though their scores are not on one scale."""


class StackedRowsWarning(PolyrocWarning):
    """Several rows per case (of classifiers, folds, repeats) seem to be evaluated as different cases."""


class SuspectInputWarning(PolyrocWarning):
    """Predictions do not look as they were meant: columns in another order, codes among probabilities."""


class OtherNameWarning(PolyrocWarning):
    """A measure was written by a name from elsewhere, such as tpr(fpr=0.1), and is computed under its own."""


class MissingPartsWarning(PolyrocWarning):
    """The parts of a measure were left out, for lack of memory."""


class OptimismWarning(PolyrocWarning):
    """A rule was chosen, or a model trained, on cases or groups of the evaluation: it looks better than it is."""


class ReversedScoreWarning(PolyrocWarning):
    """The AUC of a score on which a threshold is chosen is certainly below 0.5: the score may be reversed."""


class UnseenClassWarning(PolyrocWarning):
    """A class has no case in a training set of a cross-validation, so that its predicted probability is 0."""


# modules between the user's line and a warning
NOT_THE_USERS = ("polyroc.", "contextlib", "functools", "importlib", "numba.")


def warn(message: str, category: type[PolyrocWarning]) -> None:
    """Warn so that the line shown is the user's own, not one of polyroc; the message may be a `Message`."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _module(frame).startswith(NOT_THE_USERS):
        frame = frame.f_back
        level += not _module(frame).startswith(
            "importlib._bootstrap"
        )  # frames that `warnings.warn` does not count
    warnings.warn(message, category, stacklevel=level)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))
