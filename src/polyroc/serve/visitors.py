"""Sessions of visitors, each with a folder for its data that is deleted at the end."""

import secrets
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from polyroc.errors import InputError
from polyroc.io.sources import DataFile
from polyroc.serve.jobs import Job
from polyroc.serve.security import Limits

__all__ = ["Upload", "Visitor", "Visitors"]


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
    job
        The job that makes the report, if there is one.
    """

    name: str
    folder: Path
    path: Path
    job: Job | None = None

    @property
    def file(self) -> DataFile:
        """The file under the name that its owner knows."""
        return DataFile(self.path, self.name)

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.folder / "report.html"

    def delete(self) -> None:
        """Stop the job and delete the folder."""
        if self.job is not None:
            self.job.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(slots=True)
class Visitor:
    """The session of a visitor, identified by a cookie; no other session can read its files."""

    folder: Path
    seen: float
    uploads: dict[str, Upload] = field(default_factory=dict)

    def new_upload(self, name: str, ending: str) -> tuple[str, Upload]:
        """A new folder for an upload, under a random key."""
        key = secrets.token_urlsafe(16)
        folder = self.folder / key
        folder.mkdir(mode=0o700)
        return key, Upload(name, folder, folder / f"upload{ending}")

    def delete(self) -> None:
        """Delete all uploads."""
        for upload in self.uploads.values():
            upload.delete()
        shutil.rmtree(self.folder, ignore_errors=True)


class Visitors:
    """The sessions of all visitors, by cookie."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._root = Path(tempfile.mkdtemp(prefix="polyroc-serve-"))
        self._by_cookie: dict[str, Visitor] = {}

    def get(self, cookie: str | None) -> Visitor | None:
        """The session of a cookie; None if there is none."""
        visitor = self._by_cookie.get(cookie or "")
        if visitor is not None:
            visitor.seen = time.monotonic()
        return visitor

    def add(self) -> tuple[str, Visitor]:
        """A new session and its cookie."""
        self.forget_idle()
        if len(self._by_cookie) >= self.limits.visitors:
            raise InputError("Too many people are using this page; try again in a few minutes.")
        cookie = secrets.token_urlsafe(32)
        folder = Path(tempfile.mkdtemp(dir=self._root))
        visitor = self._by_cookie[cookie] = Visitor(folder, time.monotonic())
        return cookie, visitor

    def remove(self, cookie: str | None) -> None:
        """End a session and delete its data."""
        visitor = self._by_cookie.pop(cookie or "", None)
        if visitor is not None:
            visitor.delete()

    def forget_idle(self) -> None:
        """End the sessions that have been idle for too long."""
        late = time.monotonic() - self.limits.idle
        for cookie in [cookie for cookie, visitor in self._by_cookie.items() if visitor.seen < late]:
            self.remove(cookie)

    def close(self) -> None:
        """Delete everything."""
        for cookie in list(self._by_cookie):
            self.remove(cookie)
        shutil.rmtree(self._root, ignore_errors=True)
