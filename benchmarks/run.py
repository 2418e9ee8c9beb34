"""One table of ratios: polyroc against other packages and numpy.sort, in one run on the same data.

Times are the best of several repetitions in this process, after one call that compiles.
Run `make bench`, or `python benchmarks/run.py ROW` for the rows whose name contains ROW. Other programs falsify
times: the run waits until the load is at most 0.5, for three minutes, and otherwise prints no table, unless
`--any-load` is among the arguments.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numba
import numpy as np
import sklearn
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

import polyroc as pr
from consistency import measure_comparisons
from curves import bands, curves
from cut_points import cut_points
from fronts import front_archive, front_search, front_sweep, front_volumes
from growth import scaling
from he import he
from pdi import pdi
from peers import peers
from polyroc.kernels.threads import cores
from report import explorer_answers, report_of_a_file, reports
from searches import front_searches
from small_calls import bootstrap_of_few, everything_of_three_classes, scorers, screening, small_calls
from studies import study_overhead, study_summaries
from summaries import summaries
from threeway import threeway
from timing import PEAK_KILOBYTES, best, many_classes, quickest_process, standard_error, two_classes
from volumes import scurfield, vus

# Work, what is measured, the number, and the target with its sign ("" and None without a target).
Row = tuple[str, str, Any, str, float | None]


def value_only(measure):
    return lambda y, s: pr.evaluate(y, s, measure=measure, method=None).value


def auc_value():
    for n in (10**6, 10**7):
        y, s = two_classes(n)
        order = np.random.default_rng(1).permutation(n)
        y, s = y[order], s[order]
        ours = best(lambda y=y, s=s: value_only("auc")(y, s))
        sort = best(lambda s=s: np.sort(s))
        peer = best(lambda y=y, s=s: roc_auc_score(y, s), repetitions=2)
        yield f"AUC value, n = {n:.0e}", "scikit-learn / polyroc", peer / ours, ">=", 10
        yield f"AUC value, n = {n:.0e}", "polyroc / numpy.sort", ours / sort, "<=", 0.9


def auc_error():
    n = 10**6
    y, s = two_classes(n)
    order = np.random.default_rng(1).permutation(n)
    y, s = y[order], s[order]
    ours = best(lambda: pr.evaluate(y, s, measure="auc").standard_error)
    sort = best(lambda: np.sort(s))
    yield f"AUC with DeLong error, n = {n:.0e}", "polyroc / numpy.sort", ours / sort, "<=", 1.4
    ours = best(lambda: pr.evaluate(y, s, measure="average_precision").standard_error)
    yield f"average precision with error, n = {n:.0e}", "polyroc / numpy.sort", ours / sort, "<=", 6


def auc_of_labels():
    """From the labels as users have them, 30 % of them positive, in any order."""
    n = 10**6
    rng = np.random.default_rng(1)
    positive = rng.random(n) < 0.3
    s = rng.normal(size=n) + positive
    sort = best(lambda: np.sort(s))
    labels = {kind.__name__: positive.astype(kind) for kind in (np.int64, np.int8, np.bool, np.float64)}
    labels |= {"text": np.where(positive, "sick", "well"), "list of int": positive.astype(int).tolist()}
    for kind, y in labels.items():
        pos_label = "sick" if kind == "text" else 1
        ours = best(lambda y=y, p=pos_label: standard_error(y, s, "auc", pos_label=p))
        work = f"AUC with error from labels ({kind}), n = {n:.0e}"
        yield work, "polyroc / numpy.sort", ours / sort, "<=", 1.4


def probabilities():
    n = 10**7
    y, s = two_classes(n)
    order = np.random.default_rng(1).permutation(n)
    y, p = y[order], 1 / (1 + np.exp(-s[order]))
    ours = best(lambda: pr.evaluate(y, p, measure="brier").standard_error)
    yield f"Brier score with error, n = {n:.0e}", "polyroc / numpy.sort", ours / best(lambda: np.sort(p)), "<=", 1
    few = 10**5
    ours = best(lambda: pr.calibration(y[:few], p[:few]).event().curve.consistency)
    yield f"calibration, curve with simultaneous bands, n = {few:.0e}", "seconds", ours, "<=", 3


def reader_study():
    readers, n = 5, 10**4
    y, ratings = pr.datasets.RoeMetz.published("HL", 1.5).sample(readers, n // 2, rng=0)
    ours = best(lambda: pr.reader_study(y, ratings, measure="auc"))
    yield f"reader study, {readers} readers x 2 modalities, n = {n:.0e}", "seconds", ours, "<=", 0.5


def cross_validated_auc():
    n, folds = 10**6, 10
    y, s = two_classes(n)
    rng = np.random.default_rng(1)
    order, fold = rng.permutation(n), rng.integers(folds, size=n)
    y, s = y[order], s[order]
    ours = best(lambda: pr.evaluate(y, s, folds=fold, measure="auc").confidence_interval())
    sort = best(lambda: np.sort(s))
    yield f"AUC with interval, {folds} folds, n = {n:.0e}", "polyroc / numpy.sort", ours / sort, "<=", 4


def hand_till():
    for c, target in ((10, 12), (50, 35)):
        y, P = many_classes(c, 10**5)
        peer = best(lambda y=y, P=P: roc_auc_score(y, P, multi_class="ovo"), repetitions=2)
        ours = best(lambda y=y, P=P: value_only("hand_till")(y, P))
        yield f"M value, c = {c}, n = 1e+05", "scikit-learn / polyroc", peer / ours, ">=", target
        if c == 10:

            def everything(y=y, P=P):
                estimate = pr.evaluate(y, P, measure="hand_till")
                return [part.standard_error for part in estimate.parts.values()], estimate.standard_error

            ours = best(everything)
            yield f"M, error, all parts, c = {c}, n = 1e+05", "scikit-learn / polyroc", peer / ours, ">=", 20


def start():
    numpy = quickest_process([sys.executable, "-c", "import numpy"], 9)
    ours = quickest_process([sys.executable, "-c", "import polyroc"], 9)
    nothing = quickest_process([sys.executable, "-c", "pass"], 9)
    yield (
        "import polyroc",
        "polyroc / numpy (without Python's start)",
        (ours - nothing) / (numpy - nothing),
        "<=",
        1.5,
    )
    with tempfile.TemporaryDirectory() as folder:
        y, P = many_classes(3, 150)
        file = Path(folder, "predictions.csv")
        table = np.column_stack([y, P])
        np.savetxt(file, table, delimiter=",", header="y,p_0,p_1,p_2", comments="", fmt=["%d", *["%.17g"] * 3])
        command = [Path(sys.executable).parent / "polyroc", "evaluate", file, "--truth", "y", "--scores", "p_*"]
        seconds = quickest_process(command, 3)
    yield "polyroc evaluate, 150 rows, second run", "seconds", seconds, "<=", 2


def bootstrap():
    n, c = 10**4, 5
    cases = {"AUC": (*two_classes(n), "auc", 2000, {}, 50)}
    cases["M, c = 5"] = (*many_classes(c, n), "hand_till", 1000, {"multi_class": "ovo"}, 30)
    for name, (y, s, key, draws, options, target) in cases.items():
        rng = np.random.default_rng(0)

        def peer(y=y, s=s, options=options, rng=rng):
            for _ in range(50):
                drawn = rng.integers(len(y), size=len(y))
                roc_auc_score(y[drawn], s[drawn], **options)

        method = pr.methods.Bootstrap(replicates=draws, rng=0)
        theirs = best(peer, repetitions=1) * draws / 50
        ours = best(lambda y=y, s=s, key=key, method=method: pr.evaluate(y, s, measure=key, method=method))
        yield (
            f"bootstrap of {name}, n = 1e+04, {draws} replicates",
            "scikit-learn / polyroc",
            theirs / ours,
            ">=",
            target,
        )


def comparison():
    n, k = 10**6, 5
    y, s = two_classes(n)
    rng = np.random.default_rng(1)
    scores = {f"classifier {i}": s + rng.normal(size=n) for i in range(k)}
    ours = best(lambda: pr.compare(y, scores, measure="auc"), repetitions=2)
    sort = sum(best(lambda v=v: np.argsort(v), repetitions=2) for v in scores.values())
    yield (
        "DeLong comparison of 5 classifiers, n = 1e+06",
        "polyroc / numpy.argsort of each",
        ours / sort,
        "<=",
        1.3,
    )


LARGE = f"""
import sys, time
import polyroc as pr
start = time.perf_counter()
estimate = pr.evaluate(pr.read(sys.argv[1], truth="y", scores="s", pos_label="sick"), measure="auc")
assert estimate.standard_error > 0
print(time.perf_counter() - start, {PEAK_KILOBYTES} / 1024)
"""


def large_file():
    n = 10**7
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "large.csv"))
        rows = (
            f"SELECT CASE WHEN i % 3 = 0 THEN 'sick' ELSE 'well' END AS y, random() AS s FROM range({n}) AS t(i)"
        )
        duckdb.connect().execute(f"COPY ({rows}) TO '{file}' (HEADER)")
        done = subprocess.run([sys.executable, "-c", LARGE, file], check=True, capture_output=True, text=True)
    seconds, megabytes = map(float, done.stdout.split())
    yield "CSV of 1e+07 rows, text labels: read, AUC, error", "seconds", seconds, "", None
    yield (
        "CSV of 1e+07 rows, text labels: read, AUC, error",
        "peak memory, bytes per row",
        megabytes * 2**20 / n,
        "",
        None,
    )


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "small calls": small_calls,
    "scorer": scorers,
    "screening": screening,
    "everything": everything_of_three_classes,
    "few bootstrap": bootstrap_of_few,
    "peers": peers,
    "scaling": scaling,
    "auc value": auc_value,
    "auc error": auc_error,
    "auc of labels": auc_of_labels,
    "folds": cross_validated_auc,
    "probabilities": probabilities,
    "readers": reader_study,
    "hand_till": hand_till,
    "bootstrap": bootstrap,
    "comparison": comparison,
    "vus": vus,
    "scurfield": scurfield,
    "pdi": pdi,
    "threeway": threeway,
    "he": he,
    "curves": curves,
    "bands": bands,
    "front volumes": front_volumes,
    "front archive": front_archive,
    "front search": front_search,
    "front NSGA-III": front_searches,
    "front sweep": front_sweep,
    "consistency": measure_comparisons,
    "study overhead": study_overhead,
    "study summaries": study_summaries,
    "report": reports,
    "report of a file": report_of_a_file,
    "explorer": explorer_answers,
    "summaries": summaries,
    "cut-points": cut_points,
    "start": start,
    "large file": large_file,
}


def verdict(measured, sign, target):
    """The target, and whether it was reached; empty for a row without a target."""
    if target is None:
        return "", ""
    reached = measured >= target if sign == ">=" else measured <= target
    return f"{sign} {target}", "ok" if reached else "missed"


MOST_LOAD, PATIENCE = 0.5, 18  # load of the last minute, and for how often ten seconds to wait for it


def machine():
    """The processor, its cores, the versions and the load, for the title."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    versions += f", scikit-learn {sklearn.__version__}, polyroc {pr.__version__}"
    return f"{model}, {cores()} of {os.cpu_count()} cores; {versions}; load {os.getloadavg()[0]:.2f}"


def wait_for_idle_machine():
    """Wait while other programs, or what installed the peers just before, keep the machine busy."""
    for _ in range(PATIENCE):
        if os.getloadavg()[0] <= MOST_LOAD:
            return
        print(f"The load is {os.getloadavg()[0]:.2f}; waiting for {MOST_LOAD} ...", file=sys.stderr)
        time.sleep(10)
    sys.exit(f"The load is {os.getloadavg()[0]:.2f}: times would be wrong. Try again later, or pass --any-load.")


def main(*arguments):
    if "--any-load" not in arguments:
        wait_for_idle_machine()
    wanted = next((argument for argument in arguments if argument != "--any-load"), "")
    table = Table(title=f"polyroc benchmarks ({machine()})", title_justify="left")
    for column in ("work", "what", "measured", "target", ""):
        table.add_column(column, justify="right" if column in ("measured", "target") else "left")
    for name, rows in ROWS.items():
        if wanted not in name:
            continue
        for work, what, measured, sign, target in rows():
            row = (work, what, f"{measured:.2f}", *verdict(measured, sign, target))
            table.add_row(*row)
            print(*row, sep="  ", file=sys.stderr, flush=True)  # the table comes only after the last row
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
