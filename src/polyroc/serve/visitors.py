"""Who is there, and the folder with their data: made at the first visit, deleted at the end."""

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
    """A file that somebody brought.

    Attributes
    ----------
    name
        What its owner calls it; never part of a path.
    folder
        A folder of its own.
    path
        Where it lies, under a name of ours.
    job
        The report in the making, or made.
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
        """Where the report will be."""
        return self.folder / "report.html"

    def delete(self) -> None:
        """Stop what runs and remove every trace."""
        if self.job is not None:
            self.job.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(slots=True)
class Visitor:
    """Somebody with a cookie: nobody else sees these files."""

    folder: Path
    seen: float
    uploads: dict[str, Upload] = field(default_factory=dict)

    def new_upload(self, name: str, ending: str) -> tuple[str, Upload]:
        """A place for a file, under a key that cannot be guessed."""
        key = secrets.token_urlsafe(16)
        folder = self.folder / key
        folder.mkdir(mode=0o700)
        return key, Upload(name, folder, folder / f"upload{ending}")

    def delete(self) -> None:
        """Remove all of it."""
        for upload in self.uploads.values():
            upload.delete()
        shutil.rmtree(self.folder, ignore_errors=True)


class Visitors:
    """Everybody who is there, by cookie."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._root = Path(tempfile.mkdtemp(prefix="polyroc-serve-"))
        self._by_cookie: dict[str, Visitor] = {}

    def get(self, cookie: str | None) -> Visitor | None:
        """Whose cookie it is."""
        visitor = self._by_cookie.get(cookie or "")
        if visitor is not None:
            visitor.seen = time.monotonic()
        return visitor

    def welcome(self) -> tuple[str, Visitor]:
        """A new visitor, and the cookie to know them by."""
        self.forget_idle()
        if len(self._by_cookie) >= self.limits.visitors:
            raise InputError("Too many people are using this page just now; try again in a few minutes.")
        cookie = secrets.token_urlsafe(32)
        folder = Path(tempfile.mkdtemp(dir=self._root))
        visitor = self._by_cookie[cookie] = Visitor(folder, time.monotonic())
        return cookie, visitor

    def farewell(self, cookie: str | None) -> None:
        """Delete what a visitor brought and what was made of it."""
        visitor = self._by_cookie.pop(cookie or "", None)
        if visitor is not None:
            visitor.delete()

    def forget_idle(self) -> None:
        """Delete the data of those who have not been seen for long."""
        late = time.monotonic() - self.limits.idle
        for cookie in [cookie for cookie, visitor in self._by_cookie.items() if visitor.seen < late]:
            self.farewell(cookie)

    def close(self) -> None:
        """Delete everything."""
        for cookie in list(self._by_cookie):
            self.farewell(cookie)
        shutil.rmtree(self._root, ignore_errors=True)
