"""Features and true classes from a file, for searches over classifiers."""

from collections.abc import Sequence
from typing import Any

from polyroc.io.columns import matching_columns
from polyroc.io.files import file_source
from polyroc.io.inputs import LocalCopy
from polyroc.io.read import read
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, expand_home
from polyroc.scores import Scores

__all__ = ["read_features"]


def read_features(
    source: Any,
    *,
    truth: str,
    features: Sequence[str],
    sample_weight: str | None = None,
    groups: str | None = None,
    table: str | None = None,
    encoding: str | None = None,
    **reading: Any,
) -> Scores:
    """Features as the values of `Scores`, one column each, by name; `features` are names and globs.

    Columns of other roles are left out of globs. Numbers and missing values are checked as those of scores.
    """
    file = source.file if isinstance(source, LocalCopy) else DataFile(expand_home(source), encoding=encoding)
    taken = {name for name in (truth, sample_weight, groups) if name is not None}
    with Session() as session:
        opened = file_source(session, file, (truth, *features), table)
        names = [name for pattern in features for name in matching_columns(pattern, opened, taken, "features")]
    columns = {name: [name] for name in dict.fromkeys(names)}
    return read(
        source,
        truth=truth,
        scores=columns,
        sample_weight=sample_weight,
        groups=groups,
        table=table,
        encoding=encoding,
        **reading,
    )
