"""Outside `measures/` no code decides by the key of a measure; it asks the record, so that a new one fits in."""

import ast
from pathlib import Path

import pytest

import polyroc
from polyroc.measures.registry import MEASURES

PACKAGE = Path(polyroc.__file__).parent

# Words that are the key of a measure and something else, by file or folder.
OTHER_MEANINGS = {
    # multi_class="ova": one curve for each class against the rest
    "cli/curve.py": {"ova"},
    "cli/plot.py": {"ova"},
    "curves/": {"ova"},
    "reports/collection.py": {"ova"},
    "reports/file_collection.py": {"ova"},
    # the generalised Gini coefficient of a front, an entry of its record
    "cli/front.py": {"gini"},
    "reports/explorer.py": {"gini"},
    # options of `operate`, and columns of tables
    "decisions/": {"net_benefit", "sensitivity", "specificity"},
    "serve/forms.py": {"sensitivity", "specificity"},
    "cli/decision_curve.py": {"net_benefit"},
    # columns of tables, and the scores that are decomposed
    "reliability/result.py": {"brier", "log_loss", "spherical"},
    "reliability/decomposition.py": {"brier", "log_loss", "spherical"},
    "reliability/score_terms.py": {"brier", "log_loss", "spherical"},
    # tables of names and example calls, in which every measure has its entry
    "validation/names_elsewhere.py": set(MEASURES),
}


def other_meanings(place):
    return set().union(*(keys for start, keys in OTHER_MEANINGS.items() if place.startswith(start)))


def documentation(tree):
    """Docstrings, and the texts and defaults of the options of commands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.option", "measure_option"):
            yield from (keyword.value for keyword in node.keywords if keyword.arg in ("default", "help"))


def defaults(tree):
    """Defaults of parameters and of fields, also in a constant `DEFAULT_...`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (value for value in [*node.args.defaults, *node.args.kw_defaults] if value is not None)
        elif isinstance(node, ast.ClassDef):
            yield from (field.value for field in node.body if isinstance(field, ast.AnnAssign) and field.value)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("DEFAULT_"):
            yield node.value


def names_of_results(tree):
    """The measure of an estimate that is made: `Estimate(measure="auc", ...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "measure":
            yield node.value


def keys_in_code(code, keys=frozenset(MEASURES)):
    """The keys of measures among the strings of a module, with their lines."""
    tree = ast.parse(code)
    exempt = {
        id(node)
        for part in (*documentation(tree), *defaults(tree), *names_of_results(tree))
        for node in ast.walk(part)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in exempt:
            key = node.value.partition("(")[0]
            if key in keys:
                yield key, node.lineno


@pytest.mark.slow
def test_no_module_decides_by_the_key_of_a_measure():
    named = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith("measures/"):
            continue
        for key, line in keys_in_code(path.read_text(encoding="utf-8")):
            if key not in other_meanings(place):
                named.append(f"{place}:{line}: {key!r}")
    assert not named, "declare a property of Measure instead:\n" + "\n".join(named)


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ('if measure == "auc": pass', ["auc"]),
        ('WHOLE: dict = {"ovo": "hand_till"}', ["hand_till"]),
        ('estimates[name, "vus"]', ["vus"]),
        ('key = "partial_auc(fpr=(0, 0.2))"', ["partial_auc"]),
        ('def evaluate(measure="auc"): pass', []),
        ('class Plan:\n    measures: tuple = ("hand_till",)', []),
        ('click.option("--measure", default="auc", help="auc")', []),
        ('def f():\n    """auc"""', []),
        ('Estimate(measure="auc")', []),
    ],
)
def test_keys_are_recognised(code, keys):
    assert [key for key, _ in keys_in_code(code)] == keys
