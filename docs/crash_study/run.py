"""Does a kill at any moment leave anything but the old or the new state? Real processes, killed at random moments.

    python docs/crash_study/run.py               1,000 kills: results.json, for a table of docs/how_it_fails.md
    python docs/crash_study/run.py --kills 50    fewer; prints, writes nothing
    python docs/crash_study/run.py --only rules  one kind; prints, writes nothing unless --write is given

The process has the imports behind it and forks for every run, so that a kill costs a fraction of a second. A run
is killed after a random share of the time that a run takes; what is left is checked, and resumed by the next run.
A run that ends is compared with the answer without kills, and the next one starts from nothing.
"""

import argparse
import json
import os
import platform
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import duckdb
from kinds import KINDS, BrokenPromiseError, Kind

from polyroc._version import __version__

RESULTS = Path(__file__).parent / "results.json"
KILLS = 1000


def main(arguments: list[str] | None = None) -> None:
    """Kill, compare, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=KILLS, help="number of kills")
    parser.add_argument("--only", default="", help="the kind whose name begins so")
    parser.add_argument("--write", action="store_true", help="store the figures; those of other kinds stay")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so much time")
    chosen = parser.parse_args(arguments)
    kinds = [kind for kind in KINDS if kind.name.startswith(chosen.only)]
    total = sum(kind.share for kind in kinds)
    end, rows = time.monotonic() + chosen.seconds, {}
    for kind in kinds:
        rows[kind.name] = kill_again_and_again(kind, round(chosen.kills * kind.share / total), end)
        print(kind.name, json.dumps(rows[kind.name]), flush=True)  # noqa: T201
    if chosen.write or not (chosen.only or chosen.kills != KILLS):
        _write(rows)


def _write(rows: dict[str, Any]) -> None:
    """Store figures; those of kinds that were not run stay."""
    stored = json.loads(RESULTS.read_text())["kinds"] if RESULTS.exists() else {}
    together = {**stored, **rows}
    versions = {"polyroc": __version__, "duckdb": duckdb.__version__, "python": platform.python_version()}
    kinds = {kind.name: together[kind.name] for kind in KINDS if kind.name in together}
    record = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "versions": versions, "kinds": kinds}
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")


def kill_again_and_again(make: type[Kind], kills: int, end: float) -> dict[str, Any]:
    """Kill runs of one kind; the counts of what was seen."""
    chance = random.Random(make.name)
    folder = Path(tempfile.mkdtemp(prefix="polyroc-crash-"))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    try:
        kind = make(folder)
        kept = set(folder.iterdir())
        longest = _seconds_of_a_run(kind)
        _check_end(kind, counts, wrong)
        while counts["kills"] < kills and time.monotonic() < end:
            _clear(folder, kept)
            _kill_until_it_ends(kind, kills, end, longest, chance, counts, wrong)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {**{name: counts[name] for name in COUNTS}, "wrong": wrong}


COUNTS = ("kills", "nothing", "a part", "all", "ended", "different")


def _kill_until_it_ends(
    kind: Kind,
    kills: int,
    end: float,
    longest: float,
    chance: random.Random,
    counts: Counter[str],
    wrong: list[str],
) -> None:
    """Resume and kill, until a run is quicker than its kill, or until all kills are done."""
    killed = 0
    while True:
        process = _start(kind)
        last = counts["kills"] >= kills or time.monotonic() > end
        if not last:
            _wait_until_working(kind, process)
            time.sleep(chance.uniform(0.0, 1.0) * longest)
        target = None if last else _kill(kind, process, chance)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        hit = target is not None and (target != process or code == -signal.SIGKILL)  # it may have ended before
        counts["kills"] += hit
        killed += hit
        if code not in (0, -signal.SIGKILL):
            wrong.append(f"exit code {code}: {(kind.folder / 'errors').read_text()[-2000:]}")
            return
        try:
            if hit:
                counts[kind.check_killed()] += 1
        except Exception as error:  # whatever the reader of a half-written file raises
            wrong.append(f"after a kill: {type(error).__name__}: {error}")
            return
        if code == 0 and _check_end(kind, counts, wrong, killed):
            return


def _check_end(kind: Kind, counts: Counter[str], wrong: list[str], killed: int = 0) -> bool:
    """Compare the answer of a run that has ended; False if it must be resumed."""
    try:
        complete = kind.check_ended()
    except BrokenPromiseError as error:
        counts["different"] += 1
        wrong.append(str(error))
        return True
    counts["ended"] += complete and killed > 0
    return complete


def _wait_until_working(kind: Kind, process: int) -> None:
    """Wait until a run with workers has done its first fit, or has ended."""
    while kind.workers and not kind.working.exists():
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.002)


def _start(kind: Kind) -> int:
    """A process that runs or resumes."""
    kind.working.unlink(missing_ok=True)
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        errors = os.open(kind.folder / "errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        kind.act()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _kill(kind: Kind, process: int, chance: random.Random) -> int | None:
    """Kill a run, or one of its workers; the process that was sent the signal."""
    target = process
    if kind.workers and chance.random() < 0.5:
        tasks = Path(f"/proc/{process}/task").glob("*/children")
        workers = [int(pid) for task in tasks for pid in task.read_text().split()]
        target = chance.choice(workers) if workers else process
    try:
        os.kill(target, signal.SIGKILL)
    except ProcessLookupError:
        return None
    return target


def _seconds_of_a_run(kind: Kind) -> float:
    """The time of a run that is not killed, from where it may be killed on."""
    process = _start(kind)
    _wait_until_working(kind, process)
    start = time.monotonic()
    if os.waitpid(process, 0)[1] != 0:
        raise RuntimeError((kind.folder / "errors").read_text())
    return time.monotonic() - start


def _clear(folder: Path, kept: set[Path]) -> None:
    for path in set(folder.iterdir()) - kept:
        path.unlink()


if __name__ == "__main__":
    main()
