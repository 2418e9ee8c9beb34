"""The first call of a process, in seconds of CPU: cold (no compiled code on disk) and warm (all of it).

Every cold run gets an empty folder for compiled code, warm runs one that a run before has filled. Bytecode is
compiled in both, and processes that a call starts count too. `python benchmarks/first_calls.py` prints a table of
both beside the goals.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from polyroc.datasets import catalogue
from timing import many_classes, two_classes

SMALL, LARGE = 150, 10**4
EVALUATE = "import sys, numpy as np, polyroc as pr; y, s = np.load(sys.argv[1]); pr.evaluate(y, s, measure='auc')"
POLYROC = [str(Path(sys.executable).parent / "polyroc")]


def first_calls(folder):
    """What is called, as arguments, and the goals: cold and warm."""
    small, large = (_probabilities(Path(folder, f"{n}.csv"), n) for n in (SMALL, LARGE))
    pair, scores = Path(folder, "pair.csv"), Path(folder, "scores.npy")
    y, s = two_classes(SMALL)
    np.savetxt(
        pair,
        np.column_stack([y, s, s**3 - s]),
        delimiter=",",
        header="y,a,b",
        comments="",
        fmt=("%d", "%.17g", "%.17g"),
    )
    np.save(scores, [y, s])
    of_pair = ["--truth", "y", "--scores", "a=a", "--scores", "b=b"]
    irises = [str(catalogue.path("iris_predictions")), "--truth", "species", "--scores", "p_*"]
    irises += ["--classifier", "classifier", "--case", "case"]
    report = ["-o", str(Path(folder, "report.html"))]
    light = (0.4, 0.4)
    return {
        "import numpy, for comparison": ([sys.executable, "-c", "import numpy"], (None, None)),
        "polyroc --help": ([*POLYROC, "--help"], light),
        "polyroc measures": ([*POLYROC, "measures"], light),
        "polyroc sample-size": (
            [*POLYROC, "sample-size", "--value", "0.85", "--null", "0.75", "--power", "0.9"],
            light,
        ),
        "AUC in Python, 150 cases": ([sys.executable, "-c", EVALUATE, str(scores)], (1.5, 0.6)),
        "polyroc evaluate, three classes, 150 cases": ([*POLYROC, "evaluate", *small], (4, 0.7)),
        "polyroc evaluate, three classes, 10^4 cases": ([*POLYROC, "evaluate", *large], (4, 0.7)),
        "polyroc compare": ([*POLYROC, "compare", str(pair), *of_pair, "-m", "auc"], (2, 0.7)),
        "polyroc curve": ([*POLYROC, "curve", str(pair), *of_pair], (2, 0.7)),
        "polyroc report": ([*POLYROC, "report", *irises, *report], (8, 1.4)),
        "polyroc demo --report": ([*POLYROC, "demo", "--report", report[1]], (8, 1.4)),
    }


def _probabilities(file, n):
    y, P = many_classes(3, n)
    table = np.column_stack([y, P])
    np.savetxt(file, table, delimiter=",", header="y,p_0,p_1,p_2", comments="", fmt=["%d", *["%.17g"] * 3])
    return [str(file), "--truth", "y", "--scores", "p_*"]


def cpu_seconds(arguments, cache):
    """Seconds of CPU of one run, with compiled code in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_utime + usage.ru_stime


def cold_and_warm(arguments, folder, repetitions):
    """The least of several runs, each from an empty folder; and then of several with what the last one left."""
    caches = [tempfile.mkdtemp(dir=folder) for _ in range(repetitions)]
    cold = [cpu_seconds(arguments, cache) for cache in caches]
    return min(cold), min(cpu_seconds(arguments, caches[-1]) for _ in range(repetitions + 2))


def main(wanted="", repetitions="3"):
    """Print the calls whose name contains a text."""
    table = Table(title="First calls, CPU seconds", title_justify="left")
    for column in ("call", "cold", "warm", "goal cold", "goal warm"):
        table.add_column(column, justify="left" if column == "call" else "right")
    with tempfile.TemporaryDirectory() as folder:
        for name, (arguments, goals) in first_calls(folder).items():
            if wanted in name:
                seconds = cold_and_warm(arguments, folder, int(repetitions))
                goal_texts = ("" if goal is None else f"{goal:g}" for goal in goals)
                table.add_row(name, *(f"{number:.2f}" for number in seconds), *goal_texts)
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
