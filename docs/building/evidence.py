"""The evidence for what polyroc computes: the tests that repeat a published number or agree with another package.

A test says so itself, by a marker:

    @pytest.mark.published("Hanley & McNeil (1982), table I", "area 0.893 of 109 rated images")
    @pytest.mark.unverified("A manual", "numbers that we recall from it, and could not look up")
    @pytest.mark.peer("scikit-learn", "roc_auc_score, to 1e-12")

The markers are read from the source, so the page cannot say what no test does.
"""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parents[2] / "tests"
KINDS = ("published", "unverified", "peer")


class Evidence(NamedTuple):
    """A test that repeats something: what kind, whose, what, where, and its source."""

    kind: str
    source: str
    claim: str
    test: str
    code: str


@functools.cache
def evidence(folder: Path = TESTS) -> list[Evidence]:
    """All of it, by source."""
    entries = [entry for file in sorted(folder.rglob("test_*.py")) for entry in _of_file(file, folder)]
    return sorted(entries, key=lambda entry: (KINDS.index(entry.kind), entry.source.lower()))


def _of_file(file: Path, folder: Path) -> Iterator[Evidence]:
    text = file.read_text()
    if not any(f"pytest.mark.{kind}(" in text for kind in KINDS):
        return
    tree, lines = ast.parse(text), text.splitlines()
    constants = {
        target.id: node
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for test in tree.body:
        if isinstance(test, ast.FunctionDef):
            for kind, source, claim in _marks(test):
                where = f"tests/{file.relative_to(folder)}::{test.name}"
                yield Evidence(kind, source, claim, where, _code(lines, test, constants))


def _marks(test: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr=kind)) if kind in KINDS:
                source, claim = (ast.literal_eval(argument) for argument in decorator.args)
                yield kind, source, claim


def _code(lines: list[str], test: ast.FunctionDef, constants: dict[str, ast.Assign]) -> str:
    """The test as it is written, below the constants of its module that it names, without its marks."""
    shown = [decorator for decorator in test.decorator_list if not _is_mark(decorator)]
    named = {node.id for part in [*shown, *test.body] for node in ast.walk(part) if isinstance(node, ast.Name)}
    used = [node for name, node in constants.items() if name in named]
    # All of these start and end with whole lines. `ast.get_source_segment` would split the file anew for each.
    return "\n".join(line for node in [*used, *shown, test] for line in lines[node.lineno - 1 : node.end_lineno])


def _is_mark(decorator: ast.expr) -> bool:
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr in KINDS
    )


def section(kind: str) -> str:
    """The evidence of a kind as Markdown: by source, each claim with its test."""
    lines, source = [], None
    for entry in evidence():
        if entry.kind != kind:
            continue
        if entry.source != source:
            source = entry.source
            lines += [f"### {source}", ""]
        lines += [f"<details><summary>{entry.claim}</summary>", "", f"`{entry.test}`", ""]
        lines += ["```python", entry.code, "```", "", "</details>", ""]
    return "\n".join(lines)
