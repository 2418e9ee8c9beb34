"""Rows of files: how the classes of a column of labels become codes."""

from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc.engines.dataset import LARGEST_WHOLE
from polyroc.engines.rows import code_expression, codes_of_integers
from polyroc.engines.session import EngineSession
from polyroc.errors import InputError


class TestCodesOfIntegers:
    """Classes that are neighbouring integers are read as they are; SQL, which codes any labels, is the twin."""

    @pytest.mark.parametrize("kind", ["TINYINT", "SMALLINT", "INTEGER", "BIGINT"])
    @pytest.mark.parametrize("sign", ["", "U"])
    @given(data=st.data())
    def test_as_by_sql(self, kind, sign, data):
        bits = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}[kind]
        least, most = (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        first = data.draw(st.integers(max(least, 5 - LARGEST_WHOLE), min(most, LARGEST_WHOLE) - 4))
        last = first + data.draw(st.integers(1, 4))
        near = st.integers(max(least, first - 2), min(most, last + 2))
        labels = data.draw(st.lists(st.none() | near | st.integers(least, most), min_size=1, max_size=20))
        code, parameters = code_expression("c", range(first, last + 1))
        with EngineSession(2**26) as session:
            values = ", ".join(
                f"({'NULL' if label is None else repr(str(label))}::{sign}{kind})" for label in labels
            )
            query = f"FROM (VALUES {values}) AS t(c)"
            ((expected,),) = session.stream(f"SELECT {code} {query}", parameters, "t", ordered=True)
            ((raw,),) = session.stream(f"SELECT c {query}", (), "t", ordered=True)
        codes = codes_of_integers(raw, first, last)
        assert codes.dtype == np.int32
        np.testing.assert_array_equal(codes, expected)

    @pytest.mark.parametrize(
        "kind", ["TINYINT", "UBIGINT", "HUGEINT", "DECIMAL(5,0)", "DOUBLE", "BOOLEAN", "VARCHAR"]
    )
    @pytest.mark.parametrize("labels", [None, [1, 0]])
    def test_every_type_of_column(self, tmp_path, kind, labels):
        y, s = [0, 1, 1, 0, 1, 0], [0.1, 0.4, 0.3, 0.2, 0.35, 0.36]
        file = tmp_path / "f.duckdb"
        rows = ", ".join(f"({label}::INTEGER::{kind}, {score})" for label, score in zip(y, s, strict=True))
        with duckdb.connect(str(file)) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {rows}) AS t(y, s)")
        options: dict[str, Any] = {"truth": "y", "scores": "s", "table": "t", "engine": "duckdb"}
        one: Any = {"DOUBLE": 1.0, "BOOLEAN": True, "VARCHAR": "1"}.get(kind, 1)
        if labels is not None:
            options["labels"] = [type(one)(label) for label in labels]
        estimate = pr.evaluate(file, measure="auc", pos_label=one, **options)
        assert estimate.value == pytest.approx(pr.evaluate(y, s, measure="auc").value)

    @pytest.mark.parametrize(
        ("label", "message"),
        [(None, "A row has no true class"), (2, "column 'y' holds 2, which is not among labels")],
    )
    def test_messages(self, tmp_path, label, message):
        file = tmp_path / "f.parquet"
        pl.DataFrame({"y": [0, 1, 0, 1, label], "s": [0.1, 0.4, 0.3, 0.2, 0.5]}).write_parquet(file)
        with pytest.raises(InputError, match=message):
            pr.evaluate(file, truth="y", scores="s", labels=[0, 1], pos_label=1, measure="auc", engine="duckdb")
