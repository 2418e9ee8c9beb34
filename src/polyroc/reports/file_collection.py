"""The results of a report of files by an engine: from all rows where possible, else from a sample of them."""

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from polyroc.curves.curve import curve
from polyroc.curves.result import Curve, Curves
from polyroc.decisions.operate import operate
from polyroc.decisions.rates import rates
from polyroc.engines.bounds import engine_measures
from polyroc.engines.options import EngineOptions
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.inference.compare import compare
from polyroc.inference.evaluate import evaluate
from polyroc.measures.registry import measure as registered_measure
from polyroc.output.sentences import listed
from polyroc.reports.collection import CURVE_POINTS, MOST_BANDS, TOLERANCE, Collection, detached_area

__all__ = ["SAMPLED_CASES", "FileCollection", "sample_note"]

T = TypeVar("T")
SAMPLED_CASES = 100_000  # in memory, for what an engine does not compute
# the sections of a page, by step
SECTIONS = {
    "comparison": "the comparison",
    "subgroups": "subgroups",
    "curves": "ROC curves",
    "pairs": "pairs of classes",
    "surfaces": "the surface",
    "rates": "confusion rates",
    "points": "operating points",
    "fronts": "fronts",
    "calibration": "calibration",
    "decision_curve": "decision curves",
}


def sample_note(cases: int, rows: int, seed: int) -> str:
    """How the sample was drawn."""
    return f"{cases:,} of the {rows:,} cases, drawn at random without replacement (seed {seed})"


@dataclass(slots=True)
class FileCollection(Collection):
    """The results of files; `scores` and `explored` are of a sample of their rows.

    Attributes
    ----------
    files
        The files, and how the verbs read them.
    by
        Columns that divide the rows.
    rows
        The number of rows of the files that count.
    from_sample
        What was computed from the sample: measures and sections of the page.
    """

    files: EngineOptions | None = None
    by: tuple[str, ...] = ()
    rows: int = 0
    from_sample: list[str] = field(default_factory=list)

    @property
    def clustered(self) -> bool:
        """Whether cases belong to groups, for which engines have estimates and comparisons only."""
        return self.files is not None and self.files.groups is not None

    def evaluation(self) -> Evaluation:
        """The measures of an engine from all rows, the others from the sample."""
        whole = self._evaluated(None)
        key = str(registered_measure(self.measure))
        if self._by_engine() and key not in whole.measures:
            whole = Evaluation({**self._evaluated([self.measure]).estimates, **whole.estimates}, whole.skipped)
        sampled = evaluate(self.scores, method=self.method)
        if not self._by_engine():
            named = evaluate(self.scores, measure=[self.measure], method=self.method)
            sampled = Evaluation({**named.estimates, **sampled.estimates}, sampled.skipped)
        others = {pair: one for pair, one in sampled.estimates.items() if pair[1] not in whole.measures}
        self.from_sample += [f"the measure {name}" for name in dict.fromkeys(name for _, name in others)]
        estimates = {**whole.estimates, **others}
        first = {pair: one for pair, one in estimates.items() if pair[1] == key}
        return Evaluation({**first, **estimates}, sampled.skipped)

    def _evaluated(self, measure: list[str] | None) -> Evaluation:
        result = evaluate(
            self.files,
            measure=measure,
            method=self.method,
            progress=self.evaluating,
        )
        if isinstance(result, Estimate):
            return Evaluation({(result.classifier, result.measure): result}, {})
        assert isinstance(result, Evaluation)
        return result

    def _by_engine(self) -> bool:
        """Whether an engine computes the measure of the comparison."""
        return registered_measure(self.measure).key in {one.key for one in engine_measures()}

    def comparison(self) -> Any:
        """The classifiers compared, from all rows if the engine has the measure."""
        if len(self.scores.classifiers) < 2 or self.method is None:
            return None
        if not self._by_engine():
            return self._sampled("comparison", Collection.comparison(self))
        return compare(self.files, measure=self.measure, method=self.method)

    def subgroups(self) -> Grouped | None:
        """The measure of the comparison by subgroup, from all rows."""
        if not self.by:
            return None
        terms: dict[str, Any] = {"measure": self.measure, "method": self.method, "by": [*self.by]}
        if len(self.scores.classifiers) < 2 or self.method is None:
            grouped: Grouped = evaluate(self.files, **{**terms, "measure": [self.measure]})
            return grouped
        compared: Grouped = compare(self.files, **terms)
        return compared

    def curves(self) -> Curves | None:
        """ROC curves at the edges of bins, which are points of the curves of all rows."""
        two = self.scores.n_classes == 2 and self.scores.positive is not None
        number = len(self.scores.classifiers) * (1 if two else self.scores.n_classes)
        if self.clustered or number > MOST_BANDS or not (two or self.scores.kind == "matrix"):
            return self._sampled("curves", Collection.curves(self))
        terms: dict[str, Any] = {"band": "pointwise", "level": self.level, "method": self.method}
        made = curve(self.files, multi_class=None if two else "ova", **terms)
        curves = {made.classifier: made} if isinstance(made, Curve) else made.curves
        thinned = {
            key: replace(one.thinned(CURVE_POINTS, TOLERANCE), _area=detached_area(one))
            for key, one in curves.items()
        }
        return Curves("classifier" if two else "class", thinned, {})

    def rates(self) -> dict[str, Any] | None:
        """The confusion rates of all rows."""
        if self.clustered or self.scores.negated:
            return self._sampled("rates", Collection.rates(self))
        if self.scores.kind == "score":
            return None
        self.check_classes()
        return {name: rates(self.files, only=name) for name in self.scores.classifiers}

    def points(self) -> dict[str, Any] | None:
        """Two classes: the threshold of least error; probabilities of more: Bayes' rule; of all rows."""
        scores = self.scores
        many, along = scores.n_classes > 2, scores.kind == "score"
        if self.clustered or scores.negated or (many and along):
            return self._sampled("points", Collection.points(self))
        self.check_classes()
        chosen: dict[str, Any] = {"calibrated": many}
        return {name: operate(self.files, only=name, **chosen) for name in scores.classifiers}

    def pairs(self) -> Curves | None:
        """As in memory, from the sample."""
        return self._sampled("pairs", Collection.pairs(self))

    def surfaces(self) -> Any:
        """As in memory, from the sample."""
        return self._sampled("surfaces", Collection.surfaces(self))

    def fronts(self) -> Any:
        """As in memory, from the sample."""
        return self._sampled("fronts", Collection.fronts(self))

    def calibration(self) -> Any:
        """As in memory, from the sample."""
        return self._sampled("calibration", Collection.calibration(self))

    def decision_curve(self) -> Any:
        """As in memory, from the sample."""
        return self._sampled("decision_curve", Collection.decision_curve(self))

    def _sampled(self, step: str, result: T) -> T:
        if result is not None and result != {}:  # no operating points of negated scores
            self.from_sample.append(SECTIONS[step])
        return result

    @property
    def cases_name(self) -> str:
        """What the rows of `scores` are."""
        return "cases of the sample"

    def close(self) -> None:
        """Say what was computed from the sample."""
        how = sample_note(len(self.scores), self.rows, self.seed)
        what = [*self.from_sample, *(["the explorer"] if self.explored is not None else [])]
        parts = f" From {how}: {listed(what, 30)}." if what else ""
        self.sample = (
            f"An engine read the files and did not keep the cases in memory.{parts} The rest is from all cases."
        )
        self.notes.insert(0, self.sample)
