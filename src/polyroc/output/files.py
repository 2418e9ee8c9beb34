"""Files that appear complete or not at all."""

import os
import stat
import uuid
from contextlib import suppress
from pathlib import Path

from polyroc.errors import InputError

__all__ = ["write_file"]

NAME_LENGTH = 40  # characters of the name that the temporary file keeps; file systems allow 255 bytes


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write to a temporary file in the same folder, then rename it: a process that is killed leaves the old file.

    A link stays a link, and an existing file keeps its permissions. What is not a file, such as /dev/stdout or a
    named pipe, is written to directly. A file that cannot be written raises an `InputError`.
    """
    # a title or a name may hold bytes that are no text
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        mode = _mode(Path(path))
        if mode is not None and (not stat.S_ISREG(mode) or _is_device_name(Path(path))):
            with Path(path).open("wb", buffering=0) as device:
                _write_all(device.fileno(), data)
        else:
            _replace(Path(os.path.realpath(path)), data, mode)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror or error}).") from None


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    part = path.with_name(f".{path.name[:NAME_LENGTH]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("xb", buffering=0) as file:
            _write_all(file.fileno(), data)
            if mode is not None:
                with suppress(OSError):  # file systems without permissions
                    part.chmod(stat.S_IMODE(mode))
            os.fsync(file.fileno())  # after a power failure, too, the file is the old or the new one
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _write_all(handle: int, data: bytes) -> None:
    """Write all bytes; a full disk may accept a part of them and raise at the next."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _mode(path: Path) -> int | None:
    """Type and permissions of what is there; None if nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_device_name(path: Path) -> bool:
    """True for names of open files, such as /dev/stdout, which may be a regular file that the shell has opened."""
    return str(path.parent.absolute()) in ("/dev", "/dev/fd") or path.absolute().parts[:2] == ("/", "proc")
