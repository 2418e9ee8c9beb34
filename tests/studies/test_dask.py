"""A study on a Dask cluster of two worker processes, one of which is killed, ends as it does on this machine."""

import os
import signal
import threading
import warnings

import joblib
import pytest

import polyroc as pr
from packages import package
from polyroc.errors import InputError
from study_plans import content, plan

distributed = package("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # those of the cluster, which a killed worker gives cause to
]


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
        client = distributed.Client(cluster)
    yield client
    client.close()
    cluster.close()


def slow(*more):
    learners = [
        {"name": name, "class": "study_learners:Prior", "parameters": {"wait": 0.05}} for name in ("a", "b", "c")
    ]
    return plan(*learners, "Worldly", "Raises", *more, splitting={"folds": 10})


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_local_answer(tmp_path, client):
    options = slow()
    pids = client.run(os.getpid)
    assert len(set(pids.values()) - {os.getpid()}) == 2
    killed = []

    def kill(done, total, message):
        if done >= 6 and not killed:
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)

    study = pr.study(options, out=tmp_path / "dask.duckdb", dask=client.scheduler.address, progress=kill)
    assert killed
    assert study.left == 0
    assert len(study.failures) == 10
    pr.study(options, out=tmp_path / "here.duckdb")
    assert content(tmp_path / "dask.duckdb") == content(tmp_path / "here.duckdb")


@pytest.mark.slow
def test_the_backend_of_joblib_and_time_limits_on_the_cluster(tmp_path, client):
    hangs = {"name": "Hangs", "class": "study_learners:Hangs", "time_limit": 0.3}
    options = plan("Prior", hangs, splitting={"folds": 3})
    with joblib.parallel_config(backend="dask", client=client):
        study = pr.study(options, out=tmp_path / "dask.duckdb")
    assert {failure.message for failure in study.failures} == {"Time limit: not done after 0.3 s."}
    assert len(study.failures) == 3
    pr.study(options, out=tmp_path / "here.duckdb", n_jobs=2)
    assert content(tmp_path / "dask.duckdb") == content(tmp_path / "here.duckdb")


def event_loops():
    return sum(thread.name == "IO loop" for thread in threading.enumerate())


@pytest.mark.slow
def test_no_scheduler_is_reported(tmp_path):
    before = event_loops()
    with pytest.raises(InputError, match="no scheduler answers at 'nowhere'"):
        pr.study(plan("Prior"), out=tmp_path / "s.duckdb", dask="nowhere")
    # An event loop that runs on would stop at any time later, and wait forever if another client starts just then.
    assert event_loops() <= before
