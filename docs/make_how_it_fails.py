"""The tables of docs/how_it_fails.md, from the stored figures of the runs that they are about.

python docs/make_how_it_fails.py
"""

import json
from pathlib import Path
from typing import Any

from building.blocks import with_block

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how_it_fails.md"
FUZZ = ROOT / "tests" / "fuzz" / "results.json"
KILLS = ROOT / "docs" / "crash_study" / "results.json"
CALLS = ROOT / "tests" / "sweep.json"
CALL_ROWS = {
    "calls": "public functions, classes and methods, with an invalid argument",
    "command lines": "command lines, within one process",
    "processes": "command lines as processes of their own",
}
KILL_COLUMNS = {
    "kills": "kills",
    "nothing": "nothing stored",
    "a part": "a part stored",
    "all": "all stored",
    "ended": "runs to the end after kills",
    "different": "different answers",
}


def filled(text: str) -> str:
    """The page with its tables made anew."""
    tables = {
        "fuzz": fuzz_table(json.loads(FUZZ.read_text())),
        "kills": kill_table(json.loads(KILLS.read_text())),
        "calls": call_table(json.loads(CALLS.read_text())),
    }
    for name, table in tables.items():
        text = with_block(text, name, table)
    return text


def fuzz_table(results: dict[str, Any]) -> str:
    """The figures of `make fuzz`, with their date and versions."""
    lines = ["| fault | promised | tried | rejected | failed | in every test run |", "|---|---|--:|--:|--:|---|"]
    for figure in results["subjects"].values():
        counts = " | ".join(f"{figure[name]:,}" for name in ("tried", "rejected", "failed"))
        lines.append(f"| {figure['fault']} | {figure['promise']} | {counts} | `{figure['test']}` |")
    tried, failed = (sum(figure[name] for figure in results["subjects"].values()) for name in ("tried", "failed"))
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    seconds = sum(figure["seconds"] for figure in results["subjects"].values())
    dates = sorted({figure["date"] for figure in results["subjects"].values()})
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"{tried:,} trials in {seconds:,} seconds, {failed:,} failures: {days}, {results['system']}, {versions}.\n"
        "\n" + "\n".join(lines)
    )


def kill_table(results: dict[str, Any]) -> str:
    """The figures of `make crash`, with their date and versions."""
    kinds = results["kinds"]
    together = {name: sum(row[name] for row in kinds.values()) for name in KILL_COLUMNS}
    lines = [
        f"| what was written | {' | '.join(KILL_COLUMNS.values())} |",
        f"|---{'|--:' * len(KILL_COLUMNS)}|",
        *(
            f"| {name} | {' | '.join(f'{row[key]:,}' for key in KILL_COLUMNS)} |"
            for name, row in {**kinds, "together": together}.items()
        ),
    ]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return "\n".join([*lines, "", f"{results['date']}, {versions}. {results.get('note', '')}".rstrip()])


def call_table(results: dict[str, Any]) -> str:
    """The figures of `make test-calls`, with their date and versions."""
    columns = ("tried", "rejected", "accepted", "interrupted", "failed")
    lines = [f"| what was tried | {' | '.join(columns)} |", f"|---{'|--:' * len(columns)}|"]
    for name, row in results["kinds"].items():
        lines.append(f"| {CALL_ROWS[name]} | {' | '.join(f'{row[key]:,}' for key in columns)} |")
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    last = f"{results['date']}, {results['system']}, {versions}. {results.get('note', '')}".rstrip()
    return "\n".join([*lines, "", last])


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
