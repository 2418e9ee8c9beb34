"""Kernels that Python runs on little data, and machine code on more: the same to the last bit."""

import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc import kernels
from polyroc.fronts.fixed_classifier import fixed_fronts
from polyroc.kernels import jit
from polyroc.kernels.class_blocks import count
from polyroc.kernels.jit import Kernel, all_sizes, kernel
from polyroc.kernels.placements import area
from polyroc.validation.random import Draws


def all_kernels():
    """Every kernel of the package, by module and name."""
    modules = [
        import_module(f"polyroc.kernels.{module.name}") for module in pkgutil.iter_modules(kernels.__path__)
    ]
    members = [member for module in modules for member in vars(module).values() if isinstance(member, Kernel)]
    return {f"{member.__module__}.{member.__qualname__}": member for member in members}


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result


def test_little_is_run_by_python_and_much_is_compiled(monkeypatch):
    monkeypatch.setattr(jit, "INTERPRETED", 25)
    add = kernel(steps=all_sizes)(total)
    for _ in range(2):
        assert add(np.arange(10)) == 45
        assert add._compiled is None
    assert add(np.arange(10)) == 45
    assert add._compiled is not None
    assert type(add(np.arange(10))) is int


def test_a_kernel_without_steps_is_always_compiled():
    add = kernel(total)
    assert add(np.arange(3)) == 3
    assert add._compiled is not None


def test_numbers_are_those_of_python_and_nothing_warns(monkeypatch):
    monkeypatch.setattr(jit, "INTERPRETED", 100)
    add = kernel(steps=all_sizes)(total)
    assert type(add(np.arange(3.0))) is float
    assert np.isnan(add(np.array([np.inf, -np.inf])))
    assert add._compiled is None


def test_kernels_call_kernels_as_python_does(monkeypatch):
    monkeypatch.setattr(jit, "INTERPRETED", 100)
    used = []
    monkeypatch.setattr(Kernel, "_make_dispatcher", lambda self: used.append(self.__name__))
    assert _outer(np.arange(3)) == 6
    assert used == []


@kernel
def _inner(numbers):
    return 2 * numbers.sum()


@kernel(steps=all_sizes)
def _outer(numbers):
    return _inner(numbers)


def test_kernels_can_be_pickled_by_name():
    assert pickle.loads(pickle.dumps(count)) is count


def bits(value):
    """A value such that only equal bits are equal."""
    if isinstance(value, tuple):
        return [*map(bits, value)]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return type(value), np.asarray(value).tobytes()


COMPARED: set[str] = set()
MOST = 50_000  # steps of a call that is compared


def run_both_ways(self, *arguments):
    """Call a kernel as Python and as machine code, and compare what it returns and writes."""
    if self.steps is None or self.steps(*arguments) > MOST:
        return self.dispatcher(*arguments)
    others = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    interpreted, compiled = self.interpret(*others), self.dispatcher(*arguments)
    assert bits(interpreted) == bits(compiled), self.__qualname__
    for one, other in zip(arguments, others, strict=True):
        assert bits(one) == bits(other), self.__qualname__
    COMPARED.add(f"{self.__module__}.{self.__qualname__}")
    return compiled


@st.composite
def data(draw):
    """True classes, and scores with and without ties."""
    classes = draw(st.integers(2, 4))
    n = draw(st.integers(2 * classes, 30))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = np.concatenate([np.repeat(np.arange(classes), 2), rng.integers(classes, size=n - 2 * classes)])
    P = rng.dirichlet(np.ones(classes), size=n) + 0.3 * np.eye(classes)[y]
    if draw(st.booleans()):
        P = P.round(1) + np.where(P > 0.9, 0.0, 0.1)
    if draw(st.booleans()):  # zeros, also for the own class
        P[rng.uniform(size=P.shape) < 0.2] = 0.0
        P[P.sum(axis=1) == 0.0] = 1.0
    weight = rng.uniform(0.5, 2.0, size=n) if draw(st.booleans()) else None
    return y, P / P.sum(axis=1, keepdims=True), weight


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::polyroc.errors.PolyrocWarning")
@given(data=data())
def test_python_and_machine_code_agree_to_the_last_bit(data):
    y, P, weight = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", run_both_ways)
        pr.evaluate(y, P, sample_weight=weight)
        pr.evaluate(y, P @ np.arange(P.shape[1]), labels=range(P.shape[1]), sample_weight=weight)
        pr.compare(y, {"a": P, "b": P[:, ::-1]}, measure="hand_till", sample_weight=weight)
        if P.shape[1] > 2:
            pr.operate(y, P @ np.arange(P.shape[1]), labels=range(P.shape[1]), criterion="youden")
        if P.shape[1] == 2:
            pr.compare(y, {"a": P[:, 1], "b": P[::-1, 1]}, measure="auc", method=pr.methods.Unbiased())
            pr.curve(y, P[:, 1], sample_weight=weight)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::polyroc.errors.PolyrocWarning")
@pytest.mark.parametrize("weighted", [False, True])
def test_what_a_report_needs_agrees_to_the_last_bit(weighted):
    rng = np.random.default_rng(int(weighted))
    y = np.arange(40) % 3
    P = rng.dirichlet(np.ones(3), size=40).round(1) + 0.2 * np.eye(3)[y] + 0.1
    P /= P.sum(axis=1, keepdims=True)
    weight = rng.integers(1, 4, size=40) if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", run_both_ways)
        for classes in (P, np.column_stack([P, 0.5 * P[:, 1]]) / (1.0 + 0.5 * P[:, 1:2])):
            truth = np.where(np.arange(40) % 5, y, classes.shape[1] - 1)
            scores = pr.Scores(truth, classes, sample_weight=weight)
            fixed_fronts(scores, 100, Draws.of(100, 0, None), quick=True)
        pr.calibration(y, P, sample_weight=weight, replicates=50)
        pr.curve(y > 0, P[:, 1], sample_weight=weight, drop_intermediate=True, band="pointwise")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::polyroc.errors.PolyrocWarning")
def test_every_kernel_that_python_runs_was_compared():
    """After the test above, whose examples reach all of them but those of values alone."""
    if not COMPARED:
        test_python_and_machine_code_agree_to_the_last_bit()
    test_what_a_report_needs_agrees_to_the_last_bit(weighted=False)
    rng = np.random.default_rng(0)
    y, s = np.arange(30) % 2, rng.integers(9, size=30) / 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", run_both_ways)
        pr.evaluate(y, s, measure="auc", method=None)
        pr.evaluate(y, np.column_stack([-s, s]), measure="hand_till", method=None)
        assert pr.evaluate(y, s, measure="auc").components is not None
    wanted = {name for name, member in all_kernels().items() if member.steps is not None}
    assert wanted <= COMPARED


LOADED = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
HEAVY = {"duckdb", "joblib", "llvmlite", "matplotlib", "narwhals", "numba", "pandas", "rich", "scipy", "sklearn"}
COMMAND = "import sys; from polyroc.cli.app import run; assert run({!r}) == 0\n"
LIGHT = {
    "import polyroc": HEAVY | {"numpy", "click"},
    "import polyroc.kernels.triples, polyroc.kernels.volumes, polyroc.kernels.bins": HEAVY,
    COMMAND.format(["--help"]): HEAVY | {"numpy"},
    COMMAND.format(["measures"]): HEAVY,
    COMMAND.format(["sample-size", "--help"]): HEAVY,
    COMMAND.format(["sample-size", "--value", "0.85", "--null", "0.75"]): HEAVY - {"scipy"},
    "import polyroc; polyroc.evaluate([0, 0, 1, 1], [1, 3, 2, 4], measure='auc')": HEAVY - {"scipy"},
}


@pytest.mark.parametrize("code", LIGHT)
def test_only_what_is_needed_is_loaded(code):
    done = subprocess.run([sys.executable, "-c", f"{code}\n{LOADED}"], capture_output=True, text=True, check=True)
    assert LIGHT[code] & set(done.stdout.splitlines()[-1].split()) == set()


@pytest.mark.slow
def test_nothing_is_compiled_by_an_import():
    code = (
        "import polyroc\n"
        "for name in polyroc.__all__:\n"
        "    getattr(polyroc, name)\n"
        "import sys; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_value_does_not_depend_on_who_runs_the_loop(monkeypatch):
    x, z = np.sort(np.random.default_rng(0).normal(size=(2, 50)))
    compiled = area(x, z, None, None)
    monkeypatch.setattr(jit, "INTERPRETED", 10**6)
    for member in all_kernels().values():
        monkeypatch.setattr(member, "_compiled", None)
        monkeypatch.setattr(member, "_taken", 0)
    assert area(x, z, None, None) == compiled
