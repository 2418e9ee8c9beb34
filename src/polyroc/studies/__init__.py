"""Studies: learners compared on data sets by cross-validation (Bradley 1997); resumable.

A study is described by a `Plan` (TOML); `study` runs it into a store and returns a `Study`.
"""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.studies import summaries
    from polyroc.studies.fold_values import fold_table
    from polyroc.studies.imported import import_predictions
    from polyroc.studies.prediction_files import case_folds

__all__ = [
    "case_folds",
    "fold_table",
    "import_predictions",
    "summaries",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "case_folds": "polyroc.studies.prediction_files",
        "fold_table": "polyroc.studies.fold_values",
        "import_predictions": "polyroc.studies.imported",
        "summaries": "polyroc.studies.summaries",
    },
)
