"""The pages of docs/papers lack no section and nothing that their paper numbers, and their lines run."""

import re
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import pages


class Paper(NamedTuple):
    """What a paper numbers, read off the paper; a number that the scan lost is the next one of its kind."""

    sections: tuple[str, ...]
    numbered: dict[str, tuple[str, ...]]


def upto(last):
    return tuple(str(number) for number in range(1, last + 1))


PAPERS = {
    "hand-till-2001": Paper(
        upto(6),
        {"Equation": upto(11), "Table": upto(1), "Figure": ("1(a)", "1(b)", "1(c)", "2(a)", "2(b)", "2(c)")},
    ),
    "ling-huang-zhang-2003": Paper(
        ("1", "2", "2.1", "2.2", "2.3", "3", "4", "5"),
        {
            "Definition": upto(5),
            "Equation": upto(3),
            "Lemma": upto(5),
            "Theorem": upto(2),
            "Table": upto(6),
            "Figure": ("1(a)", "1(b)"),
        },
    ),
    "sampat-2009": Paper(
        ("I", "II-A", "II-B", "II-C", "II-D", "III-A", "III-B", "III-C", "III-D", "IV", "V"),
        {
            "Data": upto(4),
            "Classifier": upto(3),
            "Conversion": upto(2),
            "Method": tuple(str(number) for number in range(2, 13)),  # 1 is an overview
            "Table": ("I", "II", "III", "IV", "V", "VI", "VII", "VIII"),
            "Figure": ("1", "2(a)", "2(b)", "2(c)", "2(d)", "3(a)", "3(b)", "3(c)", "3(d)"),
        },
    ),
    "everson-fieldsend-2005": Paper(
        ("1", "2", "3", "4", "4.1", "4.2", "5", "5.1", "6"),
        {
            "Equation": upto(9),
            "Algorithm": upto(1),
            "Line": upto(14),
            "Table": upto(1),
            "Figure": upto(3),
            "Footnote": upto(3),
        },
    ),
    "bradley-1997": Paper(
        ("1", "2", "3", "4", "5", "6", "7", "7.1", "7.2", "8", "9", "9.1", "9.2", "9.3", "9.3.1", "9.3.2", "10"),
        {"Equation": upto(15), "Table": upto(7), "Figure": upto(15), "Data": upto(5)},
    ),
}
STATES = ("Works", "Goes beyond", "Not available")
STATE = re.compile(rf"\*({'|'.join(STATES)})(?:\.\*|:\*)")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)(?:\s→\s`([^`\n]+)`)?")
RUN_ELSEWHERE = "polyroc reproduce"  # tests/repro; minutes


def read(name):
    return (pages.DOCS / "papers" / f"{name}.md").read_text(encoding="utf-8")


def entries(text):
    """Return the items of the lists of a page: the words in bold at the start, and the rest."""
    return re.findall(r"^- \*\*(.+?)\*\*(.*?)(?=^- |^#|\Z)", text, flags=re.DOTALL | re.MULTILINE)


def numbers(head):
    """Return the kind and the numbers that the head of an entry names.

    >>> numbers("Figures 1, 3 to 5")
    ('Figure', ['1', '3', '4', '5'])
    """
    kind, _, listed = head.partition(" ")
    spread = re.sub(
        r"(\d+) to (\d+)", lambda ends: ", ".join(map(str, range(int(ends[1]), int(ends[2]) + 1))), listed
    )
    return kind.removesuffix("s"), re.split(r", | and ", spread)


def lines(body, names):
    """Return the commands and expressions of an entry, with what is shown for each; not signatures in prose."""
    return [
        (code, shown)
        for code, shown in CODE.findall(body)
        if code.startswith("polyroc ")
        or "pr." in code
        or (re.split(r"\W", code)[0] in names and not code.isidentifier())
    ]


def set_up(text):
    names = {}
    for block in pages.blocks(text):
        exec(compile(block.text, "page", "exec"), names)
    return names


def as_shown(value, shown):
    """Return a value as the page shows it: a decimal with as many digits, anything else by its repr."""
    if re.fullmatch(r"-?\d+\.\d+", shown):
        return f"{float(value):.{len(shown.partition('.')[2])}f}"
    return repr(value.item() if isinstance(value, np.generic) else value)


@pytest.mark.parametrize("name", PAPERS)
def test_every_section_and_number_of_the_paper_is_there(name):
    text, paper = read(name), PAPERS[name]
    headings = re.findall(r"^##+ ([\w.-]+?)\.? ", text, flags=re.MULTILINE)
    assert tuple(headings) == paper.sections
    present = {kind: [] for kind in paper.numbered}
    for head, _ in entries(text):
        kind, listed = numbers(head)
        if kind in present:
            present[kind] += listed
    assert {kind: tuple(listed) for kind, listed in present.items()} == paper.numbered


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_the_lines_of_every_entry_run(name):
    text = read(name)
    with pages.elsewhere(), pages.drawing_nothing():
        names = set_up(text)
        for head, body in entries(text):
            states, runnable = STATE.findall(body), lines(body, names)
            assert len(set(states)) == len(states) > 0, head
            assert runnable or states == ["Not available"], f"{head}: no line"
            for code, shown in runnable:
                run(code, shown, names)


def run(code, shown, names):
    if code.startswith("polyroc "):
        if not code.startswith(RUN_ELSEWHERE):
            status, output = pages.polyroc(code)
            assert status == 0, f"{code}: {output}"
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = eval(code, names)
    assert not shown or as_shown(value, shown) == shown, code
