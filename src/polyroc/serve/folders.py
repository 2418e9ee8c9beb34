"""The folder of a server's data, and the removal of folders that servers left behind when they were killed."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: what a killed server leaves stays in the folder for temporary files
    fcntl = None  # type: ignore[assignment]

__all__ = ["ServerFolder"]

_PREFIX = "polyroc-serve-"


class ServerFolder:
    """A new folder for temporary files, locked as long as the server runs.

    The operating system releases the lock when a process ends, whatever the reason. A folder of the same user
    without a lock is that of a server that was killed: it is deleted when the next one starts.
    """

    def __init__(self) -> None:
        _remove_abandoned(Path(tempfile.gettempdir()))
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._lock = _locked(self.path)
            if fcntl is None or self._lock is not None:  # else another server took it for an abandoned one
                return

    def delete(self) -> None:
        """Delete the folder with all it contains."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int | None:
    """A descriptor that locks a folder; None if it is gone, not the user's own, or locked by a server."""
    if fcntl is None:
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        if os.fstat(descriptor).st_uid == os.getuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_ino == folder.stat().st_ino:
                return descriptor
    os.close(descriptor)
    return None


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*"):
        lock = _locked(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
