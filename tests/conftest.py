"""Fixtures for all tests, the profiles of the property tests, and the order in which files run.

No profile has a deadline, because machines are noisy. `polyroc` draws new examples in every run, so that repeated
runs find more, and `thorough` many, once a night; `settled` always draws the same ones; `quick` draws fewest, for
`make test-fast` and `.ci/run`, whose result does not depend on chance then.
"""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from chromium import browser
from disks import small_disk
from paper_reports import paper_reports
from polyroc.kernels import jit
from sweep_figures import figures, pytest_addoption, pytest_terminal_summary

__all__ = ["browser", "figures", "paper_reports", "pytest_addoption", "pytest_terminal_summary", "small_disk"]

settings.register_profile(
    "polyroc",
    deadline=None,
    max_examples=10,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", parent=settings.get_profile("polyroc"), max_examples=100)
settings.register_profile("settled", parent=settings.get_profile("polyroc"), derandomize=True)
settings.register_profile("quick", parent=settings.get_profile("settled"), max_examples=6)
settings.load_profile("polyroc")

# xdist sets the width of a terminal in its workers, where there is none: sentences would be wrapped. So does
# readline, which pytest imports, for the processes that are started, without telling `os.environ`.
os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")

# A shell ignores Ctrl-C in what it runs in the background, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests have little data, which Python would run; the twins are to be compared with the machine code.
jit.INTERPRETED = 0

HERE = Path(__file__).parent

LONGEST = (
    "engines/test_spark.py",
    "measures/test_laws.py",
    "engines/test_inputs.py",
    "engines/test_dialects.py",
    "io/test_read.py",
    "cli/test_environment.py",
    "docs/test_docs.py",
    "repro/test_reproduction.py",
    "repro/test_faults.py",
    "serve/test_serve.py",
    "results/test_damaged_results.py",
    "decisions/test_classifier.py",
    "serve/test_limits.py",
    "engines/test_spark_connect.py",
    "reports/test_page.py",
    "studies/test_resume.py",
    "studies/test_study.py",
    "cli/test_commands.py",
    "decisions/test_cost_resamples.py",
    "plots/test_plots.py",
    "cli/test_odd_lines.py",
    "studies/test_learner_code.py",
    "decisions/test_front_points.py",
)


MARKED_BY_FIXTURE = ("browser", "spark")


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a browser or Spark, and start the files that take longest first.

    A test needs a browser or Spark if it uses the fixture of that name, directly or through another fixture. Long
    files come first so that no worker is left with one of them at the end.
    """
    for item in items:
        for name in MARKED_BY_FIXTURE:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)
    places = {HERE / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """Leave modules and ten thousand tests out of garbage collections, and collect less often.

    Each collection would look at all of them; Sphinx and hypothesis make very many small objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure() -> None:
    """Undo it: what is not collected at the end of the process is a leak to DuckDB."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _close_figures():
    """Close the figures of a test; matplotlib warns if more than 20 are open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
