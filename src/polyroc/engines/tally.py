"""Tally: what must be kept of predictions to judge them later, however many there were."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np

from polyroc.engines.bins import Layout, Placed, record_width
from polyroc.engines.bounds import family
from polyroc.engines.counts import Counted
from polyroc.engines.estimates import Facts, Judge
from polyroc.engines.patterns import MOST_CLASSES
from polyroc.engines.tally_file import Stored, pack, unpack
from polyroc.errors import InputError, NotApplicableError, SmallClassWarning, UndefinedMeasureWarning, warn
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.applicability import ROUNDING, inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.results.provenance import Provenance
from polyroc.scores import Kind, Sampling, Schema, WeightKind, readable
from polyroc.validation.scores import normalise
from polyroc.validation.weights import check_sampling, check_weight_kind

__all__ = ["Tally", "check_weights"]

HEAVIEST = 2.0**25  # so that squares fit beside their fractions
ROOM = 64 * 2**20  # bytes of records that a tally takes by default


class Tally:
    """The cases seen so far, counted in cells of scores by class: a state that can be updated, merged and judged.

    Batches may come in any size and order, and tallies may be merged in any order: counts are integers, and
    weights are summed in units of 2^-52, so the answer is the same to the last bit. Scores that fall into one cell
    are taken to tie; the exact value is inside the `bounds` of each estimate.

    Parameters
    ----------
    labels
        The classes, in order.
    pos_label
        The positive one of two classes; 0/1, -1/1, False/True and the last of two labels need not say it.
    bits
        Cells are 2^-bits wide between 0 and 1 and finer near both ends (see `polyroc.engines.bins.Layout.of`):
        16 by default, less where there are many classes, so that a tally stays below 64 MB.

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

    def __init__(self, labels: Sequence[Hashable], *, pos_label: Hashable = None, bits: int | None = None) -> None:
        self.labels = tuple(labels)
        if len(self.labels) < 2 or len(set(self.labels)) < len(self.labels):
            raise InputError(f"A tally needs two or more different classes, got {list(labels)!r}.")
        if bits is not None and not 2 <= bits <= 24:
            raise InputError(f"bits must be between 2 and 24, got {bits!r}.")
        self.pos_label = pos_label
        self.bits = bits
        self.rows = 0
        self._weighted = False
        self._counted: Counted | None = None

    def update(
        self, y_true: Any, y_score: Any, sample_weight: Any = None, *, weight_kind: WeightKind | None = None
    ) -> None:
        """Count a batch of cases.

        Parameters
        ----------
        y_true, y_score, sample_weight
            As in `evaluate`, one classifier: a score, one column per class, or decisions given as labels. All
            batches must be of one kind, and with weights or without. Weights are at most 2^25.
        weight_kind
            As in `evaluate`. Rows of "frequency" weights are repeated: they count as cases without weights.
        """
        if len(y_true) == 0:
            return
        weight = None if sample_weight is None else np.asarray(sample_weight)
        nothing = weight is not None and len(weight) == len(y_true) and not weight.any()
        if nothing and check_weight_kind(weight_kind, True) == "frequency":
            return
        scores = normalise(
            y_true,
            y_score,
            labels=self.labels,
            pos_label=self.pos_label,
            sample_weight=None if nothing else weight,
            weight_kind=None if nothing else weight_kind,
        )
        weight = np.zeros(len(scores)) if nothing else scores.sample_weight
        if weight is not None:
            check_weights(weight)
        counted = self._ready(scores.kind, weight is not None, scores.positive)
        (values,) = scores.values.values()
        columns = [values] if values.ndim == 1 else [*np.ascontiguousarray(values.T)]
        counted.add(scores.codes, [Placed(column) for column in columns], weight)
        self.rows += len(scores)

    def merge(self, other: "Tally") -> None:
        """Count what another tally of the same classes has counted."""
        if not isinstance(other, Tally) or other.labels != self.labels:
            raise InputError(f"Only tallies of the same classes can be merged: {self!r} and {other!r}.")
        if other._counted is None:
            return
        if self._counted is None:
            self.bits, self.pos_label = other.bits, other.pos_label
        schema = other._counted.schema
        counted = self._ready(schema.kind, other._weighted, schema.positive)
        if (self.bits, counted.schema.positive) != (other.bits, schema.positive):
            raise InputError(
                f"Only tallies of the same cells and positive class can be merged: bits are {self.bits} and "
                f"{other.bits}; make all with the same arguments."
            )
        counted.merge(other._counted)
        self.rows += other.rows

    def evaluate(self, measure: str | Measure, *, sampling: Sampling | None = None) -> Estimate:
        """Judge what was seen so far: the value with its bounds, and its standard error; `sampling` as elsewhere.

        Where the components of a case are sums over several columns (`hand_till`, `ova`), a tally does not know
        the covariance of the columns; the standard error is then the largest there can be, and
        `estimate.certificate.error_is_bound` is True.
        """
        chosen = find(measure)
        family(chosen)
        if self._counted is None:
            raise InputError("The tally is empty; update it with cases first.")
        schema = self._counted.schema
        check_fit(chosen, self._counted)
        cases = self.cases
        judge = Judge(chosen, "classifier", schema, {}, Facts(1, self.rows, None, self._provenance(sampling)))
        absent = [name for name, count in zip(schema.names, cases, strict=True) if count == 0]
        if absent:
            warn_of(absent, chosen)
            return judge.undefined()
        read = self._counted.read()
        found = Judge(chosen, "classifier", schema, read.of(chosen), judge.facts).estimate(read.bounded(chosen))
        if found.fewest <= 1:
            warn(f"A class has one case only: no standard error (nan) for {chosen}.", SmallClassWarning)
        warn_of_few_effective([found])
        return found

    @property
    def cases(self) -> IntArray:
        """Cases (of positive weight) by class."""
        if self._counted is None:
            return np.zeros(len(self.labels), dtype=np.int64)
        return self._counted.cases()

    def to_bytes(self) -> bytes:
        """The tally as bytes, to store or to send: compressed, with a version and a checksum; see `from_bytes`."""
        counted = self._counted
        header = {
            "labels": [*self.labels],
            "pos_label": self.pos_label,
            "bits": self.bits,
            "rows": self.rows,
            "kind": None if counted is None else counted.schema.kind,
            "weighted": self._weighted,
            "positive": None if counted is None else counted.schema.positive,
            "ends": None if counted is None else [[place, *ends] for place, ends in counted.ends.items()],
        }
        return pack(Stored.of(header, counted))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What `to_bytes` wrote, read back; nothing in it is executed, and damaged bytes are refused."""
        stored = unpack(data)
        header = stored.header
        found = cls(header["labels"], pos_label=header["pos_label"], bits=header["bits"])
        if header["kind"] is not None:
            counted = found._ready(header["kind"], header["weighted"], header["positive"])
            stored.fill(counted)
            counted.ends = {place: (low, high) for place, low, high in header["ends"]}
            found.rows = header["rows"]
        return found

    def __repr__(self) -> str:
        told = ", ".join(
            f"{name}: {count}" for name, count in zip(readable(self.labels), self.cases.tolist(), strict=True)
        )
        return (
            f"Tally({self.rows} cases ({told}); {'empty' if self._counted is None else self._counted.schema.kind})"
        )

    def _ready(self, kind: Kind, weighted: bool, positive: int | None) -> Counted:
        """The counts; made when the first batch tells what they must hold."""
        if self._counted is None:
            self._weighted = weighted
            matrix, c = kind != "score", len(self.labels)
            schema = Schema(self.labels, kind, positive, ordered=True)
            places = range(c) if matrix else range(1)
            if self.bits is None:
                self.bits = default_bits(c, len(places), weighted)
            layout = Layout.of(self.bits)
            kinds = ("decisions", "wins") if matrix and c <= MOST_CLASSES else ()
            self._counted = Counted(schema, dict.fromkeys(places, layout), kinds, weighted)
        elif (kind, weighted) != (self._counted.schema.kind, self._weighted):
            held = f"{self._counted.schema.kind}{' with' if self._weighted else ' without'} weights"
            came = f"{kind}{' with' if weighted else ' without'} weights"
            raise InputError(f"The tally holds {held}, got {came}; keep a tally for each.")
        return self._counted

    def _provenance(self, sampling: Sampling | None) -> Provenance:
        names = readable(self.labels)
        cases = dict(zip(names, self.cases.tolist(), strict=True))
        how = check_sampling(sampling)
        return Provenance(cases=cases, method="DeLong()", weighted=self._weighted, sampling=how)


def default_bits(classes: int, columns: int, weighted: bool, room: float = ROOM) -> int:
    """As many bits, 16 at most, as leave the records of all columns in the room there is."""
    record = 8 * record_width(classes, weighted) * columns
    for bits in range(16, 8, -1):
        if Layout.of(bits).size * record <= room:
            return bits
    return 8


def check_weights(weight: FloatArray) -> None:
    """Refuse weights whose squares cannot be summed exactly."""
    if weight.max() > HEAVIEST:
        raise InputError(f"Weights must not be larger than 2^25 here, got {weight.max():g}; divide them all.")


def warn_of(absent: Sequence[str], measure: Measure) -> None:
    """Say that a class has no case."""
    named = ", ".join(map(repr, absent))
    warn(f"No case of class {named}: {measure} undefined (nan). Add cases.", UndefinedMeasureWarning)


def check_fit(measure: Measure, counted: Counted) -> None:
    """Raise an error if the measure does not apply to the counted predictions."""
    reason = inapplicable_reason(measure, counted.schema, by_name=True)
    if reason is not None:
        raise NotApplicableError(f"{measure} ", reason, ".")
    if measure.needs == "probabilities":
        names = counted.schema.names
        for place, (low, high) in counted.ends.items():
            if low < -ROUNDING or high > 1 + ROUNDING:
                raise NotApplicableError(
                    f"{measure} needs probabilities in [0, 1], but those of class {names[place]!r} go "
                    f"from {low:g} to {high:g}; turn the scores into probabilities."
                )
