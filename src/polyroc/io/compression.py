"""Compressed files: gzip and zstd, opened as the bytes that they contain."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from polyroc.errors import InputError, MissingPackageError
from polyroc.io.sources import DataFile

__all__ = ["decompressed"]

_ERRORS: tuple[type[Exception], ...] = (EOFError, zlib.error)
if sys.version_info >= (3, 14):
    from compression import zstd

    _ERRORS = (*_ERRORS, zstd.ZstdError)


@contextmanager
def decompressed(file: DataFile) -> Iterator[BinaryIO]:
    """The content of a file; reading damaged content raises an `InputError`."""
    try:
        with _open(file) as stream:
            yield stream
    except _ERRORS:
        raise _damaged(file) from None
    except OSError as error:
        if error.errno is None:  # of the decompressor, not of the operating system
            raise _damaged(file) from None
        raise InputError(f"{file.name} cannot be read ({error.strerror}); check its permissions.") from None


def _open(file: DataFile) -> Any:
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
