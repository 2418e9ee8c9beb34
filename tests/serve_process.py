"""`polyroc serve` in a process of its own, for tests of the server and of its limits."""

import atexit
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

PAGE_HEADERS = {"x-polyroc": "1"}
PETS = "kind,p_cat,p_dog\ncat,0.9,0.1\ncat,0.6,0.4\ndog,0.7,0.3\ndog,0.3,0.7\ndog,0.2,0.8\n"
PETS_COLUMNS = {"truth": "kind", "scores": ["p_cat", "p_dog"], "pos_label": "dog"}


class Server:
    """`polyroc serve` in a process, with its temporary files where they can be counted."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        command = [sys.executable, "-c", "from polyroc.cli import main; main()", "serve", "--port", "0", *options]
        environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        line = self.process.stdout.readline()
        self.address = re.search(r"http://\S+", line)[0]

    def visitor(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, headers=PAGE_HEADERS, timeout=120)

    def connect(self) -> socket.socket:
        """A connection without any request."""
        url = httpx.URL(self.address)
        return socket.create_connection((url.host, url.port), timeout=60)

    def files(self) -> list[str]:
        """The names of the files in its folders."""
        return sorted(path.name for path in self.folder.rglob("*") if path.is_file())

    def memory(self) -> int:
        """The largest memory that the server's own process had, in bytes."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text)[1]) * 1024

    def jobs(self) -> list[int]:
        """The processes of its jobs, after waiting for one; none where the system does not say which they are."""
        tasks, until, jobs = Path(f"/proc/{self.process.pid}/task"), time.monotonic() + 300, []
        while tasks.exists() and not jobs and time.monotonic() < until:
            children = [child for task in tasks.glob("*/children") for child in task.read_text().split()]
            programs = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
            jobs = [int(child) for child, program in programs.items() if b"spawn_main" in program]
        return jobs

    def stop(self, how: signal.Signals = signal.SIGINT) -> str:
        self.process.send_signal(how)
        return self.process.communicate(timeout=300)[0]


def upload(visitor, content=PETS, name="pets.csv"):
    """Upload a file and return its key."""
    response = visitor.post("/files", params={"name": name}, content=content)
    assert response.status_code == 200, response.text
    return response.json()["key"]


def report_state(visitor, key):
    return visitor.get(f"/files/{key}/state").json()


def finished(visitor, key, columns=PETS_COLUMNS):
    """Request a report and return its last state."""
    response = visitor.post(f"/files/{key}/report", json=columns)
    assert response.status_code == 200, response.text
    until = time.monotonic() + 600
    while time.monotonic() < until:
        state = report_state(visitor, key)
        if state["what"] in ("done", "failed", "stopped"):
            return state
        time.sleep(0.1)
    raise AssertionError(state)


# What jobs do in tests: a new process imports them from here.


def sleep(seconds, progress):
    progress(0, 0, "sleeping")
    time.sleep(seconds)
    return {"slept": seconds}


def linger(progress):
    atexit.register(time.sleep, 600)
    return "done"


def fill_memory(progress):
    progress(0, 0, "filling")
    return len(bytearray(2**40))


def kill_itself(progress):
    progress(0, 0, "ending")
    os.kill(os.getpid(), signal.SIGKILL)
