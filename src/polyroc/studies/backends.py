"""Where fits are done: here, in processes on this machine, wherever joblib is told to, or on a Dask cluster."""

import sys
from asyncio import CancelledError
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

from polyroc.errors import InputError, MissingPackageError
from polyroc.studies.data import Data
from polyroc.studies.fit import Order, Outcome, failure, fit, randomness_kept
from polyroc.studies.workers import carry_out, dismiss

__all__ = ["Backend", "choose"]


class Backend(Protocol):
    """Carries out orders, in whatever order."""

    @property
    def workers(self) -> int:
        """How many fits are done at a time."""

    def outcomes(self, orders: Sequence[Order], data: Sequence[Data]) -> Generator[Outcome]:
        """What comes of each order, as it comes."""


def choose(n_jobs: int | None, dask: Any, limited: bool) -> Backend:
    """The backend that was asked for; `limited` says that some fits have a time limit."""
    if n_jobs == 0 or not (n_jobs is None or isinstance(n_jobs, int)):
        raise InputError(f"n_jobs must be a number of workers, or -1 for one per core, got {n_jobs!r}.")
    told, jobs = _joblib_told()
    if dask is None:
        dask = getattr(told, "client", None)  # joblib's backend for Dask sends the data along with every fit
    if dask is not None:
        return Cluster(dask)
    n_jobs = jobs if n_jobs is None else n_jobs
    return Here() if n_jobs == 1 and not limited else Joblib(n_jobs)


def _joblib_told() -> tuple[Any, int]:
    """The joblib backend that the caller has set, if one is set, and how many workers."""
    if "joblib" not in sys.modules:
        return None, 1
    from joblib.parallel import get_active_backend

    return get_active_backend(prefer="threads")[0], get_active_backend()[1] or 1


@dataclass(frozen=True, slots=True)
class Here:
    """One after the other in this process: quickest for small fits, but nothing can be killed."""

    workers: int = 1

    def outcomes(self, orders: Sequence[Order], data: Sequence[Data]) -> Generator[Outcome]:
        """What comes of each order, in order."""
        with randomness_kept():
            for order in orders:
                yield fit(order, data[order.job.data_set])


@dataclass(frozen=True, slots=True)
class Joblib:
    """As many at a time as asked for, by the joblib backend of the caller.

    If there is none: threads, each of which has a process of its own to fit in. So has a worker of any backend
    where there is a time limit.
    """

    n_jobs: int

    @property
    def workers(self) -> int:
        """How many fits are done at a time."""
        from joblib import effective_n_jobs

        return int(effective_n_jobs(self.n_jobs))

    def outcomes(self, orders: Sequence[Order], data: Sequence[Data]) -> Generator[Outcome]:
        """What comes of each order, as it comes."""
        from joblib import Parallel, delayed

        backend, _ = _joblib_told()
        shared = getattr(backend, "supports_sharedmem", True)
        work = (
            delayed(carry_out)(replace(order, apart=shared or order.limit is not None), data[order.job.data_set])
            for order in orders
        )
        parallel = Parallel(self.n_jobs, prefer="threads", return_as="generator_unordered", batch_size=1)
        with closing(parallel(work)) as found:
            try:
                yield from found
            finally:
                for run in {order.run for order in orders}:
                    dismiss(run)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Dask cluster: the address of its scheduler, or a client of it."""

    address: Any

    @property
    def workers(self) -> int:
        """How many fits are done at a time."""
        with self._client() as client:
            return max(1, int(sum(client.nthreads().values())))

    def outcomes(self, orders: Sequence[Order], data: Sequence[Data]) -> Generator[Outcome]:
        """What comes of each order, as it comes. A fit whose worker dies again and again has failed."""
        with self._client() as client:
            from distributed import as_completed

            held = [client.submit(_hold, each, pure=False) for each in data]  # made anew where a worker is lost
            asked = {
                client.submit(
                    carry_out,
                    replace(order, apart=order.limit is not None),
                    held[order.job.data_set],
                    pure=False,
                ): order
                for order in orders
            }
            for future in as_completed(list(asked), loop=client.loop):  # type: ignore[no-untyped-call]
                order = asked.pop(future)
                yield _result(future, order)
                future.release()

    def _client(self) -> AbstractContextManager[Any]:
        try:
            from distributed import Client
        except ImportError:
            raise MissingPackageError("Dask is not installed; pip install 'polyroc[dask]'.") from None
        if isinstance(self.address, Client):
            return nullcontext(self.address)
        try:
            client: AbstractContextManager[Any] = Client(  # type: ignore[no-untyped-call]
                self.address, set_as_default=False, timeout=10
            )
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"No Dask scheduler answers at {self.address!r} ({type(error).__name__}); write it like "
                "tcp://host:8786."
            ) from None
        return client


def _hold(data: Data) -> Data:
    return data


def _result(future: Any, order: Order) -> Outcome:
    """The outcome of a fit; what the cluster itself raises is not its failure, unless workers died of it."""
    from distributed import KilledWorker

    try:
        found: Outcome = future.result()
    except KilledWorker:
        return failure(order, "Every worker that tried this fit died (KilledWorker).", 0.0)
    except (Exception, CancelledError) as error:
        raise InputError(
            f"The cluster cannot fit: {type(error).__name__}: {error}. Check that its scheduler runs, and that "
            "its workers have the same polyroc and learners; the same command goes on."
        ) from None
    return found
