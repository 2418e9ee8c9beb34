"""Searches that are resumed, interrupted, killed: no point of the front is lost, no file is overwritten."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import polyroc as pr
from front_data import Tilt, three_blobs
from polyroc.errors import InputError, MissingFileError


@pytest.mark.slow
@pytest.mark.parametrize("name", ["front.npz", "front.json"])
@pytest.mark.parametrize(
    ("family", "options"),
    [
        (pr.fronts.LogisticFamily(), {}),
        (pr.fronts.LogisticFamily(), {"algorithm": "adaptive"}),
        (
            pr.fronts.LogisticFamily(),
            {
                "algorithm": "adaptive",
                "selection": "uniform",
                "objectives": "false_positives",
                "start": "random",
            },
        ),
        (
            pr.fronts.NearestNeighbours(largest=5),
            {"bounds": {((0, 1), (1, 0)): (0.2, np.inf)}, "concentration": 2},
        ),
        (Tilt(), {"costs": 7}),
    ],
    ids=["logistic", "adaptive", "false positives", "neighbours", "own family"],
)
def test_two_parts_are_the_whole(name, family, options, tmp_path):
    """25 generations and then 38, through a file, are 63; looks at the growth fall on the same generations."""
    X, y = three_blobs()
    whole = pr.search_front(family, X, y, generations=63, rng=4, **options)
    pr.search_front(family, X, y, generations=25, rng=4, **options).save(tmp_path / name)
    again = pr.search_front(family, X, y, generations=63, resume=tmp_path / name, **options)
    assert again.to_dict() == whole.to_dict()
    assert again.search.generations == 63
    nothing = pr.search_front(family, X, y, generations=20, resume=again, **options)
    assert nothing.to_dict() == whole.to_dict()


def test_two_classes_are_resumed():
    X, y = three_blobs(sizes=(20, 22))
    whole = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=40)
    part = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=11)
    assert (
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=40, resume=part).to_dict() == whole.to_dict()
    )


def test_other_data_families_and_options_are_rejected_and_nothing_is_overwritten(tmp_path):
    X, y = three_blobs()
    file = tmp_path / "front.npz"
    pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=12, save=file)
    before = file.read_bytes()
    other = X.copy()
    other[3, 1] += 1e-9
    more = {"generations": 30, "resume": file, "save": file}
    for wrong, message in [
        ((pr.fronts.LogisticFamily(), other, y), "other cases"),
        ((pr.fronts.LogisticFamily(), X, y[::-1]), "other cases"),
        ((pr.fronts.LogisticFamily(), X, np.array(["a", "b", "c"])[y]), "other cases .or other labels"),
        ((pr.fronts.LogisticFamily(scale=0.5), X, y), "another family .settings"),
        ((pr.fronts.NearestNeighbours(), X, y), "another family .name: 'logistic', now 'nearest neighbours'"),
    ]:
        with pytest.raises(InputError, match=message):
            pr.search_front(*wrong, **more)
    with pytest.raises(InputError, match=r"another options \(costs: 100, now 50\)"):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, costs=50, **more)
    with pytest.raises(InputError, match="fixed classifier"):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, resume=pr.front(y, np.full((60, 3), 1 / 3), draws=5))
    with pytest.raises(InputError, match="exists and would be overwritten"):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=3, save=file)
    with pytest.raises(MissingFileError, match="There is no file"):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, resume=tmp_path / "none.npz")
    assert file.read_bytes() == before
    pr.search_front(pr.fronts.LogisticFamily(), X, y, **more)
    assert pr.results.Front.load(file).search.generations == 30


def test_a_damaged_search_is_rejected(tmp_path):
    X, y = three_blobs()
    stored = pr.search_front(pr.fronts.NearestNeighbours(), X, y, generations=5).to_dict()
    assert pr.results.Front.from_dict(stored).search.model.limits.tolist() == [3, 50]
    for name in ("models", "place", "generation", "model_cases"):
        with pytest.raises(InputError, match="damaged"):
            pr.results.Front.from_dict({key: value for key, value in stored.items() if key != name})
        with pytest.raises(InputError, match="damaged"):
            pr.results.Front.from_dict({**stored, name: stored[name][::-1]})
    with pytest.raises(InputError, match="damaged"):
        pr.results.Front.from_dict({**stored, "search": {**stored["search"], "generations": 6}})


class Interrupting(Tilt):
    """Stops as ctrl-C would, in the middle of a generation."""

    at = 30

    def posteriors(self, parameters, X):
        probabilities = super().posteriors(parameters, X)
        if len(self.predicted_for) == self.at:
            raise KeyboardInterrupt
        return probabilities


def test_an_interrupted_search_keeps_its_front_and_can_be_resumed(tmp_path):
    X, y = three_blobs()
    file = tmp_path / "front.npz"
    broken = pr.search_front(Interrupting(), X, y, generations=60, save=file)
    assert broken.search.interrupted
    assert broken.search.generations == 28  # the first prediction was that of the start; the last one failed
    assert "28 generations, interrupted" in repr(broken)
    assert pr.results.Front.load(file).to_dict() == broken.to_dict()

    calm = Interrupting()
    calm.at = -1
    whole = pr.search_front(calm, X, y, generations=60)
    assert not whole.search.interrupted
    assert pr.search_front(calm, X, y, generations=60, resume=broken).to_dict() == whole.to_dict()


@pytest.mark.slow
def test_an_interrupt_from_the_progress_callback():
    X, y = three_blobs()

    def stop(done, total, what):
        if done == 20:
            raise KeyboardInterrupt

    broken = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=60, progress=stop)
    assert broken.search.generations == 20
    whole = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=60)
    assert (
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=60, resume=broken).to_dict()
        == whole.to_dict()
    )


SEARCH = """
import sys
import polyroc as pr
from front_data import three_blobs
X, y = three_blobs()
def show(done, total, what):
    print(done, flush=True)
family = pr.fronts.LogisticFamily()
front = pr.search_front(family, X, y, generations=10**6, save=sys.argv[1], save_every=0, progress=show)
print("kept", front.search.generations, front.search.interrupted, len(front), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-C", "kill -9"])
def test_a_process_that_is_stopped_loses_little(blow, tmp_path):
    """A real process: ctrl-C returns the front so far; kill -9 leaves the last front stored, whole."""
    file = tmp_path / "front.npz"
    command = [sys.executable, "-c", SEARCH, str(file)]
    tests = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **tests}) as process:
        try:
            seen = [process.stdout.readline() for _ in range(4)]
            process.send_signal(blow)
            rest, _ = process.communicate(timeout=600)
        finally:
            process.kill()
    assert seen[-1] == "40\n"
    kept = pr.results.Front.load(file)
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".part")] == ["front.npz"]
    if blow == signal.SIGINT:
        assert process.returncode == 0
        words = rest.splitlines()[-1].split()
        assert words == ["kept", str(kept.search.generations), "True", str(len(kept))]
    else:
        assert process.returncode == -signal.SIGKILL
        assert "kept" not in rest
    assert kept.search.interrupted
    done = kept.search.generations
    assert done >= 1
    X, y = three_blobs()
    whole = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=done + 5)
    again = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=done + 5, resume=file, save=file)
    assert again.to_dict() == whole.to_dict()
    assert pr.results.Front.load(file).to_dict() == whole.to_dict()


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # columns are exchanged on purpose
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_keeps_the_draws_of_a_fixed_classifier():
    """The front of the first draws, as if no more were requested; of the classifier that waited, the first."""
    _, y = three_blobs()
    P = np.random.default_rng(0).dirichlet(np.ones(3), len(y)) + np.eye(3)[y] / 2
    P /= P.sum(axis=1, keepdims=True)

    def stop(done, total, what):
        if done == 300:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        front = pr.front(y, {"a": P, "b": P[:, [1, 0, 2]]}, draws=1000, progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [front.growth.draws[-1] for front in front.values()] == [300, 14]
    assert front["a"].interrupted
    assert "300 cost vectors, interrupted, G about" in repr(front["a"])
    assert "300 cost vectors (interrupted)" in front["a"].convergence
    assert pr.results.Front.from_dict(front["a"].to_dict()).interrupted
    whole = pr.front(y, P, draws=1000)
    assert not whole.interrupted
    assert front["a"].growth.gini == whole.growth.gini[:6]


def test_the_handler_of_signals_is_put_back():
    X, y = three_blobs()
    before = signal.getsignal(signal.SIGINT)
    pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=2)
    assert signal.getsignal(signal.SIGINT) is before


def test_storing_takes_a_tenth_of_the_time_at_most(tmp_path, monkeypatch):
    from polyroc.fronts.search import Checkpoint

    X, y = three_blobs()
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=2)
    clock = iter([0.0, 5.0, 5.0, 7.0, 24.9, 25.0])  # made, due, began, stored (2 s), not due until 18 s later, due
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    checkpoint = Checkpoint(tmp_path / "front.npz", 5.0)
    assert checkpoint.is_due()
    checkpoint.save(front)
    assert not checkpoint.is_due()
    assert checkpoint.is_due()
