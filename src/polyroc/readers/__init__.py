"""Reader studies: modalities compared by several readers on the same cases, and how many of both a study needs."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.readers.effects import ReaderAverage, ReaderDifference
    from polyroc.readers.plan_result import ReaderPlan, ReaderVariances
    from polyroc.readers.result import ReaderStudy

__all__ = ["ReaderAverage", "ReaderDifference", "ReaderPlan", "ReaderStudy", "ReaderVariances"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "ReaderAverage": "polyroc.readers.effects",
        "ReaderDifference": "polyroc.readers.effects",
        "ReaderPlan": "polyroc.readers.plan_result",
        "ReaderStudy": "polyroc.readers.result",
        "ReaderVariances": "polyroc.readers.plan_result",
    },
)
