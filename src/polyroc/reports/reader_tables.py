"""The section on a reader study: tables of readers, differences and variances."""

from dataclasses import replace

from polyroc.output.tables import Table
from polyroc.readers.result import ReaderStudy

__all__ = ["reader_tables"]


def reader_tables(study: ReaderStudy, level: float) -> list[Table]:
    """Values by reader and modality, the differences between modalities, and the analysis of variance."""
    tables = {
        "readers": study.to_table(level),
        "reader-differences": study.difference_table(level),
        "reader-variances": study.variance_table(),
    }
    # the conclusion and the section have the sentences
    return [replace(table, key=key, notes=()) for key, table in tables.items() if table.rows]
