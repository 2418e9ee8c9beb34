"""Messages refer to options and calls by structure, and every front end spells these references itself."""

import ast
import copy
import pickle
import warnings
from inspect import signature
from pathlib import Path

import click
import numpy as np
import pytest

import polyroc as pr
from polyroc import errors
from polyroc.cli.app import COMMANDS, app, load_command
from polyroc.cli.references import PYTHON_ONLY, shell_spelling
from polyroc.errors import InputError, MissingFileError, MissingPackageError, PolyrocWarning
from polyroc.messages import Call, Message, Option
from polyroc.serve.forms import FIELDS, ROLES, field_spelling
from polyroc.validation.scores import normalise

SOURCE = Path(pr.__file__).parent
Y = np.array([0, 1] * 8)
SCORE = np.arange(16.0)
THREE = np.arange(15) % 3
P = np.full((15, 3), 1 / 3)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("messages") / "a.csv"
    lines = [f"{'ab'[i % 2]},{i / 16},{1 - i / 16},{i},m{i % 2}" for i in range(16)]
    path.write_text("\n".join(["y,p_a,p_b,w,model", *lines]) + "\n")
    return path


def read(file, **options):
    return pr.read(file, **{"truth": "y", "scores": "p_*", **options})


# What is called, and the end of the message for Python, the command line and the web page
CASES = {
    "positive class": (
        lambda _: pr.evaluate(["a", "b"], [1, 2]),
        "use pos_label='b' or 'a'.",
        "use --pos-label b or a.",
        "use \"Positive class\" ('b' or 'a').",
    ),
    "positive class of a measure": (
        lambda _: pr.evaluate(["a", "b"], [[1, 0], [0, 1]], measure="auc"),
        "auc needs to know the positive class; use pos_label='b' or 'a'.",
        "auc needs to know the positive class; use --pos-label b or a.",
        "use \"Positive class\" ('b' or 'a').",
    ),
    "missing values": (
        lambda _: pr.evaluate([0, 1, 1], [0.5, np.nan, 1]),
        "Complete them, or use missing='drop' to drop these rows.",
        "Complete them, or use --missing drop to drop these rows.",
        'Complete them, or use "Drop rows with missing values" under "More options" to drop these rows.',
    ),
    "one class": (
        lambda _: pr.evaluate(["a", "a"], [1, 2]),
        "name them all with labels=[...].",
        "name them all with --labels A,B,C.",
        'name them all with "Classes in order".',
    ),
    "order of the classes": (
        lambda _: pr.evaluate(THREE, THREE + 0.5, measure="vus"),
        "give it with labels=[...].",
        "give it with --labels A,B,C.",
        'give it with "Classes in order".',
    ),
    "columns of other classes": (
        lambda file: read(file, scores=["p_a", "w"]),
        "name every class with labels=[...].",
        "name every class with --labels A,B,C.",
        'name every class with "Classes in order".',
    ),
    "one column too few": (
        lambda _: pr.evaluate(THREE, P[:, :2]),
        "also those without cases, with labels=[...].",
        "also those without cases, with --labels A,B,C.",
        'with "Classes in order".',
    ),
    "conversion to one score": (
        lambda _: pr.evaluate(THREE, P, labels=[0, 1, 2], measure="vus"),
        "convert it with to_ordered(...).",
        "convert it with --convert sampat or --convert expected.",
        "convert it with to_ordered(...).",
    ),
    "conversion to probabilities": (
        lambda _: pr.evaluate(THREE, THREE + 0.5, labels=[0, 1, 2], measure="hand_till"),
        "convert it with to_probabilities(...).",
        "convert it with --convert gaussian.",
        "convert it with to_probabilities(...).",
    ),
    "one classifier": (
        lambda _: pr.compare(Y, SCORE, measure="auc"),
        "name each, as in y_score={'NAME': ...}.",
        "name each, as in --scores NAME=COLUMNS.",
        "name each, as in y_score={'NAME': ...}.",
    ),
    "method without a formula": (
        lambda _: pr.evaluate(THREE, P, measure="ova", method=pr.Unbiased()),
        "use method=DeLong() or Bootstrap().",
        "use --method delong or bootstrap.",
        "use method=DeLong() or Bootstrap().",
    ),
    "paired classifiers": (
        lambda _: pr.compare(Y, {"a": SCORE, "b": -SCORE}, measure="auc", method=pr.HanleyMcNeil()),
        "use method=DeLong() or Unbiased() or Bootstrap().",
        "use --method delong or unbiased or bootstrap.",
        "use method=DeLong() or Unbiased() or Bootstrap().",
    ),
    "permutation": (
        lambda _: pr.evaluate(Y, SCORE, method=pr.Permutation()),
        "method=Permutation() is for comparisons; use another method.",
        "--method permutation is for comparisons; use another method.",
        "method=Permutation() is for comparisons; use another method.",
    ),
    "curve of many classes": (
        lambda _: pr.curve(THREE, P),
        "with multi_class='ova', or every pair with multi_class='ovo'.",
        "with --multi-class ova, or every pair with --multi-class ovo.",
        "with multi_class='ova', or every pair with multi_class='ovo'.",
    ),
    "folds": (
        lambda _: pr.curve(Y, SCORE, average="vertical"),
        "average='vertical' needs the fold of each case; pass folds.",
        "--average vertical needs the fold of each case; pass --folds.",
        "average='vertical' needs the fold of each case; pass \"fold\".",
    ),
    "calibrated": (
        lambda _: pr.operate(THREE, P, at_most={(0, 1): 0.1}, calibrated=True),
        "calibrated=True uses a fixed one;",
        "--calibrated uses a fixed one;",
        "calibrated=True uses a fixed one;",
    ),
    "large file": (
        lambda file: pr.operate(three_classes(file), truth="y", scores="p_*", engine="duckdb"),
        "evaluate it on all of them with rates(rule=...).",
        "evaluate it on all of them with polyroc rates --rule ....",
        "evaluate it on all of them with rates(rule=...).",
    ),
    "column of subgroups": (
        lambda file: pr.evaluate(file, truth="y", scores="p_*", pos_label="b", by="modle"),
        "has no column 'modle' (by)",
        "has no column 'modle' (--by)",
        "has no column 'modle' (\"subgroup\")",
    ),
    "method in memory": (
        lambda file: pr.evaluate(file, truth="y", scores="p_*", engine="duckdb", method=pr.Jackknife()),
        "into memory with engine='memory', or use method=DeLong().",
        "into memory with --engine memory, or use --method delong.",
        "into memory with engine='memory', or use method=DeLong().",
    ),
    "tolerance": (
        lambda file: pr.evaluate(file, truth="y", scores="p_*", tolerance=-1),
        "for exact results use exact=True.",
        "for exact results use --exact.",
        "for exact results use exact=True.",
    ),
    "weights": (
        lambda _: pr.evaluate(Y, SCORE, sample_weight=Y + 0.5, weight_kind="frequency"),
        "use weight_kind='importance' for weights that say how much a case counts.",
        "use --weight-kind importance for weights that say how much a case counts.",
        'use "Frequency weights" under "More options" for weights that say how much a case counts.',
    ),
    "column": (
        lambda file: read(file, truth="z"),
        "has no column 'z' (truth).",
        "has no column 'z' (--truth).",
        "has no column 'z' (\"true class\").",
    ),
    "case": (
        lambda file: read(file, class_="model", scores="w"),
        "With class_='model' a case has several rows; give the column that names the case with case=....",
        "With --class model a case has several rows; give the column that names the case with --case ....",
        'With "class of the score" a case has several rows; give the column that names the case with "case".',
    ),
    "scores by classifier": (
        lambda file: read(file, scores={"a": "p_a"}, classifier="model"),
        "with classifier or class_ a case has several rows",
        "with --classifier or --class a case has several rows",
        'with "classifier" or "class of the score" a case has several rows',
    ),
    "table": (
        lambda file: read(file, table="t"),
        "is not a DuckDB file and has no tables; leave out table='t'.",
        "is not a DuckDB file and has no tables; leave out --table t.",
        'leave out "Sheet" under "How the file is read" (\'t\').',
    ),
    "enumeration": (
        lambda _: pr.compare_measures("auc", "accuracy", sizes=(30, 30), ties=True, max_lists=10),
        "Sample them with model=RankedLists((30, 30)), or take fewer cases.",
        "Sample them with --model lists --sizes 30,30, or take fewer cases.",
        "Sample them with model=RankedLists((30, 30)), or take fewer cases.",
    ),
}


def three_classes(file):
    path = file.with_name("three.csv")
    path.write_text("y,p_a,p_b,p_c\n" + "".join(f"{'abc'[i % 3]},0.2,0.3,0.5\n" for i in range(9)))
    return path


@pytest.mark.parametrize("name", CASES)
def test_an_error_is_spelled_for_python_the_shell_and_the_page(name, file):
    call, *expected = CASES[name]
    with pytest.raises(errors.PolyrocError) as caught:
        call(file)
    spellings = [str(caught.value), caught.value.render(shell_spelling), caught.value.render(field_spelling)]
    for spelling, end in zip(spellings, expected, strict=True):
        assert end in spelling


def test_a_warning_is_spelled_too():
    with pytest.warns(errors.OptimismWarning, match="other cases with evaluate_on, or") as caught:
        pr.operate(Y, SCORE)
    (warning,) = (record.message for record in caught if isinstance(record.message, PolyrocWarning))
    assert warning.render(shell_spelling).endswith(
        "other cases with --evaluate-on, or correct them with --method bootstrap."
    )


def test_the_reason_of_a_skipped_measure_is_spelled_too():
    skipped = pr.evaluate(THREE, P).skipped
    assert skipped["vus"] == "needs the order of the classes; give it with labels=[...]"
    assert Message(skipped["vus"]).render(shell_spelling).endswith("give it with --labels A,B,C")


@pytest.mark.parametrize("kind", [InputError, MissingFileError, MissingPackageError])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_references_survive_copies(kind, again):
    error = again(kind("use ", Option("method", Call("DeLong")), "."))
    assert str(error) == "use method=DeLong()."
    assert error.args == ("use method=DeLong().",)
    assert error.render(shell_spelling) == "use --method delong."


def test_messages_are_made_of_messages():
    inner = InputError("use ", Option("missing", "drop"))
    assert InputError("File a: ", inner.message).render(shell_spelling) == "File a: use --missing drop"


def test_names_from_the_data_are_no_references():
    with pytest.raises(InputError) as caught:
        normalise(["labels=[...]", "missing='drop'"], [1, 2])
    assert "{'labels=[...]', \"missing='drop'\"}" in caught.value.render(shell_spelling)


# Sources


def references():
    """The name of every option that a message refers to."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Option":
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    yield name.value


def options(command):
    """The options of a command and its sub-commands."""
    yield from (name for param in command.params for name in param.opts)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from options(inner)


@pytest.mark.slow
def test_every_option_in_a_message_is_one_of_the_command_line():
    known = {name for command in (app, *map(load_command, COMMANDS)) for name in options(command)}
    spelled = {name: shell_spelling(Option(name)) for name in set(references()) - PYTHON_ONLY}
    assert {name: option for name, option in spelled.items() if option not in known} == {}


def test_every_field_of_the_page_is_an_option_of_read():
    assert {*FIELDS, *ROLES} <= set(signature(pr.read).parameters)


REWRITING = {"replace", "sub", "subn", "removeprefix", "removesuffix", "translate"}
MESSAGES = {"error", "message", "trouble", "reason", "warning", "caught"}


def rewritten(path):
    """Calls that rewrite the text of a message."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REWRITING
        ):
            continue
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        if names & MESSAGES:
            yield f"{path.relative_to(SOURCE)}:{node.lineno}"


@pytest.mark.slow
def test_no_message_is_rewritten_as_text():
    assert [place for path in SOURCE.rglob("*.py") for place in rewritten(path)] == []


def test_the_shown_line_is_the_callers():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pr.operate(Y, SCORE)
    assert {record.filename for record in caught} == {__file__}
