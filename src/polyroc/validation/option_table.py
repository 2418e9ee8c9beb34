"""The options that describe data, once: for the command line, the documentation and messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["DATA_OPTIONS", "DEFAULTS", "DataOption"]


@dataclass(frozen=True, slots=True)
class DataOption:
    """What an option means, for the command line and the documentation.

    Attributes
    ----------
    name
        In Python; the command line writes it with hyphens.
    kind
        "case": an array with an entry per case, or the column of a table. "column": a column of a table.
        "setting": the same for all kinds of data. "text": how a file is written. "scan": how an engine works.
    meaning
        A sentence or two.
    metavar
        What the command line shows for the value; None for a flag, and for options that the shell does not have.
    choices
        The values that there are.
    many
        True if the command line may repeat it.
    """

    name: str
    kind: Literal["case", "column", "setting", "text", "scan"]
    meaning: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    many: bool = False

    def is_default(self, value: Any) -> bool:
        """Return True for the value that stands for nothing."""
        default = DEFAULTS.get(self.name)
        return value is None or (isinstance(value, type(default)) and value == default)


DEFAULTS: dict[str, Any] = {"missing": "raise", "decimal": ".", "pooled": False, "exact": False}


DATA_OPTIONS: Mapping[str, DataOption] = {
    option.name: option
    for option in (
        DataOption("truth", "column", "Column of the true classes.", "COLUMN"),
        DataOption(
            "scores",
            "column",
            "Column of the scores, or one column per class, by name or glob ('p_*'); give it again for more. "
            "Several classifiers side by side: NAME=COLUMNS for each. -COLUMN, or NAME=-COLUMN, multiplies a "
            "score by -1. By default every column that no other option names.",
            "COLUMNS",
            many=True,
        ),
        DataOption("classifier", "column", "Column of the classifier that a row belongs to.", "COLUMN"),
        DataOption(
            "case", "column", "Column that identifies the case of a row (for paired classifiers).", "COLUMN"
        ),
        DataOption("class_", "column", "Long layout: column of the class a score is for.", "COLUMN"),
        DataOption("labels", "setting", "The classes in order, including those without cases.", "A,B,C"),
        DataOption("pos_label", "setting", "The positive one of two classes.", "LABEL"),
        DataOption(
            "sample_weight", "case", "How much each case counts, or how many cases a row stands for.", "COLUMN"
        ),
        DataOption(
            "weight_kind",
            "setting",
            "Meaning of the weights: how much each case counts (importance, the default), or the number of "
            "cases that each row stands for (frequency).",
            choices=("importance", "frequency"),
        ),
        DataOption(
            "groups", "case", "Groups of cases (patients, sites): cases of a group are dependent.", "COLUMN"
        ),
        DataOption(
            "folds",
            "case",
            "Cross-validated predictions: the fold of each case, the test set of one trained model. Measures "
            "are computed within folds and averaged: the performance of these trained models on new cases.",
            "COLUMN",
        ),
        DataOption(
            "repeats",
            "case",
            "The repeat of a repeated cross-validation, with one row per case and repeat. The column of the "
            "case or of the groups identifies the cases, or else their order within each repeat.",
            "COLUMN",
        ),
        DataOption(
            "pooled",
            "setting",
            "Evaluate all folds as one sample instead; biased if the models' scores are not on one scale.",
        ),
        DataOption(
            "by",
            "case",
            "Subgroups: one result per value of this column, and whether they differ; may be repeated.",
            "COLUMN",
            many=True,
        ),
        DataOption(
            "negate",
            "setting",
            "Classifiers whose scores are multiplied by -1, because small ones indicate the positive class; in "
            "Python True for all. At the shell, write a minus before the column.",
        ),
        DataOption(
            "sampling",
            "setting",
            "Sampling of the cases: class sizes are random (cohort, the default) or fixed in advance "
            "(case-control). Relevant for measures that depend on prevalence.",
            choices=("cohort", "case-control"),
        ),
        DataOption(
            "missing",
            "setting",
            "Treatment of rows with missing values: an error, or drop them.",
            choices=("raise", "drop"),
        ),
        DataOption(
            "table",
            "text",
            "DuckDB file: the table or view; of a study, the data set. Excel: the sheet.",
            "NAME",
        ),
        DataOption(
            "connection",
            "text",
            "Your own DuckDB connection, which reads Parquet files, also from an object store.",
        ),
        DataOption(
            "decimal",
            "text",
            "Decimal sign of the numbers of a CSV file: . (the default) or a comma.",
            choices=(".", ","),
        ),
        DataOption(
            "encoding",
            "text",
            "Encoding of a text file that is not UTF-8, such as latin-1, cp1252 or utf-16.",
            "NAME",
        ),
        DataOption(
            "engine",
            "scan",
            "duckdb: bin the scores, with certified bounds; FILE may be a glob or a folder. The default for "
            "several files, and for more than a quarter of the memory.",
            choices=("duckdb", "memory"),
        ),
        DataOption("memory", "scan", "Memory limit of the engine, such as 1GB.", "SIZE"),
        DataOption("disk", "scan", "Limit of the engine's temporary files, such as 10GB."),
        DataOption("tolerance", "scan", "Largest width of the certified bounds.", "WIDTH"),
        DataOption("exact", "scan", "Refine until the bounds are equal, except for rounding."),
        DataOption(
            "covariance",
            "scan",
            "'bound' spares a pass and takes the largest standard error there can be; by default 'joined'.",
        ),
    )
}
