"""Run the programs of other packages that are installed, and store what they agree in (`make peers`).

Results go to reference/results/<program>.json, from which docs/make_certificate.py makes a page. A program whose
package is not installed keeps its stored result.
"""

import argparse
import datetime
import json
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from certify import ENOUGH, SETS, Agreement, agreements, statistic_of

HERE = Path(__file__).parent
RESULTS = HERE / "results"

# program file -> the package whose version is stated
PYTHON = {
    "polyroc_program.py": "polyroc",
    "scikit_learn.py": "scikit-learn",
    "torchmetrics_program.py": "torchmetrics",
    "pauc_program.py": "pauc",
    "mlstatkit_program.py": "MLstatkit",
    "statkit_program.py": "statkit",
    "confidenceinterval_program.py": "confidenceinterval",
    "stambo_program.py": "stambo",
    "polars_ds_program.py": "polars-ds",
}
R = {"proc.R": "pROC", "rocr.R": "ROCR", "hmisc.R": "Hmisc", "survival.R": "survival"}


def python_version(package: str) -> str | None:
    """The installed version, None if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def r_version(package: str) -> str | None:
    """The installed version of an R package that can be run, None if there is none."""
    if shutil.which("Rscript") is None:
        return None
    code = f'library(jsonlite); cat(as.character(packageVersion("{package}")))'
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None if done.returncode == 0 else None


def summary(rows: list[Agreement]) -> dict[str, Any]:
    """Digits by statistic, and every answer with few digits or an error."""
    kinds: dict[str, Any] = {}
    for row in rows:
        kind = kinds.setdefault(
            statistic_of(row), {"items": 0, "answered": 0, "errors": 0, "least": None, "few": 0}
        )
        kind["items"] += 1
        kind["errors"] += row.digits is None and row.answer is not None
        if row.digits is not None:
            kind["answered"] += 1
            kind["few"] += row.digits < ENOUGH
            digits = round(row.digits, 1)
            kind["least"] = digits if kind["least"] is None else min(kind["least"], digits)
    odd = [row for row in rows if row.answer is not None and (row.digits is None or row.digits < ENOUGH)]
    notes = [{"set": r.data, "item": r.item, "certified": r.certified, "answer": r.answer} for r in odd]
    return {"statistics": kinds, "differences": notes}


def certify(file: str, package: str, installed: str, command: list[str]) -> None:
    """Run one program and store its result."""
    done = subprocess.run(
        [*command, str(HERE / "programs" / file), str(SETS)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(f"{file} ended with exit code {done.returncode}: {done.stderr[-300:]}\n")
        return
    facts = {"package": package, "version": installed, "date": datetime.date.today().isoformat()}
    result = facts | summary(agreements(done.stdout))
    name = package.lower().replace("-", "_")
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    few = len(result["differences"])
    sys.stdout.write(f"{package} {installed}: {few} answers with fewer than {ENOUGH} digits or an error\n")


def main() -> None:
    """Run what is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="packages to run, such as pROC; all by default")
    parser.add_argument("--python", action="store_true", help="the packages of other authors for Python")
    options = parser.parse_args()
    only = [*options.only, *(p for p in PYTHON.values() if options.python and p != "polyroc")]
    RESULTS.mkdir(exist_ok=True)
    programs = [(f, p, python_version(p), [sys.executable]) for f, p in PYTHON.items()]
    programs += [(f, p, r_version(p), ["Rscript"]) for f, p in R.items()]
    for file, package, installed, command in programs:
        if only and package not in only:
            continue
        if installed is None:
            sys.stdout.write(f"{package} is not installed; its stored result stays.\n")
        else:
            certify(file, package, installed, command)


if __name__ == "__main__":
    main()
