"""The cache of compiled code is only a cache: damaged, stale or unwritable, the answer is the same."""

import os
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from disks import small_files
from polyroc.errors import CompilationCacheWarning
from polyroc.kernels import code_cache
from polyroc.kernels.jit import kernel, kernel_for

NUMBERS = np.arange(5.0)


def total(numbers):
    result = 0.0
    for number in numbers:
        result += number
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and a process that has not warned yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(code_cache, "_WARNED", set())
    return tmp_path


def answer():
    """The sum by a newly made kernel, and whether its code came from the cache."""
    compiled = kernel(total)
    assert compiled(NUMBERS) == 10.0
    return bool(compiled._cache_hits)


def files(folder):
    return sorted(folder.rglob("*.nbc"))


def test_compiled_code_is_used_again(folder):
    assert not answer()
    assert len(files(folder)) == 1
    assert answer()
    assert len(files(folder)) == 1


def damage(file, how):
    content = file.read_bytes()
    middle = len(content) // 2
    changed = {
        "empty": b"",
        "one byte": content[:1],
        "truncated": content[:middle],
        "one bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "other bytes": b"\x80\x04" + os.urandom(1000),
        "longer": content + b"0",
    }[how]
    file.write_bytes(changed)


@pytest.mark.parametrize("how", ["empty", "one byte", "truncated", "one bit", "other bytes", "longer"])
def test_damaged_files_are_replaced(folder, how):
    answer()
    damage(files(folder)[0], how)
    assert not answer()
    assert answer()


def test_a_file_that_is_a_folder(folder):
    answer()
    file = files(folder)[0]
    file.unlink()
    file.mkdir()
    with pytest.warns(CompilationCacheWarning):
        assert not answer()


def test_code_of_other_sources_is_not_used(folder, monkeypatch):
    """A change of any kernel counts, because machine code contains that of the kernels that it calls."""
    answer()
    monkeypatch.setattr(code_cache, "_digest_of_kernels", lambda: "other")
    assert not answer()
    assert answer()
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert not answer()


def test_code_of_another_signature_is_not_used(folder):
    compiled = kernel(total)
    assert compiled(NUMBERS) == 10.0
    assert compiled(NUMBERS.astype(np.int64)) == 10
    first, second = files(folder)
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    again = kernel(total)
    assert again(NUMBERS) == 10.0
    assert again(NUMBERS.astype(np.int64)) == 10
    assert not again._cache_hits


def test_a_full_disk_is_one_warning(folder):
    with small_files(100), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert not answer()
        assert not answer()
    assert [warning.category for warning in seen] == [CompilationCacheWarning]
    assert "(File too large)" in str(seen[0].message)
    assert seen[0].filename == __file__  # the user's own line, not one of numba
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    assert not answer()
    assert answer()


def test_no_folder_is_writable(folder, monkeypatch):
    """numba finds no place at all: not in the package, not in the home folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/proc/1/nowhere")

    def no_place(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(code_cache.numba_caching._CacheLocator, "ensure_cache_path", no_place)
    with pytest.warns(CompilationCacheWarning, match="no locator available"):
        assert not answer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not answer()  # once per process


def test_kernels_with_fixed_types(folder):
    for hit in (False, True):
        compiled = kernel_for(numba.float64[::1])(total)
        assert compiled(NUMBERS) == 10.0
        assert bool(compiled._cache_hits) is hit
        with pytest.raises(TypeError, match="No matching definition"):
            compiled(NUMBERS.astype(np.int64))


def test_all_kernels_are_part_of_the_digest():
    assert len(code_cache._digest_of_kernels()) == 64
    assert (Path(code_cache.__file__).parent / "jit.py").exists()
