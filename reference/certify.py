"""Compare the answers of a program with the reference set, in digits of agreement.

    python reference/certify.py python reference/programs/polyroc_program.py

The program gets the folder of the sets as its last argument and prints a line `set,item,answer` for each item
that it can answer; items are numbered from 0. What it does not print counts as not available.
"""

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from pathlib import Path

SETS = Path(__file__).parent / "sets"
MOST = 15  # digits of a double that are certain
ENOUGH = 9  # digits below which an answer is listed


@dataclass(frozen=True)
class Agreement:
    """One item of the set, and how many digits of it a program has."""

    data: str
    level: str
    item: str
    certified: str
    answer: str | None
    digits: float | None  # None: not available, or an error


def digits_of(answer: str, certified: str) -> float:
    """The negative decimal logarithm of the relative error, from 0 to 15; absolute if the value is 0."""
    given, true = Decimal(answer), Decimal(certified)
    if not given.is_finite():
        return 0.0
    with localcontext() as context:
        context.prec = 40
        error = abs(given - true) / (abs(true) if true else 1)
        return float(MOST if not error else min(MOST, max(Decimal(0), -error.log10())))


def items(sets: Path) -> Iterator[tuple[str, str, int, str, str]]:
    """Name and level of each set, and number, title and value of each of its items."""
    for path in sorted(sets.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        for number, item in enumerate(facts["items"]):
            options = ", ".join(f"{key}={value}" for key, value in item.get("options", {}).items())
            title = f"{item['quantity']}{f'({options})' if options else ''} {item['statistic']}"
            yield (
                facts["name"],
                facts["level"],
                number,
                f"{title} of {' and '.join(item['classifiers'])}",
                item["value"],
            )


def agreements(output: str, sets: Path = SETS) -> list[Agreement]:
    """What a program printed, item by item."""
    answers = {(row[0], int(row[1])): row[2] for row in csv.reader(output.splitlines()) if len(row) == 3}
    rows = []
    for name, level, number, title, certified in items(sets):
        answer = answers.get((name, number))
        failed = answer is None or answer.startswith("error")
        digits = None if answer is None or failed else digits_of(answer, certified)
        rows.append(Agreement(name, level, title, certified, answer, digits))
    return rows


def table(rows: list[Agreement]) -> str:
    """By level and statistic: items, answered, smallest and mean digits, and the items with few digits."""
    kinds = sorted(
        {(row.level, statistic_of(row)) for row in rows}, key=lambda kind: (LEVELS.index(kind[0]), kind[1])
    )
    lines = [f"{'level':9}{'statistic':19}{'items':>6}{'answered':>10}{'least digits':>14}{'mean digits':>13}"]
    for level, statistic in kinds:
        own = [row for row in rows if (row.level, statistic_of(row)) == (level, statistic)]
        digits = [row.digits for row in own if row.digits is not None]
        numbers = f"{min(digits):14.1f}{sum(digits) / len(digits):13.1f}" if digits else f"{'-':>14}{'-':>13}"
        lines.append(f"{level:9}{statistic:19}{len(own):6}{len(digits):10}{numbers}")
    few = [row for row in rows if row.digits is not None and row.digits < ENOUGH]
    errors = [row for row in rows if row.answer is not None and row.answer.startswith("error")]
    if few:
        lines += ["", f"Fewer than {ENOUGH} digits:"]
        lines += [f"  {row.data}: {row.item} = {row.certified}, the program says {row.answer}" for row in few]
    if errors:
        lines += ["", "Errors:", *(f"  {row.data}: {row.item}: {row.answer}" for row in errors)]
    return "\n".join(lines)


LEVELS = ("lower", "average", "higher")


def statistic_of(row: Agreement) -> str:
    """The statistic in the title of an item."""
    return row.item.partition(" of ")[0].rpartition(" ")[2]


def main() -> int:
    """Run the program and print its table; the exit code is 1 if an answer has few digits or is an error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, default=SETS, help="folder of the reference sets")
    parser.add_argument("--json", type=Path, help="write every item to this file")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="command that prints the answers")
    options = parser.parse_args()
    if not options.program:
        parser.error(
            "name the program that prints the answers, such as: python reference/programs/polyroc_program.py"
        )
    done = subprocess.run([*options.program, str(options.sets)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"The program ended with exit code {done.returncode}.\n")
        return 2
    rows = agreements(done.stdout, options.sets)
    if options.json:
        options.json.write_text(json.dumps([vars(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(rows) + "\n")
    bad = any(row.digits is not None and row.digits < ENOUGH for row in rows)
    return int(bad or any(row.answer is not None and row.answer.startswith("error") for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
