"""Markdown pages run as a reader would run them, from top to bottom, in an empty directory.

`filled` gives the page with the output that its blocks have here and now, so a page is true if it equals itself
filled. `python tests/pages.py docs/tutorial.md` fills pages in place.

What is run, by the language of a block:

python, pycon
    The lines; with prompts (`>>>`) what each prints is put below it. Names are kept from block to block.
console
    Lines that begin with `$ `, and what they print is put below them; where no output is shown at all, they are
    only run (a line `...` asks for the output).
sh, or none
    Every line that begins with `polyroc `; what it prints is not shown.

toml, csv, json
    Written to a file if the text before them says "saved as `name`".

A block below a comment `<!-- not run: why -->` is left alone. Other languages are never run.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
NOT_RUN = re.compile(r"<!-- not run: (.+) -->\n+$")
SAVED_AS = re.compile(r"saved as `([\w.]+)`[^`]*$")
RUN = ("python", "pycon", "console", "sh", "")
FILES = ("toml", "csv", "json")


class Block(NamedTuple):
    """A fenced block: its language, its lines, and why it is not run, if so."""

    language: str
    text: str
    excused: str | None


def pages() -> list[Path]:
    """Every page of the documentation that people write or read, the README first."""
    return [ROOT / "README.md", *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [_block(text, result) for result in FENCE.finditer(text)]


def _block(text: str, result: re.Match[str]) -> Block:
    excuse = NOT_RUN.search(text, 0, result.start())
    return Block(result[1], result[2], excuse[1] if excuse else None)


def filled(text: str, name: str = "page") -> str:
    """The page with what its blocks print now."""
    names: dict[str, Any] = {"__name__": name}

    def run(result: re.Match[str]) -> str:
        block = _block(text, result)
        if block.language in FILES and (file := SAVED_AS.search(text, 0, result.start())):
            Path(file[1]).write_text(block.text)
        if block.excused or block.language not in RUN:
            return result[0]
        return f"```{block.language}\n{_run(block, names)}```"

    with drawing_nothing():
        return FENCE.sub(run, text)


def _run(block: Block, names: dict[str, Any]) -> str:
    if block.language == "console":
        return _session(block.text)
    if block.language in ("python", "pycon"):
        if block.text.startswith(">>> "):
            return _prompts(block.text, names)
        exec(compile(block.text, "block", "exec"), names)
        return block.text
    _run_commands(block.text)
    return block.text


def _run_commands(text: str) -> None:
    """Run the lines that begin with polyroc, each with its continuations; none may fail."""
    for line in re.findall(r"^polyroc (?:.*\\\n)*.*$", text, flags=re.MULTILINE):
        code, output = polyroc(line.replace("\\\n", " "))
        assert code == 0, f"{line}: {output}"


def polyroc(line: str) -> tuple[int, str]:
    """The exit code of a command and what it prints, without the cost of a new process."""
    from polyroc.cli.app import run

    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = run(shlex.split(line, comments=True)[1:])
    return code, out.getvalue()


def _session(text: str) -> str:
    """The commands of a shell session, each with what it prints."""
    matches = re.findall(r"^\$ (?:.*\\\n)*.*\n", text, flags=re.MULTILINE)
    if "".join(matches) == text:
        _run_commands(re.sub(r"^\$ ", "", text, flags=re.MULTILINE))
        return text
    answers = [_answer(command[2:].replace("\\\n", " ")) for command in matches]
    output = "".join(
        f"{command}{answer}\n" if answer else command for command, answer in zip(matches, answers, strict=True)
    )
    return output.rstrip("\n") + "\n"


def _answer(command: str) -> str:
    if command.startswith("polyroc ") and not set("|>") & set(_bare(command)):
        return polyroc(command)[1]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=os.environ | {"PATH": path}
    )
    return done.stdout + done.stderr


def _bare(command: str) -> str:
    """What of a command is not quoted."""
    return re.sub(r"'[^']*'|\"[^\"]*\"", "", command)


def _prompts(text: str, names: dict[str, Any]) -> str:
    """Lines with prompts, each with what it prints below it."""
    lines = []
    for example in doctest.DocTestParser().get_examples(text):
        first, *more = example.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            try:
                exec(compile(example.source, "block", "single"), names)
            except Exception as error:
                if example.exc_msg is None:
                    raise
                out.write("Traceback (most recent call last):\n  ...\n")
                out.writelines(traceback.format_exception_only(error))
        lines += out.getvalue().rstrip("\n").split("\n") if out.getvalue() else []
        if example.source != text and _blank_after(text, example):
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _blank_after(text: str, example: doctest.Example) -> bool:
    """True if the example is set off from the next by an empty line."""
    lines = text.split("\n")
    after = example.lineno + example.source.count("\n") + example.want.count("\n")
    return after < len(lines) and not lines[after]


@contextlib.contextmanager
def drawing_nothing() -> Iterator[None]:
    """Pictures are drawn for files only, and put away."""
    import matplotlib as mpl

    mpl.use("agg")
    try:
        yield
    finally:
        from matplotlib import pyplot

        pyplot.close("all")


@contextlib.contextmanager
def elsewhere() -> Iterator[Path]:
    """An empty directory to work in."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        yield Path(folder)


def furnish(folder: Path) -> None:
    """The files that pages speak of without making them."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 4)
    P = pl.DataFrame(rng.dirichlet(np.ones(3), size=12), schema=["p_a", "p_b", "p_c"])
    P.with_columns(y=pl.Series(y)).write_parquet(folder / "predictions.parquet")
    more = {"species": pl.Series(y), "id": pl.Series(range(12)), "model": pl.lit("forest")}
    forest = P.with_columns(**more)
    logit = forest.with_columns(model=pl.lit("logit"), p_a=forest["p_b"], p_b=forest["p_a"])
    pl.concat([forest, logit]).write_csv(folder / "predictions.csv")
    for name in ("scores", "new"):
        pl.DataFrame({"sick": [0, 1] * 6, "risk": rng.random(12)}).write_parquet(folder / f"{name}.parquet")
    rows = [
        (case % 2, name, kind, case) for name in ("Lee", "Kim") for kind in ("CT", "MRI") for case in range(12)
    ]
    readings = pl.DataFrame(rows, schema=["sick", "reader", "modality", "case"], orient="row")
    readings.with_columns(rating=pl.Series(rng.random(len(rows)))).write_csv(folder / "readings.csv")
    _furnish_tumours(folder, rng)


def _furnish_tumours(folder: Path, rng: Any) -> None:
    """Two classifiers of three kinds of tumour, side by side and one by one, and their fronts."""
    import numpy as np
    import polars as pl

    import polyroc as pr

    kinds = ("benign", "malignant", "normal")
    y, means = np.repeat(kinds, 40), 2 * np.eye(3).repeat(40, axis=0)
    tables = {name: np.exp(rng.normal(size=(120, 3)) + means) for name in ("rf", "lr", "p")}
    tables = {name: P / P.sum(axis=1, keepdims=True) for name, P in tables.items()}
    columns = {f"{name}_{kind}": P[:, k] for name, P in tables.items() for k, kind in enumerate(kinds)}
    wide = pl.DataFrame({"y": y, **columns})
    wide.write_csv(folder / "wide.csv")
    for name in ("train", "test"):
        wide.select("y", "^p_.*$").write_csv(folder / f"{name}.csv")
    for name, file in {"rf": "forest", "lr": "logit"}.items():
        pr.front(y, tables[name], draws=200).save(folder / f"{file}.npz")


if __name__ == "__main__":
    for argument in map(Path, sys.argv[1:]):
        page = argument.resolve()
        with elsewhere():
            new = filled(page.read_text(), page.stem)
        if new != page.read_text():
            page.write_text(new)
