"""Packages that some tests need: those of the extra `dev`, which need not be complete everywhere.

Where the environment variable POLYROC_REQUIRE_PACKAGES is 1, as in `.ci/run`, a missing one is a failure, so that
no test is left out without a word.
"""

import os
from importlib import import_module

import pytest

REQUIRED = os.environ.get("POLYROC_REQUIRE_PACKAGES") == "1"


def package(name):
    """The module of this name; without it, the test (or the file of tests) is skipped or fails."""
    return import_module(name) if REQUIRED else pytest.importorskip(name)


def skip_without(reason):
    """Skip a test that needs what only a package has; a failure where packages are required."""
    (pytest.fail if REQUIRED else pytest.skip)(reason)
