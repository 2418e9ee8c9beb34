"""The numbers of docs/by_hand outside the examples that run: tables and results from definitions, and all sums."""

# ruff: noqa: RUF001 - the pages have minus signs

import re
import sys
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from math import erfc, inf, sqrt
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "by_hand"
SIGNS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅙": "1/6", "⅛": "1/8", "⅝": "5/8"}
UNNOTICED = 0.5  # share of the numbers of a page, at most: 8 to 48 %
NUMBER = re.compile(r"\d+(?:\.\d+)?|[" + "".join(SIGNS) + "]")


@pytest.fixture(scope="module")
def exact():
    sys.path.insert(0, str(ROOT / "reference"))
    yield import_module("definitions")
    sys.path.remove(str(ROOT / "reference"))


def prose(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def shown(value):
    """A fraction as the pages write it."""
    signs = {Fraction(text): sign for sign, text in SIGNS.items()}
    return signs.get(value, str(value))


def decimal(value):
    """A fraction that ends, as a decimal number."""
    return f"{float(value):.10g}"


def sums(text):
    """Every equation of numbers: its sides, and whether they are equal in the digits that are printed."""
    term = r"[0-9.½¼¾⅓⅔⅙⅛⅝+−·/()²√ -]"
    for line in re.split(r"\||\n\n|[.:;]\s", text.replace("**", "")):
        for equation in re.findall(rf"{term}+(?:={term}+)+", line.replace("\n", " ")):
            sides = [side.strip(" .,;") for side in equation.split("=")]
            sides = sides[1:] if re.match("[−+·/] ", sides[0]) else sides  # what a name stands before
            if all(re.search(NUMBER, side) and side.count("(") == side.count(")") for side in sides):
                yield equation.strip(), [(value(side), places(side)) for side in sides]


def value(side):
    for sign, text in SIGNS.items():
        side = side.replace(sign, f"({text})")
    side = re.sub(r"√(\d+)", r"(\1)**0.5", side.replace("−", "-").replace("·", "*").replace("²", "**2"))
    side = re.sub(r"\)\s*\(", ")*(", side)
    try:
        return float(eval(side, {"__builtins__": {}}))
    except ZeroDivisionError:
        return inf


def places(side):
    """Half a unit of the last digit, of a decimal number alone."""
    number = re.fullmatch(r"[−-]?\d+\.(\d+)", side)
    return 0.5 * 10.0 ** -len(number[1]) if number else 0.0


def wrong_sums(text):
    return [
        equation
        for equation, sides in sums(text)
        if any(abs(a - b) > 1.001 * max(m, n, 1e-12) for (a, m), (b, n) in pairwise(sides))
    ]


def two_classes(exact):
    a, b = (
        [Fraction(v) for v in column.split()] for column in ("0.9 0.6 0.4 0.7 0.3 0.4", "0.8 0.7 0.5 0.6 0.2 0.1")
    )
    y, w = [1, 1, 1, 0, 0, 0], [Fraction(1)] * 6
    columns = [exact.components(lambda v, s=s: exact.auc(y, s, v), y, w) for s in (a, b)]
    areas = [exact.auc(y, s, w) for s in (a, b)]
    for x in range(6):
        label = "positive" if y[x] else "negative"
        yield f"| {x + 1} | {label} | {decimal(a[x])} | {decimal(b[x])} |"
        of_a, of_b = (column[x] - area for column, area in zip(columns, areas, strict=True))
        yield f"| {x + 1} | {columns[0][x]} | {of_a * 18}/18 | {columns[1][x]} | {of_b} |"
    covariance = [exact.covariance(p, q, y, w) for p, q in ((columns[0],) * 2, (columns[1],) * 2, columns)]
    yield f"so the\nAUC is {areas[0]} = {float(areas[0]):.4f}"
    yield f"of 9, {float(areas[1]):.4f}"
    yield f"= {covariance[0]}, and the standard error is √5 / 9 = {sqrt(covariance[0]):.4f}"
    yield f"= {covariance[1] * 324}/324.\n"
    yield f"Together {covariance[2] * 324}/324."
    variance = covariance[0] + covariance[1] - 2 * covariance[2]
    z = float(areas[0] - areas[1]) / sqrt(variance)
    yield f"= {variance}, so z = −(1/6) √54 = −{-z:.4f}"
    yield f"of the normal distribution is {erfc(-z / sqrt(2)):.4f}"


def several_classes(exact):
    rows = ["0.6 0.3 0.1", "0.4 0.5 0.1", "0.2 0.6 0.2", "0.3 0.3 0.4", "0.1 0.3 0.6", "0.4 0.2 0.4"]
    P, y, w = [[Fraction(v) for v in row.split()] for row in rows], [0, 0, 1, 1, 2, 2], [Fraction(1)] * 6
    for x, row in enumerate(P):
        yield f"| {x + 1} | {y[x]} | " + " | ".join(map(decimal, row)) + " |"
    for i in range(3):
        for j in (k for k in range(3) if k != i):
            own, other = ([P[x][i] for x in exact.members(y, k)] for k in (i, j))
            wins = [sum((exact.psi(p, q) for q in other), Fraction(0)) for p in own]
            total = sum(wins)
            text = str(total) if total.denominator == 1 else " + ".join(map(mixed, wins))
            columns = " | ".join(", ".join(map(decimal, side)) for side in (own, other))
            yield rf"| A({i}\|{j}) | p{'₀₁₂'[i]} | {columns} | {text} | {decimal(total / 4)} |"
    m = exact.hand_till(y, P, w)
    columns = exact.components(lambda v: exact.hand_till(y, P, v), y, w)
    parts = []
    for k in range(3):
        # A component of M contains the areas without the class, too; the page counts those with the class.
        own = [columns[x] * 6 for x in exact.members(y, k)]
        rest = exact.hand_till(y, P, w) * 6 - sum(own) / 2
        with_class = [c + rest - absent(exact, P, y, k) for c in own]
        centre = sum(with_class) / 2
        squares = sum((c - centre) ** 2 for c in with_class)
        parts.append(squares / 2)
        numbers = [", ".join(map(decimal, with_class)), *map(decimal, (centre, squares, squares / 2))]
        yield f"| {k} | " + " | ".join(numbers) + " |"
    yield f"= {decimal(m)}."
    yield f"({' + '.join(map(decimal, parts))}) / 36 = {float(sum(parts) / 36):.7f}"
    yield f"the standard error {sqrt(sum(parts) / 36):.4f}"
    for i in range(3):
        own, others = exact.members(y, i), [j for j in range(3) if j != i]
        shares = [exact.shared_maximum(y, [row[i] for row in P], w, x, others) for x in own]
        yield f"PDI{'₀₁₂'[i]} = {sum(shares) / 2}."
    pdi = exact.pdi(y, P, w)
    yield f"= {pdi} = {float(pdi):.4f}"


def mixed(number):
    """A number of halves as the page writes it."""
    whole, half = divmod(number, 1)
    return (str(whole) if whole or not half else "") + ("½" if half else "")


def absent(exact, P, y, k):
    """The sum of the areas between the two other classes."""
    total = Fraction(0)
    for i in (c for c in range(3) if c != k):
        (j,) = (c for c in range(3) if c not in (i, k))
        own, other = ([P[x][i] for x in exact.members(y, c)] for c in (i, j))
        total += sum((exact.psi(p, q) for p in own for q in other), Fraction(0)) / 4
    return total


def ordered_classes(exact):
    y, s, w = [0, 0, 1, 1, 2, 2], [Fraction(v) for v in (1, 3, 2, 3, 4, 5)], [Fraction(1)] * 6
    for k, name in enumerate(("low", "middle", "high")):
        yield f"| {name} | {s[2 * k]}, {s[2 * k + 1]} |"
    for low in s[:2]:
        for middle in s[2:4]:
            counts = " | ".join(shown(exact.chain([low, middle, high])) for high in s[4:])
            yield f"| {low} | {middle} | {counts} |"
    columns, volume = exact.components(lambda v: exact.vus(y, s, v), y, w), exact.vus(y, s, w)
    for k, name in enumerate(("low", "middle", "high")):
        own = columns[2 * k : 2 * k + 2]
        squares = sum((c - volume) ** 2 for c in own)
        yield f"| {name} | {shown(own[0])}, {shown(own[1])} |"
        yield f"{decimal(squares)} | {decimal(squares / 2)} |"
    variance = exact.covariance(columns, columns, y, w)
    yield f"VUS = {volume} = {decimal(volume)}; chance is 1/6."
    yield f"The variance is {decimal(variance)}, the standard error {sqrt(variance):.4f}."


def probabilities(exact):
    y, p = [0, 0, 1, 0, 1, 1, 0, 1], [Fraction(v, 10) for v in (1, 2, 3, 4, 5, 7, 8, 9)]
    w = [Fraction(1)] * 8
    brier = sum((code - q) ** 2 for code, q in zip(y, p, strict=True))
    yield "| forecast | " + " | ".join(map(decimal, p)) + " |"
    yield "| event | " + " | ".join(map(str, y)) + " |"
    yield "| squared error | " + " | ".join(decimal((c - q) ** 2) for c, q in zip(y, p, strict=True)) + " |"
    fitted = [Fraction(v) for v in ("0", "0", "1/2", "1/2", "2/3", "2/3", "2/3", "1")]
    terms = exact.isotonic_terms(y, p, w)
    assert sum((c - q) ** 2 for c, q in zip(y, fitted, strict=True)) / 8 == terms[2] - terms[1]
    yield "| recalibrated | " + " | ".join(map(shown, fitted)) + " |"
    errors = [(c - q) ** 2 for c, q in zip(y, fitted, strict=True)]
    yield "| squared error | " + " | ".join(map(shown, errors)) + " |"
    yield f"{decimal(brier)} / 8 = {decimal(brier / 8)}"
    yield f"= {terms[2] - terms[1]} = {float(terms[2] - terms[1]):.5f}"
    yield f"= {float(terms[0]):.5f};\n- discrimination"
    yield f"= {float(terms[1]):.5f};\n- uncertainty: {decimal(terms[2])}."
    yield f"{float(terms[0]):.5f} − {float(terms[1]):.5f} + {decimal(terms[2])} = {decimal(brier / 8)} again"


def fronts(exact):
    y, s, w = [0, 0, 1, 1], [Fraction(v, 10) for v in (1, 6, 4, 9)], [Fraction(1)] * 4
    for threshold, (fpr, tpr) in zip(sorted(s), reversed(exact.roc_points(y, s, w)), strict=False):
        yield f"| {decimal(threshold)} | {shown(fpr)} | {shown(1 - tpr)} |"
    yield "| never | 0 | 1 |"
    area = exact.auc(y, s, w)
    yield f"2 AUC − 1 = 2 · {shown(area)} − 1 = {shown(2 * area - 1)}"
    yield "G = (⅛ + ⅛) / ½ = ½"


PAGE_FACTS = (two_classes, several_classes, ordered_classes, probabilities, fronts)
FACTS = {function.__name__: function for function in PAGE_FACTS}


def faults(name, text, exact):
    """Facts that are not on a page, and sums that are wrong."""
    return [fact for fact in FACTS[name](exact) if fact not in text] + wrong_sums(text)


@pytest.mark.parametrize("name", FACTS)
def test_numbers_follow_from_the_definitions(name, exact):
    assert faults(name, prose(name), exact) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTS)
def test_a_changed_number_is_noticed(name, exact):
    """Each number in turn; some that only name a case or explain a count are missed."""
    text = prose(name)
    places = [match.span() for match in NUMBER.finditer(text)]
    missed = []
    for start, end in places:
        token = text[start:end]
        other = ("½" if token == "¼" else "¼") if token in SIGNS else token[:-1] + str((int(token[-1]) + 1) % 10)
        if not faults(name, text[:start] + other + text[end:], exact):
            missed.append(text[max(start - 15, 0) : end + 10])
    assert len(missed) <= UNNOTICED * len(places), missed


def test_every_page_is_checked():
    assert {path.stem for path in PAGES.glob("*.md")} == {*FACTS, "index"}
