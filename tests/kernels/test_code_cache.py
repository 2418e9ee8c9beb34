"""The cache of compiled code is only a cache: damaged or unwritable, the answer is the same."""

import os
import warnings

import numba
import numpy as np
import pytest

from disks import small_files
from polyroc.errors import CompilationCacheWarning
from polyroc.kernels import jit
from polyroc.kernels.jit import kernel

NUMBERS = np.arange(5.0)


def total(numbers):
    result = 0.0
    for number in numbers:
        result += number
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and a process that has compiled nothing and has not warned yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "_UNSTORED", [])
    monkeypatch.setattr(jit, "_KERNELS", set())
    jit._announce_once.cache_clear()
    return tmp_path


def answer():
    """The sum by a newly made kernel, and whether its code came from the cache."""
    compiled = kernel(total)
    assert compiled(NUMBERS) == 10.0
    return bool(sum(compiled.dispatcher.stats.cache_hits.values()))


def files(folder, ending="nb[ci]"):
    return sorted(folder.rglob(f"*.{ending}"))


def test_compiled_code_is_used_again(folder):
    assert not answer()
    assert len(files(folder)) == 2
    assert answer()


def damage(file, how):
    content = file.read_bytes()
    changed = {
        "empty": b"",
        "one byte": content[:1],
        "truncated": content[: len(content) // 2],
        "other bytes": b"\x80\x04" + os.urandom(1000),
    }[how]
    file.write_bytes(changed)


@pytest.mark.parametrize("how", ["empty", "one byte", "truncated", "other bytes"])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_files_are_a_warning_and_are_replaced(folder, monkeypatch, how, ending):
    answer()
    damage(files(folder, ending)[0], how)
    with pytest.warns(CompilationCacheWarning):
        assert not answer()
    assert files(folder) == []
    monkeypatch.setattr(jit, "_UNSTORED", [])  # the next process
    assert not answer()
    assert answer()


@kernel
def square(number):
    return number * number


def sum_of_squares(numbers):
    result = 0.0
    for number in numbers:
        result += square(number)
    return result


def test_the_code_of_a_kernel_that_another_one_calls_is_damaged(folder):
    square._compiled = None
    assert kernel(sum_of_squares)(NUMBERS) == 30.0
    for file in folder.rglob("*.square-*.nbc"):
        damage(file, "truncated")
    for file in folder.rglob("*.sum_of_squares-*"):
        file.unlink()
    square._compiled = None
    with pytest.warns(CompilationCacheWarning):
        assert kernel(sum_of_squares)(NUMBERS) == 30.0


def test_a_full_disk_is_one_warning(folder):
    with small_files(100), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert not answer()
        assert not answer()
    assert [warning.category for warning in seen] == [CompilationCacheWarning]
    assert "File too large" in str(seen[0].message)
    assert seen[0].filename == __file__  # the user's own line, not one of numba


def test_no_folder_is_writable(folder, monkeypatch):
    compile_kernel = numba.njit

    def without_a_folder(*, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function 'total': no locator available")
        return compile_kernel(**options)

    monkeypatch.setattr(numba, "njit", without_a_folder)
    with pytest.warns(CompilationCacheWarning, match="cannot be stored .* NUMBA_CACHE_DIR"):
        assert not answer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not answer()  # once per process


def test_a_terminal_learns_once_that_code_is_compiled(folder, monkeypatch, capsys):
    monkeypatch.setattr(jit.sys.stderr, "isatty", lambda: True)
    answer()
    kernel(total)(np.arange(5))
    assert capsys.readouterr().err == "polyroc: compiling, first run only ...\n"
    jit._announce_once.cache_clear()
    answer()
    assert capsys.readouterr().err == ""


def test_a_pipe_does_not(folder, capsys):
    answer()
    assert capsys.readouterr() == ("", "")


def test_kernels_with_fixed_types(folder):
    for hit in (False, True):
        compiled = kernel(types="(float64[::1],)")(total)
        assert compiled(NUMBERS) == 10.0
        assert bool(sum(compiled.dispatcher.stats.cache_hits.values())) is hit
        with pytest.raises(TypeError, match="No matching definition"):
            compiled(NUMBERS.astype(np.int64))
