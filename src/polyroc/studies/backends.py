"""Where the fits of a study are done: in this process, or in worker processes through a backend of joblib.

A thread cannot be stopped from outside, and a fit may crash its process. So each worker of the backend does its
fits in a process of its own, which it keeps from fit to fit, and kills at the time limit.
"""

import gc
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from typing import IO, Any, cast

from polyroc.cross_validation.fits import results_as_completed
from polyroc.errors import InputError, MissingPackageError
from polyroc.messages import install_command, short_repr
from polyroc.studies.data import Data
from polyroc.studies.fit import FitResult, FitTask, failed_fit, fit, prepare_model, preserved_random_state

__all__ = ["fit_results", "run_task", "serve", "workers_for"]

_THREAD = threading.local()  # has the worker of the current thread
_WORKERS: dict[str, list["Worker"]] = defaultdict(list)  # by run
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@contextmanager
def workers_for(n_jobs: int | None, dask: Any, limited: bool, data: Sequence[Data]) -> Iterator[int]:
    """Set the backend of joblib for the options of `study`, and say how many fits it does at a time.

    0 stands for one fit after the other in this process: fastest for small fits, but a fit cannot be killed;
    `limited` says that some fits have a time limit.
    """
    from joblib import effective_n_jobs, parallel_config
    from joblib.parallel import get_active_backend

    active, active_jobs = get_active_backend(prefer="threads")[0], get_active_backend()[1] or 1
    dask = getattr(active, "client", None) if dask is None else dask
    if dask is None:
        n_jobs = active_jobs if n_jobs is None else n_jobs
        yield 0 if n_jobs == 1 and not limited else int(effective_n_jobs(n_jobs))
        return
    with _client(dask) as client:
        from distributed import KilledWorker

        try:
            with parallel_config(backend="dask", client=client, scatter=list(data)):
                yield max(1, int(effective_n_jobs(-1)))
        except (KilledWorker, TimeoutError) as error:
            raise InputError(
                f"The cluster cannot fit: {type(error).__name__}: {error}. Check that its scheduler is running "
                "and that its workers have the same polyroc and learners, then run the same command to resume."
            ) from None


def _client(address: Any) -> AbstractContextManager[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise MissingPackageError(f"Dask is not installed; {install_command('dask')}.") from None
    if isinstance(address, Client):
        return nullcontext(address)
    try:
        client: AbstractContextManager[Any] = Client(  # type: ignore[no-untyped-call]
            address, set_as_default=False, timeout=10
        )
        return client
    except (OSError, ValueError, TypeError, AssertionError) as error:
        problem = InputError(
            f"dask: no scheduler answers at {short_repr(address)} ({type(error).__name__}); write it like "
            "tcp://host:8786."
        )
    # The failed client is part of a cycle of references. It stops its event loop when it is collected; if that
    # happened while another client starts, it would wait forever for a lock that the other one holds.
    gc.collect()
    raise problem


def fit_results(tasks: Sequence[FitTask], data: Sequence[Data], workers: int) -> Generator[FitResult]:
    """Return the result of each task as it is done, by so many workers of `workers_for`."""
    if workers == 0:
        with preserved_random_state():
            for task in tasks:
                yield fit(task, data[task.key.data_set])
        return
    from joblib import delayed

    # Tasks as bytes that `_pickled` makes: joblib's multiprocessing cannot send functions of a script by itself.
    calls = (delayed(_run_pickled)(_pickled(task, None), data[task.key.data_set]) for task in tasks)
    workers = min(workers, max(len(tasks), 1))  # joblib starts as many as it may
    try:
        with closing(results_as_completed(workers, calls, prefer="threads", batch_size=1)) as results:
            yield from results
    except pickle.PicklingError as error:
        raise InputError(
            f"A data set cannot be sent to another process ({error}); use another backend (loky)."
        ) from None
    finally:
        for run in {task.run for task in tasks}:
            for worker in _WORKERS.pop(run, []):
                worker.kill()


def run_task(task: FitTask, data: Data) -> FitResult:
    """Do a fit in the worker of the current thread; a new one for a new run, or after it was killed."""
    worker: Worker | None = getattr(_THREAD, "worker", None)
    if worker is None or worker.run != task.run or worker.dead:
        if worker is not None:
            worker.kill()
        worker = _THREAD.worker = Worker(task.run)
        _WORKERS[task.run].append(worker)
    return worker.fit(task, data)


def _run_pickled(message: bytes, data: Data) -> FitResult:
    task, _ = pickle.loads(message)
    return run_task(task, data)


def _pickled(task: FitTask, data: Data | None) -> bytes:
    """Return a task and its data as bytes; objects bring along their classes and functions, as of a notebook."""
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
    """A process that receives tasks and sends results through pipes."""

    def __init__(self, run: str) -> None:
        self.run, self.dead = run, False
        self._sent_data: set[int] = set()  # each data set is sent once
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve()"],
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


def serve() -> None:
    """Do the fits that come from stdin and write to stdout, both pickled: the program of a worker process.

    For each it sends None when the time starts to count, then the result. The process ends as soon as its parent
    does, even during a fit: a thread reads stdin, which reaches its end then.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    tasks, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # a learner that prints must not write to the pipe
        os.dup2(null, stream)
    sys.path[:] = pickle.load(tasks)
    received: queue.Queue[tuple[FitTask, Data | None]] = queue.Queue()
    threading.Thread(target=_receive_tasks, args=(tasks, received), daemon=True).start()
    data_sets: dict[int, Data] = {}

    def send(message: FitResult | None) -> None:
        pickle.dump(message, results)
        results.flush()

    while True:
        task, data = received.get()
        data = data_sets.setdefault(task.key.data_set, cast("Data", data))
        try:
            model = prepare_model(task, data)
        except Exception as error:
            send(None)
            send(failed_fit(task, error, 0.0))
            continue
        send(None)
        send(fit(task, data, model))


def _receive_tasks(tasks: Any, received: "queue.Queue[Any]") -> None:
    while True:
        try:
            received.put(pickle.load(tasks))
        except (EOFError, OSError):
            os._exit(0)  # the parent is gone; sys.exit would only end this thread
