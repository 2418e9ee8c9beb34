"""Backends of a study: fits in this process, in worker processes, through joblib, or on a Dask cluster.

A thread cannot be stopped from outside, so a fit with a time limit is done in a process of its own
(`polyroc.studies.worker_process`). Each thread keeps its worker process from fit to fit.
"""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
from asyncio import CancelledError
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import IO, Any, Protocol, cast

from polyroc.cross_validation.parallel import results_as_completed
from polyroc.errors import InputError, MissingPackageError
from polyroc.messages import install_command, short_repr
from polyroc.studies.data import Data
from polyroc.studies.fit import FitResult, FitTask, failed_fit, fit, preserved_random_state
from polyroc.validation.random import check_n_jobs

__all__ = ["Backend", "choose_backend"]

_THREAD = threading.local()  # has the worker of the current thread
_WORKERS: dict[str, list["Worker"]] = defaultdict(list)  # by run
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Backend(Protocol):
    """Something that does fits."""

    @property
    def workers(self) -> int:
        """Number of fits at a time."""

    def results(self, tasks: Sequence[FitTask], data: Sequence[Data]) -> Generator[FitResult]:
        """The result of each task, in the order in which they finish."""


def choose_backend(n_jobs: int | None, dask: Any, limited: bool) -> Backend:
    """The backend for the options of `study`; `limited` says that some fits have a time limit."""
    check_n_jobs(n_jobs)
    active, active_jobs = _active_joblib_backend()
    if dask is None:
        # joblib's own backend for Dask would send the data along with every fit.
        dask = getattr(active, "client", None)
    if dask is not None:
        return DaskCluster(dask)
    n_jobs = active_jobs if n_jobs is None else n_jobs
    return Sequential() if n_jobs == 1 and not limited else Joblib(n_jobs)


def _active_joblib_backend() -> tuple[Any, int]:
    """The joblib backend that the caller has set, None if there is none, and its number of workers."""
    if "joblib" not in sys.modules:  # then the caller cannot have set one, and the import is saved
        return None, 1
    from joblib.parallel import get_active_backend

    return get_active_backend(prefer="threads")[0], get_active_backend()[1] or 1


@dataclass(frozen=True, slots=True)
class Sequential:
    """One fit after the other in this process: fastest for small fits, but a fit cannot be killed."""

    workers: int = 1

    def results(self, tasks: Sequence[FitTask], data: Sequence[Data]) -> Generator[FitResult]:
        """The result of each task, in order."""
        with preserved_random_state():
            for task in tasks:
                yield fit(task, data[task.key.data_set])


@dataclass(frozen=True, slots=True)
class Joblib:
    """Parallel fits through the joblib backend that the caller has set, or threads if there is none.

    Each worker of the backend has a worker process of its own to fit in. Threads share the global random
    generators and the interpreter lock; and a process of joblib that a fit crashes would end the study.
    """

    n_jobs: int

    @property
    def workers(self) -> int:
        """Number of fits at a time."""
        from joblib import effective_n_jobs

        return int(effective_n_jobs(self.n_jobs))

    def results(self, tasks: Sequence[FitTask], data: Sequence[Data]) -> Generator[FitResult]:
        """The result of each task, in the order in which they finish."""
        from joblib import delayed

        # As bytes that `_pickled` makes: joblib's multiprocessing cannot send functions of a script by itself.
        calls = (
            delayed(_run_pickled)(_pickled(replace(task, isolated=True), None), data[task.key.data_set])
            for task in tasks
        )
        workers = min(self.workers, max(len(tasks), 1))  # joblib starts as many as it may
        with closing(results_as_completed(workers, calls, prefer="threads", batch_size=1)) as results:
            try:
                yield from results
            except pickle.PicklingError as error:
                raise InputError(
                    f"A data set cannot be sent to another process ({error}); use another backend (loky)."
                ) from None
            finally:
                for run in {task.run for task in tasks}:
                    stop_workers(run)


@dataclass(frozen=True, slots=True)
class DaskCluster:
    """A Dask cluster, by the address of its scheduler or a client."""

    address: Any

    @property
    def workers(self) -> int:
        """Number of fits at a time."""
        with self._client() as client:
            return max(1, int(sum(client.nthreads().values())))

    def results(self, tasks: Sequence[FitTask], data: Sequence[Data]) -> Generator[FitResult]:
        """The result of each task, in the order in which they finish."""
        with self._client() as client:
            from distributed import as_completed

            # Data as results of tasks, not scattered: Dask computes them again if the worker that has them is
            # lost.
            futures = [client.submit(_identity, data_set, pure=False) for data_set in data]
            pending = {
                client.submit(
                    run_task,
                    replace(task, isolated=task.limit is not None),
                    futures[task.key.data_set],
                    pure=False,
                ): task
                for task in tasks
            }
            for future in as_completed(list(pending), loop=client.loop):  # type: ignore[no-untyped-call]
                yield _result(future, pending.pop(future))
                future.release()

    def _client(self) -> AbstractContextManager[Any]:
        try:
            from distributed import Client
        except ImportError:
            raise MissingPackageError(f"Dask is not installed; {install_command('dask')}.") from None
        if isinstance(self.address, Client):
            return nullcontext(self.address)
        try:
            client: AbstractContextManager[Any] = Client(  # type: ignore[no-untyped-call]
                self.address, set_as_default=False, timeout=10
            )
            return client
        except (OSError, ValueError, TypeError, AssertionError) as error:
            problem = InputError(
                f"dask: no scheduler answers at {short_repr(self.address)} ({type(error).__name__}); write it "
                "like tcp://host:8786."
            )
        # The failed client is part of a cycle of references. It stops its event loop when it is collected; if that
        # happened while another client starts, it would wait forever for a lock that the other one holds.
        gc.collect()
        raise problem


def _identity(data: Data) -> Data:
    return data


def _result(future: Any, task: FitTask) -> FitResult:
    """The result of a fit. It has failed if it killed its workers; other errors of the cluster are raised."""
    from distributed import KilledWorker

    try:
        result: FitResult = future.result()
    except KilledWorker:
        return failed_fit(task, "Every worker that tried this fit died (KilledWorker).", 0.0)
    except (Exception, CancelledError) as error:
        raise InputError(
            f"The cluster cannot fit: {type(error).__name__}: {error}. Check that its scheduler is running and "
            "that its workers have the same polyroc and learners, then run the same command again to resume."
        ) from None
    return result


def run_task(task: FitTask, data: Data) -> FitResult:
    """Do a fit in this process, or in a worker process if the task is isolated."""
    if task.isolated:
        return _worker(task.run).fit(task, data)
    with preserved_random_state():
        return fit(task, data)


def _run_pickled(message: bytes, data: Data) -> FitResult:
    """Do a fit that comes as bytes."""
    task, _ = pickle.loads(message)
    return run_task(task, data)


def stop_workers(run: str) -> None:
    """Kill the worker processes of a run."""
    for worker in _WORKERS.pop(run, []):
        worker.kill()


def _worker(run: str) -> "Worker":
    """The worker of the current thread; a new one for a new run, or after it was killed."""
    worker: Worker | None = getattr(_THREAD, "worker", None)
    if worker is None or worker.run != run or worker.dead:
        if worker is not None:
            worker.kill()
        worker = _THREAD.worker = Worker(run)
        _WORKERS[run].append(worker)
    return worker


def _pickled(task: FitTask, data: Data | None) -> bytes:
    """A task and its data as bytes; objects bring along their classes and functions, as of a notebook."""
    if task.learner.estimator is None:
        return pickle.dumps((task, data), protocol=pickle.HIGHEST_PROTOCOL)
    from joblib import wrap_non_picklable_objects

    try:
        message = wrap_non_picklable_objects((task, data), keep_wrapper=False)
        return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise InputError(
            f"{task.learner.name!r} cannot be sent to another process ({type(error).__name__}: {error}); define "
            "it in a module, or use n_jobs=1 without a time limit."
        ) from None


class Worker:
    """A worker process, which receives tasks and sends results through pipes."""

    def __init__(self, run: str) -> None:
        self.run, self.dead = run, False
        self._sent_data: set[int] = set()  # each data set is sent once
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polyroc.studies.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # a process group of its own, so that what a learner starts is killed too
        )
        self._write(pickle.dumps(sys.path))

    def fit(self, task: FitTask, data: Data) -> FitResult:
        """Do a fit in the process; kill it at the time limit."""
        known = task.key.data_set in self._sent_data
        self._sent_data.add(task.key.data_set)
        timed_out = threading.Event()
        try:
            self._write(_pickled(task, None if known else data))
            self._receive()  # the model is imported and made: from here on the time counts
            timer = threading.Timer(task.limit or threading.TIMEOUT_MAX, self._time_out, [timed_out])
            timer.daemon = True
            timer.start()
            try:
                result: FitResult = self._receive()
            finally:
                timer.cancel()
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self.kill()
            if timed_out.is_set():
                return failed_fit(task, f"Time limit: not done after {task.limit:g} s.", float(task.limit or 0))
            cause = f"signal {-code}" if code < 0 else f"exit code {code}"
            return failed_fit(task, f"The process of the fit died ({cause}).", 0.0)
        return result

    def _time_out(self, timed_out: threading.Event) -> None:
        timed_out.set()
        self._kill_group()

    def kill(self) -> int:
        """Kill the process and return its exit code."""
        self.dead = True
        self._kill_group()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                cast("IO[bytes]", pipe).close()
        return code

    def _kill_group(self) -> None:
        """Kill the process and all that it has started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _write(self, message: bytes) -> None:
        pipe = cast("IO[bytes]", self._process.stdin)
        pipe.write(message)
        pipe.flush()

    def _receive(self) -> Any:
        return pickle.load(cast("IO[bytes]", self._process.stdout))
