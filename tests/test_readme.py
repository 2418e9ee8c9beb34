"""What the README shows is run as a newcomer would: every Python line, every polyroc command."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import pages
import polyroc as pr
from polyroc.measures import MEASURES

README = Path(__file__).parent.parent.joinpath("README.md").read_text()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty directory with the files the README speaks of."""
    monkeypatch.chdir(tmp_path)
    pages.furnish(tmp_path)
    return tmp_path


def test_python_lines_run(folder):
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = {}
    exec(compile(block, "README.md", "exec"), names)
    assert isinstance(names["M"], pr.Estimate)


def test_commands_run(folder):
    commands = re.findall(r"^polyroc .*$", README, flags=re.MULTILINE)
    assert len(commands) == 13
    for command in commands:
        program, *arguments = shlex.split(command)
        path = Path(sys.executable).parent / program
        done = subprocess.run([path, *arguments], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), command
        assert done.stdout


def test_every_measure_is_listed():
    table = README[README.index("## What is measured") : README.index("## Where the error bars")]
    assert re.findall(r"`(\w+)`", table.split("Each of them")[0]) == list(MEASURES)


def test_the_picture_is_what_the_demo_shows(tmp_path):
    docs = Path(__file__).parent.parent / "docs"
    subprocess.run([sys.executable, docs / "make_picture.py", tmp_path / "demo.svg"], check=True)
    assert (tmp_path / "demo.svg").read_text() == (docs / "demo.svg").read_text()
