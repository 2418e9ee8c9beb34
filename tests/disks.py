"""Little room for files."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KB; a folder like any other where we may not mount one."""
    path = tmp_path / "small"
    path.mkdir()
    if (
        hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("mount")
    ):  # root of a container may not either
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "polyroc", str(path)], check=False)
    yield path
    if path.is_mount():
        subprocess.run(["umount", str(path)], check=True)


@contextmanager
def small_files(size):
    """No file can grow beyond a size; nor is bytecode written, of which Python would leave a part and read it."""
    import resource

    before, bytecode = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    sys.dont_write_bytecode = True
    yield
    sys.dont_write_bytecode = bytecode
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
