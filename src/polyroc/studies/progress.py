"""Progress of a study: fits done by data set and learner, and an estimate of the time left."""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from polyroc.studies.fit import FitKey, FitResult
from polyroc.studies.plan import Plan

__all__ = ["StudyProgress"]


class StudyProgress:
    """Counts of fits by data set and learner.

    Attributes
    ----------
    data_sets, learners
        Names of the rows and the columns.
    total, done, failed
        Data sets x learners: all fits, finished fits, and finished fits that failed.
    latest
        The fit that finished last, or None.
    """

    def __init__(
        self,
        plan: Plan,
        blocks: Sequence[int],
        done: Mapping[FitKey, bool],
        seconds: Mapping[FitKey, float],
        workers: int,
    ) -> None:
        self.data_sets = [data_set.name for data_set in plan.data]
        self.learners = [learner.name for learner in plan.learners]
        shape = len(self.data_sets), len(self.learners)
        self.total = np.tile(np.array(blocks)[:, None], (1, shape[1]))
        self.done, self.failed = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        self.latest: FitResult | None = None
        self._seconds, self._workers = np.zeros(shape), workers
        for key, failed in done.items():
            self._count(key, failed, seconds.get(key, 0.0))
        self._started, self._fit_seconds = time.monotonic(), 0.0

    def add(self, result: FitResult) -> None:
        """Count a fit that has just finished."""
        self._count(result.key, result.failure is not None, result.seconds)
        self._fit_seconds += result.seconds
        self.latest = result

    def _count(self, key: FitKey, failed: bool, seconds: float) -> None:
        entry = key.data_set, key.learner
        self.done[entry] += 1
        self.failed[entry] += failed
        self._seconds[entry] += seconds

    @property
    def finished(self) -> bool:
        """Whether all fits are done."""
        return bool((self.done >= self.total).all())

    def summary(self) -> tuple[int, int, str]:
        """Fits done, fits in all, and the data set and learner of the last one: what `progress` is called with."""
        message = "starting"
        if self.latest is not None:
            message = f"{self.data_sets[self.latest.key.data_set]}, {self.learners[self.latest.key.learner]}"
        return int(self.done.sum()), int(self.total.sum()), message

    def seconds_left(self) -> float | None:
        """Estimated seconds until all fits are done; None before the first fit.

        Each remaining fit is expected to take as long as the mean of its learner so far (of all learners, if there
        is none yet). The sum is scaled by this run's ratio of elapsed time to time spent in fits, which accounts
        for what happens between fits, such as starting worker processes.
        """
        if not self.done.any():
            return None
        known = self.done.sum(axis=0) > 0
        mean = np.full(len(self.learners), self._seconds.sum() / self.done.sum())
        mean[known] = self._seconds.sum(axis=0)[known] / self.done.sum(axis=0)[known]
        fitting = float(((self.total - self.done) * mean).sum() / self._workers)
        elapsed, fitted = time.monotonic() - self._started, self._fit_seconds / self._workers
        return fitting * max(1.0, elapsed / fitted) if fitted > 0 else fitting
