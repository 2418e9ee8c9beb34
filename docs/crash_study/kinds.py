"""What is killed: runs that write files, what must hold after a kill, and what after a run to the end.

Every kind computes its answer once without a kill. A run is resumed from what a kill has left until one ends; its
answer must then be the same.
"""

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))  # learners and plans that the tests use too

import polyroc as pr
import study_plans
from front_data import three_blobs
from polyroc.cli.app import run as run_command
from polyroc.datasets import catalogue
from polyroc.errors import PolyrocError
from polyroc.studies import store as study_store

__all__ = ["KINDS", "BrokenPromiseError", "Kind"]

study_store.FLUSH_SECONDS = 0.03  # so that many kills come while the store is written
IRIS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]


class BrokenPromiseError(Exception):
    """A promise does not hold."""


class Kind:
    """One kind of run.

    Attributes
    ----------
    name
        What is written.
    share
        Its share of the kills.
    workers
        True if worker processes are killed, too. Most of the time of such a run is the start of the workers, when
        nothing is stored yet; so a run is killed only after it has made the file `working`.
    """

    name: str
    share: float
    workers = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.working = folder / "working"

    def act(self) -> None:
        """Run, or resume what is there; in a process of its own."""
        raise NotImplementedError

    def check_killed(self) -> str:
        """What a kill has left: nothing, a part, or all; raise `BrokenPromiseError` if that must not be."""
        raise NotImplementedError

    def check_ended(self) -> bool:
        """True if the answer is complete and equal, False if it must be resumed; otherwise an error."""
        raise NotImplementedError


class StudyRun(Kind):
    """A study in one process, which fits and stores."""

    name, share, n_jobs, repeats, seconds = "studies", 0.31, 1, 3, 0.002

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        learner = {"class": "study_learners:Prior", "parameters": {"wait": self.seconds}}
        self.plan = study_plans.plan(
            {"name": "a", **learner}, {"name": "b", **learner}, splitting={"folds": 5, "repeats": self.repeats},
            measures=["auc", "accuracy"],
        )  # fmt: skip
        undisturbed = folder / "undisturbed.duckdb"
        pr.study(self.plan, out=undisturbed)
        self.expected = study_plans.content(undisturbed)
        self.tables = repr(pr.results.Study.open(undisturbed).to_dict()["tables"])
        undisturbed.unlink()
        self.store, self.fits = folder / "study.duckdb", 0

    def act(self) -> None:
        """Run or resume; a fit whose worker was killed is recorded as failed, and repeated by `retry_failed`."""
        pr.study(self.plan, out=self.store, n_jobs=self.n_jobs, retry_failed=True, progress=self._progress())

    def _progress(self) -> Callable[[int, int, str], None]:
        """Called at the start and after each fit; makes the file `working` when the workers have started."""
        calls = count()
        return lambda *_: self.working.touch() if next(calls) else None

    def check_killed(self) -> str:
        """Stored fits stay stored."""
        import duckdb

        if not self.store.exists():
            return "nothing"
        with duckdb.connect(str(self.store), read_only=True) as connection:
            query = "SELECT count(*) FROM polyroc_study.fits WHERE failure IS NULL"
            (fits,) = connection.execute(query).fetchone() or (0,)
        if fits < self.fits:
            raise BrokenPromiseError(f"{self.fits} fits were stored, now {fits}")
        self.fits = fits
        return "nothing" if not fits else "a part" if fits < 10 * self.repeats else "all"

    def check_ended(self) -> bool:
        """The store and the tables of the study."""
        study = pr.results.Study.open(self.store)
        if study.failures:
            return False
        if study_plans.content(self.store) != self.expected or repr(study.to_dict()["tables"]) != self.tables:
            raise BrokenPromiseError("the study differs from the undisturbed one")
        self.fits = 0
        return True


class ParallelStudy(StudyRun):
    """A study whose fits are done by worker processes; the run or one of its workers is killed."""

    name, share, n_jobs, repeats, seconds, workers = "studies with workers", 0.06, 2, 3, 0.05, True


class FrontSearch(Kind):
    """The search for a Pareto front, which stores a checkpoint as often as it can."""

    name, share, generations = "Pareto fronts", 0.25, 80

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.cases, self.file, self.done = three_blobs(), folder / "front.npz", 0
        whole = pr.search_front(pr.fronts.LogisticFamily(), *self.cases, generations=self.generations)
        self.expected = whole.to_dict()

    def act(self) -> None:
        """Search, or resume from the checkpoint."""
        resume = self.file if self.file.exists() else None
        options: dict[str, Any] = {"generations": self.generations, "save_every": 0}
        pr.search_front(pr.fronts.LogisticFamily(), *self.cases, resume=resume, save=self.file, **options)

    def check_killed(self) -> str:
        """The checkpoint is complete, and no older than the one before."""
        if not self.file.exists():
            return "nothing"
        generations = pr.results.Front.load(self.file).search.generations  # type: ignore[union-attr]
        if generations < self.done:
            raise BrokenPromiseError(f"{self.done} generations were stored, now {generations}")
        self.done = generations
        return "a part" if generations < self.generations else "all"

    def check_ended(self) -> bool:
        """The stored front."""
        if pr.results.Front.load(self.file).to_dict() != self.expected:
            raise BrokenPromiseError("the front differs from the undisturbed one")
        self.done = 0
        return True


class FileWriter(Kind):
    """A file that is written again and again, with two contents in turn."""

    writers: tuple[Callable[[], Any], Callable[[], Any]]
    file: Path
    times = 12

    def _record_contents(self) -> None:
        self.contents = []
        for write in self.writers:
            write()
            self.contents.append(self.file.read_bytes())
        self.file.unlink()
        if self.contents[0] == self.contents[1]:
            raise BrokenPromiseError("the two contents must differ")

    def act(self) -> None:
        """Write the two contents in turn; the last one is the second."""
        for place in range(2 * self.times):
            self.writers[place % 2]()

    def check_killed(self) -> str:
        """The file is one of the two contents, whole."""
        if not self.file.exists():
            return "nothing"
        if self.file.read_bytes() not in self.contents:
            raise BrokenPromiseError(f"{self.file.name} is half written")
        return "all"

    def check_ended(self) -> bool:
        """The second content."""
        if self.file.read_bytes() != self.contents[1]:
            raise BrokenPromiseError(f"{self.file.name} has another content")
        return True


class TallyFile(FileWriter):
    """A tally, whose bytes the caller writes: a part of them must be refused."""

    name, share = "tallies", 0.14

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.file = folder / "tally"
        tallies = [_tally(seed) for seed in (0, 1)]
        self.contents = [tally.to_bytes() for tally in tallies]
        self.writers = (lambda: self._write(0), lambda: self._write(1))

    def _write(self, which: int) -> None:
        """In pieces, under the final name: as a copy through a network does."""
        with self.file.open("wb", buffering=0) as file:
            for start in count(0, 500):
                if not file.write(self.contents[which][start : start + 500]):
                    break

    def check_killed(self) -> str:
        """A part is refused; what is accepted is one of the two tallies."""
        if not self.file.exists():
            return "nothing"
        content = self.file.read_bytes()
        try:
            accepted = pr.Tally.from_bytes(content).to_bytes()
        except PolyrocError:
            if content in self.contents:
                raise BrokenPromiseError("a complete tally is refused") from None
            return "a part"
        if accepted not in self.contents:
            raise BrokenPromiseError(f"{len(content)} bytes of {len(self.contents[0])} are accepted as a tally")
        return "all"


def _tally(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    y = np.arange(2000) % 2
    tally = pr.Tally(["a", "b"], pos_label="b")
    tally.update(np.array(["a", "b"])[y], rng.normal(size=2000) + y)
    return tally


class ReportFile(FileWriter):
    """A report, as a page or as Markdown."""

    name, share, times = "reports", 0.12, 2

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.file = folder / "report.md"
        y, s = np.arange(40) % 2, np.random.default_rng(0).normal(size=(2, 40))
        first, second = (pr.report(y, scores + y, measure="auc", rng=0) for scores in s)
        self.writers = (lambda: first.save(self.file), lambda: second.save(self.file))
        self._record_contents()


class RuleFile(FileWriter):
    """A decision rule, by the command line."""

    name, share, times = "rules", 0.12, 2

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.file = folder / "rule.json"
        first, second = (
            [
                "operate",
                str(catalogue.path("iris_predictions")),
                *IRIS,
                "--calibrated",
                "--rule",
                str(self.file),
                *more,
            ]
            for more in (["--only", "lda"], ["--only", "lda", "--costs", "setosa>versicolor=2"])
        )
        self.writers = (lambda: self._command(first), lambda: self._command(second))
        self._record_contents()

    @staticmethod
    def _command(arguments: list[str]) -> None:
        if run_command(arguments) != 0:
            raise BrokenPromiseError(f"polyroc {' '.join(arguments)} failed")


KINDS: tuple[type[Kind], ...] = (TallyFile, RuleFile, ReportFile, FrontSearch, StudyRun, ParallelStudy)
