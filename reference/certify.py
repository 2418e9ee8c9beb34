"""Compare the answers of a program with the reference set, in digits of agreement.

    python reference/certify.py python reference/programs/polyroc_program.py

The program gets the folder of the sets as its last argument and prints a line `set,item,answer` for each item
that it can answer; items are numbered from 0. What it does not print counts as not available. Lines that name no
item are listed, and an answer that is no number is an error.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
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
    answers = {key: answer.strip() for key, answer in map(split, output.splitlines())}
    rows = []
    for name, level, number, title, certified in items(sets):
        answer, digits = answers.get(f"{name},{number}"), None
        if answer is not None and not answer.startswith("error"):
            try:
                digits = digits_of(answer, certified)
            except InvalidOperation:  # such as NA, what R writes for a missing value
                answer = f"error: not a number: {answer}"
        rows.append(Agreement(name, level, title, certified, answer, digits))
    return rows


def lines_without_item(output: str, sets: Path = SETS) -> list[str]:
    """The lines of a program that are no answer to any item."""
    known = {f"{name},{number}" for name, _, number, _, _ in items(sets)}
    return [line for line in output.splitlines() if line.strip() and split(line)[0] not in known]


def split(line: str) -> tuple[str, str]:
    """The set and number of a line `set,item,answer`, and the answer, which may have commas."""
    name, _, rest = line.partition(",")
    number, _, answer = rest.partition(",")
    return f"{name.strip()},{number.strip()}", answer


def table(rows: list[Agreement]) -> str:
    """By level and statistic: items, answered, smallest and mean digits, and the items with few digits."""
    kinds = sorted(
        {(row.level, statistic_of(row)) for row in rows}, key=lambda kind: (LEVELS.index(kind[0]), kind[1])
    )
    lines = [f"{'level':9}{'statistic':24}{'items':>6}{'answered':>10}{'least digits':>14}{'mean digits':>13}"]
    others = 0
    for level, statistic in kinds:
        own = [row for row in rows if (row.level, statistic_of(row)) == (level, statistic)]
        digits = [row.digits for row in own if row.digits is not None]
        if digits:
            numbers = f"{min(digits):14.1f}{sum(digits) / len(digits):13.1f}"
            lines.append(f"{level:9}{statistic:24}{len(own):6}{len(digits):10}{numbers}")
        else:
            others += len(own)
    if others:
        lines.append(f"Without an answer: all {others} items of the other levels and statistics.")
    few = [row for row in rows if row.digits is not None and row.digits < ENOUGH]
    errors = [row for row in rows if is_error(row)]
    if few:
        lines += ["", f"Fewer than {ENOUGH} digits:"]
        lines += [f"  {row.data}: {row.item} = {row.certified}, the program says {row.answer}" for row in few]
    if errors:
        lines += ["", "Errors:", *(f"  {row.data}: {row.item}: {row.answer}" for row in errors)]
    return "\n".join(lines)


def is_error(row: Agreement) -> bool:
    """Whether the program named the item and did not answer it."""
    return row.answer is not None and row.digits is None


LEVELS = ("lower", "average", "higher")


def statistic_of(row: Agreement) -> str:
    """The statistic in the title of an item."""
    return row.item.partition(" of ")[0].rpartition(" ")[2]


def main() -> int:
    """Run the program and print its table.

    The exit code is 1 if an answer has few digits or is an error, 2 if the output cannot be read.
    """
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
    unknown = lines_without_item(done.stdout, options.sets)
    if unknown:
        sys.stderr.write(
            f"{len(unknown)} lines of the program are not `set,item,answer`, with the name of a set and the "
            f"number of one of its items, counted from 0. The first: {unknown[0][:80]}\n"
        )
    if unknown or not any(row.answer for row in rows):
        return 2
    return int(any(is_error(row) or (row.digits is not None and row.digits < ENOUGH) for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
