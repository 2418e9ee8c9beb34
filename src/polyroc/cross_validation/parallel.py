"""Parallel calls through joblib, whose results arrive while others are computed."""

from collections.abc import Generator, Iterable
from contextlib import closing
from itertools import islice
from typing import Any

__all__ = ["results_as_completed"]

ROUND = 4  # calls per worker in a round, with backends that return nothing before all calls are done


def results_as_completed(n_jobs: int, calls: Iterable[Any], **options: Any) -> Generator[Any]:
    """The results of delayed calls, in the order in which they finish.

    Some backends, such as that of Ray, return results only together. They get the calls in rounds, so that what
    is done can be stored meanwhile.

    Parameters
    ----------
    n_jobs
        Number of workers.
    calls
        Calls made by `joblib.delayed`.
    options
        Those of `joblib.Parallel`.

    Examples
    --------
    >>> from joblib import delayed
    >>> sorted(results_as_completed(1, (delayed(abs)(number) for number in (-2, 1))))
    [1, 2]
    """
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer=options.get("prefer", "processes"))
    if getattr(backend, "supports_return_generator", False):
        with closing(Parallel(n_jobs, return_as="generator_unordered", **options)(calls)) as results:
            yield from results
        return
    waiting = iter(calls)
    with Parallel(n_jobs, **options) as parallel:  # one pool of workers for all rounds
        while some := list(islice(waiting, ROUND * max(n_jobs, 1))):
            yield from parallel(some)
