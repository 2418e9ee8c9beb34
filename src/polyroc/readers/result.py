"""`ReaderStudy`, the result of `reader_study`: means over readers, differences, tests, sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isinf, isnan
from typing import Any, NamedTuple

from polyroc._results.codec import NOT_STORED, STORED_IF_SET
from polyroc._results.invariants import Invariants, at_least, distinct, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.estimates.difference import verdict
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.multiplicity import Adjustment
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.output.numbers import estimate_text, level_text, number_text, p_number, p_text
from polyroc.output.sentences import class_text, counted, listed
from polyroc.output.tables import Table
from polyroc.readers.anova import ErrorCovariances, Fixed, MeanSquares, Nested
from polyroc.readers.curves import ReaderCurve, reader_curves
from polyroc.readers.effects import ReaderAverage, ReaderDifference
from polyroc.readers.readings import Readings
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import validated

__all__ = ["DESIGNS", "RANDOM", "EqualModalities", "ReaderStudy"]

RANDOM: Mapping[Fixed | None, str] = {
    None: "readers and cases random",
    "readers": "these readers fixed, cases random",
    "cases": "readers random, these cases fixed",
}
MEAN = "mean over readers"
DESIGNS: Mapping[Nested | None, str] = {
    None: "all readers read all cases with all modalities",
    "readers": "each reader reads with one modality",
    "cases": "each reader reads cases of their own with all modalities",
}


class EqualModalities(NamedTuple):
    """The test that all modalities have the same mean: F, or chi-square (df2 infinite) if readers are fixed."""

    statistic: float
    df1: float
    df2: float
    pvalue: float

    @property
    def text(self) -> str:
        """The test as text."""
        if isnan(self.pvalue):
            return "undefined, because nothing varies"
        if isinf(self.df2):
            return f"chi-square({self.df1:g}) = {self.statistic:.2f}, {p_text(self.pvalue)}"
        return f"F({self.df1:g}, {self.df2:.1f}) = {self.statistic:.2f}, {p_text(self.pvalue)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReaderStudy(Result):
    """What a reader study shows: each modality's mean over readers, their differences, and tests.

    Attributes
    ----------
    measure, name
        The measure, with its options, and its name in words.
    modalities, readers
        The modalities with readers, and the readers.
    estimates
        By modality and reader (of a stand-alone algorithm, the same name twice), the estimate on the cases.
    averages
        By modality, the mean over readers.
    differences
        By pair of modalities, the difference of the means.
    by_reader
        By reader and pair of modalities, the difference of this reader, with a normal interval from the error
        covariances; empty if readers are nested in modalities.
    equal
        The test that all modalities are equal; None if there is one.
    mean_squares, errors
        Of the analysis of variance: mean squares of the values, and mean covariances of the errors.
    covariance
        The error covariance of the cells, in the order of `estimates`.
    fixed, nested
        What was taken as fixed ("readers", "cases" or None), and what is nested.
    adjustment
        How the p-values of the differences are adjusted for their number.
    provenance
        What is needed to reproduce it.
    standalone, algorithm
        The name of a stand-alone algorithm, and by modality the difference algorithm minus mean over readers.
    readings
        The readings, from which curves are drawn; not stored.
    """

    measure: str
    name: str
    modalities: tuple[str, ...]
    readers: tuple[str, ...]
    estimates: Mapping[tuple[str, str], Estimate]
    averages: Mapping[str, ReaderAverage]
    differences: Mapping[tuple[str, str], ReaderDifference]
    by_reader: Mapping[tuple[str, str, str], ReaderDifference]
    equal: EqualModalities | None
    mean_squares: MeanSquares
    errors: ErrorCovariances
    covariance: FloatArray
    fixed: Fixed | None
    nested: Nested | None
    adjustment: Adjustment | None
    provenance: Provenance
    standalone: str | None = field(default=None, metadata=STORED_IF_SET)
    algorithm: Mapping[str, ReaderDifference] | None = field(default=None, metadata=STORED_IF_SET)
    readings: Readings | None = field(default=None, metadata=NOT_STORED)

    def _invariants(self) -> Invariants:
        yield distinct(self.modalities) and distinct(self.readers), "modalities and readers must be distinct"
        yield set(self.averages) == set(self.modalities), "every modality must have a mean"
        cells = len(self.estimates)
        yield self.covariance.shape == (cells, cells), "the covariance must have a row for every cell"
        yield self.equal is None or shares(self.equal.pvalue), "p-values must be from 0 to 1"
        yield at_least([x for x in self.mean_squares if not isnan(x)], 0), "mean squares must be 0 or more"

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {number_text(mean.value)}" for name, mean in self.averages.items())
        test = "" if self.equal is None else f"; all equal: {p_text(self.equal.pvalue)}"
        return f"ReaderStudy({self.measure} of {len(self.readers)} readers: {values}{test})"

    @validated
    def difference(self, first: str, second: str, reader: str | None = None) -> ReaderDifference:
        """The difference of two modalities, first minus second: of the means over readers, or of one reader."""
        table: dict[tuple[str, str], ReaderDifference] = dict(self.differences)
        if reader is not None:
            table = {key[1:]: effect for key, effect in self.by_reader.items() if key[0] == reader}
            if not table:
                raise InputError(
                    f"There is no difference of reader {short_repr(reader)}; {did_you_mean(reader, self.readers)}"
                )
        if (first, second) in table:
            return table[first, second]
        if (second, first) in table:
            return table[second, first].reversed()
        raise InputError(
            f"first and second must be two of the modalities {', '.join(map(repr, self.modalities))}, got "
            f"{short_repr(first)} and {short_repr(second)}."
        )

    def curves(self) -> list[ReaderCurve]:
        """The ROC curve of every reader and the mean over readers, by modality; of two classes."""
        if self.readings is None:
            raise InputError("A stored reader study has no readings to draw curves of; run reader_study again.")
        return reader_curves(self.readings, self.modalities, self.standalone)

    def _differences(self) -> Iterator[tuple[str, ReaderDifference]]:
        """All differences, with whose they are."""
        yield from ((MEAN, effect) for effect in self.differences.values())
        yield from (("algorithm", effect) for effect in (self.algorithm or {}).values())
        yield from ((reader, effect) for (reader, _, _), effect in self.by_reader.items())

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per modality and reader, per mean, and per difference."""
        rows = []
        for (modality, reader), estimate in self.estimates.items():
            rows.append(self._record("value", modality, reader, estimate, level))
        for modality, mean in self.averages.items():
            rows.append(self._record("mean", modality, "", mean, level))
        for reader, effect in self._differences():
            names = f"{effect.first} - {effect.second}"
            tests = {"pvalue": effect.pvalue, "adjusted_pvalue": effect.adjusted_pvalue}
            rows.append({**self._record("difference", names, reader, effect, level), **tests})
        return rows

    def _record(self, kind: str, modality: str, reader: str, one: Any, level: float) -> dict[str, Any]:
        low, high = one.confidence_interval(level)
        row = {"kind": kind, "measure": self.measure, "modality": modality, "reader": reader, "value": one.value}
        row |= {"standard_error": one.standard_error, "low": low, "high": high, "level": level}
        return {**row, "df": one.df, "pvalue": None, "adjusted_pvalue": None}

    def to_table(self, level: float = 0.95) -> Table:
        """Values by reader and modality, their means, and the conclusion."""
        heading = "reader"
        while heading in self.modalities:  # a column of its own, whatever the modalities are called
            heading = f"({heading})"
        rows = [
            {heading: reader, **{modality: self._cell(modality, reader, level) for modality in self.modalities}}
            for reader in self.readers
        ]
        rows.append({heading: MEAN, **{name: _text(mean, level) for name, mean in self.averages.items()}})
        title = f"{self.name} ({self.measure}) by reader ({level_text(level)} intervals in brackets)"
        notes = [*self.conclusion(level), self.sentence(level)]
        if self.standalone is not None:
            own = self.estimates[self.standalone, self.standalone]
            notes.insert(0, f"{self.standalone} alone: {_text(own, level)}.")
        return Table.of(title, rows, notes)

    def _cell(self, modality: str, reader: str, level: float) -> str:
        estimate = self.estimates.get((modality, reader))
        return "" if estimate is None else _text(estimate, level)

    @validated
    def difference_table(self, level: float = 0.95) -> Table:
        """The differences between modalities, of the means over readers and of each reader."""
        several = ("p adjusted",) if len(self.differences) > 1 else ()
        rows = [
            {
                "of": reader,
                "difference": f"{effect.first} - {effect.second}",
                "value": _text(effect, level),
                "std. error": number_text(effect.standard_error),
                "df": "normal" if isinf(effect.df) else f"{effect.df:.1f}",
                "p": "" if isnan(effect.pvalue) else p_number(effect.pvalue),
                **{key: "" if isnan(p := effect.adjusted_pvalue) else p_number(p) for key in several},
            }
            for reader, effect in self._differences()
        ]
        notes = [f"Adjustment for the number of pairs: {self.adjustment or 'none'}."] if several else []
        return Table.of("Differences between modalities", rows, notes)

    def variance_table(self) -> Table:
        """Mean squares and error covariances, as other programs print them."""
        entries = {
            "MS(modality)": self.mean_squares.modality,
            "MS(reader)": self.mean_squares.reader,
            "MS(modality x reader)": self.mean_squares.interaction,
            "error variance": self.errors.variance,
            "Cov1 (same reader)": self.errors.cov1,
            "Cov2 (same modality)": self.errors.cov2,
            "Cov3 (neither)": self.errors.cov3,
        }
        rows = [{"term": name, "value": "" if isnan(x) else f"{x:.4g}"} for name, x in entries.items()]
        return Table.of("Mean squares and error covariances", rows)

    @validated
    def margin_table(self, margin: float, level: float = 0.95) -> Table:
        """Non-inferiority and equivalence of the differences of means, and of a stand-alone algorithm."""
        effects = [*self.differences.values(), *(self.algorithm or {}).values()]
        rows = [
            {
                "difference": f"{one.first} - {one.second}",
                "value": _text(one, level),
                "p non-inferior": p_number(one.non_inferiority(margin)),
                "p equivalent": p_number(one.equivalence(margin)),
            }
            for effect in effects
            for one in (effect, effect.reversed())
        ]
        note = f"Non-inferior: the first is not worse than the second by {margin:g} or more (one-sided p)."
        return Table.of(f"Margin {margin:g}", rows, [note])

    def conclusion(self, level: float = 0.95) -> list[str]:
        """One sentence per difference of means, and per comparison with a stand-alone algorithm."""
        sentences = []
        if self.equal is not None and len(self.modalities) > 2:
            sentences.append(f"Test that all modalities are equal: {self.equal.text}.")
        after = f" after {self.adjustment}" if self.adjustment and len(self.differences) > 1 else ""
        sentences += [_sentence(effect, level, after) for effect in self.differences.values()]
        sentences += [
            _sentence(effect, level, "", f"the mean of {len(self.readers_of(modality))} readers with {modality}")
            for modality, effect in (self.algorithm or {}).items()
        ]
        return sentences

    @validated
    def readers_of(self, modality: str) -> tuple[str, ...]:
        """The readers of a modality."""
        return tuple(reader for own, reader in self.estimates if own == modality)

    @validated
    def sentence(self, level: float = 0.95) -> str:
        """The study in one sentence, for a paper."""
        cases = self.provenance.cases
        classes = ", ".join(f"{count} {class_text(name)}" for name, count in cases.items())
        means = listed([f"{_text(mean, level)} with {name}" for name, mean in self.averages.items()])
        method = f"Obuchowski-Rockette analysis with Hillis' degrees of freedom, {RANDOM[self.fixed]}"
        if self.nested is not None:
            method += f"; {DESIGNS[self.nested]}"
        tests = [
            f"{effect.first} minus {effect.second} {_text(effect, level)}, {p_text(effect.pvalue)}"
            for effect in [*self.differences.values(), *(self.algorithm or {}).values()]
            if not isnan(effect.pvalue)
        ]
        shown = f"; difference {'; '.join(tests)}" if tests else ""
        known = any(not isnan(mean.confidence_interval(level).low) for mean in self.averages.values())
        brackets = f" ({level_text(level)} intervals in brackets)" if known else ""
        study = f"{counted(len(self.readers), 'reader')} and {counted(sum(cases.values()), 'case')} ({classes})"
        return (
            f"With {study} the mean {self.name} was {means}{brackets}{shown} "
            f"({method}; error covariances by {self.provenance.method})."
        )

    def _derived(self) -> dict[str, Any]:
        return {"sentence": self.sentence()}


def _text(one: Any, level: float) -> str:
    """A value with its interval."""
    return estimate_text(one.value, one.confidence_interval(level))


def _sentence(effect: ReaderDifference, level: float, after: str, second: str | None = None) -> str:
    """A difference in a plain sentence."""
    p = effect.adjusted_pvalue if after else effect.pvalue
    one, other = effect.first, second or effect.second
    lead = verdict(one, other, p, level, (effect.value > 0) == effect.larger_is_better)
    if isnan(p):
        return f"{lead}: nothing varies between readers or cases."
    subject = f"{one} minus {other} is " if p < 1 - level else ""
    return f"{lead}: {subject}{effect.text(level)}, {p_text(p)}{after}."
