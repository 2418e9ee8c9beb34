"""Odd command lines: a result, or exit code 2 and one line that names the cause; see `command_lines`."""

import os
import shutil
from collections import Counter
from itertools import islice

import pytest

from bad_values import LONGEST, TooLongError, limited
from command import polyroc
from command_lines import (
    LONG,
    NOTE,
    SERVERS,
    VALID_LINES,
    Odd,
    bad_message,
    broken_promise,
    every,
    few,
    huge,
    make_files,
    misnamed,
    names_cause,
    restore,
    tree,
    valid_line,
)
from processes import Processes

AT_ONCE = [name for name in VALID_LINES if name not in (*SERVERS, *LONG)]  # in this process
TWO = ("two.csv", "--truth", "y", "--scores", "s")
SECONDS = 10  # until a command is interrupted
MEMORY = 6 * 2**30  # bytes of a command


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    return folder


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    """A copy of the files, in which commands may write."""
    copy = shutil.copytree(files, tmp_path / "copy", symlinks=True)
    monkeypatch.chdir(copy)
    return copy


def test_every_command_has_valid_lines():
    assert set(VALID_LINES) == set(tree())


@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.filterwarnings("ignore")
def test_valid_lines(name, folder):
    for text in VALID_LINES[name]:
        done = polyroc(*valid_line(name, text))
        assert (done.returncode, broken_promise(Odd(()), *done)) == (0, None), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.filterwarnings("ignore")
def test_odd_lines(name, folder, files):
    faults = []
    for odd in few(name):
        done = polyroc(*odd.line)
        if fault := broken_promise(odd, *done):
            faults.append(f"{odd}: {fault}")
        restore(folder, files)
    assert faults == []


def test_devices_without_an_end(folder):
    """/dev/zero has no last byte; what is expected to be small is not read beyond a limit."""
    for line in (("operate", *TWO, "--costs", "/dev/zero"), ("rates", *TWO, "--rule", "/dev/zero")):
        done = polyroc(*line)
        assert (done.returncode, done.stderr) == (
            2,
            "polyroc: /dev/zero is larger than 16 MB, so it holds something else.\n",
        )


def test_misnamed_commands():
    assert [f"{odd}: {fault}" for odd in misnamed() if (fault := broken_promise(odd, *polyroc(*odd.line)))] == []


def test_the_check_notices_what_is_not_promised():
    odd = Odd(("evaluate", "--level", "2"), "--level", "2")
    assert broken_promise(odd, 2, "", "polyroc: --level must be below 1.\n") is None
    assert broken_promise(odd, 0, "result", "polyroc: note: something\n") is None
    for code, out, err in (
        (0, "result", "Traceback"),
        (1, "", ""),
        (1, "", "polyroc: --level must be below 1."),
        (2, "", ""),
        (2, "", "polyroc: --level\nis wrong"),
        (2, "", "Traceback"),
        (2, "", "polyroc: This is a fault of polyroc: KeyError: '--level'"),
        (2, "", "polyroc: a number is wrong"),
        (2, "", "polyroc: --level \x1b[31m"),
        (2, "", "polyroc: --level" + "x" * 2000),
        (130, "", "polyroc: Interrupted."),
        (-9, "", ""),
    ):
        assert broken_promise(odd, code, out, err) is not None
    assert bad_message(odd, "polyroc: --level must be below 1.") is None
    assert not names_cause(odd, "polyroc: invalid (see polyroc evaluate --help)")


@pytest.fixture(scope="module")
def process():
    environment = {"BROWSER": "true", "POLYROC_TRACEBACK": ""}
    with Processes() as processes:
        yield lambda *arguments, **more: processes(*arguments, environment=environment, **more)


@pytest.fixture
def little_memory():
    """A line that takes all memory is a fault like any other, and does not end the tests."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


@pytest.mark.sweep
@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("little_memory")
def test_all_odd_lines(name, folder, files, figures):
    counts, faults = Counter(), []
    for odd in every(name):
        try:
            with limited(LONGEST):
                done = polyroc(*odd.line)
            fault = broken_promise(odd, *done)
        except TooLongError:
            fault = f"takes longer than {LONGEST} seconds"
        counts["failed" if fault else "rejected" if done.returncode == 2 else "accepted"] += 1
        faults += [f"{odd}: {fault}"] if fault else []
        restore(folder, files)
    figures("command lines", counts | {"tried": counts.total()})
    assert faults == []


@pytest.mark.sweep
@pytest.mark.skipif(os.name == "nt", reason="limits and signals of POSIX")
@pytest.mark.parametrize("name", VALID_LINES)
def test_processes_of_odd_lines(name, process, folder, files, figures):
    """Processes with limits, so that a line that takes all memory or never ends is a fault like any other.

    Lines with huge numbers, all lines of the commands that take long, and some of the others.
    """
    counts, faults, kinds = Counter(), [], {2: "rejected", 130: "interrupted"}
    others = every(name, 5)
    for odd in (*huge(name), *(islice(others, 0, None, 50) if name in AT_ONCE else others)):
        limits = {"RLIMIT_AS": MEMORY, "RLIMIT_FSIZE": 2**28}
        seconds = SECONDS if name in AT_ONCE else 2
        done = process(*odd.line, interrupt=seconds, folder=str(folder), limits=limits)
        fault = broken_promise(odd, *done, interrupted=True)
        counts["failed" if fault else kinds.get(done.returncode, "accepted")] += 1
        faults += [f"{odd}: {fault}"] if fault else []
        restore(folder, files)
    figures("processes", counts | {"tried": counts.total()})
    assert faults == []


@pytest.mark.sweep
@pytest.mark.skipif(os.name == "nt", reason="streams of POSIX")
@pytest.mark.parametrize("name", [name for name in VALID_LINES if name not in LONG])
@pytest.mark.parametrize("stdout", [None, "/dev/full"])
def test_output_that_cannot_be_written(name, stdout, process, folder, figures):
    for text in VALID_LINES[name]:
        done = process(*valid_line(name, text), stdout=stdout, interrupt=SECONDS, folder=str(folder))
        assert done.returncode == 2
        lines = [line for line in done.stderr.splitlines() if not line.startswith(NOTE)]
        assert len(lines) == 1
        assert lines[0].startswith("polyroc: The output cannot be written (")
    figures("processes", Counter(tried=len(VALID_LINES[name]), rejected=len(VALID_LINES[name])))
