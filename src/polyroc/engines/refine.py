"""Passes over rows until the bounds are as narrow as asked: count, look, cut finer where it matters, count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np

from polyroc.engines.bins import Column, Layout, cell_size
from polyroc.engines.bounds import family
from polyroc.engines.bounds.reading import Bounded, Tables
from polyroc.engines.counts import Read, columns_of, patterns_of
from polyroc.engines.estimates import Facts, Judge, centred, width_by_cell
from polyroc.engines.influence_lookup import Lookup, Lookups
from polyroc.engines.options import Covariance
from polyroc.engines.pilot import BITS, SURE, Pilot, apart, part_size
from polyroc.engines.rows import MemoryRows, Rows
from polyroc.engines.scan import Pass, Plan
from polyroc.engines.tally import check_fit, default_bits, warn_of
from polyroc.errors import InputError, SmallClassWarning, ToleranceWarning, warn
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.messages import Message, Option
from polyroc.progress import Progress
from polyroc.results.provenance import Provenance
from polyroc.scores import Schema

__all__ = ["Asked", "Solution", "solve"]

Layouts = Mapping[str, dict[int, Layout]]
MOST_PASSES = 24


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the rows.

    Attributes
    ----------
    measures
        What to judge by.
    classifiers
        By name, the numbers of the columns of scores.
    schema
        The classes, the kind of the scores, and whether class sizes are random.
    tolerance, exact
        How far apart the bounds may be at most; None for what one pass gives. Or no distance at all.
    errors
        Whether standard errors are wanted.
    covariance
        "joined": rows are scanned again for the covariance of columns and classifiers; "bound": the worst.
    paired
        Whether the covariance between classifiers is wanted.
    room
        How many bytes the records may take.
    dropped
        How many rows are left out because something is missing.
    progress, expected
        Who is told how far a pass is; of how many rows, if that is known.
    """

    measures: Sequence[Measure]
    classifiers: Mapping[str, tuple[int, ...]]
    schema: Schema
    tolerance: float | None = None
    exact: bool = False
    errors: bool = True
    covariance: Covariance = "joined"
    paired: bool = False
    room: int = 2**29
    dropped: int = 0
    progress: Progress | None = field(default=None)
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """Estimates by (classifier, measure), in that order their covariance if it was wanted, and the cells.

    `rows` is how many there were.
    """

    estimates: dict[tuple[str, str], Estimate]
    covariance: FloatArray
    read: Mapping[str, Read]
    rows: int


def solve(rows: Rows, asked: Asked) -> Solution:
    """Judge rows by measures, with certified bounds."""
    return _Solver(rows, asked).solution()


class _Solver:
    """The passes over some rows, and what is known after each."""

    def __init__(self, rows: Rows, asked: Asked) -> None:
        self.rows, self.asked = rows, asked
        self.passes, self.seen = 0, 0
        self.read: dict[str, Read] = {}
        self.found: dict[tuple[str, Measure], Bounded] = {}
        self.covariance: FloatArray | None = None
        self.within: list[float] = []
        self.coarse: dict[str, Read] = {}
        self.cases: IntArray = np.zeros(asked.schema.n_classes, dtype=np.int64)

    def solution(self) -> Solution:
        pilot = self._piloted()
        self._first(pilot)
        if self._absent():
            return self._undefined()
        if self.asked.exact:
            self._exact()
        self._look()
        while self._wide():
            layouts = self._finer()
            if layouts is None or self.passes >= MOST_PASSES:
                self._complain()
                break
            self._count_again(layouts)
            pilot = None
        if pilot is not None and pilot.lookups is not None:
            self._put_right(pilot, pilot.lookups)
        if self.covariance is None and self._needs_rows_again():
            self._pass({}, lookups=self._lookups())
        return self._solved()

    # passes

    def _piloted(self) -> Pilot | None:
        """What some rows teach; None if they are too few to teach anything, or nothing is to be learnt."""
        asked = self.asked
        wanted = part_size(max(map(max, asked.classifiers.values())) + 1, asked.room)
        if asked.exact or not wanted or patterns_of(asked.measures, asked.schema):
            return None
        some = self.rows.some(wanted)
        if some is None or len(some.batch.codes) < wanted // 4:
            return None
        ahead = _Solver(some, replace(asked, progress=None))
        try:
            ahead._first(bits=None if asked.tolerance is None else BITS)
        except InputError:
            return None  # the full scan raises a clearer error
        if (ahead.cases <= 1).any():
            return None
        ahead._look()
        finer = (ahead._finer() if ahead._wide() else None) or {}
        fine = {name: each | finer.get(name, {}) for name, each in ahead.layouts.items()}
        return Pilot(some, ahead.layouts, fine, ahead._lookups() if ahead._needs_rows_again() else None)

    def _first(self, pilot: Pilot | None = None, bits: int | None = None) -> None:
        asked, schema = self.asked, self.asked.schema
        places, kinds = columns_of(asked.measures, schema), patterns_of(asked.measures, schema)
        n = max(1, len(places) * len(asked.classifiers))
        most = default_bits(schema.n_classes, n, self.rows.weighted, asked.room)
        layout = Layout.of(8 if asked.exact else min(most, bits or most))
        self.layouts = {name: dict.fromkeys(places, layout) for name in asked.classifiers}
        if pilot is not None:
            self.layouts = pilot.fine
        counted = self._pass(self.layouts, kinds, None if pilot is None else pilot.lookups).counted
        self.cases = next(iter(counted.values())).cases()
        if self._absent():
            return
        for each in asked.measures:
            for one in counted.values():
                check_fit(each, one)
        self.read = {name: each.read() for name, each in counted.items()}
        if pilot is not None:
            self.coarse = {name: each.read_coarser(pilot.coarse[name]) for name, each in counted.items()}

    def _exact(self) -> None:
        """Every value a cell."""
        c = self.asked.schema.n_classes
        for name, read in self.read.items():
            columns = {place: self.rows.distinct(self._number(name, place), c) for place in read.columns}
            self.passes += len(columns)
            self.read[name] = Read(read.schema, columns, read.patterns)

    def _count_again(self, layouts: Mapping[str, dict[int, Layout]]) -> None:
        finer = {name: each for name, each in layouts.items() if each}
        lookups = self._lookups() if self.covariance is None and self._needs_rows_again() else None
        for name, each in self._pass(finer, lookups=lookups).counted.items():
            old = self.read[name]
            self.layouts[name] |= layouts[name]
            self.read[name] = Read(old.schema, {**old.columns, **each.read().columns}, old.patterns)
        self._look()

    def _pass(self, layouts: Layouts, kinds: Sequence[str] = (), lookups: Lookups | None = None) -> Pass:
        """All rows once: counted, or looked up, or both."""
        self.passes += 1
        asked, rows = self.asked, self.rows
        plan = Plan(
            asked.classifiers, asked.schema, rows.weighted, layouts, kinds, lookups, first=self.passes == 1
        )
        work = Pass(plan)
        rows.go_through(work, self._tell)
        strange = work.strange()
        if strange is not None:
            raise rows.explain(strange)
        if self.seen and work.seen != self.seen:
            raise InputError(
                f"There were {self.seen} rows in the pass before and {work.seen} in this one; see to it that they "
                "stay the same (persist() a Spark data frame)."
            )
        self.seen = work.seen
        if lookups is not None and self.read:
            self.covariance = lookups.covariance(self.cases, self._totals())
        return work

    def _tell(self, seen: int) -> None:
        if self.asked.progress is not None:
            self.asked.progress(seen, max(self.seen or self.asked.expected or 0, seen), f"pass {self.passes}")

    def _number(self, name: str, place: int) -> int:
        return self.asked.classifiers[name][place]

    # bounds

    def _look(self) -> None:
        self.found = {
            (name, measure): read.bounded(measure)
            for name, read in self.read.items()
            for measure in self.asked.measures
        }

    def _wide(self) -> dict[tuple[str, Measure], Bounded]:
        tolerance = self.asked.tolerance
        if tolerance is None or self.asked.exact:
            return {}
        return {key: each for key, each in self.found.items() if each.high - each.low > tolerance}

    def _finer(self) -> dict[str, dict[int, Layout]] | None:
        """Cells cut so that the bounds should come within the tolerance; None if none that matters can be."""
        tolerance = self.asked.tolerance
        assert tolerance is not None
        worth: dict[tuple[str, int], FloatArray] = {}
        for (name, measure), bounded in self._wide().items():
            for place, width in width_by_cell(bounded, self.read[name].of(measure)).items():
                if place >= 0:
                    worth[name, place] = worth.get((name, place), 0.0) + width / tolerance
        size = cell_size(self.asked.schema.n_classes, self.rows.weighted)
        most = self.asked.room // (size * len(worth))
        found: dict[str, dict[int, Layout]] = {name: {} for name in self.read}
        for (name, place), each in worth.items():
            layout = self.layouts[name][place]
            held = self._held(name, place)
            share = 0.8 * each.sum() / sum(part.sum() for part in worth.values())
            parts = _parts(each, layout.cut[held], share, most - layout.size)
            if parts.any():
                whole = np.zeros(layout.size, dtype=np.int64)
                whole[held] = parts
                found[name][place] = layout.finer(whole)
        return found if any(found.values()) else None

    def _held(self, name: str, place: int) -> IntArray:
        """The numbers of the cells that the column kept: those that hold cases."""
        where = self.read[name].columns[place].where
        assert where is not None
        return self.layouts[name][place].place(where.edges()).astype(np.int64)

    def _complain(self) -> None:
        told = ", ".join(
            f"{measure} of {name}: {e.high - e.low:.2g}" for (name, measure), e in self._wide().items()
        )
        warn(
            Message(
                f"The bounds are further apart than the tolerance {self.asked.tolerance:g} "
                f"({told}), and there is no "
                "memory for finer bins; raise ",
                Option("memory"),
                ", or use ",
                Option("exact", True),
                ".",
            ),
            ToleranceWarning,
        )

    # errors

    def _needs_rows_again(self) -> bool:
        asked = self.asked
        if not asked.errors or asked.covariance == "bound" or (self.cases <= 1).any():
            return False
        pairs = any(family(measure) == "pairs" for measure in asked.measures)
        return pairs or (asked.paired and len(asked.classifiers) > 1)

    def _lookups(self) -> Lookups:
        """What to look up in the next pass: components as the cells tell them now."""
        found, self.within = [], []
        for (name, measure), each in self.found.items():
            found.append(self._lookup(name, measure, each, self.read[name]))
            self.within.append(self._judge(name, measure, self.read).error_within(each))
        return Lookups(found, len(self.cases))

    def _lookup(self, name: str, measure: Measure, found: Bounded, read: Read) -> Lookup:
        return Lookup(self.asked.classifiers[name], read, measure, self._centred(found, read.of(measure)))

    def _centred(self, found: Bounded, columns: Mapping[int, Column]) -> Tables:
        return centred(found.reading, columns, self.asked.schema.sampling == "cohort")

    def _put_right(self, pilot: Pilot, seen: Lookups) -> None:
        """The covariance from rows that were looked up in a pilot's components, unless these are too far off."""
        final, within = [], []
        for (name, measure), before in zip(self.found, seen.each, strict=True):
            read = self.coarse[name]
            found, judge = read.bounded(measure), self._judge(name, measure, self.coarse)
            final.append(self._lookup(name, measure, found, read))
            off = apart(self._centred(found, read.of(measure)), before, read.of(measure))
            within.append(judge.error_within(found) + judge.error_of(found.reading, off))
        right, share = Lookups(final, len(self.cases)), self._squares() / pilot.squares(len(self.cases))
        more = self._sums(pilot.rows, right) - self._sums(pilot.rows, seen)
        right.sums = seen.sums + share[:, None, None] * more
        covariance, raw = (each.covariance(self.cases, self._totals()) for each in (right, seen))
        errors = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        self.within = (within + np.abs(errors - np.sqrt(raw.diagonal()))).tolist()
        if (self.within <= SURE * errors).all():
            self.covariance = covariance

    def _sums(self, rows: MemoryRows, lookups: Lookups) -> FloatArray:
        """The sums of products over some rows."""
        asked = self.asked
        again = Lookups(lookups.each, len(self.cases))
        plan = Plan(asked.classifiers, asked.schema, rows.weighted, {}, (), again, first=False)
        rows.go_through(Pass(plan), lambda _: None)
        return again.sums

    def _squares(self) -> FloatArray:
        (name, measure) = next(iter(self.found))
        return np.asarray(next(iter(self.read[name].of(measure).values())).squares.sum(axis=0))

    def _judge(self, name: str, measure: Measure, read: Mapping[str, Read]) -> Judge:
        return Judge(measure, name, self.asked.schema, read[name].of(measure), self._facts())

    def _totals(self) -> FloatArray:
        (name, measure) = next(iter(self.found))
        return next(iter(self.read[name].of(measure).values())).totals

    # estimates

    def _solved(self) -> Solution:
        estimates: dict[tuple[str, str], Estimate] = {}
        for i, ((name, measure), found) in enumerate(self.found.items()):
            seen = None if self.covariance is None else (float(self.covariance[i, i]), self.within[i])
            estimates[name, str(measure)] = self._judge(name, measure, self.read).estimate(found, seen)
        small = [key for (_, key), each in estimates.items() if each.fewest <= 1]
        if small:
            told = ", ".join(dict.fromkeys(small))
            warn(f"A class has one case only: no standard error (nan) for {told}.", SmallClassWarning)
        warn_of_few_effective(estimates.values())
        return Solution(estimates, self._covariance(estimates), self.read, self.seen)

    def _covariance(self, estimates: Mapping[tuple[str, str], Estimate]) -> FloatArray:
        """As found; or, without seeing rows again, what makes a difference of two the most uncertain."""
        if self.covariance is not None:
            return self.covariance
        errors = np.array([each.standard_error for each in estimates.values()])
        spread = -np.outer(errors, errors)
        np.fill_diagonal(spread, errors**2)
        return spread

    def _facts(self) -> Facts:
        cases = dict(zip(self.asked.schema.names, self.cases.tolist(), strict=True))
        provenance = Provenance(
            cases=cases,
            method="DeLong()" if self.asked.errors else None,
            weighted=self.rows.weighted,
            dropped=self.asked.dropped,
            sampling=self.asked.schema.sampling,
        )
        return Facts(self.passes, self.seen, self.rows.bytes, provenance)

    def _absent(self) -> list[str]:
        return [name for name, n in zip(self.asked.schema.names, self.cases, strict=True) if n == 0]

    def _undefined(self) -> Solution:
        for measure in self.asked.measures:
            warn_of(self._absent(), measure)
        estimates = {
            (name, str(measure)): Judge(measure, name, self.asked.schema, {}, self._facts()).undefined()
            for name in self.asked.classifiers
            for measure in self.asked.measures
        }
        return Solution(estimates, np.full((len(estimates), len(estimates)), nan), {}, self.seen)


def _parts(worth: FloatArray, cut: IntArray, share: float, most: int) -> IntArray:
    """Into 2^parts to cut each cell so that what is left of its worth comes to a share, with the fewest cells.

    Cut into m parts, a cell of scores that are spread evenly keeps 1/m of its worth; the sum of worth / m is least
    for a number of cells if m is in proportion to the root of the worth.
    """
    root = np.sqrt(np.maximum(worth, 0.0))

    def parts(scale: float) -> IntArray:
        wanted = np.ceil(np.log2(np.maximum(root * scale, 1.0)))
        return np.minimum(wanted.astype(np.int64), cut)

    low, high = 0.0, 64.0  # powers of two; a tenth of one is near enough
    while high - low > 0.1:
        middle = (low + high) / 2
        found = parts(2.0**middle)
        left, size = float(np.ldexp(worth, -found).sum()), float(np.ldexp(1.0, found).sum())
        if left > share and size < most:
            low = middle
        else:
            high = middle
    found = parts(2.0**high)
    return found if float(np.ldexp(1.0, found).sum()) <= most else parts(2.0**low)
