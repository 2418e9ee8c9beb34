"""DuckDB files: a table or view of one, such as the predictions in the store of a study."""

from pathlib import Path

from polyroc.errors import InputError, did_you_mean
from polyroc.io.session import Session
from polyroc.io.source import Source, check_names, kind_of

__all__ = ["database_source"]

_NAMES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_catalog = 'stored' AND table_schema = 'main' ORDER BY table_name
"""


def database_source(session: Session, path: Path, table: str | None) -> Source:
    """A source for a table or view in the file; the only one need not be named."""
    name, quoted = f"'{path}'", str(path).replace("'", "''")
    session.run(f"ATTACH '{quoted}' AS stored (READ_ONLY)", (), name)
    held = [str(row[0]) for row in session.rows(_NAMES, (), name)]
    if not held:
        raise InputError(f"{name} holds no table; give another file.")
    if table is None and len(held) > 1:
        raise InputError(f"{name} holds several tables; say which with table=...: {', '.join(held)}.")
    if table is not None and table not in held:
        raise InputError(f"{name} holds no table {table!r}; {did_you_mean(table, held)}")
    chosen = (table or held[0]).replace('"', '""')
    call = f'stored.main."{chosen}"'
    told = session.rows(f"DESCRIBE SELECT * FROM {call}", (), name)
    names = tuple(str(row[0]) for row in told)
    check_names(names, name)
    return Source(name, names, call, (), tuple(kind_of(str(row[1])) for row in told))
