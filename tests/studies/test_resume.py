"""Killed at any moment, a study goes on where it was, and ends as if nothing had happened."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

import polyroc as pr
from polyroc.validation.random import seed_for
from study_plans import HERE, content, plan

KILLS = 8
PATIENCE = 300  # seconds for what a machine without other work does at once
DRIVER = """
import os
import sys
import duckdb
import polyroc.measures
from polyroc.studies import store
from polyroc.studies.plan import Plan
from polyroc.studies.study import study
store.FLUSH_SECONDS = 0.03  # so that many kills come in the midst of writing
plan = Plan.read(sys.argv[1])
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        study(plan, out=sys.argv[2], n_jobs=int(sys.argv[3]))
        sys.exit()
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Runs:
    """A process that has the imports behind it, and starts another one for every run."""

    def __init__(self, folder, n_jobs):
        command = [sys.executable, "-c", DRIVER, folder / "plan.toml", folder / "study.duckdb", str(n_jobs)]
        self.errors = folder / "errors"
        with self.errors.open("w") as errors:
            self.mother = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.mother.communicate()

    def start(self):
        """A new run: the number of its process."""
        self.mother.stdin.write("go\n")
        self.mother.stdin.flush()
        return self.process_number()

    def killed(self, process):
        """The exit code of a run that is killed, which is 0 if it was quicker."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        return self.process_number()

    def process_number(self):
        number = self.mother.stdout.readline()
        assert self.errors.read_text() == ""
        return int(number)


def stored(path):
    """Seeds of the fits that are on the disk, and everything in it."""
    if not path.exists():
        return set()
    with duckdb.connect(str(path), read_only=True) as store:
        jobs = store.execute(
            "SELECT l.name, b.repeat, b.fold FROM polyroc_study.fits AS f JOIN polyroc_study.blocks AS b "
            "USING (data_set, block) JOIN polyroc_study.learners AS l USING (learner)"
        ).fetchall()
    seeds = [seed_for(0, "blobs", *job) for job in jobs]
    assert len(seeds) == len(set(seeds))
    return set(seeds)


@pytest.mark.slow
@pytest.mark.parametrize(("n_jobs", "kills", "seed"), [(1, KILLS, 1), (2, 4, 2)])
def test_killed_again_and_again_it_ends_as_if_undisturbed(tmp_path, n_jobs, kills, seed):
    log = tmp_path / "log"
    quick = {"class": "study_learners:Prior", "parameters": {"wait": 0.004, "log": str(log)}}
    options = plan(
        {"name": "a", **quick},
        {"name": "b", **quick},
        "Raises",
        splitting={"folds": 10, "repeats": 4},
        measures=["auc", "accuracy"],
    )
    (tmp_path / "plan.toml").write_text(options.to_toml())
    (tmp_path / "study_learners.py").write_text((HERE / "study_learners.py").read_text())
    pr.study(options, out=tmp_path / "undisturbed.duckdb")
    expected = content(tmp_path / "undisturbed.duckdb")
    shown = repr(pr.results.Study.open(tmp_path / "undisturbed.duckdb").to_dict()["tables"])
    store, chance = tmp_path / "study.duckdb", random.Random(seed)
    done, most, before = 0, 0, set()
    with Runs(tmp_path, n_jobs) as runs:
        while done < kills:
            log.write_text("")
            process = runs.start()
            wait_for_any_moment(process, log, chance)
            if runs.killed(process) == 0:  # it was quicker: once more from the beginning
                assert content(store) == expected
                store.unlink()
                before = set()
                continue
            done += 1
            after = stored(store)
            fitted = set(map(int, log.read_text().split()))
            assert before <= after  # nothing is lost
            assert not fitted & before  # and nothing that was stored is fitted again
            before, most = after, max(most, len(after))
        log.write_text("")
        runs.start()
        assert runs.process_number() == 0
    assert not set(map(int, log.read_text().split())) & before
    assert content(store) == expected
    assert repr(pr.results.Study.open(store).to_dict()["tables"]) == shown
    assert most > 0 or kills < KILLS  # not all of many came before anything was stored


def wait_for_any_moment(process, log, chance):
    """One in a second, or one after some fits, which slow machines reach too."""
    if chance.random() < 0.5:
        time.sleep(chance.uniform(0.0, 0.8))
        return
    fits = chance.randrange(1, 20)
    assert within(PATIENCE, lambda: len(log.read_text().split()) >= fits or not alive(process))
    time.sleep(chance.uniform(0.0, 0.05))


@pytest.mark.slow
def test_a_process_that_hangs_dies_with_its_run(tmp_path):
    log = tmp_path / "pid"
    hangs = {"class": "study_learners:Hangs", "parameters": {"log": str(log)}}
    (tmp_path / "plan.toml").write_text(plan(hangs, time_limit=600).to_toml())
    (tmp_path / "study_learners.py").write_text((HERE / "study_learners.py").read_text())
    with Runs(tmp_path, 1) as runs:
        process = runs.start()
        assert within(PATIENCE, lambda: log.exists() and log.read_text())
        assert runs.killed(process) == -signal.SIGKILL
    child = int(log.read_text())
    assert child != process
    assert within(PATIENCE, lambda: not alive(child))


def within(seconds, condition):
    """Whether something comes true in so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def alive(pid):
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
