"""The counts of the tests marked `sweep`, stored for docs/how_it_fails.md: `make test-calls`.

Such a test calls the fixture `figures` with what it tried, of which kind, and how that ended.
"""

import datetime
import json
import platform
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

PACKAGES = ("polyroc", "numpy", "click", "duckdb", "scikit-learn")
COUNTS = ("tried", "rejected", "accepted", "interrupted", "failed")


@pytest.fixture
def figures(record_property):
    """Store the counts of one kind of trial."""

    def store(kind, counts):
        record_property("figures", [kind, {name: counts.get(name, 0) for name in COUNTS}])

    return store


def pytest_addoption(parser):
    """The file to store the counts in."""
    parser.addoption("--figures", metavar="FILE", help="store the counts of tests marked sweep in this file")


def pytest_terminal_summary(terminalreporter, config):
    """Store the counts of all tests, also those that workers ran."""
    file = config.getoption("--figures", None)
    if file is None:
        return
    together = {}
    for report in [*terminalreporter.stats.get("passed", []), *terminalreporter.stats.get("failed", [])]:
        for kind, counts in [value for name, value in report.user_properties if name == "figures"]:
            together.setdefault(kind, Counter()).update(counts)
    versions = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    record = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions,
        "kinds": {kind: {name: counts[name] for name in COUNTS} for kind, counts in sorted(together.items())},
    }
    Path(file).write_text(json.dumps(record, indent=1) + "\n")
