"""Compressed files: gzip and zstd, opened as the bytes that they contain; their checksums."""

import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from os import cpu_count
from typing import Any, BinaryIO, cast

from polyroc.errors import InputError, MissingPackageError
from polyroc.io.sources import DataFile

__all__ = ["check_compressed", "decompressed"]

_BLOCK = 2**20  # bytes of a decompressed block
_ERRORS: tuple[type[Exception], ...] = (EOFError, zlib.error)


if sys.version_info >= (3, 14):
    from compression import zstd

    _ERRORS = (*_ERRORS, zstd.ZstdError)


def check_compressed(files: Sequence[DataFile]) -> None:
    """Raise an error for a compressed file that is cut off or whose checksum does not match; DuckDB reads it.

    Every file is decompressed once, whatever its size, several files at the same time: the checksum is at the end,
    and the first scan already needs to know which classes there are.
    """
    zipped = [file for file in files if file.compression != "uncompressed"]
    if zipped:
        with ThreadPoolExecutor(min(len(zipped), cpu_count() or 1)) as pool:
            for _ in pool.map(_decompress, zipped):
                pass


def _decompress(file: DataFile) -> None:
    with decompressed(file) as stream:
        while stream.read(_BLOCK):
            pass


@contextmanager
def decompressed(file: DataFile) -> Iterator[BinaryIO]:
    """The content of a file; reading damaged content raises an `InputError`."""
    try:
        with _opened(file) as stream:
            yield stream
    except _ERRORS:
        raise _damaged(file) from None
    except OSError as error:
        if error.errno is None:  # of the decompressor, not of the operating system
            raise _damaged(file) from None
        raise InputError(f"{file.name} cannot be read ({error.strerror}); check its permissions.") from None


def _opened(file: DataFile) -> Any:
    if file.compression == "gzip":
        return gzip.open(file.path)
    return _open_zstd(file) if file.compression == "zstd" else file.path.open("rb")


def _open_zstd(file: DataFile) -> Any:
    """The standard library reads zstd from Python 3.14 on; before that, pyarrow does."""
    if sys.version_info >= (3, 14):
        return zstd.open(file.path)
    try:
        import pyarrow
    except ImportError:
        raise MissingPackageError(
            f"{file.name} is compressed with zstd, which needs pyarrow before Python 3.14: pip install pyarrow, "
            "or decompress it with zstd -d."
        ) from None
    return cast("Any", pyarrow.input_stream(str(file.path), compression="zstd"))


def _damaged(file: DataFile) -> InputError:
    return InputError(
        f"{file.name} is damaged: it cannot be decompressed, or its checksum does not match. Copy it again, or "
        f"compress it again with {file.compression}."
    )
