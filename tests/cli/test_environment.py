"""Faults of the environment: full disks, limits, closed streams, Ctrl-C. One line on stderr, never a traceback.

Real processes with real faults: see `processes`.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from polyroc.datasets import catalogue
from polyroc.errors import InputError
from polyroc.output.files import write_file
from processes import Processes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits and signals of POSIX")

IRIS = catalogue.path("iris_predictions")
COLUMNS = ("--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case")
EVALUATE = ("evaluate", IRIS, *COLUMNS, "-m", "hand_till")
ONE = ("--truth", "species", "--scores", "p_*")
WRITERS = {
    "report": (("report", IRIS, *COLUMNS, "-m", "hand_till", "-o"), ".html"),
    "plot": (("plot", IRIS, *COLUMNS, "--kind", "forest", "-m", "hand_till", "-o"), ".png"),
    "curve": (("curve", IRIS, *COLUMNS, "--multi-class", "ova", "--out"), ".json"),
    "operate": (("operate", IRIS, *COLUMNS, "--only", "lda", "--calibrated", "--rule"), ".json"),
    "front": (("front", "ONE", *ONE, "--force", "-o"), ".npz"),
}
ANYBODY = 65534  # the user id that owns nothing
root_only = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user's rights"
)


@pytest.fixture(scope="module")
def polyroc():
    with Processes() as processes:
        yield processes


@pytest.fixture(scope="module")
def large(polyroc):
    """A file of 200,000 distinct scores, in a folder that other users may read, unlike those of pytest."""
    path = Path(polyroc.folder.name, "large.csv")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    rows = zip(y.tolist(), (rng.normal(size=len(y)) + y).tolist(), strict=True)
    path.write_text("y,s\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return ("evaluate", path, "--truth", "y", "--scores", "s", "-m", "auc")


@pytest.fixture
def one_classifier(tmp_path):
    path = tmp_path / "one.csv"
    lines = IRIS.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(line for line in lines if ",lda," in line)]) + "\n")
    return path


def assert_one_line(done, words, code=2):
    assert done.returncode == code, done
    assert done.stdout == ""
    # another user cannot store compiled code, and data have copies of cases: notes, not errors
    notes = ("Compiled code cannot be stored", "equal a training case")
    lines = [line for line in done.stderr.splitlines() if not any(note in line for note in notes)]
    assert len(lines) == 1
    assert words in lines[0]
    assert lines[0].startswith("polyroc")
    assert "fault of polyroc" not in lines[0]


@pytest.mark.slow
@pytest.mark.parametrize("output", [(), ("--json",), ("--csv",), ("--markdown",), ("--help",)])
def test_a_full_standard_output(polyroc, output):
    done = polyroc(*EVALUATE, *output, stdout="/dev/full")
    assert_one_line(done, "The output cannot be written (No space left on device).")


@pytest.mark.slow
def test_closed_streams(polyroc):
    assert polyroc("evaluate", "nowhere.csv", "--truth", "y", stderr=None).returncode == 2
    assert polyroc("evaluate", "nowhere.csv", "--truth", "y", stderr="/dev/full").returncode == 2
    assert polyroc(*EVALUATE, stderr=None).returncode == 0


@pytest.mark.slow
def test_nothing_is_printed_when_python_ends(tmp_path):
    """A library reports leaked objects if the garbage collector does not run then; only a process shows it."""
    arguments, suffix = WRITERS["plot"]
    line = [Path(sys.executable).parent / "polyroc", *arguments, tmp_path / f"out{suffix}"]
    done = subprocess.run(line, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITERS)
def test_files_that_cannot_be_written(polyroc, command, tmp_path, one_classifier):
    arguments, suffix = WRITERS[command]
    arguments = tuple(one_classifier if argument == "ONE" else argument for argument in arguments)
    full = tmp_path / f"full{suffix}"
    full.symlink_to("/dev/full")
    assert_one_line(polyroc(*arguments, full), "No space left on device")
    assert full.is_char_device()  # not replaced
    assert_one_line(polyroc(*arguments, tmp_path / f"{'n' * 300}{suffix}"), "File name too long")
    old = tmp_path / f"old{suffix}"
    if command != "front":  # which keeps to files that are fronts
        old.write_text("old")
    assert_one_line(polyroc(*arguments, old, limits={"RLIMIT_FSIZE": 200}), "File too large")
    assert command == "front" or old.read_text() == "old"
    longest = tmp_path / f"{'n' * (255 - len(suffix))}{suffix}"
    assert polyroc(*arguments, longest).returncode == 0
    expected = {"one.csv", full.name, longest.name, *([old.name] if command != "front" else [])}
    assert {path.name for path in tmp_path.iterdir()} == expected  # no temporary file stays


@pytest.mark.slow
@root_only
def test_folders_without_permission(polyroc):
    closed = Path(polyroc.folder.name, "closed")
    closed.mkdir()
    (closed / "a.csv").write_text(IRIS.read_text())
    closed.chmod(0o666)  # names can be listed, files cannot be opened
    for arguments in (
        ("evaluate", closed / "a.csv", *COLUMNS),
        ("evaluate", closed / "*.csv", *ONE),
        ("evaluate", closed, *ONE),
        ("study", "show", closed / "study.duckdb"),
        ("study", "run", closed / "plan.toml"),
        ("study", "run", "bradley", "-o", closed / "study.duckdb"),
        (*WRITERS["curve"][0], closed / "curve.json"),
        (*WRITERS["plot"][0], closed / "plot.png"),
    ):
        assert_one_line(polyroc(*arguments, user=ANYBODY), "ermission denied")


@pytest.mark.slow
@root_only
def test_nothing_is_writable(polyroc, large):
    nowhere = dict.fromkeys(("TMPDIR", "HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR"), "/proc/1")
    options = {"environment": nowhere, "user": ANYBODY, "folder": "/proc"}
    size = ("sample-size", "--value", 0.85, "--null", 0.75)
    for arguments in (size, EVALUATE, (*large, "--engine", "duckdb", "--exact")):
        done = polyroc(*arguments, **options)
        assert done.returncode == 0
        assert done.stdout == polyroc(*arguments).stdout
        assert len(done.stderr.splitlines()) <= 1  # compiled code cannot be stored


@pytest.mark.slow
def test_only_the_target_is_writable(polyroc, tmp_path):
    """No home and no cache, in a folder that cannot be written to: a report needs only where it is written to."""
    nowhere = dict.fromkeys(("TMPDIR", "HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR"), "/proc/1")
    arguments, ending = WRITERS["report"]
    done = polyroc(*arguments, tmp_path / f"made{ending}", environment=nowhere, folder="/proc")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"made{ending}").stat().st_size > 1000
    done = polyroc(*arguments, Path("/proc", f"made{ending}"), environment=nowhere, folder="/proc")
    assert_one_line(done, f"/proc/made{ending}")


@pytest.mark.slow
def test_a_full_folder_for_temporary_files(polyroc, large, small_disk):
    if not small_disk.is_mount():
        pytest.skip("no small file system can be mounted")
    (small_disk / "rest").write_bytes(b"0" * 2**18)
    environment = {"TMPDIR": str(small_disk)}
    done = polyroc(*large, "--engine", "duckdb", environment=environment)
    assert (done.returncode, done.stdout) == (0, polyroc(*large, "--engine", "duckdb").stdout)


@pytest.mark.slow
@root_only
def test_no_more_processes(polyroc, large):
    done = polyroc(*large, "--engine", "duckdb", limits={"RLIMIT_NPROC": 0}, user=ANYBODY)
    assert_one_line(done, "No more threads can be started.")


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [700, 900])
def test_too_little_memory(polyroc, large, megabytes):
    """With enough for the libraries, one line; with less, the libraries may end the process themselves."""
    done = polyroc(*large, limits={"RLIMIT_AS": megabytes * 2**20})
    assert "Traceback" not in done.stderr
    ended_by_a_library = done.returncode < 0 or "ABORT" in done.stderr or "Fatal glibc error" in done.stderr
    if done.returncode != 0 and not ended_by_a_library:
        assert_one_line(done, "memory")


@pytest.mark.slow
def test_deeply_nested_input(polyroc, tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    (tmp_path / "a.jsonl").write_text('{"y": "a", "s": ' + deep + "}\n")
    (tmp_path / "a.json").write_text('{"kind": "Front", "x": ' + deep + "}")
    (tmp_path / "a.toml").write_text(f"x = {deep}")
    arguments = ("evaluate", tmp_path / "a.jsonl", "--truth", "y", "--scores", "s")
    assert_one_line(polyroc(*arguments), "line 1 is not a JSON record")
    assert_one_line(polyroc("plot", tmp_path / "a.json", "-o", tmp_path / "a.png"), "not a complete stored front")
    assert_one_line(polyroc("study", "run", tmp_path / "a.toml"), "is not valid TOML")
    assert_one_line(
        polyroc("operate", IRIS, *COLUMNS, "--only", "lda", "--costs", deep[-110_000:-90_000]), "nested"
    )


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("command", ["exact", "bootstrap", "study", "report", "front"])
def test_ctrl_c(polyroc, command, seconds, large, tmp_path):
    """At any moment: before anything is read, while it is computed, while it is written."""
    out = tmp_path / "out"
    out.mkdir()
    arguments = {
        "exact": (*large, "--engine", "duckdb", "--exact"),
        "bootstrap": (*EVALUATE, "--method", "bootstrap", "--replicates", "1000000"),
        "study": ("study", "run", "hand-till", "-o", out / "study.duckdb"),
        "report": (
            "report",
            *large[1:],
            "--method",
            "bootstrap",
            "--replicates",
            "20000",
            "-o",
            out / "report.html",
        ),
        "front": ("front", IRIS, *COLUMNS, "--exact"),
    }[command]
    done = polyroc(*arguments, interrupt=seconds)
    assert done.returncode == 130, done
    if "Exception ignored" in done.stderr:  # a callback of the compiler lost it: the next one ended it
        return
    assert "Traceback" not in done.stderr
    if command == "front" and done.stdout:  # a search that is interrupted shows what it has found
        assert "interrupted" in done.stdout
    elif command == "study" and done.stderr.count("\n") > 1:  # fits may be done, and their progress printed
        assert done.stderr.splitlines()[-1].startswith("polyroc: Interrupted")
    else:
        assert_one_line(done, "Interrupted", 130)
    assert {path.suffix for path in out.iterdir()} <= {".duckdb", ".wal"}


@pytest.mark.slow
def test_ctrl_c_while_python_imports():
    """From the first line of `main` on; what comes before belongs to Python."""
    script = (
        "import sys; from polyroc.cli import main; sys.stdout.write('started\\n'); sys.stdout.flush(); "
        f"sys.argv = ['polyroc', 'evaluate', {str(IRIS)!r}, '--truth', 'species', '--scores', 'p_*']; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"started\n"
        time.sleep(0.03)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, b"", b"polyroc: Interrupted.\n")


@pytest.mark.slow
def test_an_unexpected_error_is_one_line(polyroc):
    script = (
        "import sys, polyroc.cli.app as app; from polyroc.cli import main\n"
        "def run(_): raise KeyError('key')\n"
        "app.run = run; main()"
    )
    for environment, lines in (({}, 1), ({"POLYROC_TRACEBACK": "1"}, 5)):
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            check=False,
        )
        assert done.returncode == 2
        assert "This is a fault of polyroc: KeyError: 'key'" in done.stderr.splitlines()[-1]
        assert min(len(done.stderr.splitlines()), 5) == lines


@pytest.mark.slow
def test_names_that_are_no_text(polyroc, large):
    """Bytes that are no UTF-8 are printed as escapes, in tables, in CSV and in files."""
    (file,) = large[1:2]
    name = "a\udcffb"
    columns = ("--truth", "y", "--scores", f"{name}=s", "-m", "auc")
    done = polyroc("evaluate", file, *columns, "--csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "a\\udcffb" in done.stdout
    out = Path(polyroc.folder.name, "out.json")
    assert polyroc("curve", file, "--truth", "y", "--scores", f"{name}=s", "--out", out).returncode == 0


def test_links_and_permissions_are_kept(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_file(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    write_file(tmp_path / "other", "\udcff")
    assert (tmp_path / "other").read_bytes() == b"\\udcff"
    write_file(tmp_path / "other", b"bytes")
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o666 & ~_umask()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "other", "target"]


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_devices_are_written_to(tmp_path):
    with pytest.raises(InputError, match=r"/dev/full cannot be written \(No space left on device\)"):
        write_file("/dev/full", "text")
    write_file(os.devnull, "text")
    assert Path(os.devnull).is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)


@pytest.mark.slow
def test_a_full_disk_keeps_the_old_file(small_disk):
    if not small_disk.is_mount():
        pytest.skip("no small file system can be mounted")
    file = small_disk / "file"
    write_file(file, "old")
    with pytest.raises(InputError, match="No space left on device"):
        write_file(file, b"0" * 2**20)
    assert [path.read_text() for path in small_disk.iterdir()] == ["old"]
