"""Binned counts of one classifier: the bins of its columns of scores and its patterns of decisions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isnan

import numpy as np

from polyroc.engines.binned_sample import BoundedStatistic
from polyroc.engines.bins import BinCounts, BinnedColumn, BinnedValues, Layout, class_sums, record_width
from polyroc.engines.bounds import bin_family, bounded_statistic
from polyroc.errors import NotApplicableError, UndefinedMeasureWarning, warn
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import add_cases, add_records, add_weighted, largest_columns, own_class_comparisons
from polyroc.kernels.threads import run_concurrently
from polyroc.measures.applicability import ROUNDING, SOFTMAX, inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.scores import Schema

__all__ = [
    "DECISIONS",
    "MOST_CLASSES",
    "BinnedData",
    "Counts",
    "DecisionPatterns",
    "check_applicable",
    "default_bits",
    "pattern_kinds",
    "score_columns",
    "warn_absent",
]

TALLY_BYTES = 64 * 2**20  # of the records of a tally by default
MOST_BITS, FEWEST_BITS = 16, 8  # of bins by default, depending on the memory that they take
DECISIONS = -1  # number of the column that patterns of decisions count as
MOST_CLASSES = 39  # the largest number of digits to base 3 in the 63 bits of a pattern


def score_columns(measures: Iterable[Measure], schema: Schema) -> tuple[int, ...]:
    """Return the columns of scores that the measures need."""
    families = {bin_family(measure) for measure in measures}
    if "pairs" in families:
        return tuple(range(schema.n_classes))
    if "score" in families:
        return (schema.positive if schema.kind != "score" and schema.positive is not None else 0,)
    return ()


def pattern_kinds(measures: Iterable[Measure], schema: Schema) -> tuple[str, ...]:
    """Return the kinds of patterns of decisions that the measures need."""
    kinds = {bin_family(measure) for measure in measures} & {"decisions", "wins"}
    if kinds and schema.kind == "score":
        raise NotApplicableError(
            "Decisions need one column per class here; of two classes a score is decided by a threshold, as in "
            "accuracy(threshold=0.5)."
        )
    if kinds and schema.n_classes > MOST_CLASSES:
        raise NotApplicableError(f"Patterns of decisions are counted for up to {MOST_CLASSES} classes.")
    return tuple(sorted(kinds))


class DecisionPatterns:
    """How often each pattern of decisions occurred.

    Attributes
    ----------
    pairwise
        True for the comparisons of the own class with every class, False for the set of the largest columns.
    codes, records
        The patterns that occurred, ascending, and their records (see `polyroc.kernels.bins`).
    """

    def __init__(self, pairwise: bool, classes: int, weighted: bool) -> None:
        self.pairwise, self.classes, self.weighted = pairwise, classes, weighted
        self.codes = np.empty(0, dtype=np.int64)
        self.records = np.empty((0, record_width(classes, weighted)), dtype=np.int64)

    def add(self, table: FloatArray, codes: CodeArray, weight: FloatArray | None) -> None:
        """Count cases, from a table of scores with one column per class."""
        patterns, positions = np.unique(self._patterns(table, codes), return_inverse=True)
        records = np.zeros((len(patterns), self.records.shape[1]), dtype=np.int64)
        # Equal values: the bin of a pattern is never mixed.
        bins, no_values = positions.astype(np.int32), np.zeros(len(codes))
        if weight is None:
            add_cases(bins, no_values, codes, records)
        else:
            add_weighted(bins, no_values, codes, weight, records)
        self.add_records(patterns, records)

    def add_records(self, patterns: IntArray, records: IntArray) -> None:
        """Add the records of some patterns, ascending."""
        codes = np.union1d(self.codes, patterns)
        own = np.zeros((len(codes), self.records.shape[1]), dtype=np.int64)
        added = own.copy()
        own[np.searchsorted(codes, self.codes)] = self.records
        added[np.searchsorted(codes, patterns)] = records
        add_records(own, added, self.classes)
        self.codes, self.records = codes, own

    def locate(self, table: FloatArray, codes: CodeArray) -> CodeArray:
        """Return the pattern of each row, as a position in `codes`."""
        positions = np.searchsorted(self.codes, self._patterns(table, codes))
        return np.minimum(positions, len(self.codes) - 1).astype(np.int32)

    def column(self) -> BinnedColumn:
        """Return the patterns as bins."""
        bins = np.arange(len(self.codes))
        return BinnedColumn(
            *class_sums(self.records, self.classes, bins), mixed=np.zeros(len(bins), dtype=bool), index=None
        )

    def representatives(self) -> FloatArray:
        """Return for each pattern a row of scores with these decisions; in comparisons the own class has 0."""
        digits = np.arange(self.classes)
        if not self.pairwise:
            return (self.codes[:, None] >> digits & 1).astype(np.float64)
        return (1 - self.codes[:, None] // 3**digits % 3).astype(np.float64)

    def _patterns(self, table: FloatArray, codes: CodeArray) -> IntArray:
        patterns = np.empty(len(codes), dtype=np.int64)
        if self.pairwise:
            own_class_comparisons(table, codes, patterns)
        else:
            largest_columns(table, patterns)
        return patterns


class Counts:
    """Counts by column and by kind of pattern, for one classifier.

    Attributes
    ----------
    schema, weighted
        What is known of the data, and whether cases have weights.
    bins, patterns
        By column, and by kind of pattern ("decisions", "wins").
    ranges
        By column, the smallest and the largest score, nan if one was missing; empty unless `check_values`.
    """

    def __init__(
        self,
        schema: Schema,
        layouts: Mapping[int, Layout],
        kinds: Sequence[str],
        weighted: bool,
        check_values: bool = True,
    ) -> None:
        c = schema.n_classes
        self.schema, self.weighted = schema, weighted
        self.bins = {place: BinCounts(layout, c, weighted) for place, layout in layouts.items()}
        self.patterns = {kind: DecisionPatterns(kind == "wins", c, weighted) for kind in kinds}
        checked = (range(c) if kinds else layouts) if check_values else ()
        self.ranges = dict.fromkeys(checked, (inf, -inf))

    def add(self, codes: CodeArray, columns: Sequence[BinnedValues], weight: FloatArray | None) -> None:
        """Count cases."""
        for place in range(len(columns)):
            self.add_column(place, codes, columns[place], weight)
        self.add_patterns(codes, columns, weight)

    def add_column(self, place: int, codes: CodeArray, scores: BinnedValues, weight: FloatArray | None) -> None:
        """Count one column of some cases; different columns can be counted at the same time."""
        if len(codes):
            self.update_range(place, float(scores.values.min()), float(scores.values.max()))
        if place in self.bins:
            self.bins[place].add(scores, codes, weight)

    def update_range(self, place: int, low: float, high: float) -> None:
        """Extend the range of a column by the smallest and the largest of some scores."""
        if place in self.ranges:
            first, last = self.ranges[place]
            low, high = float(np.minimum(low, first)), float(np.maximum(high, last))  # these propagate nan
            self.ranges[place] = low + 0.0, high + 0.0  # no -0.0

    def add_patterns(self, codes: CodeArray, columns: Sequence[BinnedValues], weight: FloatArray | None) -> None:
        """Count the decisions that all columns make together."""
        if self.patterns:
            table = np.column_stack([column.values for column in columns])
            for patterns in self.patterns.values():
                patterns.add(table, codes, weight)

    def non_finite_column(self) -> int | None:
        """Return a column with a missing or infinite score, if there is one."""
        return next(
            (place for place, (low, high) in self.ranges.items() if isnan(low) or low == -inf or high == inf), None
        )

    def cases(self) -> IntArray:
        """Return the number of cases (of positive weight) by class."""
        columns: list[BinCounts | DecisionPatterns] = [*self.bins.values(), *self.patterns.values()]
        return np.asarray(columns[0].records[:, 1 : 1 + self.schema.n_classes].sum(axis=0))

    def merge(self, other: "Counts") -> None:
        """Add the counts of other cases in the same bins."""
        for place, limits in other.ranges.items():
            self.update_range(place, *limits)
        self.add_records(other.records())

    def records(self) -> dict[str, tuple[IntArray, IntArray]]:
        """Return, by name, the occupied bins of a column or the patterns that occurred, and their records."""
        records = {}
        for place, bins in self.bins.items():
            occupied = np.flatnonzero(bins.records[:, 0])
            records[f"column {place}"] = occupied, bins.records[occupied]
        return records | {kind: (patterns.codes, patterns.records) for kind, patterns in self.patterns.items()}

    def add_records(self, records: Mapping[str, tuple[IntArray, IntArray]]) -> None:
        """Add the records of other cases in the same bins."""
        for place, bins in self.bins.items():
            bins.add_records(*records[f"column {place}"])
        for kind, patterns in self.patterns.items():
            patterns.add_records(*records[kind])

    def binned_coarser(self, layouts: Mapping[int, Layout]) -> "BinnedData":
        """Return the columns in the bins of which theirs are the refinement; without patterns."""
        columns = self._columns(lambda place, bins: bins.coarsened(layouts[place]).column())
        return BinnedData(self.schema, columns, {})

    def binned(self) -> "BinnedData":
        """Return the occupied bins and the patterns that occurred."""
        return BinnedData(
            self.schema,
            self._columns(lambda _, bins: bins.column()),
            {kind: (patterns.column(), patterns) for kind, patterns in self.patterns.items()},
        )

    def _columns(self, make: Callable[[int, BinCounts], BinnedColumn]) -> dict[int, BinnedColumn]:
        """Return what is made of each column, in threads if there are many bins."""
        places, columns = [*self.bins], dict[int, BinnedColumn]()

        def make_column(number: int) -> None:
            columns[places[number]] = make(places[number], self.bins[places[number]])

        run_concurrently(make_column, len(places), sum(bins.layout.size for bins in self.bins.values()))
        return {place: columns[place] for place in places}


class BinnedData:
    """The occupied bins and patterns of one classifier, from which measures are computed."""

    def __init__(
        self,
        schema: Schema,
        columns: Mapping[int, BinnedColumn],
        patterns: Mapping[str, tuple[BinnedColumn, DecisionPatterns]],
    ) -> None:
        self.schema, self.columns, self.patterns = schema, columns, patterns

    def cases(self) -> IntArray:
        """Return the number of cases (of positive weight) by class."""
        columns = [*self.columns.values(), *(column for column, _ in self.patterns.values())]
        return columns[0].units

    def columns_for(self, measure: Measure) -> dict[int, BinnedColumn]:
        """Return the columns that a measure needs; patterns of decisions count as one column, number -1."""
        kind = bin_family(measure)
        if kind in self.patterns:
            return {DECISIONS: self.patterns[kind][0]}
        return {place: self.columns[place] for place in score_columns([measure], self.schema)}

    def bounded(self, measure: Measure) -> BoundedStatistic:
        """Return the measure with its certified bounds."""
        kind = bin_family(measure)
        rows = self.patterns[kind][1].representatives() if kind in self.patterns else None
        return bounded_statistic(measure, self.columns_for(measure), self.schema, rows)


def default_bits(classes: int, columns: int, weighted: bool, room: float = TALLY_BYTES) -> int:
    """Return the most bits, up to 16, with which the records of all columns take no more bytes than `room`."""
    record = 8 * record_width(classes, weighted) * columns
    for bits in range(MOST_BITS, FEWEST_BITS, -1):
        if Layout.of(bits).size * record <= room:
            return bits
    return FEWEST_BITS


def warn_absent(absent: Sequence[str], measure: Measure) -> None:
    """Warn that classes have no case."""
    named = ", ".join(map(repr, absent))
    warn(f"No case of class {named}: {measure} undefined (nan). Add cases.", UndefinedMeasureWarning)


def check_applicable(measure: Measure, counts: Counts) -> None:
    """Raise an error if the measure does not apply to the counted predictions."""
    reason = inapplicable_reason(measure, counts.schema, by_name=True)
    if reason is not None:
        raise NotApplicableError(f"{measure} ", reason, ".")
    if measure.needs == "probabilities":
        names = counts.schema.names
        for place, (low, high) in counts.ranges.items():
            if low < -ROUNDING or high > 1 + ROUNDING:
                raise NotApplicableError(
                    f"{measure} needs probabilities in [0, 1], but those of class {names[place]!r} go "
                    f"from {low:g} to {high:g}; ",
                    SOFTMAX,
                    ".",
                )
