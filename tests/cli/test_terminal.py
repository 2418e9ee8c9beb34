"""What every command prints fits the terminal: no line is longer than 80 columns, and at 60 no value is cut."""

import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout

import click
import pytest

from command_lines import LONG, SERVERS, VALID_LINES, make_files
from polyroc.cli.app import COMMANDS, load_command, run

LINES = [
    pytest.param(name, line, marks=pytest.mark.slow if name in LONG else ())
    for name, lines in VALID_LINES.items()
    if name not in SERVERS
    for line in lines
]
NUMBER = re.compile(r"-?\d+\.\d+")
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminal")
    make_files(folder)
    return folder


def printed(arguments, columns, monkeypatch, terminal=False):
    """What a command prints, on both streams, in this number of columns."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
    with redirect_stdout(out), redirect_stderr(err):
        run(arguments)
    return STYLES.sub("", out.getvalue()), STYLES.sub("", err.getvalue()).replace("\r", "\n")


def too_long(text, columns):
    """The lines that are too long although they could be shorter: a single word has no place to break."""
    return [line for line in text.splitlines() if len(line.rstrip()) > columns and " " in line.strip()]


@pytest.mark.slow
@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize(("name", "line"), LINES)
def test_no_line_is_longer_than_the_terminal(name, line, terminal, folder, monkeypatch):
    monkeypatch.chdir(folder)
    arguments = [*name.split(), *shlex.split(line)]
    if name == "study plan":
        return  # a file of settings, which is not wrapped
    (folder / "imported.duckdb").unlink(missing_ok=True)  # which is not overwritten
    if terminal:
        out, err = printed(arguments, 80, monkeypatch, terminal)
        assert out
        assert too_long(out + err, 80) == []
    narrow, err = printed(arguments, 60, monkeypatch, terminal)
    assert too_long(narrow + err if terminal else narrow, 60) == []  # in a pipe a message is one line
    if name not in LONG and not terminal:  # measured times differ
        wide, _ = printed(arguments, 400, monkeypatch)
        assert set(NUMBER.findall(wide)) <= set(NUMBER.findall(narrow))
    assert "\N{HORIZONTAL ELLIPSIS}" not in narrow


def test_help(monkeypatch):
    for name in ["", *COMMANDS]:
        out, _ = printed([*name.split(), "--help"], 80, monkeypatch)
        assert too_long(out, 80) == [], name
        command = load_command(name) if name else None
        for inner in getattr(command, "commands", {}):
            assert isinstance(command, click.Group)
            out, _ = printed([name, inner, "--help"], 80, monkeypatch)
            assert too_long(out, 80) == [], (name, inner)


def test_errors(monkeypatch, folder):
    monkeypatch.chdir(folder)
    _, err = printed(
        ["evaluate", "two.csv", "--truth", "nothing", "--scores", "s"], 60, monkeypatch, terminal=True
    )
    assert "nothing" in err
    assert too_long(err, 60) == []


def test_a_message_names_forgotten_scores(monkeypatch, folder):
    monkeypatch.chdir(folder)
    _, err = printed(["evaluate", "readings.csv", "--truth", "y"], 200, monkeypatch, terminal=False)
    assert "Choose the columns of the predictions with --scores ..., or" in err


def test_commands_can_be_pasted(monkeypatch):
    out, _ = printed(["demo"], 60, monkeypatch, terminal=True)
    command = out[out.index("polyroc evaluate") :].replace("\\\n", " ").replace("^\n", " ").split("\n")[0]
    assert shlex.split(command)[-6:] == ["--scores", "p_*", "--classifier", "classifier", "--case", "case"]


def test_sentences_stay_whole_in_a_pipe(monkeypatch, folder):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    out = io.StringIO()
    with redirect_stdout(out):
        run(["sample-size", "--value", "0.85", "--null", "0.75"])
    assert any(len(line) > 80 for line in out.getvalue().splitlines())
