"""Functions of scipy without its packages are the functions of scipy."""

import subprocess
import sys

import pytest

from polyroc import _scipy

SCRIPT = """
import sys
from polyroc._scipy import brentq, ndtri, stdtrit
assert float(ndtri(0.975)) > 1.95
root = brentq(lambda x: x**3 - x - 1.0, 0.0, 2.0, xtol=1e-12, rtol=1e-15)
assert not {"scipy.special", "scipy.optimize"} & set(sys.modules)
import scipy.special, scipy.optimize, scipy.stats
assert scipy.special.ndtri is ndtri and scipy.special.stdtrit is stdtrit
assert root == scipy.optimize.brentq(lambda x: x**3 - x - 1.0, 0.0, 2.0, xtol=1e-12, rtol=1e-15)
assert scipy.special.logsumexp([0.0, 0.0]) > 0.69 and scipy.stats.norm.ppf(0.975) == ndtri(0.975)
"""


@pytest.mark.slow
def test_they_are_those_of_scipy_and_its_packages_can_be_imported_later():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_version_of_scipy_has_its_public_names(monkeypatch):
    def missing(*_):
        raise ImportError("no such module")

    monkeypatch.setattr(_scipy, "_module", missing)
    from scipy.special import ndtri

    assert _scipy.ndtri is ndtri
    assert _scipy.brentq(lambda x: x - 1.0, 0.0, 5.0, xtol=1e-12, rtol=1e-12) == 1.0


def test_a_name_that_scipy_does_not_have():
    with pytest.raises(AttributeError, match="no_such_function"):
        _ = _scipy.no_such_function


def test_an_unloaded_module_loads_itself_when_used(monkeypatch):
    """As another thread would that imports scipy.special at the same moment."""
    import scipy.special

    stand_in = _scipy._Unloaded("scipy.special")
    monkeypatch.setitem(sys.modules, "scipy.special", stand_in)
    ndtri = stand_in.ndtri
    assert ndtri(0.5) == 0.0
    assert sys.modules["scipy.special"] is not stand_in
    monkeypatch.setitem(sys.modules, "scipy.special", scipy.special)
