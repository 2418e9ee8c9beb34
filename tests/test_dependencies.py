"""Declared dependencies are those that are imported, and every one has a lowest version."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
# imported through another declared package, which requires it
THROUGH = {"markupsafe": "jinja2", "mpl_toolkits": "matplotlib", "py4j": "pyspark", "distributed": "dask"}
# imported only for frames that the user brings
BROUGHT = {"pandas", "polars", "pyarrow"}


def distribution(requirement):
    """`dask` for `dask[distributed]>=2025.1`."""
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower().replace("_", "-")


def imported_modules(folder):
    """The top-level modules that the sources import, not those under TYPE_CHECKING only."""
    modules = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(node.module.partition(".")[0])
    return modules - set(sys.stdlib_module_names) - {"polyroc", "compression"}  # compression: Python 3.14


def run_time_requirements():
    """Those of the package and of the extras that users install."""
    extras = [line for name in EXTRAS if name not in ("all", "dev", "repro") for line in EXTRAS[name]]
    lines = [*PROJECT["dependencies"], *extras]
    return {distribution(line) for line in lines if not line.startswith("polyroc[")}


def imported_distributions():
    known = packages_distributions()
    distributions = set()
    for module in imported_modules(ROOT / "src"):
        module = THROUGH.get(module, module)
        distributions |= {name.lower().replace("_", "-") for name in known.get(module, [module])}
    return distributions


@pytest.mark.slow
def test_what_is_imported_is_declared():
    assert imported_distributions() - BROUGHT <= run_time_requirements()


@pytest.mark.slow
def test_what_is_declared_is_imported():
    assert run_time_requirements() <= imported_distributions()


@pytest.mark.parametrize("extra", [None, *EXTRAS])
def test_every_requirement_has_a_lowest_version(extra):
    for line in PROJECT["dependencies"] if extra is None else EXTRAS[extra]:
        assert re.search(r">=\d|==\d|^polyroc\[", line), line


def test_no_test_is_skipped_silently():
    """Where packages are required, `packages.package` fails; pytest's own function would skip."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path.name != "packages.py"]
    name = "import" + "orskip"
    assert [path.name for path in tests if name in path.read_text(encoding="utf-8")] == []


def named_extras():
    """The extras in commands that messages and pages name, with the file."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "repro").rglob("*.md")]
    for path in [*(ROOT / "src").rglob("*.py"), *pages]:
        text = path.read_text(encoding="utf-8")
        for names in re.findall(r"install_command\('(\w+)'\)|pip install \S(?:polyroc|\.)\[([a-z,]+)\]", text):
            for extra in "".join(names).split(","):
                yield path.name, extra


def test_every_command_that_is_recommended_names_an_extra_that_exists():
    named = set(named_extras())
    assert len(named) > 10
    assert {extra for _, extra in named} <= set(EXTRAS)


def test_the_quotes_are_those_of_every_shell():
    """Windows takes single quotes for a part of the name."""
    for path in (ROOT / "src").rglob("*.py"):
        assert "pip install '" not in path.read_text(encoding="utf-8"), path


def test_all_is_without_the_cluster_engines():
    def requirements(extra):
        for line in EXTRAS[extra]:
            inner = re.match(r"polyroc\[([a-z,]+)\]", line)
            for name in inner[1].split(",") if inner else ():
                yield from requirements(name)
            if not inner:
                yield distribution(line)

    assert {"pyspark", "dask"} <= set(requirements("cluster"))
    assert not {"pyspark", "dask", "pyarrow"} & set(requirements("all"))
    assert {"pyspark", "dask", "matplotlib", "scikit-learn"} <= set(requirements("dev"))
