"""The cache of compiled code is only a cache: damaged, stale or unwritable, the answer is the same."""

import os
import stat
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from disks import small_files
from polyroc.errors import CompilationCacheWarning
from polyroc.kernels import code_cache
from polyroc.kernels.jit import kernel

NUMBERS = np.arange(5.0)


def total(numbers):
    result = 0.0
    for number in numbers:
        result += number
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, an empty temporary folder, and a process that has not warned yet."""
    folder, temporary = tmp_path / "cache", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
    monkeypatch.setattr(code_cache.tempfile, "gettempdir", lambda: str(temporary))
    monkeypatch.setattr(code_cache, "_SHOWN", set())
    return folder


@pytest.fixture
def temporary(folder):
    return folder.parent / "temporary"


def answer():
    """The sum by a newly made kernel, and whether its code came from the cache."""
    compiled = kernel(total)
    assert compiled(NUMBERS) == 10.0
    return bool(compiled.dispatcher._cache_hits)


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
    assert not answer()
    assert answer()  # from the temporary folder


@pytest.mark.slow
def test_code_of_other_sources_is_not_used(folder, monkeypatch):
    """A change of any kernel counts, because machine code contains that of the kernels that it calls."""
    answer()
    monkeypatch.setattr(code_cache, "_digest_of_kernels", lambda: "other")
    assert not answer()
    assert answer()
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert not answer()


@pytest.mark.slow
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
    assert not again.dispatcher._cache_hits


@pytest.mark.slow
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


NOWHERE = "/proc/1/nowhere"  # not even root can make a folder there


def test_an_unwritable_folder_is_replaced_by_a_temporary_one_of_the_user(temporary, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", NOWHERE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not answer()
        assert answer()
    (private,) = temporary.iterdir()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert len(files(private)) == 1


def test_without_numba_cache_dir_code_is_beside_the_sources_or_in_the_home_folder(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    beside, home, _ = code_cache._folders(Path(__file__).parent)
    assert beside == Path(__file__).parent / "__pycache__"
    if os.name == "posix" and os.uname().sysname == "Linux":
        assert home.parent == tmp_path / "home" / "polyroc"


def test_no_folder_is_writable(folder, monkeypatch):
    def no_place():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(numba.config, "CACHE_DIR", NOWHERE)
    monkeypatch.setattr(code_cache.tempfile, "gettempdir", no_place)
    with pytest.warns(CompilationCacheWarning, match="cannot be stored .* NUMBA_CACHE_DIR"):
        assert not answer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not answer()  # once per process


def test_code_is_read_from_a_read_only_file_system(folder, monkeypatch):
    """As in a container whose image has compiled code."""
    assert not answer()

    def read_only(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(code_cache.CodeFiles, "_write", read_only)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert answer()


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_code_from_a_folder_that_others_can_write_to_is_not_run(folder, temporary, mode):
    answer()
    (inner,) = folder.iterdir()
    inner.chmod(mode)
    assert not answer()  # compiled, and stored in the temporary folder
    assert len(files(temporary)) == 1
    inner.chmod(0o755)
    assert answer()


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_file_that_others_can_write_to_is_not_run(folder):
    answer()
    (file,) = files(folder)
    file.chmod(0o666)
    assert not answer()
    assert stat.S_IMODE(files(folder)[0].stat().st_mode) & 0o022 == 0  # replaced


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_the_file_or_folder_of_another_user_is_not_used(folder, temporary):
    answer()
    (inner,), (file,) = folder.iterdir(), files(folder)
    os.chown(file, 12345, 12345)
    assert not answer()
    assert answer()
    os.chown(inner, 12345, 12345)
    assert not answer()
    assert len(files(temporary)) == 1


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_in_the_temporary_folder_is_not_followed(temporary, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", NOWHERE)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    *_, private = code_cache._folders(Path(__file__).resolve().parent)
    private.symlink_to(elsewhere)
    with pytest.warns(CompilationCacheWarning):
        assert not answer()
    assert list(elsewhere.iterdir()) == []


def test_a_terminal_learns_once_that_code_is_compiled(folder, monkeypatch, capsys):
    monkeypatch.setattr(code_cache.sys.stderr, "isatty", lambda: True)
    answer()
    answer()
    kernel(total)(np.arange(5))
    assert capsys.readouterr().err == "polyroc: compiling, first run only ...\n"


def test_a_pipe_does_not(folder, capsys):
    answer()
    assert capsys.readouterr() == ("", "")


def test_kernels_with_fixed_types(folder):
    for hit in (False, True):
        compiled = kernel(types="(float64[::1],)")(total)
        assert compiled(NUMBERS) == 10.0
        assert bool(compiled.dispatcher._cache_hits) is hit
        with pytest.raises(TypeError, match="No matching definition"):
            compiled(NUMBERS.astype(np.int64))


def test_all_kernels_are_part_of_the_digest():
    assert len(code_cache._digest_of_kernels()) == 64
    assert (Path(code_cache.__file__).parent / "jit.py").exists()
