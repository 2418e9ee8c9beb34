"""Damaged and odd input, and equal answers, for a limited time: how much was tried, and what failed.

    python tests/fuzz/run.py                                  ten minutes; prints the figures
    python tests/fuzz/run.py --seconds 60 --seed 7            another time and seed
    python tests/fuzz/run.py --only tallies --trial 123       one trial again, with its traceback
    python tests/fuzz/run.py --write                          stores the figures for docs/how_it_fails.md

Each subject runs in processes of its own with a limit of memory, so that a process that dies is a failure like any
other. A trial depends on the seed, its subject and its number alone.
"""

# ruff: noqa: T201 - it prints figures

import argparse
import datetime
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

RESULTS = Path(__file__).parent / "results.json"
PACKAGES = ("polyroc", "numpy", "duckdb", "scipy", "numba", "polars")
MEMORY = 3 * 2**30  # bytes of a process
LONGEST = 120  # seconds of a trial
SHOWN = 5  # failures of a subject that are listed


def main(arguments: list[str] | None = None) -> int:
    """Run all subjects, or one."""
    from fuzz.registry import all_subjects, run_trial

    subjects = all_subjects()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="time of all subjects together")
    parser.add_argument("--seed", type=int, default=None, help="seed; a new one by default")
    parser.add_argument("--only", choices=list(subjects), help="one subject")
    parser.add_argument("--trial", type=int, help="repeat this trial of --only and --seed")
    parser.add_argument(
        "--write", action="store_true", help="store the figures in results.json, of --only if given"
    )
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)  # in a process of a subject
    chosen = parser.parse_args(arguments)
    seed = int.from_bytes(os.urandom(4), "little") if chosen.seed is None else chosen.seed
    if chosen.trial is not None:
        print("rejected" if run_trial(chosen.only, seed, chosen.trial) else "accepted")
        return 0
    if chosen.first is not None:
        _run_process(chosen.only, seed, chosen.first, chosen.seconds)
        return 0
    names = [chosen.only] if chosen.only else list(subjects)
    print(f"seed {seed}, {chosen.seconds:g} seconds for {len(names)} subjects", flush=True)
    whole = sum(subjects[name].share for name in names)
    figures = {name: _run_subject(name, seed, chosen.seconds * subjects[name].share / whole) for name in names}
    if chosen.write:
        _write(figures, list(subjects))
    return 1 if any(figure["failed"] for figure in figures.values()) else 0


def _write(figures, order):
    """Store figures; those of other subjects stay."""
    stored = json.loads(RESULTS.read_text())["subjects"] if RESULTS.exists() else {}
    together = {**stored, **figures}
    versions = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    record = {
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions,
        "subjects": {name: together[name] for name in order if name in together},
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")


def _run_subject(name, seed, seconds):
    """Figures of a subject; a process that dies is one failure, and the next one goes on behind it."""
    tried, accepted, failures, until = 0, 0, [], time.monotonic() + seconds
    while tried == 0 or time.monotonic() < until - 1:
        left = max(until - time.monotonic(), 1.0)
        program = [sys.executable, __file__, "--only", name, "--seed", str(seed)]
        program += ["--first", str(tried), "--seconds", str(left)]
        with subprocess.Popen(
            program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            for line in process.stdout:
                number, result, message = json.loads(line)
                tried, accepted = number + 1, accepted + (result == "accepted")
                if result == "failed":
                    failures.append({"trial": number, "message": message})
            text = process.stderr.read()
            code = process.wait()
            with suppress(OSError):  # what it started, if it died
                os.killpg(process.pid, signal.SIGKILL)
        if code != 0:
            cause = f"the process died ({f'signal {-code}' if code < 0 else f'exit code {code}'}) {text[-300:]}"
            failures.append({"trial": tried, "message": cause})
            tried += 1
    from fuzz.registry import SUBJECTS

    subject = SUBJECTS[name]
    figure = {"fault": subject.fault, "promise": subject.promise, "test": subject.test}
    figure |= {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": seed,
        "seconds": round(seconds),
    }
    figure |= {"tried": tried, "rejected": tried - accepted - len(failures), "accepted": accepted}
    figure |= {"failed": len(failures), "failures": failures[:SHOWN]}
    print(f"{name:24} {tried:7,} tried {figure['rejected']:7,} rejected {len(failures):4} failed", flush=True)
    for failure in failures[:SHOWN]:
        print(
            f"    --only '{name}' --seed {seed} --trial {failure['trial']}: {failure['message'][:300]}", flush=True
        )
    return figure


def _run_process(name, seed, first, seconds):
    """Trials from a number on, each reported as a line of JSON."""
    from fuzz.registry import run_trial

    _limit()
    until, number = time.monotonic() + seconds, first
    while number == first or time.monotonic() < until:
        signal.alarm(LONGEST)  # a trial that hangs ends the process
        message = ""
        try:
            result = "rejected" if run_trial(name, seed, number) else "accepted"
        except Exception as error:
            result = "failed"
            frames = re.findall(r'File ".*?/(polyroc/[^"]+)", line (\d+)', traceback.format_exc())
            message = f"{type(error).__name__}: {str(error)[:300]} {frames[-1:]}"
        signal.alarm(0)
        print(json.dumps([number, result, message]), flush=True)
        number += 1


def _limit():
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


if __name__ == "__main__":
    sys.exit(main())
