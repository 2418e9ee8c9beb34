"""Threads that kernels share: the same answer however many there are, and never more than there are cores."""

import multiprocessing.process
import os
import threading
import time
import warnings

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

import polyroc as pr
from polyroc.errors import PolyrocWarning
from polyroc.kernels import placements, threads
from polyroc.kernels.class_blocks import argsort_blocks, block_starts, sort_blocks, split
from polyroc.kernels.threads import cores, run_concurrently, thread_limit


@pytest.fixture
def two_cores(monkeypatch):
    """Threads also for little data, and on one core."""
    monkeypatch.setattr(threads, "cores", lambda: 2)
    monkeypatch.setattr(threads, "FEWEST", 10)
    monkeypatch.setattr(placements, "FEWEST", 2000)
    monkeypatch.setattr(threads, "_pool", None)


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("digits", [1, 15])  # with and without ties
def test_the_answer_is_the_same_however_many_threads(digits):
    rng = np.random.default_rng(1)
    y, P = rng.integers(3, size=3000), rng.random((3000, 3)).round(digits)
    binary, scores = np.minimum(y, 1), {"a": P[:, 0], "b": P[:, 1]}

    def answers():
        M, auc = pr.evaluate(y, P, measure="hand_till"), pr.evaluate(binary, P[:, 0], measure="auc")
        parts = [part.standard_error for part in M.parts.values()]
        compared = pr.compare(binary, scores, measure="auc").covariance.tolist()
        return M.value, M.standard_error, parts, auc.value, auc.standard_error, compared

    together = answers()
    with thread_limit(1):
        assert answers() == together
    assert pr.evaluate(binary, P[:, 0], measure="auc", n_jobs=2).standard_error == together[4]
    assert pr.compare(binary, scores, measure="auc", n_jobs=1).covariance.tolist() == together[5]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["cases", "weights", "groups", "folds"])
@pytest.mark.parametrize("kind", ["matrix", "score", "ordered"])
def test_the_answer_is_the_same_however_many_threads_blas_has(kind, design):
    """Its sums of more than 10,000 numbers depend on them; and its threads would take the processors from ours."""
    n, rng = 40_000, np.random.default_rng(1)
    y, P = rng.integers(3, size=n), rng.dirichlet(np.ones(3), n)
    y_true, y_score = {"matrix": (y, P), "score": (np.minimum(y, 1), P[:, 0]), "ordered": (y, P[:, 0])}[kind]
    designs = {"weights": {"sample_weight": rng.random(n) + 0.5}, "groups": {"groups": np.arange(n) // 2}}
    options = {"labels": [0, 1, 2]} if kind == "ordered" else {}
    options |= {"cases": {}, "folds": {"folds": np.arange(n) % 2}, **designs}[design]

    compared = {"matrix": "hand_till", "score": "average_precision", "ordered": "vus"}[kind]

    def answers(blas_threads):
        with threadpool_limits(blas_threads, user_api="blas"), warnings.catch_warnings():
            warnings.simplefilter("ignore", PolyrocWarning)
            estimates = [
                (one.measure, one.value, one.standard_error) for one in pr.evaluate(y_true, y_score, **options)
            ]
            both = {"a": y_score, "b": np.roll(y_score, 1, axis=0)}
            return estimates, pr.compare(y_true, both, measure=compared, **options).covariance.tolist()

    np.testing.assert_equal(answers(1), answers(2))


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("column", [np.zeros(3000), np.arange(3000.0)[::-1], np.r_[np.zeros(2999), 1.0]])
def test_a_column_is_sorted_by_class(column):
    codes = (np.arange(3000) % 3 == 0).astype(np.int32)
    starts = block_starts(np.bincount(codes))
    (row,) = sort_blocks(split(column[:, None], codes, starts), starts)
    for k in (0, 1):
        assert row[starts[k] : starts[k + 1]].tolist() == sorted(column[codes == k].tolist())
    order = argsort_blocks(row[None], starts)
    assert (np.diff(row[: starts[1]][order[0, : starts[1]]]) >= 0).all()


def threads_of(tasks, numbers):
    """The threads that do the tasks, each of which waits a little, so that no thread does all."""
    seen, done = set(), []

    def task(number):
        seen.add(threading.get_ident())
        done.append(number)
        time.sleep(0.01)

    run_concurrently(task, tasks, numbers)
    assert sorted(done) == list(range(tasks))
    return seen


@pytest.mark.usefixtures("two_cores")
def test_every_task_is_done_once_and_a_second_caller_works_alone():
    nested = []
    assert len(threads_of(20, 100)) == 2
    run_concurrently(lambda _: nested.append(threads_of(2, 100)), 2, 100)
    assert [len(seen) for seen in nested] == [1, 1]
    assert len(threads_of(20, 9)) == 1  # too little to do
    assert len(threads_of(1, 100)) == 1


@pytest.mark.usefixtures("two_cores")
def test_an_error_in_a_task_reaches_the_caller_and_the_pool_stays_usable():
    with pytest.raises(ZeroDivisionError):
        run_concurrently(lambda number: 1 // number, 2, 100)
    assert len(threads_of(20, 100)) == 2


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for stated, expected in (("1", 1), ("1,2", 1), ("0", bound), ("many", bound), ("", bound), ("10000", bound)):
        monkeypatch.setenv("OMP_NUM_THREADS", stated)
        assert cores() == expected
    monkeypatch.delenv("OMP_NUM_THREADS")
    monkeypatch.setattr(multiprocessing.process, "parent_process", lambda: object())
    assert cores() == 1


@pytest.mark.slow
@pytest.mark.parametrize("inner", [None, 1])
def test_workers_of_joblib_use_as_many_threads_as_it_gives_them(inner, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with joblib.parallel_config("loky", inner_max_num_threads=inner):
        in_workers = joblib.Parallel(n_jobs=2)(joblib.delayed(cores)() for _ in range(2))
    get_reusable_executor().shutdown()
    assert in_workers == [inner or max(1, joblib.cpu_count() // 2)] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.usefixtures("two_cores")
def test_a_forked_process_starts_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(threads, "_in_use", threading.Lock())
    with threads._in_use:
        threads._forget()  # what a fork does in the child
        assert len(threads_of(20, 100)) == 2
