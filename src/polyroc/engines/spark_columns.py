"""Columns of Spark data frames: the kinds of their values; numbers, arrays and vectors as columns of doubles."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sql
from pyspark.sql import types

from polyroc.engines.precision import weight_exponent
from polyroc.engines.spark import NAME, run_spark
from polyroc.engines.support import check_supported, decisions_subject
from polyroc.errors import InputError
from polyroc.io.columns import Columns
from polyroc.io.sources import Kind, Source
from polyroc.messages import Option
from polyroc.validation.predictions import large_integers_message

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["NumberColumns", "checked_numbers", "column_kind"]

WHOLE = "decimal(38,0)"  # holds every integer that doubles are compared with


def column_kind(data_type: Any) -> Kind:
    """The kind of values of a Spark data type."""
    if isinstance(data_type, types.IntegralType):
        return "integer"
    if isinstance(data_type, types.DecimalType):
        return "float" if data_type.scale else "integer"
    if isinstance(data_type, types.FractionalType):
        return "float"
    if isinstance(data_type, types.BooleanType):
        return "boolean"
    plain = isinstance(data_type, types.AtomicType) and not isinstance(data_type, types.BinaryType)
    return "text" if plain else "other"


class NumberColumns:
    """The columns of numbers of a data frame; an array or a vector of Spark ML is a column for each element.

    Attributes
    ----------
    elements
        By the name of an element, its column as an array and its place in it.
    """

    def __init__(self, frame: "DataFrame", plain: "DataFrame", source: Source) -> None:
        self.types = dict(zip(source.columns, (field.dataType for field in frame.schema.fields), strict=True))
        self.plain, self.source = plain, source
        self.elements: dict[str, tuple[Column, int]] = {}

    def expand(
        self, columns: Columns, order: Sequence[Hashable] | None, present: Sequence[Hashable]
    ) -> dict[str, tuple[str, ...]]:
        """The names of the elements of columns of arrays, one for each class in their order.

        As a matrix in memory, without `labels` they are taken in the order of the sorted classes; but only if
        these are 0, 1, ..., as Spark ML numbers them. Its indexer orders names by frequency.
        """
        labels = order or present
        vectors = {}
        for name in dict.fromkeys(own.names[0] for own in columns.scores.values() if len(own.names) == 1):
            array = self._array(name)
            if array is not None:
                if order is None and [*labels] != [*range(len(labels))]:
                    raise InputError(
                        f"column {name!r} of {NAME} holds one number per class, in an order that is not known; "
                        "name the classes in that order with ",
                        Option("labels", [...]),
                        ".",
                    )
                self._check_sizes(name, array, len(labels))
                vectors[name] = tuple(f"{name}[{i}]" for i in range(len(labels)))
                self.elements |= {element: (array, i) for i, element in enumerate(vectors[name])}
                self.types |= dict.fromkeys(vectors[name], _element_type(self.types[name]))
        return vectors

    def _array(self, name: str) -> "Column | None":
        """A column of arrays or vectors as arrays; None for other columns."""
        column, data_type = sql.col(f"c{self._place(name)}"), self.types[name]
        if isinstance(data_type, types.UserDefinedType) and data_type.simpleString() == "vector":
            from pyspark.ml.functions import vector_to_array

            return sql.when(column.isNotNull(), vector_to_array(column))  # a missing vector would be an error
        is_array = isinstance(data_type, types.ArrayType) and isinstance(data_type.elementType, types.NumericType)
        return column if is_array else None

    def _check_sizes(self, name: str, array: "Column", classes: int) -> None:
        smallest, largest = run_spark(
            lambda: self.plain.select(sql.min(sql.array_size(array)), sql.max(sql.array_size(array))).collect()[0]
        )
        wrong = next((size for size in (smallest, largest) if size not in (None, classes)), None)
        if wrong is not None:
            raise InputError(
                f"column {name!r} of {NAME} holds {wrong} numbers in a row, where one for each of {classes} "
                "classes was expected; name every class with ",
                Option("labels", [...]),
                ".",
            )

    def _raw(self, name: str) -> "Column":
        return sql.get(*self.elements[name]) if name in self.elements else sql.col(f"c{self._place(name)}")

    def _place(self, name: str) -> int:
        return self.source.columns.index(name)

    def column(self, name: str) -> "Column":
        """A column as doubles, nan for null."""
        kind = column_kind(self.types[name])
        if kind not in ("integer", "float", "boolean"):
            if kind == "text":
                check_supported("decisions", "spark", None, decisions_subject(f"column {name!r} of {NAME}"))
            shown = self.types[name].simpleString()
            raise InputError(
                f"column {name!r} of {NAME} holds {shown} where numbers were expected; cast it to double."
            )
        return sql.coalesce(self._raw(name).cast("double"), sql.lit(float("nan")))

    def is_large(self, name: str) -> bool:
        """Whether a column holds integers of which some may not be doubles."""
        data_type = self.types[name]
        return isinstance(data_type, types.LongType) or (
            isinstance(data_type, types.DecimalType) and not data_type.scale and data_type.precision > 15
        )

    def inexact(self, name: str) -> "Column":
        """Whether an integer is not a double, so that different ones may become equal scores."""
        column = self._raw(name).cast(WHOLE)
        return column.isNotNull() & ~column.eqNullSafe(column.cast("double").try_cast(WHOLE))


def _element_type(data_type: Any) -> types.DataType:
    return data_type.elementType if isinstance(data_type, types.ArrayType) else types.DoubleType()


def checked_numbers(rows: "DataFrame", names: Sequence[str]) -> tuple["DataFrame", int]:
    """The rows with weights of a size whose squares can be summed, and the power of two that divides them.

    An error is raised for integers that doubles cannot distinguish.
    """
    large = [name for name in rows.columns if name.startswith("x")]
    weighted = "w" in rows.columns
    if not large and not weighted:
        return rows, 0
    counts = [sql.count_if(sql.col(name)) for name in large]
    largest = [sql.max("w")] if weighted else []
    answer = run_spark(lambda: rows.select(*counts, *largest).collect()[0])
    for name, count in zip(large, answer, strict=False):
        if count:
            raise InputError(large_integers_message(f"column {names[int(name[1:])]!r} of {NAME}"))
    rows = rows.drop(*large)
    exponent = weight_exponent(answer[-1]) if weighted else 0
    if not exponent:
        return rows, 0
    half = exponent // 2  # in two steps, since 2^1074 is not a double
    scaled = sql.col("w") * sql.lit(2.0**-half) * sql.lit(2.0 ** (half - exponent))
    return rows.withColumn("w", scaled), exponent
