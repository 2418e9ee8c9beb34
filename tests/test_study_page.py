"""What docs/studies.md shows is run in an empty directory, as a newcomer would."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import polyroc as pr
from polyroc.cli.commands import run

PAGE = Path(__file__).parent.parent.joinpath("docs", "studies.md").read_text().split("## Summaries")[0]


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_runs_in_an_empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (plan,), (commands,), (lines,) = (
        blocks("toml"),
        re.findall(r"```\n(polyroc.*?)```", PAGE, re.DOTALL),
        blocks("python"),
    )
    Path("plan.toml").write_text(plan)
    assert pr.Plan.read("plan.toml") == pr.Plan.from_toml(plan)
    names = {}
    exec(compile(lines, "studies.md", "exec"), names)
    assert names["study"].failures == ()
    assert len(commands.splitlines()) == 5
    for command in commands.splitlines():
        program, *arguments = shlex.split(command)
        done = subprocess.run(
            [Path(sys.executable).parent / program, *arguments], capture_output=True, check=False, text=True
        )
        assert (done.returncode, done.stdout != "") == (0, True), done.stderr
        assert done.stderr in ("", "polyroc: 60 of 60 fits are stored already\n")


@pytest.mark.parametrize("name", ["bradley", "hand-till"])
def test_presets_print_what_they_are(name, capsys):
    assert run(["study", "plan", name]) == 0
    assert pr.Plan.from_toml(capsys.readouterr().out) == pr.Plan.preset(name)
