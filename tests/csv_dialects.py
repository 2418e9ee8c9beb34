"""CSV files of many dialects, and what the two ways to read them give."""

import random
import warnings

import polyroc as pr
from polyroc.errors import PolyrocError

CLASSES = {
    "words": ("cat", "dog"),
    "numbers": ("0", "1"),
    "large numbers": ("9007199254740993", "9007199254740992"),
    "beyond 64 bits": ("99999999999999999999", "99999999999999999998"),
    "decimals": ("1.0", "2.5"),
    "decimals of one value": ("1.0", "1"),
    "leading zeros": ("01", "1"),
    "leading zeros of several lengths": ("001", "01"),
    "plus": ("+1", "1"),
    "hexadecimal": ("0x10", "16"),
    "hexadecimal only": ("0x1", "0x2"),
    "exponents": ("1e1", "10"),
    "underscores": ("1_0", "10"),
    "comment signs": ("#1", "2"),
    "comment signs of both": ("#a", "#b"),
    "semicolon comment": (";a", "b"),
    "slashes": ("//a", "b"),
    "yes and no": ("yes", "no"),
    "t and f": ("t", "f"),
    "y and n": ("y", "n"),
    "on and off": ("on", "off"),
    "true and false": ("true", "false"),
    "True and FALSE": ("True", "FALSE"),
    "three spellings of true": ("true", "TRUE", "false"),
    "true and 1": ("true", "1"),
    "dates": ("2024-01-01", "2024-01-02"),
    "dates with slashes": ("01/02/2024", "1/2/2024"),
    "times": ("12:00:00", "12:00"),
    "timestamps": ("2024-01-01 00:00:00", "2024-01-01T00:00:00"),
    "spaces before": (" a", "a"),
    "spaces after": ("a ", "a"),
    "spaces around numbers": (" 1", "1", "2"),
    "capitals": ("cat", "Cat"),
    "accents": ("été", "hiver"),
    "quotes inside": ('"say ""a"""', "b"),
    "delimiter inside": ('"a,b"', '"b;c"'),
    "line feed inside": ('"a\nb"', "c"),
    "apostrophes": ("'a'", "a"),
    "backslashes": ("a\\n", "a"),
    "brackets": ("[1]", "{1}"),
    "percent": ("10%", "20%"),
    "money": ("1,000", "2"),
    "infinity": ("inf", "1"),
    "dash": ("-", "a"),
    "question mark": ("?", "a"),
    "dot": (".", "a"),
}
MISSING = ["NA", "N/A", "#N/A", "<NA>", "nan", "NaN", "NULL", "null", "None", "none", "NIL", '""', "missing"]
SCORES = [
    *(
        "0x10",
        "1_000",
        "1e-3",
        "1,5",
        "1e400",
        "-0",
        "+0.5",
        ".5",
        "5.",
        " 0.5",
        "0.5 ",
        "\u0661",
        "0.5f",
        "1/2",
        "50%",
    ),
    *("true", "yes", "#0.5", "2024-01-01", "inf", "-Infinity", "0b1", "1d", "NA", "", "'0.5'", '"0.5"'),
]


def rows(classes=("a", "b"), n=40, seed=0):
    rng = random.Random(seed)
    return [[label, f"{i + rng.random() * 2:.6f}"] for _ in range(n // 2) for i, label in enumerate(classes)]


def lines(table, delimiter=",", end="\n", header=("truth", "score")):
    return end.join(delimiter.join(row) for row in [header, *table]) + end


def dialects():
    """By name: the text or the bytes of a file."""
    for name, classes in CLASSES.items():
        yield f"classes: {name}", lines(rows(classes))
    for word in MISSING:
        yield f"class {word}", lines([*rows(), [word, "0.5"]])
        yield f"score {word}", lines([*rows(), ["a", word]])
    for score in SCORES:
        yield f"one score {score}", lines([*rows(), ["a", score]])
        yield f"first score {score}", lines([["a", score], *rows()])
        yield f"all scores {score}", lines([[label, score] for label, _ in rows()])
    yield "infinite score of a missing class", lines([*rows(), ["", "inf"]])
    yield (
        "scores true and false",
        lines([[label, "true" if i % 3 else "False"] for i, (label, _) in enumerate(rows())]),
    )
    yield "scores t and f", lines([[label, "t" if i % 3 else "f"] for i, (label, _) in enumerate(rows())])
    for delimiter in ",;\t|":
        for end in ("\n", "\r\n", "\r"):
            yield f"delimiter {delimiter!r}, end {end!r}", lines(rows(), delimiter, end)
    for delimiter in ":^~ ":
        yield f"delimiter {delimiter!r}", lines(rows(), delimiter)
    yield "line ends mixed", lines(rows()) + "a,0.5\r\nb,0.6\n"
    yield "no last line end", lines(rows()).rstrip()
    yield "byte order mark", "\ufeff" + lines(rows())
    yield "UTF-16", lines(rows()).encode("utf-16")
    yield "Latin-1", lines(rows(("été", "hiver"))).encode("latin-1")
    yield "empty lines before", "\n\n" + lines(rows())
    yield "empty lines after", lines(rows()) + "\n\n"
    yield "empty line between", lines(rows()) + "\n" + lines(rows(seed=1)).split("\n", 1)[1]
    yield "other line ends before", "\n" + lines(rows(), end="\r\n")
    yield "comment before", "# made by a program\n" + lines(rows())
    yield "comment between", lines(rows()) + "# a comment\n" + "a,0.5\n"
    yield "comment with a delimiter", lines(rows()) + "#a,0.5\n"
    yield "comment after a value", lines(rows()) + "a,0.5 # a comment\n"
    yield "units under the header", lines([["", "points"], *rows()])
    yield "header twice", lines(rows()) + lines(rows())
    yield "no header", lines(rows()).split("\n", 1)[1]
    yield "only a header", "truth,score\n"
    yield "nothing", ""
    yield "only line ends", "\n\n\n"
    yield "duplicate columns", lines([[*row, row[1]] for row in rows()], header=("truth", "score", "score"))
    yield (
        "duplicate other columns",
        lines([["1", *row, "2"] for row in rows()], header=("x", "truth", "score", "x")),
    )
    yield (
        "columns that differ in capitals",
        lines([[*row, "1"] for row in rows()], header=("truth", "score", "Score")),
    )
    yield "column without a name", lines([["1", *row] for row in rows()], header=("", "truth", "score"))
    yield "columns without a name", lines([["1", "2", *row] for row in rows()], header=("", "", "truth", "score"))
    yield "spaces in the header", lines(rows(), header=("truth", " score"))
    yield "quoted header", lines(rows(), header=('"truth"', '"score"'))
    yield "header with numbers", lines([[*row, "1"] for row in rows()], header=("truth", "score", "2024"))
    yield "long row", lines(rows()) + "a,0.5,1\n"
    yield "short row", lines(rows()) + "a\n"
    yield "delimiter at the end", lines([[*row, ""] for row in rows()])
    yield "quote without end", lines(rows()) + '"a,0.5\n'
    yield "quote inside", lines(rows()) + 'a"b,0.5\n'
    yield "text after a quote", lines(rows()) + '"a"b,0.5\n'
    yield "all quoted", lines([[f'"{value}"' for value in row] for row in rows()])
    yield "quotes after spaces", lines([[f' "{label}"', score] for label, score in rows()])
    yield "single quotes", lines([[f"'{label}'", score] for label, score in rows()])
    yield "zero byte", lines(rows()) + "a,0.5\0\n"
    yield "date column beside", lines([[*row, "2024-01-01"] for row in rows()], header=("truth", "score", "day"))
    yield "text late", lines(rows(n=6000)) + "a,x\n"
    yield "class late", lines(rows(("1", "2"), n=6000)) + "01,0.5\n"
    yield "decimal comma", lines([[label, score.replace(".", ",")] for label, score in rows()], ";")
    yield "thousands", lines([[label, f'"1,{score}"'] for label, score in rows()])


DIALECTS = dict(dialects())


def outcome(path, engine, **options):
    """The value and the classes, or the error."""
    options = {"truth": "truth", "scores": "score", "measure": "auc", **options}
    if engine == "duckdb":
        options["exact"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimate = pr.evaluate(path, engine=engine, **options)
        except PolyrocError as error:
            return error
    return estimate.value


def agree(memory, engine):
    if isinstance(memory, Exception) or isinstance(engine, Exception):
        return isinstance(memory, Exception) and isinstance(engine, Exception)
    return abs(memory - engine) < 1e-12
