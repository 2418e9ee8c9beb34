"""Names in the code are plain technical English (CONTRIBUTING.md); words of a private language are not used."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "tests", "docs", "benchmarks", "examples", "repro")
MODULES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))

# They say that a thing was obtained, not what it is: no variable, parameter, function or module has such a name.
NO_NAMES = {"asked", "each", "found", "given", "held", "nobody", "said", "told"}
# These are not part of a longer name either. The others can be: `held_out`, `for_each_class`, `priors_given`.
NO_PARTS = {"asked", "nobody", "said", "told"}
# A module is named after a thing, not after an activity; these nouns of the field end like one.
NOUNS = {"operating", "planning", "pruning", "ranking", "sampling", "timing"}


def defined_names(tree):
    """Every name that the code defines, with its line: functions, classes, parameters, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, node.lineno


def parts(name):
    """The words of a name: of `heldOut`, `held_out` and `HeldOut`, "held" and "out"."""
    return re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", name).lower())


def is_private(name):
    words = parts(name)
    return bool(NO_PARTS & set(words)) or (len(words) == 1 and words[0] in NO_NAMES)


@pytest.mark.slow
def test_names_say_what_a_thing_is():
    private = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in MODULES
        for name, line in defined_names(ast.parse(path.read_text(encoding="utf-8")))
        if is_private(name)
    ]
    assert not private, "\n".join(private)


def test_modules_are_nouns():
    gerunds = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if is_private(path.stem) or any(word.endswith("ing") and word not in NOUNS for word in parts(path.stem))
    ]
    assert not gerunds, "\n".join(gerunds)


@pytest.mark.parametrize(
    ("code", "private"),
    [
        ("found = 1", ["found"]),
        ("def judge(told): pass", ["told"]),
        ("self.given_ = 1", ["given_"]),
        ("[x for each in y]", ["each"]),
        ("def what_is_asked_for(): pass", ["what_is_asked_for"]),
        ("class Asked: pass", ["Asked"]),
        ("import numpy as nobody", ["nobody"]),
        ("held_out = priors_given = from_each_class = 1", []),
        ("foundation, reached, heldout = found.each", []),
    ],
)
def test_private_names_are_recognised(code, private):
    assert [name for name, _ in defined_names(ast.parse(code)) if is_private(name)] == private
