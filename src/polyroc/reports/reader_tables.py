"""The section on a reader study: tables of readers, differences and variances."""

from dataclasses import replace

from polyroc.output.tables import Table
from polyroc.readers.result import ReaderStudy
from polyroc.reports.tables import difference_bars

__all__ = ["reader_tables"]


def reader_tables(study: ReaderStudy, level: float) -> list[Table]:
    """Values by reader and modality, the differences between modalities, and the analysis of variance."""
    effects = [*study.differences.values(), *(study.algorithm or {}).values(), *study.by_reader.values()]
    bars, scale = difference_bars((effect.value, *effect.confidence_interval(level)) for effect in effects)
    tables = {
        "readers": study.to_table(level),
        "reader-differences": replace(study.difference_table(level), bars=bars, scale=scale),
        "reader-variances": study.variance_table(),
    }
    # the conclusion and the section have the sentences
    return [replace(table, key=key, notes=()) for key, table in tables.items() if table.rows]
