"""Sessions of visitors, each with a folder for its data that is deleted at the end, even after a crash."""

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyroc.errors import InputError
from polyroc.serve.jobs import Job
from polyroc.serve.limits import BusyError, Limits, size_text

try:
    import fcntl
except ImportError:  # Windows: what a killed server leaves stays in the folder for temporary files
    fcntl = None  # type: ignore[assignment]

__all__ = ["ServerFolder", "Upload", "Visitor", "Visitors"]

_PREFIX = "polyroc-serve-"


@dataclass(slots=True)
class Upload:
    """An uploaded file.

    Attributes
    ----------
    name
        The name that the visitor gave; never part of a path.
    folder
        The folder of this upload.
    path
        The stored file, under a fixed name.
    size
        The bytes that have been stored.
    preview, job, point
        The jobs that read its first rows, make its report, and choose an operating point, if they were started.
    reading
        How the preview reads it: encoding, decimal sign and sheet.
    """

    name: str
    folder: Path
    path: Path
    size: int = 0
    preview: Job | None = None
    job: Job | None = None
    point: Job | None = None
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.folder / "report.html"

    def delete(self) -> None:
        """Stop the jobs and delete the folder."""
        for job in (self.preview, self.job, self.point):
            if job is not None:
                job.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(slots=True)
class Visitor:
    """The session of a visitor, identified by a cookie; no other session can read its files.

    Attributes
    ----------
    folder
        The folder of its uploads.
    cookie
        The text that identifies it.
    seen
        The time of its latest request.
    uploads
        The complete uploads, by key.
    arriving
        The number of uploads that are not complete.
    """

    folder: Path
    cookie: str
    seen: float
    uploads: dict[str, Upload] = field(default_factory=dict)
    arriving: int = 0

    def delete(self) -> None:
        """Delete all uploads."""
        for upload in self.uploads.values():
            upload.delete()
        shutil.rmtree(self.folder, ignore_errors=True)


class Visitors:
    """The sessions of all visitors, by cookie. A session begins with the first complete file."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._root = ServerFolder()
        self._by_cookie: dict[str, Visitor] = {}
        self._arriving: list[Upload] = []

    def get(self, cookie: str | None) -> Visitor | None:
        """The session of a cookie; None if there is none."""
        visitor = self._by_cookie.get(cookie or "")
        if visitor is not None:
            visitor.seen = time.monotonic()
        return visitor

    @contextmanager
    def new_upload(self, cookie: str | None, name: str, ending: str) -> Iterator[tuple[Visitor, str, Upload]]:
        """A visitor, new or known, with a key and a folder for a file, which is kept unless an error is raised."""
        limits = self.limits
        if len(self._arriving) >= limits.uploads:
            raise BusyError(f"{limits.uploads} files are being uploaded already; try again in a minute.")
        visitor = self.get(cookie)
        if visitor is None:
            self._make_room()
            folder = Path(tempfile.mkdtemp(dir=self._root.path))
            visitor = Visitor(folder, secrets.token_urlsafe(32), time.monotonic())
        elif len(visitor.uploads) + visitor.arriving >= limits.files:
            raise InputError(f"You have {limits.files} files here already; end the session to delete them.")
        key = secrets.token_urlsafe(16)
        upload = Upload(name, visitor.folder / key, visitor.folder / key / f"upload{ending}")
        visitor.arriving += 1
        self._arriving.append(upload)
        try:
            upload.folder.mkdir(mode=0o700)
            yield visitor, key, upload
            self._keep(visitor, key, upload)
        except BaseException:
            upload.delete()
            if not self._is_known(visitor):
                visitor.delete()
            raise
        finally:
            visitor.arriving -= 1
            self._arriving.remove(upload)

    def _keep(self, visitor: Visitor, key: str, upload: Upload) -> None:
        if not upload.folder.exists():
            raise InputError("The session was ended before the file was complete.")
        if not self._is_known(visitor):
            self._make_room()  # others may have come since the upload began
            self._by_cookie[visitor.cookie] = visitor
        visitor.seen = time.monotonic()
        visitor.uploads[key] = upload

    def _is_known(self, visitor: Visitor) -> bool:
        return self._by_cookie.get(visitor.cookie) is visitor

    def check_space(self, more: int) -> None:
        """Raise an error if there is no space for more bytes."""
        known = [upload for visitor in list(self._by_cookie.values()) for upload in list(visitor.uploads.values())]
        if sum(upload.size for upload in [*known, *self._arriving]) + more > self.limits.disk:
            raise BusyError(
                f"The files of all visitors together would be larger than {size_text(self.limits.disk)}, the "
                "limit of this page; end sessions that are not needed, or try again later."
            )

    def _make_room(self) -> None:
        """Raise an error if there are too many visitors and none has been idle for long."""
        self.forget_idle()
        if len(self._by_cookie) < self.limits.visitors:
            return
        oldest = min(list(self._by_cookie.values()), key=lambda visitor: visitor.seen, default=None)
        if oldest is None or oldest.seen > time.monotonic() - self.limits.idle_if_full:
            raise BusyError("Too many people are using this page; try again in a few minutes.")
        self.remove(oldest.cookie)

    def remove(self, cookie: str | None) -> None:
        """End a session and delete its data."""
        visitor = self._by_cookie.pop(cookie or "", None)
        if visitor is not None:
            visitor.delete()

    def forget_idle(self) -> None:
        """End the sessions that have been idle for too long."""
        late = time.monotonic() - self.limits.idle
        idle = [
            visitor for visitor in list(self._by_cookie.values()) if visitor.seen < late and not visitor.arriving
        ]
        for visitor in idle:
            self.remove(visitor.cookie)

    @property
    def folder(self) -> Path:
        """The folder of the server, for jobs without an upload."""
        return self._root.path

    def close(self) -> None:
        """Delete everything."""
        for cookie in list(self._by_cookie):
            self.remove(cookie)
        self._root.delete()


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
