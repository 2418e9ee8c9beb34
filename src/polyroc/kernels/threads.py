"""Threads that all kernels share: numpy's sort and compiled kernels run without the interpreter lock.

There is one pool for the process, made when it is first needed. Who calls while it is in use does the work alone:
several callers (the threads of joblib or Dask) never start more threads than there are cores. The answer is the
same however many there are, since every task writes numbers of its own.
"""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["FEWEST", "call_both", "cores", "machine_memory", "run_concurrently", "thread_limit"]

T = TypeVar("T")
_CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
FEWEST = 200_000  # numbers for which threads are worth their start: some milliseconds of work
_in_use = threading.Lock()
_limit = threading.local()
_pool: Any = None  # a ThreadPoolExecutor, which is not imported before it is needed


def cores() -> int:
    """The cores that this process may use: those it is bound to, fewer if OMP_NUM_THREADS says so.

    Workers of joblib, Dask and Spark have OMP_NUM_THREADS set; other worker processes share the cores with their
    siblings, so that each uses one.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    stated = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if stated.isdecimal() and int(stated) > 0:
        return min(bound, int(stated))
    processes = sys.modules.get("multiprocessing.process")  # None unless the program uses it
    return 1 if processes is not None and processes.parent_process() is not None else bound


def machine_memory() -> int:
    """The memory of this machine in bytes, or of the container if that has less; 8 GB if it is not known."""
    limits: list[int] = []
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _CONTAINER_LIMITS:
        with suppress(ValueError, OSError):  # "max": the container has no limit
            limits.append(int(Path(path).read_text()))
    return min(limits, default=8 * 2**30)


class thread_limit:  # noqa: N801 - a context manager, which reads like a function
    """Within this block, the calling thread uses so many threads at most; None: no limit but that around it.

    >>> with thread_limit(1):  # in order, by this thread
    ...     run_concurrently(print, 2, 10**9)
    0
    1
    """

    def __init__(self, most: int | None) -> None:
        self._most = most

    def __enter__(self) -> None:
        """Set the limit."""
        self._before = getattr(_limit, "most", None)
        if self._most is not None:
            _limit.most = self._most

    def __exit__(self, *_: object) -> None:
        """Restore the limit that was there."""
        _limit.most = self._before


def run_concurrently(task: Callable[[int], object], tasks: int, numbers: int) -> None:
    """Run task(0), task(1), ...: in threads where that is worth it and none are in use, else one after the other.

    Parameters
    ----------
    task
        A function that holds no lock while it works.
    tasks
        How many there are.
    numbers
        How many numbers they work on, all together.
    """
    limit = getattr(_limit, "most", None)
    workers = 1 if numbers < FEWEST else min(tasks, cores() if limit is None else limit)
    waiting = iter(range(tasks))  # `next` of it is atomic

    def work() -> None:
        for number in waiting:
            task(number)

    if workers < 2 or not _in_use.acquire(blocking=False):
        work()
        return
    others = []
    try:
        with suppress(RuntimeError):  # Python ends, and starts no more threads
            others = [_shared_pool().submit(work) for _ in range(workers - 1)]
        work()
    finally:
        try:
            for other in others:
                other.result()
        finally:
            _in_use.release()


def call_both(first: Callable[[], object], second: Callable[[], T], numbers: int) -> T:
    """Call two functions, at the same time if there is a thread for one of them; return the second's result.

    >>> call_both(lambda: None, lambda: 2, 10)
    2
    """
    results: list[T] = []
    tasks = first, lambda: results.append(second())
    run_concurrently(lambda number: tasks[number](), 2, numbers)
    return results[0]


def _shared_pool() -> Any:
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(max_workers=max(cores() - 1, 1), thread_name_prefix="polyroc")
    return _pool


def _forget() -> None:
    """In a forked process the threads are gone, and the lock may be held by one of them."""
    global _pool, _in_use
    _pool, _in_use = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
