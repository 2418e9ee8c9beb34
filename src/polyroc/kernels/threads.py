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

__all__ = ["FEWEST", "cores", "in_threads", "machine_memory", "thread_limit", "together"]

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

    >>> with thread_limit(1):
    ...     in_threads(print, 2, 10**9)
    False
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


def in_threads(task: Callable[[int], object], tasks: int, numbers: int) -> bool:
    """Run task(0), task(1), ... in threads, and say whether that was done; if not, the caller does the work.

    Parameters
    ----------
    task
        A function that holds no lock while it works.
    tasks
        How many there are.
    numbers
        How many numbers they work on together; with few, nothing is done.
    """
    if numbers < FEWEST or tasks < 2:
        return False
    most = getattr(_limit, "most", None)
    workers = min(tasks, cores() if most is None else most)
    if workers < 2 or not _in_use.acquire(blocking=False):
        return False
    try:
        _run(task, tasks, workers)
    finally:
        _in_use.release()
    return True


def together(first: Callable[[], object], second: Callable[[], T], numbers: int) -> T:
    """Call two functions, at the same time if there is a thread for one of them; the result of the second.

    >>> together(lambda: None, lambda: 2, 10)
    2
    """
    results: list[T] = []
    tasks = first, lambda: results.append(second())
    if not in_threads(lambda number: tasks[number](), 2, numbers):
        for task in tasks:
            task()
    return results[0]


def _run(task: Callable[[int], object], tasks: int, workers: int) -> None:
    """The caller is one of the workers; each takes the next task when it has done one."""
    numbers = iter(range(tasks))  # `next` of it is atomic

    def work() -> None:
        for number in numbers:
            task(number)

    others = []
    with suppress(RuntimeError):  # Python ends, and starts no more threads
        others = [_shared_pool().submit(work) for _ in range(workers - 1)]
    try:
        work()
    finally:
        for other in others:
            other.result()


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
