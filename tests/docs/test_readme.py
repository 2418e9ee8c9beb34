"""What the README shows is run as a newcomer would, and its claims have evidence elsewhere."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import pages
import polyroc as pr
from command import polyroc
from polyroc.measures.registry import MEASURES

README = Path(__file__).parents[2].joinpath("README.md").read_text()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty directory: every file that the README names is made by its commands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_five_lines_print_what_they_show(folder):
    (block,) = [block for block in pages.blocks(README) if block.language == "pycon"]
    assert block.text.count(">>> ") == 5
    text = f"```pycon\n{block.text}```\n"
    assert pages.filled(text) == text


@pytest.mark.slow
def test_commands_run(folder):
    commands = re.findall(r"^polyroc .*$", README, flags=re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        done = polyroc(*shlex.split(command, comments=True)[1:])
        assert (done.returncode, done.stderr) == (0, ""), command
        assert done.stdout


@pytest.mark.slow
def test_the_first_command_is_a_program(folder):
    command = re.search(r"^polyroc .*$", README, flags=re.MULTILINE)[0]
    path = Path(sys.executable).parent
    done = subprocess.run(f"{path}/{command}", shell=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_the_make_targets_exist():
    targets = re.findall(r"^make (\S+)", README, flags=re.MULTILINE) + re.findall(r"`make (\S+)`", README)
    made = (pages.ROOT / "Makefile").read_text()
    assert {"demo", "test", "docs", "bench"} <= set(targets)
    assert all(re.search(rf"^{target}:", made, flags=re.MULTILINE) for target in targets)


def test_what_others_do_is_stated_once():
    """The short table of peers is a part of the long one, where the evidence is."""
    short, long = (entries(text) for text in (README, (pages.DOCS / "peers.md").read_text()))
    assert len(short) > 10
    columns = [long["-"].index(name) for name in short["-"]]
    for subject, cells in short.items():
        assert cells == [long[subject][column] for column in columns], subject


def entries(page):
    """The rows of the first table that begins with polyroc's column, by what they are about."""
    lines = page[page.index("| | polyroc |") :].split("\n\n")[0].split("\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0] or "-": row[1:] for row in rows if not row[0].startswith("---")}


def test_coverage_is_that_of_the_page():
    readme, page = " ".join(README.split()), " ".join((pages.DOCS / "coverage.md").read_text().split())
    assert "lists every setting in which an interval covers less than 93 %" in readme
    single, pair = (
        re.search(rf"\*\*Interval of a {kind}\*\*: 93 % or more in (\d+) of (\d+) .*? former: (\S+) %", page)
        for kind in ("single value", "difference")
    )
    assert f"93 % or more in {int(single[1]):,} of {int(single[2]):,};" in readme
    assert f"covers 93 % or more in {pair[1]} of {pair[2]} settings" in readme
    equal = [re.search(rf"that {kind} are equal\*\*.*? former: (\S+) %", page)[1] for kind in ("two", "all")]
    assert f"reject at most {max(map(float, equal))} %" in readme
    one_sample = re.search(r"One-sample test.*? former: (\S+) %", page)[1]
    assert f"(up to {float(one_sample):.0f} %)" in readme


def test_what_is_cited_is_this_version():
    assert f"\nversion: {pr.__version__}\n" in (pages.ROOT / "CITATION.cff").read_text()


def test_every_measure_is_listed():
    table = README[README.index("## Measures") : README.index("## Standard errors")]
    assert re.findall(r"`(\w+)`", table.split("Each has")[0]) == list(MEASURES)


@pytest.mark.slow
def test_the_picture_is_what_the_demo_shows(tmp_path):
    docs = Path(__file__).parents[2] / "docs"
    subprocess.run([sys.executable, docs / "make_picture.py", tmp_path / "demo.svg"], check=True)
    assert (tmp_path / "demo.svg").read_text() == (docs / "demo.svg").read_text()
