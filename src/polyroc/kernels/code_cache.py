"""The machine code of the kernels on disk: only a cache, without which everything works, after a compilation.

numba's own cache raises if one of its files is damaged or cannot be written. It runs stale code if only a kernel
in another file has changed, or if its process was killed between the index and the code. Here a file that does
not match its digest counts as absent, and code that cannot be stored is compiled by every process.
"""

import os
import pickle
import uuid
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, serialize

from polyroc.errors import CompilationCacheWarning, warn

__all__ = ["code_cache"]

numba_caching: Any = caching  # numba has no types
numba_serialize: Any = serialize
DIGEST_SIZE = sha256().digest_size
_WARNED: set[str] = set()  # not empty after the first warning


def code_cache(function: Any) -> Any:
    """The cache of a kernel, in the folder that numba would choose; none if no folder can be written to."""
    try:
        return KernelCache(function)
    except Exception as error:  # numba's RuntimeError if there is no folder
        _warn_once(error)
        return numba_caching.NullCache()


class KernelCache(numba_caching.FunctionCache):  # type: ignore[misc] # it has no type
    """numba's cache of one function, which never raises."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = (numba.__version__, self._impl.locator.get_source_stamp(), _digest_of_kernels())
        self._cache_file = CodeFiles(Path(self.cache_path), self._impl.filename_base, repr(stamp).encode())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None if it must be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever reading and unpickling raise
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the code for a signature, if possible."""
        try:
            super().save_overload(sig, data)
        except CompilationCacheWarning:
            raise  # warnings are errors
        except Exception as error:  # the disk is full, the folder has gone
            self.disable()
            _warn_once(error)


class CodeFiles:
    """One file per signature of a function: a digest, then the pickled signature and code."""

    def __init__(self, folder: Path, name: str, stamp: bytes) -> None:
        self.folder, self.name, self.stamp = folder, name, stamp

    def load(self, key: Any) -> Any:
        """The code for a signature; None if there is none, if it is damaged, or if it is of other sources."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        digest, pickled = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if digest != self._digest(pickled):
            return None
        stored_key, code = pickle.loads(pickled)
        return code if stored_key == key else None

    def save(self, key: Any, code: Any) -> None:
        """Write to a temporary file and rename it, so that no process ever reads a part."""
        path = self._path(key)
        part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.part")
        pickled: bytes = numba_serialize.dumps((key, code))
        try:
            part.write_bytes(self._digest(pickled) + pickled)
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise

    def flush(self) -> None:
        """Remove the files of the function (numba's `recompile`)."""
        for path in self.folder.glob(f"{self.name}.*.nbc"):
            with suppress(OSError):
                path.unlink()

    def _path(self, key: Any) -> Path:
        signature = sha256(repr((numba.__version__, key)).encode()).hexdigest()[:16]
        return self.folder / f"{self.name}.{signature}.nbc"

    def _digest(self, pickled: bytes) -> bytes:
        return sha256(self.stamp + pickled).digest()


@cache
def _digest_of_kernels() -> str:
    """A digest of all kernels: machine code contains that of the kernels in other files that it calls."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _warn_once(error: Exception) -> None:
    if _WARNED:
        return
    _WARNED.add("warned")
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    warn(
        f"Compiled code cannot be stored ({reason}), so that every process compiles it again, which takes "
        "seconds. Set the environment variable NUMBA_CACHE_DIR to a folder that can be written to.",
        CompilationCacheWarning,
    )
