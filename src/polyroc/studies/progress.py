"""How far a study is: data set by learner, and how long it will take."""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from polyroc.studies.fit import Job, Outcome
from polyroc.studies.plan import Plan

__all__ = ["Tally"]


class Tally:
    """Fits done, failed and left, by data set and learner.

    Attributes
    ----------
    data_sets, learners
        Names of the rows and the columns.
    total, done, failed
        Fits of each data set and learner: all of them, those that are over, and those of them that failed.
    latest
        The fit that was done last, or None.
    """

    def __init__(
        self,
        plan: Plan,
        blocks: Sequence[int],
        done: Mapping[Job, bool],
        seconds: Mapping[tuple[int, int, int], float],
        workers: int,
    ) -> None:
        self.data_sets = [each.name for each in plan.data]
        self.learners = [each.name for each in plan.learners]
        shape = len(self.data_sets), len(self.learners)
        self.total = np.tile(np.array(blocks)[:, None], (1, shape[1]))
        self.done, self.failed = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        self.latest: Outcome | None = None
        self._seconds, self._workers = np.zeros(shape), workers
        for job, failed in done.items():
            self._count(job, failed, seconds.get(job, 0.0))
        self._started, self._fitted = time.monotonic(), 0.0

    def note(self, outcome: Outcome) -> None:
        """Count a fit."""
        self._count(outcome.job, outcome.failure is not None, outcome.seconds)
        self._fitted += outcome.seconds
        self.latest = outcome

    def _count(self, job: Job, failed: bool, seconds: float) -> None:
        cell = job.data_set, job.learner
        self.done[cell] += 1
        self.failed[cell] += failed
        self._seconds[cell] += seconds

    @property
    def finished(self) -> bool:
        """Whether nothing is left."""
        return bool((self.done >= self.total).all())

    def summary(self) -> tuple[int, int, str]:
        """Fits done, fits in all, and the data set and learner of the last one: what `progress` is called with."""
        message = "starting"
        if self.latest is not None:
            message = f"{self.data_sets[self.latest.job.data_set]}, {self.learners[self.latest.job.learner]}"
        return int(self.done.sum()), int(self.total.sum()), message

    def seconds_left(self) -> float | None:
        """How long the rest will take, each fit as long as others of its learner so far; None before the first.

        What goes on beside the fits, such as new processes for those that were killed, is taken to go on as in
        this run so far.
        """
        if not self.done.any():
            return None
        known = self.done.sum(axis=0) > 0
        mean = np.full(len(self.learners), self._seconds.sum() / self.done.sum())
        mean[known] = self._seconds.sum(axis=0)[known] / self.done.sum(axis=0)[known]
        alone = float(((self.total - self.done) * mean).sum() / self._workers)
        elapsed, fitted = time.monotonic() - self._started, self._fitted / self._workers
        return alone * max(1.0, elapsed / fitted) if fitted > 0 else alone
