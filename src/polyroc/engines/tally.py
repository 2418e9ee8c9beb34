"""Tally: binned counts of predictions that can be updated, merged, stored and evaluated."""

from collections.abc import Hashable, Sequence
from math import log2
from typing import Any, Self

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.engines.bins import (
    BinnedValues,
    Layout,
    bin_bytes,
    check_weight_precision,
)
from polyroc.engines.counts import MOST_CLASSES, Counts, check_applicable, default_bits, warn_absent
from polyroc.engines.estimates import Estimator, ScanSummary
from polyroc.engines.support import check_measure
from polyroc.engines.tally_file import LARGEST_TALLY, StoredTally, pack, unpack
from polyroc.errors import InputError, OutOfSpaceError, SmallClassWarning, ToleranceWarning, warn
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.threads import machine_memory
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import short_repr
from polyroc.scores import Sampling, Schema, WeightKind, readable
from polyroc.validation.arguments import ArgumentNames, checked_labels, checked_whole
from polyroc.validation.arrays import as_array
from polyroc.validation.data_frames import check_alignment
from polyroc.validation.predictions import as_vector
from polyroc.validation.scores import normalise
from polyroc.validation.signatures import Positive, validated
from polyroc.validation.weights import LARGEST_WEIGHT, WEIGHT_UNIT, check_sampling, check_weight_kind

__all__ = ["Tally"]


class Tally:
    """Counts of cases by bin of the score and class: a state that can be updated, merged and evaluated.

    Batches may come in any size and order, and tallies may be merged in any order: counts are integers, and
    weights are summed in units of 2^-52, so the answer is the same to the last bit. Scores in one bin are taken to
    tie; the exact value is inside the `bounds` of each estimate. Where these are not small against the standard
    error, the confidence interval includes them, and a `ToleranceWarning` says so.

    Parameters
    ----------
    labels
        The classes, in order.
    pos_label
        The positive class of two. Not needed for 0/1, -1/1 and False/True; by default the last of two labels.
    bits
        Bins are 2^-bits wide between 0 and 1 and finer near both ends (see `polyroc.engines.bins.Layout.of`):
        16 by default, less where there are many classes, so that a tally stays below 64 MB.
    weight_scale
        The size of ordinary weights, rounded to a power of two: weights and their squares are summed in units of
        2^-52 of it (of its square), and may be up to 2^25 times as large. A tally does not know the weights of
        later batches, so state it if they are far from 1. Tallies that are merged must have the same.

    Examples
    --------
    >>> tally = Tally([0, 1])
    >>> tally.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tally.evaluate("auc").bounds
    (0.7499..., 0.7500...)
    >>> again = Tally.from_bytes(tally.to_bytes())
    >>> again.merge(tally)
    >>> again
    Tally(8 cases (0: 4, 1: 4); score)
    """

    @validated
    def __init__(
        self,
        labels: Sequence[Hashable],
        *,
        pos_label: Hashable = None,
        bits: int | None = None,
        weight_scale: Positive = 1.0,
    ) -> None:
        self.labels = checked_labels(labels)
        if pos_label is not None and pos_label not in self.labels:
            raise InputError(
                f"pos_label must be one of the classes {short_repr(list(self.labels))}, got "
                f"{short_repr(pos_label)}."
            )
        if bits is not None:
            checked_whole(bits, "bits", 2, 24)
        self.pos_label = pos_label
        self.bits = bits
        self.weight_scale = 2.0 ** min(round(log2(weight_scale)), 1023)
        self.rows = 0
        self._counts: Counts | None = None

    @validated
    def update(
        self, y_true: Any, y_score: Any, sample_weight: Any = None, *, weight_kind: WeightKind | None = None
    ) -> None:
        """Count a batch of cases.

        Parameters
        ----------
        y_true, y_score, sample_weight
            As in `evaluate`, one classifier: a score, one column per class, or decisions given as labels. All
            batches must be of one kind, and with weights or without. Weights are between 2^-52 and 2^25 times
            `weight_scale`, or 0.
        weight_kind
            As in `evaluate`. Rows with "frequency" weights are repeated: they count as cases without weights.
        """
        truth = as_array(y_true, "y_true")
        if truth.shape == (0,):
            return
        check_alignment(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        weight = None if sample_weight is None else as_array(sample_weight, "sample_weight")
        # A batch may consist of cases of weight 0 only, which is an error for all cases together.
        all_zero = weight is not None and weight.shape == truth.shape and not weight.any()
        if all_zero and check_weight_kind(weight_kind, True) == "frequency":
            return
        scores = normalise(
            y_true,
            y_score,
            labels=self.labels,
            pos_label=self.pos_label,
            sample_weight=None if all_zero else weight,
            weight_kind=None if all_zero else weight_kind,
        )
        if all_zero:
            weight = np.zeros(len(scores))
        elif scores.sample_weight is not None:  # validated, but scaled by batch: all batches need one scale
            weight = self._scaled(as_vector(sample_weight, "sample_weight", len(scores), ArgumentNames()))
        else:
            weight = None
        counts = self._prepared(scores.schema, weight is not None)
        (values,) = scores.values.values()
        columns = [values] if values.ndim == 1 else [*np.ascontiguousarray(values.T)]
        counts.add(scores.codes, [BinnedValues(column) for column in columns], weight)
        self.rows += len(scores)

    @validated
    def merge(self, other: "Tally") -> None:
        """Add the counts of another tally of the same classes."""
        if not isinstance(other, Tally) or other.labels != self.labels:
            raise InputError(f"Only tallies of the same classes can be merged: {self!r} and {other!r}.")
        if other._counts is None:
            return
        if self._counts is None:
            self.bits, self.pos_label, self.weight_scale = other.bits, other.pos_label, other.weight_scale
        schema = other._counts.schema
        counts = self._prepared(schema, other._counts.weighted)
        if (self.bits, counts.schema.positive) != (other.bits, schema.positive):
            raise InputError(
                f"Only tallies of the same bins and positive class can be merged: bits are {self.bits} and "
                f"{other.bits}; make all with the same arguments."
            )
        if counts.weighted and self.weight_scale != other.weight_scale:
            raise InputError(
                f"Only tallies of the same weight_scale can be merged, got {self.weight_scale:g} and "
                f"{other.weight_scale:g}; make all with the same arguments."
            )
        counts.merge(other._counts)
        self.rows += other.rows

    @validated
    def evaluate(self, measure: str | Measure, *, sampling: Sampling | None = None) -> Estimate:
        """Estimate a measure from the counts: the value with its bounds, and its standard error.

        Where the components of a case are sums over several columns (`hand_till`, `ova`), a tally does not know
        the covariance of the columns; the standard error is then an upper bound, and
        `estimate.certificate.error_is_bound` is True.

        Parameters
        ----------
        measure
            A measure or its key.
        sampling
            "cohort" (default) or "case-control", as in `polyroc.evaluate`.
        """
        chosen = find(measure)
        check_measure(chosen, "tally")
        counts = self._counts
        if counts is None:
            raise InputError("The tally is empty; update it with cases first.")
        check_applicable(chosen, counts)
        schema, summary = counts.schema, ScanSummary(1, self.rows, None, self._provenance(counts, sampling))
        absent = [name for name, count in zip(schema.names, self.cases, strict=True) if count == 0]
        if absent:
            warn_absent(absent, chosen)
            return Estimator(chosen, "classifier", schema, {}, summary).undefined()
        binned = counts.binned()
        for column in binned.columns_for(chosen).values():
            advice = "Make the tally with weight_scale=..., the size of ordinary weights."
            check_weight_precision(column, schema.names, advice)
        estimator = Estimator(chosen, "classifier", schema, binned.columns_for(chosen), summary)
        estimate = estimator.estimate(binned.bounded(chosen))
        if estimate.fewest <= 1:
            warn(f"A class has one case only: no standard error (nan) for {chosen}.", SmallClassWarning)
        warn_of_few_effective([estimate])
        if estimate.certificate is not None and estimate.certificate.in_interval:
            low, high = estimate.certificate.low, estimate.certificate.high
            warn(
                f"The bins do not separate the scores: {chosen} is between {low:.4g} and {high:.4g}, which is not "
                "small against its standard error; the confidence interval includes these bounds. Make the tally "
                f"with more bits (now {self.bits}, at most 24), or of scores whose differences are larger against "
                "their size (subtract a constant that is close to all of them), or evaluate the rows from files.",
                ToleranceWarning,
            )
        return estimate

    @property
    def cases(self) -> IntArray:
        """Number of cases (of positive weight) by class."""
        if self._counts is None:
            return np.zeros(len(self.labels), dtype=np.int64)
        return self._counts.cases()

    def to_bytes(self) -> bytes:
        """Return the tally as bytes to store or send: compressed, with version and checksum; see `from_bytes`."""
        counts = self._counts
        header = {
            "labels": [*self.labels],
            "pos_label": self.pos_label,
            "bits": self.bits,
            "rows": self.rows,
            "kind": None if counts is None else counts.schema.kind,
            "weighted": counts is not None and counts.weighted,
            "positive": None if counts is None else counts.schema.positive,
            "ends": None if counts is None else [[place, *limits] for place, limits in counts.ranges.items()],
        }
        if self.weight_scale != 1.0:
            header["weight_scale"] = self.weight_scale
        return pack(StoredTally(header, {} if counts is None else counts.records()))

    @classmethod
    def from_bytes(cls, data: bytes, *, most_bytes: int = LARGEST_TALLY) -> Self:
        """Read what `to_bytes` wrote; nothing in it is executed, and damaged bytes are an error.

        Parameters
        ----------
        data
            The stored tally.
        most_bytes
            An error is raised if the counts need more memory, 1 GiB by default: a few bytes can announce many.
        """
        stored = unpack(data, checked_whole(most_bytes, "most_bytes", 1))
        header = stored.header
        tally = cls(
            header["labels"],
            pos_label=header["pos_label"],
            bits=header["bits"],
            weight_scale=header.get("weight_scale", 1.0),
        )
        if header["kind"] is not None:
            schema = Schema(tally.labels, header["kind"], header["positive"], ordered=True)
            counts = tally._prepared(schema, header["weighted"])
            counts.ranges = {place: (float(low), float(high)) for place, low, high in header["ends"]}
            stored.check(counts)
            counts.add_records(stored.arrays)
            tally.rows = header["rows"]
        return tally

    def __repr__(self) -> str:
        names = readable(self.labels)
        cases = ", ".join(f"{name}: {count}" for name, count in zip(names, self.cases.tolist(), strict=True))
        return (
            f"Tally({self.rows} cases ({cases}); {'empty' if self._counts is None else self._counts.schema.kind})"
        )

    def _prepared(self, schema: Schema, weighted: bool) -> Counts:
        """Return the counts, made for the kind of the first batch; an error if this batch is of another kind."""
        if self._counts is None:
            matrix, c = schema.kind != "score", schema.n_classes
            places = range(c) if matrix else range(1)
            if self.bits is None:
                self.bits = default_bits(c, len(places), weighted)
            layout = Layout.of(self.bits)
            size = layout.size * bin_bytes(c, weighted) * len(places)
            if size > machine_memory():
                raise OutOfSpaceError(
                    f"The counts of {c:,} classes in {len(places):,} columns take {size / 2**30:.3g} GB, more "
                    "than the memory of this machine; evaluate the rows instead."
                )
            kinds = ("decisions", "wins") if matrix and c <= MOST_CLASSES else ()
            self._counts = Counts(schema, dict.fromkeys(places, layout), kinds, weighted)
        elif (schema.kind, weighted) != (self._counts.schema.kind, self._counts.weighted):
            present = _described(self._counts.schema, self._counts.weighted)
            raise InputError(
                f"The tally holds {present}, got {_described(schema, weighted)}; keep a tally for each."
            )
        return self._counts

    def _scaled(self, weight: FloatArray) -> FloatArray:
        """Return the weights divided by `weight_scale`; an error if they cannot be summed exactly."""
        scaled = np.ldexp(weight, -round(log2(self.weight_scale)))
        if scaled.max() > LARGEST_WEIGHT:
            raise InputError(
                f"Weights must not be larger than 2^25 times weight_scale ({self.weight_scale:g}), got "
                f"{weight.max():g}; divide all weights, or make the tally with a larger weight_scale."
            )
        smallest = scaled[scaled > 0].min(initial=1.0)
        if smallest < WEIGHT_UNIT:
            raise InputError(
                f"Weights must be 0 or at least 2^-52 times weight_scale ({self.weight_scale:g}), got "
                f"{smallest * self.weight_scale:g}; make the tally with weight_scale=..., the size of ordinary "
                "weights, or set the smallest ones to 0."
            )
        return scaled

    def _provenance(self, counts: Counts, sampling: Sampling | None) -> Provenance:
        cases = dict(zip(counts.schema.names, self.cases.tolist(), strict=True))
        return Provenance(
            cases=cases, method="Influence()", weighted=counts.weighted, sampling=check_sampling(sampling)
        )


def _described(schema: Schema, weighted: bool) -> str:
    return f"{schema.kind} {'with' if weighted else 'without'} weights"
