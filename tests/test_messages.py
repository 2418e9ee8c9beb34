"""Messages refer to options and calls by structure, and every front end spells these references itself."""

import ast
import copy
import pickle
import re
import warnings
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import click
import numpy as np
import pytest

import polyroc as pr
from polyroc import errors
from polyroc.cli.app import COMMANDS, load_command
from polyroc.cli.references import shell_spelling, spelling_for
from polyroc.errors import InputError, MissingFileError, MissingPackageError, PolyrocWarning
from polyroc.measures.registry import MEASURES
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
        lambda _: pr.surface(THREE, P, labels=[0, 1, 2]),
        "convert it with to_ordered(...).",
        "convert it with --convert sampat or expected.",
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
        lambda _: pr.evaluate(THREE, P, measure="ova", method=pr.methods.Unbiased()),
        "use method=Influence() or Bootstrap().",
        "use --method influence or bootstrap.",
        "use method=Influence() or Bootstrap().",
    ),
    "measure without Hanley & McNeil's formula": (
        lambda _: pr.compare(
            Y, {"a": SCORE, "b": -SCORE}, measure="average_precision", method=pr.methods.HanleyMcNeil()
        ),
        "use method=Influence() or Bootstrap().",
        "use --method influence or bootstrap.",
        "use method=Influence() or Bootstrap().",
    ),
    "permutation": (
        lambda _: pr.evaluate(Y, SCORE, method=pr.methods.Permutation()),
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
        lambda file: pr.evaluate(file, truth="y", scores="p_*", engine="duckdb", method=pr.methods.Jackknife()),
        "into memory with engine='memory', or use method=Influence().",
        "into memory with --engine memory, or use --method influence.",
        "into memory with engine='memory', or use method=Influence().",
    ),
    "three classifiers of a pilot": (
        lambda _: pr.sample_size(Y, {"a": SCORE, "b": SCORE, "c": SCORE}, measure="auc"),
        "columns of one or two of them, as in y_score={'NAME': ...}, or keep the rows of one or two of them.",
        "as in --scores NAME=COLUMNS, or keep the rows of one or two of them.",
        "or keep the rows of one or two of them.",
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
        assert end in spelling.replace(" in Python", "")


def test_options_of_python_alone_are_called_so():
    with pytest.raises(errors.PolyrocError) as caught:
        pr.curve(THREE, THREE + 0.5, multi_class="ovo")
    spelling = spelling_for(load_command("curve"))  # which has no --convert
    assert caught.value.render(spelling).endswith("convert it with to_probabilities(...) in Python.")
    assert caught.value.render(field_spelling).endswith("convert it with to_probabilities(...) in Python.")
    assert spelling_for(load_command("surface"))(Call("to_ordered", ...)) == "--convert sampat or expected"
    assert spelling(Option("method", Call("Permutation"), Call("Bootstrap"))) == "--method bootstrap"
    assert spelling(Option("negate")) == "--scores NAME=-COLUMN"


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
    error = again(kind("use ", Option("method", Call("Influence")), "."))
    assert str(error) == "use method=Influence()."
    assert error.args == ("use method=Influence().",)
    assert error.render(shell_spelling) == "use --method influence."


def test_messages_are_made_of_messages():
    inner = InputError("use ", Option("missing", "drop"))
    assert InputError("File a: ", inner.message).render(shell_spelling) == "File a: use --missing drop"


def test_names_from_the_data_are_no_references():
    with pytest.raises(InputError) as caught:
        normalise(["labels=[...]", "missing='drop'"], [1, 2])
    assert "{'labels=[...]', \"missing='drop'\"}" in caught.value.render(shell_spelling)


# Sources


def trees():
    """The syntax tree of every module, with its path below the package."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE), ast.parse(path.read_text(encoding="utf-8"))


def value(node):
    """An argument of a reference, if it is written out; else any text."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Option", "Call"):
        return reference(node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def reference(node):
    """The reference that a call of `Option` or `Call` makes; None if its name is not written out."""
    name, *arguments = [value(argument) for argument in node.args if not isinstance(argument, ast.Starred)]
    return {"Option": Option, "Call": Call}[node.func.id](name, *arguments) if isinstance(name, str) else None


def references():
    """Every reference that a module makes, and the module."""
    for module, tree in trees():
        if module.name in ("messages.py", "references.py"):
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("Option", "Call")
            ):
                made = reference(node)
                if made is not None:
                    yield module, made


REFERENCES = [*references()]


def commands():
    """Every command that has options, by what is typed."""
    for name in COMMANDS:
        command = load_command(name)
        yield from ((f"{name} {below}", one) for below, one in getattr(command, "commands", {}).items())
        if not isinstance(command, click.Group):
            yield name, command


def unknown_words(words, command):
    """The options among the words of a shell that the command lacks, and values that it does not take."""
    params = {name: param for param in command.params for name in param.opts}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, param = word.split("=")[0].strip(",;.:()'\"`"), params.get(word)
        if name.startswith("--") and name not in params and name not in ("--help", "--version"):
            yield name
        if isinstance(getattr(param, "type", None), click.Choice) and following not in ("", "..."):
            try:
                param.type.convert(following, param, None)
            except click.BadParameter:
                yield f"{word} {following}"


@pytest.mark.slow
def test_a_command_proposes_only_what_it_can_do():
    """Every message may reach every command: the advice must then work there, or say that it is for Python."""
    wrong = []
    for typed, command in commands():
        spelling = spelling_for(command)
        for module, made in REFERENCES:
            spelled = spelling(made)
            if spelled.endswith(" in Python"):
                continue
            target, words, option = command, [], ""
            if spelled.startswith("polyroc "):
                target, words = load_command(spelled.split()[1]), spelled.split()[2:]
            else:
                for way in spelled.split(" or "):  # "--method influence or bootstrap": a value of the same option
                    option = way.split()[0] if way.startswith("--") else option
                    words += way.split() if way.startswith("--") else [option, *way.split()]
            wrong += [(typed, str(module), spelled, word) for word in unknown_words(words, target)]
    assert wrong == []


def callables():
    """What a Python user can call, by name: functions and classes of public modules, and methods."""
    public = [getattr(pr, name) for name in dir(pr)]
    for module in (pr, *(one for one in public if isinstance(one, ModuleType))):
        for name in dir(module):
            one = getattr(module, name)
            if callable(one) and not name.startswith("_"):
                yield name, one
            if isinstance(one, type):
                methods = ((key, getattr(one, key)) for key in dir(one) if not key.startswith("_"))
                yield from ((key, method) for key, method in methods if callable(method))


def names(one):
    """The names of the parameters, and those of the data options that are passed on."""
    try:
        parameters = signature(one).parameters
    except (TypeError, ValueError):
        return set()
    passed_on = [value.annotation for value in parameters.values() if value.kind is value.VAR_KEYWORD]
    options = {key for unpacked in passed_on for typed in get_args(unpacked) for key in get_type_hints(typed)}
    return {*parameters, *options}


@pytest.fixture(scope="module")
def parameters():
    """The names of the parameters of what has a name."""
    known = {}
    for name, one in callables():
        known.setdefault(name, set()).update(names(one))
    return known


DATA_OPTIONS = {*signature(pr.read).parameters}  # of the Scores that a verb is given
SHARED = ("validation", "io", "engines", "inference", "measures", "estimates", "conversions.py", "scores.py")


def test_every_reference_exists_in_python(parameters):
    """Where the message is raised: in a public function of the package, or in any if the package is shared."""
    homes = {}
    for _, one in callables():
        package = str(getattr(one, "__module__", "")).removeprefix("polyroc.").split(".")[0]
        homes.setdefault(package, set()).update(names(one))
    anywhere = set().union(*parameters.values())
    wrong = []
    for module, made in REFERENCES:
        package = module.parts[0]
        if isinstance(made, Call):
            known = made.name in parameters
        else:
            own = homes.get(package.removesuffix(".py"), set())
            shared = package in SHARED or not own
            known = made.name in (anywhere if shared else own | DATA_OPTIONS)
        if not known:
            wrong.append((str(module), str(made)))
    assert wrong == []


def texts():
    """Every text in the sources that is no docstring, with "X" where a value is put in, and its module."""
    for module, tree in trees():
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in inner or id(node) in plain:
                continue
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
                yield module, "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield module, node.value


COMMAND_LINE = re.compile(r"polyroc ((?:study )?[a-z][a-z-]*)((?: --?[a-z][^;.`()]*)?)")
PYTHON_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(\((?:[^()]|\([^()]*\))*=(?:[^()]|\([^()]*\))*\))")


@pytest.mark.slow
def test_commands_in_messages_can_be_typed():
    known, wrong = dict(commands()), []
    for module, text in texts():
        for name, arguments in COMMAND_LINE.findall(text):
            if arguments and name in known:
                wrong += [(str(module), text, word) for word in unknown_words(arguments.split(), known[name])]
            elif arguments and name not in COMMANDS:
                wrong.append((str(module), text, name))
    assert wrong == []


@pytest.mark.slow
def test_options_in_the_messages_of_a_command_are_its_own():
    every = {name for _, command in commands() for param in command.params for name in param.opts}
    every |= {"--help", "--help-all", "--version"}
    own = {}
    for _, command in commands():
        own.setdefault(Path(command.callback.__code__.co_filename).name, set()).update(
            name for param in command.params for name in param.opts
        )
    own |= {"app.py": every, "help.py": every, "study.py": every}
    wrong = []
    for module, text in texts():
        if module.parts[0] == "cli" and not COMMAND_LINE.search(text):
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text))
            wrong += [(str(module), text, word) for word in named - own.get(module.name, every)]
    assert wrong == []


def test_calls_in_messages_can_be_made(parameters):
    wrong = []
    for module, text in texts():
        if module.parts[0] == "datasets":
            continue  # on packages from which data come
        for name, arguments in PYTHON_CALL.findall(text):
            try:
                call = ast.parse(f"f{arguments}", mode="eval").body
            except SyntaxError:
                continue  # a formula, or words in brackets
            keywords = {word.arg for word in call.keywords if word.arg}
            if name in MEASURES:
                known = {*MEASURES[name].options, *MEASURES[name].variants, *parameters.get(name, ())}
            elif name in parameters:
                known = parameters[name]
            else:
                continue  # a function of another package
            if not keywords <= known:
                wrong.append((str(module), f"{name}{arguments}", keywords - known))
    assert wrong == []


def test_the_page_has_every_field_that_messages_name():
    page = (SOURCE / "serve" / "pages" / "choose.html").read_text(encoding="utf-8")
    controls = re.findall(
        r"<(?:label|summary)[^>]*>.*?</(?:label|summary)>|<p>{{ fields.table }}", page, re.DOTALL
    )
    named = {name for control in controls for name in re.findall(r"fields\.(\w+)", control)}
    assert set(FIELDS) <= named
    assert "role, words in roles.items()" in page


def test_every_field_of_the_page_is_an_option_of_read_or_of_reader_study():
    assert {*FIELDS, *ROLES} <= {*signature(pr.read).parameters, *signature(pr.reader_study).parameters}


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
