"""`polyroc warm-up` compiles every kernel, for the types that calls have."""

import subprocess
import sys

import pytest

from command import polyroc

# Kernels that no other kernel calls, and that no call has compiled.
SCRIPT = """
import pkgutil, sys
from importlib import import_module
from polyroc import kernels
from polyroc.cli.app import run
from polyroc.kernels.jit import Kernel
code = run(["warm-up"])
modules = [import_module(f"polyroc.kernels.{module.name}") for module in pkgutil.iter_modules(kernels.__path__)]
members = {member for module in modules for member in vars(module).values() if isinstance(member, Kernel)}
called = {
    member.function.__globals__.get(name) for member in members for name in member.function.__code__.co_names
}
missing = [member.__qualname__ for member in members - called if not member.dispatcher.overloads]
print(code, len(members), missing)
"""


@pytest.mark.slow
def test_warm_up_compiles_every_kernel():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "Everything is compiled."
    code, kernels, missing = second.split(maxsplit=2)
    assert (code, missing) == ("0", "[]")
    assert int(kernels) > 50
    assert done.stderr == ""


def test_help_says_what_it_is_for():
    done = polyroc("warm-up", "--help")
    assert done.returncode == 0
    assert "RUN pip install polyroc && polyroc warm-up" in done.stdout
