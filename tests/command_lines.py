"""Odd command lines, made of the tree of commands, and whether the answer to one keeps what is promised.

Every option and argument of every command is replaced by values that it does not take; options are left out,
repeated and put together at random. A new command needs an entry in `VALID_LINES`; options come from the tree.
"""

import re
import shutil
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

import polyroc as pr
from golden import studies
from polyroc.cli.app import COMMANDS, load_command
from polyroc.measures.registry import MEASURES

Line = tuple[str, ...]

# Valid lines of every command, for the files that `make_files` makes.
TWO = "two.csv --truth y --scores s"
READINGS = "readings.csv --truth y --scores rating --reader reader --modality modality --case case"
VALID_LINES = {
    "compare": ["two.csv --truth y --scores a=s --scores b=t -m auc"],
    "compare-measures": [
        "auc accuracy --positives 3",
        "auc accuracy --model gaussian --sizes 4,4 --pairs 20 --n-jobs 1",
        "auc gini --practice order --file two.csv --truth y --scores a=s --scores b=t --replicates 20",
    ],
    "curve": [TWO, f"{TWO} --engine duckdb"],
    "datasets": [""],
    "calibration": [
        "two_p.csv --truth y --scores p --replicates 50",
        "two_p.csv --truth y --scores p --replicates 50 --engine duckdb",
        "three.csv --truth y --scores p_* --replicates 50 --views pair --smooth",
    ],
    "decision-curve": ["two_p.csv --truth y --scores p"],
    "demo": [""],
    "evaluate": [f"{TWO} -m auc", f"{TWO} -m auc --engine duckdb"],
    "front": ["three.csv --truth y --scores p_* -n 50 --points 100", "stored.npz --points 100"],
    "measures": [""],
    "operate": ["three.csv --truth y --scores p_* --calibrated", TWO, "--front stored.npz"],
    "plot": [f"{TWO} --kind roc -o made.png --dpi 20", "stored.npz -o made.png --dpi 20"],
    "rates": [f"{TWO} --threshold 0"],
    "reader-study": [READINGS],
    "plan-reader-study": [
        "--effect 0.05 --interaction 0.0002 --error 0.0008 --cov1 0.0003 --cov2 0.0003 --cov3 0.0002 "
        "--of-cases 114",
        f"--pilot {READINGS} --effect 0.1",
    ],
    "report": [f"{TWO} -m auc -o made.md"],
    "reproduce": ["ling --quick"],
    "serve": ["--port 0"],
    "sample-size": ["--value 0.85 --null 0.75", "--pilot two.csv --truth y --scores s --null 0.3"],
    "study folds": ["hand-till --data iris"],
    "study import": ["two.csv --truth y --scores a=s --scores b=t -m auc -o imported.duckdb"],
    "study plan": ["bradley"],
    "study run": ["plan.toml -o made.duckdb"],
    "study show": ["study.duckdb"],
    "study test": ["study.duckdb anova --data pair -o made.png"],
    "surface": ["three.csv --truth y --scores p_* -m he --points 3"],
}
TEXTS = {
    "nothing": "",
    "a space": " ",
    "control characters": "a\x1b[31m\nb\r",
    "no text": "\udcff",  # the byte 255, which is no UTF-8
    "another direction": "\u202eabc",
    "long": "x" * 10_000,
    "SQL": "'; DROP TABLE y; --",
    "HTML": "<script>alert(1)</script>",
    "Python": "__import__('os').abort()",
    "format": "%s%(x)s{0}{x}",
    "an option": "--truth",
    "a glob": "*[",
    "home": "~",
    "a comma": ",",
    "an equals sign": "=",
    "an empty error": ">",
    "an error": "a>b=nan",
    "a ratio": "a>b:b>a=2,1",
    "JSON": "[[",
    "costs": "[[0,1],[5]]",
    "options of a measure": "partial_auc(fpr=(2,1))",
    "no options of a measure": "auc(",
}
# fmt: off
NUMBERS = {text: text for text in (
    "nan", "inf", "-inf", "-1", "0", "1", "0.5", "1.5", "-0", "1e400", "1e-400", "0x10", "1_0", "\uff11",
    "1,2", "1,2,3", "1,nan", "1,inf", "1,-2", "1-3", "3-1", "1:2", "true",
)}
# fmt: on
HUGE = {
    "10^8": "100000000",
    "2^63": str(2**63),
    "10^30": "1" + "0" * 30,
    "5,000 digits": "9" * 5000,
    "a long range": "1-100000000",
    "1e300": "1e300",
}
# fmt: off
PATHS = {text: text for text in (
    "missing.csv", "missing/file.csv", "folder", "empty.csv", "header.csv", "text.parquet", "bytes.csv", "cut.npz",
    "cut.duckdb", "nested.json", "link.csv", "~x.csv", "two.csv", "three.csv", "stored.npz", "study.duckdb",
    "plan.toml", "/dev/null", "/dev/full", "made.gz", "made.", "..", "-",
)}
# fmt: on
PATHS["long name"] = "n" * 300 + ".csv"
AT_ONCE = {**TEXTS, **NUMBERS, **PATHS}  # which no command takes long for
OF_OTHERS = "--no-such-option"
SERVERS = ("serve",)  # run until they are interrupted
LONG = ("demo", "reproduce", "study run")  # take seconds even if all is well


class Odd(NamedTuple):
    """An odd command line.

    Attributes
    ----------
    line
        The arguments.
    option
        What was changed, or is missing; nothing if that is a whole line.
    value
        The value that it has.
    """

    line: Line
    option: str = ""
    value: str = ""

    def __str__(self) -> str:
        return "polyroc " + " ".join(text if len(text) < 60 else f"{text[:20]!r}..." for text in self.line)


def make_files(folder: Path) -> None:
    """The files that valid lines name, and files of wrong kinds."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    rows = zip(y.tolist(), (rng.normal(size=24) + y).tolist(), rng.normal(size=24).tolist(), strict=True)
    (folder / "two.csv").write_text("y,s,t\n" + "".join(f"{a},{s},{t}\n" for a, s, t in rows))
    shares = "".join(f"{k % 2},{p}\n" for k, p in enumerate(rng.random(24).tolist()))
    (folder / "two_p.csv").write_text("y,p\n" + shares)
    probabilities = rng.dirichlet((1, 1, 1), size=24)
    lines = [f"{'abc'[k % 3]},{p[0]},{p[1]},{p[2]}\n" for k, p in enumerate(probabilities.tolist())]
    (folder / "three.csv").write_text("y,p_a,p_b,p_c\n" + "".join(lines))
    readings = [
        f"{k % 2},{reader},{modality},{k},{rng.normal() + k % 2}\n"
        for modality in "AB"
        for reader in "rs"
        for k in range(24)
    ]
    (folder / "readings.csv").write_text("y,reader,modality,case,rating\n" + "".join(readings))
    front = pr.front([*"abc" * 8], probabilities, draws=30)
    front.save(folder / "stored.npz")
    study = studies.run_study(folder / "study.duckdb")
    (folder / "plan.toml").write_text(study.plan.to_toml())
    _make_wrong_files(folder)


def _make_wrong_files(folder: Path) -> None:
    (folder / "folder").mkdir()
    for name in ("empty.csv", "header.csv", "text.parquet", "bytes.csv", "nested.json"):
        (folder / name).touch()
    (folder / "header.csv").write_text("y,s,t\n")
    (folder / "text.parquet").write_text("y,s\n0,1\n")
    (folder / "bytes.csv").write_bytes(bytes(range(256)) * 4)
    (folder / "nested.json").write_text('{"kind": "Front", "x": ' + "[" * 10_000)
    (folder / "link.csv").symlink_to("nowhere")
    for whole in ("stored.npz", "study.duckdb"):
        (folder / f"cut{Path(whole).suffix}").write_bytes((folder / whole).read_bytes()[:500])


def restore(folder: Path, kept: Path) -> None:
    """Bring back what a command has overwritten or added; `kept` is a copy of the folder."""
    names = {path.name for path in kept.iterdir()}
    for path in folder.iterdir():
        if path.name not in names:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for path in kept.iterdir():
        copy = folder / path.name
        if path.is_file() and (not copy.is_file() or copy.read_bytes() != path.read_bytes()):
            shutil.copy(path, copy)


def commands(loaded: dict[str, click.Command], path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """All commands without commands of their own, by their names."""
    for name, command in loaded.items():
        if isinstance(command, click.Group):
            yield from commands(command.commands, (*path, name))
        else:
            yield " ".join((*path, name)), command


@cache
def tree() -> dict[str, click.Command]:
    """The commands by name."""
    return dict(commands({name: load_command(name) for name in COMMANDS}))


def groups_of(name: str, text: str) -> list[Line]:
    """A valid line as arguments and options, each option with its value."""
    tokens, groups = text.split(), list[Line]()
    flags = {spelling for option in tree()[name].params for spelling in option.opts if _is_flag(option)}
    while tokens:
        first = tokens.pop(0)
        groups.append((first, tokens.pop(0)) if first.startswith("-") and first not in flags else (first,))
    return groups


def _is_flag(option: click.Parameter) -> bool:
    return isinstance(option, click.Option) and option.is_flag


def _flat(name: str, *groups: Line) -> Line:
    return (*name.split(), *(token for group in groups for token in group))


def valid_line(name: str, text: str) -> Line:
    """The arguments of a valid line."""
    return _flat(name, *groups_of(name, text))


def replaced(name: str, text: str) -> Iterator[tuple[str, list[Line], bool]]:
    """Every option and argument: its spelling, the line without it, and whether it is an option with a value."""
    groups = groups_of(name, text)
    for option in tree()[name].params:
        if isinstance(option, click.Option) and not _is_flag(option):
            others = [group for group in groups if group[0] not in option.opts]
            yield max(option.opts, key=len), others, True
    for place, group in enumerate(groups):
        if not group[0].startswith("-"):
            yield "", groups[:place] + groups[place + 1 :], False


@cache
def places() -> dict[str, list[tuple[str, str]]]:
    """By option, the lines that have it; most options are shared by many commands."""
    lines: dict[str, list[tuple[str, str]]] = {}
    for name, texts in VALID_LINES.items():
        for text in texts:
            for option in {option for option, _, _ in replaced(name, text)}:
                lines.setdefault(option, []).append((name, text))
    return lines


def with_values(name: str, text: str, values: dict[str, str]) -> Iterator[Odd]:
    """Every option and argument with values; the lines that have an option divide all values among them."""
    for option, others, named in replaced(name, text):
        lines = places()[option]
        for value in [*values.values()][lines.index((name, text)) :: len(lines)]:
            line = _flat(name, *others, (option, value)) if named else _flat(name, (value,), *others)
            yield Odd(line, option, value)


def incomplete(name: str, text: str) -> Iterator[Odd]:
    """Every part of a line missing, repeated or without its value; and options that no command has."""
    groups = groups_of(name, text)
    for place, group in enumerate(groups):
        others = groups[:place] + groups[place + 1 :]
        yield Odd(_flat(name, *others), group[0])
        yield Odd(_flat(name, *groups, group), group[0])
        if len(group) == 2:
            yield Odd(_flat(name, *others, group[:1]), group[0])
    yield Odd(_flat(name, *groups, (OF_OTHERS,)), OF_OTHERS)
    yield Odd(_flat(name, *groups, ("an argument too many",)), "an argument too many")


def plausible(option: click.Parameter) -> list[str]:
    """Values that an option might take."""
    if isinstance(option.type, click.Choice):
        return [str(choice) for choice in option.type.choices]
    if isinstance(option.type, click.types.IntParamType):
        return ["1", "2", "30"]
    if isinstance(option.type, click.types.FloatParamType):
        return ["0", "0.1", "0.5", "1"]
    if isinstance(option.type, click.Path):
        return ["two.csv", "three.csv", "stored.npz", "made.png", "made.json", "folder"]
    return ["y", "s", "t", "p_a", "a,b,c", "0,1", "1", "chance", "0>1=2", "auc", "a=s"]


def together(name: str, text: str, number: int) -> Iterator[Odd]:
    """Two or three options with values that each of them might take, at random; the same ones every time."""
    options = [option for option in tree()[name].params if isinstance(option, click.Option)]
    options = [option for option in options if option.name not in ("show", "dask", "help")]
    rng = np.random.default_rng(zlib.crc32(f"{name} {text}".encode()))
    groups = groups_of(name, text)
    for _ in range(number if len(options) > 1 else 0):
        chosen = rng.choice(len(options), size=min(int(rng.integers(2, 4)), len(options)), replace=False)
        more = [_with_value(options[place], rng) for place in chosen.tolist()]
        yield Odd(_flat(name, *groups, *more))


def _with_value(option: click.Option, rng: np.random.Generator) -> Line:
    spelling = max(option.opts, key=len)
    return (spelling,) if _is_flag(option) else (spelling, str(rng.choice(plausible(option))))


def misnamed() -> Iterator[Odd]:
    """Commands that there are not."""
    for value in AT_ONCE.values():
        yield Odd((value,), "", value)
        yield Odd(("study", value), "", value)
    for name in tree():
        yield Odd((*name.split()[:-1], name.split()[-1] + "s"), "", name.split()[-1] + "s")


def few(name: str) -> Iterator[Odd]:
    """Some of the odd lines of a command, quick ones; `make test-calls` runs all of them."""
    for text in VALID_LINES[name]:
        yield from islice(with_values(name, text, AT_ONCE), 0, None, 40)
        yield from incomplete(name, text)


def every(name: str, number: int = 50) -> Iterator[Odd]:
    """All odd lines of a command but those with huge numbers."""
    for text in VALID_LINES[name]:
        yield from with_values(name, text, AT_ONCE)
        yield from incomplete(name, text)
        yield from together(name, text, number)


def huge(name: str) -> Iterator[Odd]:
    """Lines with huge numbers, which may take all memory or never end."""
    for text in VALID_LINES[name]:
        yield from with_values(name, text, HUGE)


NOTE = "polyroc: note: "
MOST_CHARACTERS = 1000  # of a message
# As messages call arguments.
ARGUMENTS = (
    *("FILE", "MEASURE", "NAME", "PAPER", "PLAN", "TEST", "command", "file", "measure", "picture"),
    *("standard input", "cannot be written", "cannot be read"),
    *MEASURES,
)


def broken_promise(odd: Odd, code: int, out: str, err: str, *, interrupted: bool = False) -> str | None:
    """What is wrong with the answer to an odd command line; None if nothing is.

    Promised is a result (0; 1 if a measure of it is undefined), or 2 with one line on the standard error that
    names what is wrong. A command that is interrupted ends with 130; a server, with 0.
    """
    written = () if code else odd.line  # beside --json, the name of a file that was written
    lines = [line for line in err.splitlines() if not line.startswith(NOTE) and line not in written]
    if code in (0, 1):
        return (
            f"code {code} with {lines[0]!r}" if lines else "code 1 without a result" if code and not out else None
        )
    if code == 130 and interrupted:
        return None if out or len(lines) == 1 else f"interrupted: {lines}"
    if code != 2 or len(lines) != 1:
        return f"code {code}, {len(lines)} lines: {err[-300:]!r}"
    return bad_message(odd, lines[0])


def bad_message(odd: Odd, line: str) -> str | None:
    """What is wrong with the one line on the standard error."""
    if not line.startswith("polyroc") or "fault of polyroc" in line:
        return line[:300]
    if not line.isprintable():
        return f"control characters: {line[:300]!r}"
    if len(line) > MOST_CHARACTERS:
        return f"{len(line)} characters: {line[:300]!r}"
    return None if names_cause(odd, line) else f"names nothing: {line[:300]!r}"


def names_cause(odd: Odd, line: str) -> bool:
    """True if a message names an option (in either spelling), another part of the line, or the lack of memory."""
    if "not enough memory" in line:
        return True
    words = line.partition(" (see polyroc")[0]
    names = [option.lstrip("-").replace("-", "_") for option in (*odd.line, odd.option) if option.startswith("--")]
    parts = [text[:20] for text in odd.line if text.strip() and text not in tree()]  # long ones are cut off
    if re.search(r"(?<!\w)--?[a-z]", words):
        return True
    return any(re.search(rf"(?<!\w){re.escape(text)}", words) for text in (*ARGUMENTS, *names, *parts))
