"""The machine code of the kernels on disk: only a cache, without which everything works, after a compilation.

numba's own cache raises if one of its files is damaged or cannot be written, and does not read from a file system
that is read-only. It runs stale code if only a kernel in another file has changed, or if its process was killed
between the index and the code. Here a file that does not match its digest counts as absent, code is read from
every folder of `_folders` and written to the first that can be written to, and code that cannot be stored is
compiled by every process.

The files are pickles, which can run anything: those that another user could have written are not read.
"""

import inspect
import os
import pickle
import stat
import sys
import tempfile
import uuid
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, compiler, serialize
from numba.misc import appdirs

from polyroc.errors import CompilationCacheWarning, warn

__all__ = ["code_cache"]

numba_compiler: Any = compiler  # numba has no types
numba_serialize: Any = serialize
numba_caching: Any = caching
numba_config: Any = numba.config
numba_appdirs: Any = appdirs
DIGEST_SIZE = sha256().digest_size
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_SHOWN: set[str] = set()  # what is shown once in a process and has been


def code_cache(function: Any) -> Any:
    """The cache of a kernel; none if there is no source file by which to recognise the code."""
    try:
        return KernelCache(function)
    except OSError as error:
        _warn_once(error)
        return numba_caching.NullCache()


class KernelCache:
    """The cache of one kernel, with the methods that numba's dispatcher calls; none of them raises."""

    def __init__(self, function: Any) -> None:
        source = Path(inspect.getfile(function))
        code = function.__code__
        python = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        qualified = f"{source.stem}.{function.__qualname__}".replace("<", "").replace(">", "")
        stamp = (numba.__version__, _digest_of_kernels(), _digest_of(source))
        self._code = sha256(code.co_code).hexdigest()
        self._files = CodeFiles(
            source.resolve().parent, f"{qualified}-{code.co_firstlineno}.{python}", repr(stamp).encode()
        )
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The first of the folders; numba shows it."""
        return str(self._files.folders[0])

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None if it must be compiled."""
        target_context.refresh()
        with suppress(Exception):  # whatever reading and unpickling raise
            stored = self._files.load(self._key(sig, target_context.codegen()))
            if stored is not None:
                return numba_compiler.CompileResult._rebuild(target_context, *stored)
        _announce_compilation()
        return None

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Store the code for a signature, if possible."""
        if not self._enabled or compiled.library.has_dynamic_globals:
            return
        try:
            self._files.save(self._key(sig, compiled.codegen), compiled._reduce())
        except Exception as error:  # the disk is full, no folder can be written to
            self._enabled = False
            _warn_once(error)

    def flush(self) -> None:
        """Remove the files of the function (numba's `recompile`)."""
        self._files.flush()

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """What the code is for: the types of the arguments, the processor, and the kernel itself."""
        return sig, codegen.magic_tuple(), self._code


class CodeFiles:
    """One file per signature of a function: a digest, then the pickled signature and code."""

    def __init__(self, source: Path, name: str, stamp: bytes) -> None:
        self.source, self.name, self.stamp = source, name, stamp
        self.folders = _folders(source)

    def load(self, key: Any) -> Any:
        """The code for a signature; None if there is none, if it is damaged, or if it is of other sources."""
        for folder in self.folders:
            content = self._content(folder, self._name(key))
            digest, pickled = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
            if digest == self._digest(pickled):
                stored_key, code = pickle.loads(pickled)
                if stored_key == key:
                    return code
        return None

    def save(self, key: Any, code: Any) -> None:
        """Write to the first folder that can be written to."""
        pickled: bytes = numba_serialize.dumps((key, code))
        content = self._digest(pickled) + pickled
        error = OSError("there is no folder for it")
        for folder in self.folders:
            try:
                self._write(folder, self._name(key), content)
                return
            except OSError as reason:
                error = reason
        raise error

    def flush(self) -> None:
        """Remove the files of the function."""
        for folder in self.folders:
            for path in folder.glob(f"{self.name}.*.nbc"):
                with suppress(OSError):
                    path.unlink()

    def _name(self, key: Any) -> str:
        signature = sha256(repr((numba.__version__, key)).encode()).hexdigest()[:16]
        return f"{self.name}.{signature}.nbc"

    def _digest(self, pickled: bytes) -> bytes:
        return sha256(self.stamp + pickled).digest()

    def _content(self, folder: Path, name: str) -> bytes:
        """What a file contains; nothing if it cannot be read, or if others could have written it."""
        with suppress(OSError):
            if self._is_private(folder, folder.lstat()):
                with (folder / name).open("rb") as file:
                    # The file that is open, not the name, which might mean another file by now.
                    return file.read() if self._is_private(folder, os.fstat(file.fileno())) else b""
        return b""

    def _write(self, folder: Path, name: str, content: bytes) -> None:
        """Write to a temporary file and rename it, so that no process ever reads a part."""
        # The first is for others to read, as in the image of a container; the others are the user's own.
        folder.mkdir(mode=0o755 if folder == self.folders[0] else 0o700, parents=True, exist_ok=True)
        if not self._is_private(folder, folder.lstat()):
            raise PermissionError(f"others can write to {folder}")
        part = folder / f"{name}.{uuid.uuid4().hex[:16]}.part"
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o644), "wb") as file:
                file.write(content)
            part.replace(folder / name)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise

    def _is_private(self, folder: Path, status: os.stat_result) -> bool:
        """True for a file or folder that only this user, root and those who wrote the kernels can write to.

        Who can write to the sources of the kernels can run anything here anyway; so the folder beside them may
        be as open as theirs.
        """
        if not hasattr(os, "getuid"):  # Windows: the folders are the user's own
            return True
        sources = self.source.stat()
        beside = folder.parent == self.source and status.st_gid == sources.st_gid
        allowed = sources.st_mode if beside else 0
        owners = (os.getuid(), 0, sources.st_uid)
        return status.st_uid in owners and not status.st_mode & WRITABLE_BY_OTHERS & ~allowed


BINARY = getattr(os, "O_BINARY", 0)  # Windows


def _folders(source: Path) -> list[Path]:
    """Where compiled code may be: NUMBA_CACHE_DIR if it is set, else beside the sources or in the user's cache.

    And in a temporary folder, if these can neither be read nor written to.
    """
    name = f"{source.name}_{sha256(os.fsencode(source)).hexdigest()[:16]}"
    if numba_config.CACHE_DIR:
        folders = [Path(numba_config.CACHE_DIR, name)]
    else:
        folders = [source / "__pycache__", Path(numba_appdirs.AppDirs("polyroc", False).user_cache_dir, name)]
    with suppress(OSError):  # there is no temporary folder
        folders.append(Path(tempfile.gettempdir(), f"polyroc-{_user()}-{name}"))
    return folders


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


@cache
def _digest_of_kernels() -> str:
    """A digest of all kernels: machine code contains that of the kernels in other files that it calls."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _digest_of(source: Path) -> str:
    return sha256(source.read_bytes()).hexdigest()


def _announce_compilation() -> None:
    """Say once, on a terminal, why this takes longer than the next time."""
    if "compiling" not in _SHOWN and sys.stderr is not None and sys.stderr.isatty():
        _SHOWN.add("compiling")
        with suppress(OSError):
            sys.stderr.write("polyroc: compiling, first run only ...\n")
            sys.stderr.flush()


def _warn_once(error: Exception) -> None:
    if "unstored" in _SHOWN:
        return
    _SHOWN.add("unstored")
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    warn(
        f"Compiled code cannot be stored ({reason}), so that every process compiles it again, which takes "
        "seconds. Set the environment variable NUMBA_CACHE_DIR to a folder that only you can write to.",
        CompilationCacheWarning,
    )
