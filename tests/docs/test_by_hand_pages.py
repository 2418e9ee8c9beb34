"""The numbers of docs/by_hand follow from definitions, from arithmetic, or from what polyroc prints.

A page is compared with rows and sentences made from its data (`by_hand_facts`), its equations are evaluated, and
its examples are run. Then every number of it is changed in turn, and the change must be noticed.
"""

# ruff: noqa: RUF001 - the pages have minus signs

import ast
import doctest
import operator
import re
import sys
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest

from by_hand_facts import FACTS, SIGNS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "by_hand"
NUMBER = re.compile(r"\d+(?:\.\d+)?|[" + "".join(SIGNS) + "]")
TERM = r"[0-9.½¼¾⅓⅔⅙⅛⅝+−·/()²√ -]"
OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
# What the data of a page do not determine: the formula at the head of a column, a rule, a year; and the digits to
# which an example rounds whole numbers.
UNDETERMINED = ("divided by n − 1 and n", "largest values count 1/k", "Fieldsend 2005", ".round(6)")


@pytest.fixture(scope="module")
def exact():
    sys.path.insert(0, str(ROOT / "reference"))
    yield import_module("definitions")
    sys.path.remove(str(ROOT / "reference"))


def read(name):
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def joined(text):
    return " ".join(text.split())


def equations(text):
    """Every equation of numbers: its sides as values, each with half a unit of its last digit."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL).replace("**", "")
    for line in re.split(r"\||\n\n|[.:;]\s", prose):
        for equation in re.findall(rf"{TERM}+(?:={TERM}+)+", line.replace("\n", " ")):
            sides = [side.strip(" .,;") for side in equation.split("=")]
            sides = sides[1:] if re.match("$|[−+·/] ", sides[0]) else sides  # what a name stands before
            if all(re.search(NUMBER, side) and side.count("(") == side.count(")") for side in sides):
                yield equation.strip(), [(value(side), places(side)) for side in sides]


def value(side):
    """The value of an arithmetic expression, as a fraction if it has no root."""
    for sign, text in SIGNS.items():
        side = side.replace(sign, f"({text})")
    side = re.sub(r"√(\d+)", r"(\1)**0.5", side.replace("−", "-").replace("·", "*").replace("²", "**2"))
    try:
        return computed(ast.parse(re.sub(r"\)\s*\(", ")*(", side), mode="eval").body, side)
    except ZeroDivisionError:
        return inf


def computed(node, text):
    if isinstance(node, ast.Constant):
        return Fraction(ast.get_source_segment(text, node) or repr(node.value))
    if isinstance(node, ast.UnaryOp):
        return -computed(node.operand, text)
    left, right = (computed(side, text) for side in (node.left, node.right))
    return OPERATIONS[type(node.op)](left, right)


def places(side):
    """Half a unit of the last digit, of a decimal number alone."""
    number = re.fullmatch(r"[−-]?\d+\.(\d+)", side)
    return 0.5 * 10.0 ** -len(number[1]) if number else 0.0


def wrong_equations(text):
    return [
        equation
        for equation, sides in equations(text)
        if any(abs(a - b) > 1.001 * max(m, n, 1e-12) for (a, m), (b, n) in pairwise(sides))
    ]


def failed_examples(text):
    """The number of examples of a page that print something else."""
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "page", None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    return runner.run(test, out=lambda _: None).failed


def faults(name, text, exact):
    """Facts that are not on a page, and equations that are wrong."""
    words = joined(text)
    return [fact for fact in FACTS[name](exact) if joined(fact) not in words] + wrong_equations(text)


@pytest.mark.parametrize("name", FACTS)
def test_numbers_follow_from_the_definitions(name, exact):
    assert faults(name, read(name), exact) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTS)
def test_examples_print_these_numbers(name):
    assert failed_examples(read(name)) == 0


def changed_pages(text):
    """The page with each of its numbers changed in turn, and the words around that number."""
    known = [match.span() for phrase in UNDETERMINED for match in re.finditer(re.escape(phrase), text)]
    for match in NUMBER.finditer(text):
        start, end = match.span()
        if not any(first <= start and end <= last for first, last in known):
            token = match[0]
            other = (
                ("½" if token == "¼" else "¼") if token in SIGNS else token[:-1] + str((int(token[-1]) + 1) % 10)
            )
            yield text[:start] + other + text[end:], joined(text[max(start - 30, 0) : end + 30])


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTS)
def test_a_changed_number_is_noticed(name, exact):
    missed = [
        around
        for page, around in changed_pages(read(name))
        if not faults(name, page, exact) and not failed_examples(page)
    ]
    assert missed == []


def test_every_page_is_checked():
    assert {path.stem for path in PAGES.glob("*.md")} == {*FACTS, "index"}
