"""Real processes of the command line at the price of a fork.

A server has the imports behind it and forks for every command, so that limits, closed streams, signals and exit
codes are those of a real process, without a second for the imports.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from command import Done

SERVER = """
import encodings.utf_8_sig, importlib.readers, importlib.resources, json, multiprocessing, os, resource, sys
import duckdb, sklearn.preprocessing, matplotlib.figure, polyroc.cli.app, polyroc.cli.process
for name in polyroc.__all__:
    getattr(polyroc, name)
from polyroc.datasets import catalogue
import polyroc.plots.dispatch, polyroc.reports.page
polyroc.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])

def set_up(order):
    handles = [None if name is None else os.open(name, os.O_RDWR) for name in order["streams"]]
    for number, handle in enumerate(handles):
        if handle is None:
            os.close(number)
            setattr(sys, ("stdin", "stdout", "stderr")[number], None)
        else:
            os.dup2(handle, number)
            os.close(handle)
    sys.dont_write_bytecode = True  # with a limit of file sizes, Python leaves a part and reads it later
    for name, limit in order["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    if order["user"]:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
    sys.argv = ["polyroc", *order["arguments"]]

for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        ready = os.dup(1)
        try:
            set_up(order)
        finally:
            # Not before: Python ignores a Ctrl-C that comes while it prepares a process that was forked.
            os.write(ready, b"%d\\n" % os.getpid())
            os.close(ready)
        try:
            polyroc.cli.main()
        except SystemExit as end:
            code = end.code
        try:  # as the interpreter does at its end
            sys.stdout.flush()
        except Exception:
            code = 120
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Processes:
    """Commands as processes; a context manager."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        return self

    def __exit__(self, *_):
        self.server.communicate()
        self.folder.cleanup()

    def __call__(self, *arguments, interrupt=None, stdout="", stderr="", limits=None, environment=None, **more):
        """Run a command; `interrupt` is the time until Ctrl-C in seconds, None a stream that is closed.

        Ctrl-C comes again after 20 and 40 seconds; a command that does not end within a minute is killed.
        """
        files = [Path(self.folder.name, name) for name in ("out", "err")]
        for file in files:
            file.write_bytes(b"")
            file.chmod(0o666)
        Path(self.folder.name).chmod(0o777)
        streams = [str(file) if name == "" else name for file, name in zip(files, (stdout, stderr), strict=True)]
        order = {"arguments": [str(argument) for argument in arguments], "streams": ["/dev/null", *streams]}
        order |= {"limits": limits or {}, "environment": environment or {}, "user": 0, "folder": self.folder.name}
        self.server.stdin.write(json.dumps(order | more) + "\n")
        self.server.stdin.flush()
        process = int(self.server.stdout.readline())
        sent = [] if interrupt is None else [(interrupt + 20 * k, signal.SIGINT) for k in range(3)]
        sent += [] if interrupt is None else [(interrupt + 60, signal.SIGKILL)]
        timers = [threading.Timer(seconds, _send, (process, number)) for seconds, number in sent]
        for timer in timers:
            timer.start()
        code = int(self.server.stdout.readline())
        for timer in timers:
            timer.cancel()
        return Done(code, *(file.read_text(encoding="utf-8", errors="backslashreplace") for file in files))


def _send(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)
