"""The limits of the server, met by real requests: what is too much is rejected, and others are still served."""

import asyncio
import gzip
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import httpx
import polars as pl
import pytest

from polyroc.serve.jobs import Job, Queue
from polyroc.serve.limits import BusyError, Limits
from polyroc.serve.visitors import ServerFolder, Visitors
from serve_process import (
    PAGE_HEADERS,
    PETS,
    PETS_COLUMNS,
    Server,
    fill_memory,
    finished,
    kill_itself,
    linger,
    report_state,
    sleep,
    upload,
)

MEGABYTE = 2**20
PATIENCE = 300  # seconds for what a machine without other work does at once
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the operating system does not enforce memory limits")
NOT_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = "--max-size 2 --max-columns 50 --max-rows 1000 --max-memory 1024 --max-disk 3 --max-files 4 "
    options += "--max-uploads 6 --max-silence 2 --max-visitors 3 --max-time 120 --max-queue 2"
    server = Server(tmp_path_factory.mktemp("limits"), *options.split())
    yield server
    server.stop()


def preview_page(visitor, content, name="a.csv"):
    return visitor.get(f"/files/{upload(visitor, content, name)}", headers={"accept": "text/html"})


@pytest.mark.slow
def test_too_many_columns(server):
    header = ",".join(f"c{i}" for i in range(51))
    with server.visitor() as visitor:
        page = preview_page(visitor, f"{header}\n{'1,' * 50}1\n")
        assert page.status_code == 400
        assert "has 51 columns, more than 50" in page.text
        visitor.post("/end")


@pytest.mark.slow
def test_too_many_rows(server):
    with server.visitor() as visitor:
        page = preview_page(visitor, gzip.compress(b"kind,s\n" + b"a,1\nb,2\n" * 501), "a.csv.gz")
        assert "has more than 1,000 rows" in page.text
        assert preview_page(visitor, b"kind,s\n" + b"a,1\nb,2\n" * 500).status_code == 200
        visitor.post("/end")


@pytest.mark.slow
def test_rows_are_limited_without_a_preview_too(server):
    with server.visitor() as visitor:
        key = upload(visitor, b"kind,s\n" + b"a,1\nb,2\n" * 501)
        state = finished(visitor, key, {"truth": "kind", "scores": ["s"]})
        assert "has more than 1,000 rows" in state["step"]
        visitor.post("/end")


@LINUX
@pytest.mark.slow
def test_a_small_file_that_needs_much_memory(server, tmp_path):
    text = pl.Series("big", ["x" * 2**20], dtype=pl.Categorical)
    rows = pl.DataFrame({"kind": ["a", "b"] * 480, "s": range(960)})
    rows.with_columns(big=pl.concat([text] * 960)).write_parquet(tmp_path / "bomb.parquet", compression="zstd")
    content = (tmp_path / "bomb.parquet").read_bytes()
    assert len(content) < MEGABYTE
    with server.visitor() as visitor:
        page = preview_page(visitor, content, "bomb.parquet")
        assert page.status_code == 400
        assert "Reading the file needs more than 1 GB of memory" in page.text
        key = upload(visitor, content, "bomb.parquet")
        state = finished(visitor, key, {"truth": "kind", "scores": ["s"], "groups": "big", "pos_label": "b"})
        assert state["what"] == "failed"
        assert "The report needs more than 1 GB of memory" in state["step"]
        visitor.post("/end")
    assert server.memory() < 200 * MEGABYTE


@pytest.mark.slow
@LINUX
def test_a_large_request_for_a_report_is_not_read(server):
    with server.visitor() as visitor:
        key = upload(visitor)
        before = server.memory()
        pieces = (b" " * MEGABYTE for _ in range(300))  # no length is given beforehand
        try:
            response = visitor.post(f"/files/{key}/report", content=pieces)
        except httpx.WriteError:  # the server had answered and closed the connection
            response = None
        assert response is None or response.status_code == 413
        response = visitor.post(f"/files/{key}/report", content=b" " * 2 * MEGABYTE)
        assert response.status_code == 413
        assert "larger than 1 MB" in response.json()["message"]
        assert server.memory() < before + 10 * MEGABYTE
        visitor.post("/end")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"truth":' * 100_000, b"{", b"\xff", b"NaN"])
def test_requests_that_are_no_choice(server, body):
    with server.visitor() as visitor:
        response = visitor.post(f"/files/{upload(visitor)}/report", content=body)
        assert response.status_code == 400
        assert "not a choice of columns" in response.json()["message"]
        visitor.post("/end")


@pytest.mark.slow
def test_empty_uploads_are_rejected_and_begin_no_session(server):
    before = server.files()
    for _ in range(10):  # more than there may be visitors
        with server.visitor() as visitor:
            response = visitor.post("/files", params={"name": "a.csv"}, content=b"")
            assert response.status_code == 400
            assert "is empty" in response.json()["message"]
            assert "set-cookie" not in response.headers
    assert server.files() == before
    with server.visitor() as visitor:
        upload(visitor)
        visitor.post("/end")


async def uploads(server, number, cookies, size):
    async with httpx.AsyncClient(
        base_url=server.address, headers=PAGE_HEADERS, cookies=cookies, timeout=60
    ) as client:

        async def slowly():
            yield PETS.encode()
            for _ in range(size):
                await asyncio.sleep(0.1)
                yield b"dog,0.5,0.5\n"

        send = [client.post("/files", params={"name": "a.csv"}, content=slowly()) for _ in range(number)]
        return [response.status_code for response in await asyncio.gather(*send)]


def parallel_uploads(*arguments):
    """In a thread of its own: a browser of other tests may have an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(uploads(*arguments))).result()


@pytest.mark.slow
def test_parallel_uploads_count_from_their_beginning(server):
    with server.visitor() as visitor:
        upload(visitor)
        statuses = parallel_uploads(server, 6, dict(visitor.cookies), 5)
        assert sorted(statuses) == [200] * 3 + [400] * 3  # one of four is there already
        assert len([name for name in server.files() if name.startswith("upload")]) == 4
        visitor.post("/end")
    assert server.files() == []


@pytest.mark.slow
def test_parallel_uploads_of_all_visitors(server):
    statuses = parallel_uploads(server, 10, {}, 10)
    assert statuses.count(503) >= 4
    # of the six that are received, as many as there may be visitors are kept
    assert statuses.count(200) == 3
    with server.visitor() as visitor:
        response = visitor.post("/files", params={"name": "a.csv"}, content=PETS)
        assert response.status_code == 503
        assert "Too many people" in response.json()["message"]
        assert response.headers["retry-after"]


@pytest.fixture
def small_server(tmp_path):
    """A server for tests that leave something behind."""
    servers = []

    def start(*options):
        servers.append(Server(tmp_path, *options))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


@pytest.mark.slow
def test_the_disk_is_limited(small_server):
    server = small_server("--max-disk", "1", "--max-size", "2")
    with server.visitor() as visitor:
        upload(visitor, b"x" * (MEGABYTE // 2))
        for content in (b"x" * MEGABYTE, (b"x" * 2**16 for _ in range(16))):  # with and without a length
            response = visitor.post("/files", params={"name": "a.csv"}, content=content)
            assert response.status_code == 503
            assert "larger than 1 MB" in response.json()["message"]
        assert server.files() == ["upload.csv"]


@pytest.mark.slow
def test_a_slow_upload_is_ended(small_server):
    server = small_server("--max-silence", "1", "--max-upload-time", "3")
    start = (
        b"POST /files?name=a.csv HTTP/1.1\r\nHost: localhost\r\nx-polyroc: 1\r\nContent-Length: 1000\r\n\r\nkind"
    )
    for pause, times in ((PATIENCE, 0), (0.5, 600)):  # nothing comes; little comes, again and again
        with server.connect() as raw:
            raw.sendall(start)
            raw.settimeout(pause)
            answer = b""
            while not answer:
                try:
                    answer = raw.recv(65536)
                except TimeoutError:
                    times -= 1
                    assert times >= 0  # fewer than the bytes that were announced: only the limit ends it
                    raw.sendall(b"x")
        assert b" 408 " in answer.split(b"\r\n", 1)[0]
        assert server.files() == []


@pytest.mark.slow
def test_more_requests_than_connections(small_server):
    server = small_server("--max-connections", "3")
    others = [server.connect() for _ in range(2)]
    with server.visitor() as visitor:
        assert visitor.get("/").status_code == 503
    for raw in others:
        raw.close()
    deadline = time.monotonic() + PATIENCE  # the server notices the ends in its own time
    with server.visitor() as visitor:
        while visitor.get("/").status_code == 503:
            assert time.monotonic() < deadline


@pytest.mark.slow
def test_the_queue_reports_its_length_and_the_place(server, tmp_path):
    with server.visitor() as visitor, server.visitor() as other:
        for client in (visitor, other):  # the sessions of another test may be there still
            client.post("/end")
    server_folder = tmp_path / "queue"
    server_folder.mkdir()
    mine = Server(server_folder, "--max-queue", "2")
    try:
        with mine.visitor() as visitor:
            keys = [upload(visitor) for _ in range(4)]
            for key in keys[:3]:
                assert visitor.post(f"/files/{key}/report", json=PETS_COLUMNS).status_code == 200
            for job in mine.jobs():
                os.kill(job, signal.SIGSTOP)  # so that the first one does not end meanwhile
            states = [report_state(visitor, key) for key in keys[:3]]
            assert [state["what"] for state in states] == ["running", "waiting", "waiting"]
            assert [(state["place"], state["length"]) for state in states[1:]] == [(1, 2), (2, 2)]
            response = visitor.post(f"/files/{keys[3]}/report", json=PETS_COLUMNS)
            assert response.status_code == 503
            assert "2 others wait already" in response.json()["message"]
            assert "2 reports wait" in visitor.get("/").text
            visitor.post("/end")
            assert "reports wait" not in visitor.get("/").text
    finally:
        mine.stop()


@NOT_WINDOWS
@pytest.mark.slow
def test_what_a_killed_server_leaves_is_deleted_by_the_next_one(tmp_path):
    killed, running = Server(tmp_path), Server(tmp_path)
    with killed.visitor() as one, running.visitor() as two:
        key = upload(one)
        upload(two)
        one.post(f"/files/{key}/report", json=PETS_COLUMNS)
        killed.jobs()  # waits until the report's process runs
        killed.stop(signal.SIGKILL)
    assert killed.files().count("upload.csv") == 2
    third = Server(tmp_path)
    assert third.files() == ["upload.csv"]  # of the server that runs
    running.stop()
    third.stop()
    assert list(tmp_path.iterdir()) == []


@NOT_WINDOWS
def test_folders_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "polyroc-serve-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "polyroc-serve-file").write_text("")
    first, second = ServerFolder(), ServerFolder()
    assert first.path.exists()
    monkeypatch.setattr(os, "getuid", lambda: -1)  # as if all belonged to another user
    (tmp_path / "polyroc-serve-theirs").mkdir()
    from polyroc.serve.visitors import _remove_abandoned

    _remove_abandoned(tmp_path)
    assert (tmp_path / "polyroc-serve-theirs").exists()
    assert (tmp_path / "elsewhere").exists()
    for folder in (first, second):
        folder.delete()
        assert not folder.path.exists()


def has_ipv6():
    import socket

    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_ipv6(small_server):
    server = small_server("--host", "::1")
    assert server.address.startswith("http://[::1]:")
    with server.visitor() as visitor:
        assert visitor.get("/").status_code == 200
        assert "pets.csv" in visitor.get(f"/files/{upload(visitor)}").text
        assert visitor.get("/", headers={"host": "[::2]:80"}).status_code == 400
        assert visitor.get("/", headers={"host": "[::1"}).status_code == 400


def test_visitors_not_seen_for_long_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    visitors = Visitors(Limits(idle=0.0, visitors=1))
    first = new_visitor(visitors)
    time.sleep(0.01)
    new_visitor(visitors)  # there is room again
    assert visitors.get(first.cookie) is None
    assert not first.folder.exists()
    visitors.close()


def new_visitor(visitors):
    with visitors.new_upload(None, "a.csv", ".csv") as (visitor, _, upload):
        upload.path.write_text(PETS)
    return visitor


def test_no_more_visitors_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    visitors = Visitors(Limits(visitors=1))
    new_visitor(visitors)
    with pytest.raises(BusyError, match="Too many people"):
        new_visitor(visitors)
    visitors.close()
    assert list(tmp_path.iterdir()) == []


def test_the_visitor_idle_for_longest_gives_way(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    visitors = Visitors(Limits(visitors=2, idle_if_full=0.05))
    first, second = new_visitor(visitors), new_visitor(visitors)
    time.sleep(0.1)
    visitors.get(first.cookie)
    third = new_visitor(visitors)
    assert [visitors.get(visitor.cookie) is visitor for visitor in (first, second, third)] == [True, False, True]
    assert not second.folder.exists()
    visitors.close()


def wait(job):
    until = time.monotonic() + PATIENCE
    while not job.ended and time.monotonic() < until:
        time.sleep(0.05)
    return job.state


@pytest.mark.slow
def test_results_and_limits_of_jobs(tmp_path):
    assert wait(Job(Queue(1, 9, 60.0, 2**31), "The test", tmp_path, sleep, 0)).result == {"slept": 0}
    late = wait(Job(Queue(1, 9, 0.3, 2**31), "The test", tmp_path, sleep, 60))
    assert (late.what, late.step) == ("failed", "The test took longer than 0.3 seconds.")
    large = wait(Job(Queue(1, 9, 60.0, 2**31), "The test", tmp_path, fill_memory))
    assert large.step.startswith("The test needs more than 2 GB of memory, the limit of this page")


@pytest.mark.slow
@NOT_WINDOWS
def test_a_job_whose_process_dies(tmp_path):
    state = wait(Job(Queue(1, 9, 60.0, 2**31), "The test", tmp_path, kill_itself))
    assert state.what == "failed"
    assert state.step.startswith("The test probably needs more than 2 GB of memory")


@pytest.mark.slow
def test_a_process_that_does_not_end_does_not_hold_the_queue(tmp_path):
    queue = Queue(1, 9, 60.0, 2**31)
    first, second = Job(queue, "The test", tmp_path, linger), Job(queue, "The test", tmp_path, sleep, 0)
    assert wait(first).result == "done"
    assert wait(second).result == {"slept": 0}


def test_jobs_run_in_order_and_can_be_stopped(tmp_path):
    queue = Queue(1, 2, 60.0, 2**31)
    jobs = [Job(queue, "The test", tmp_path, sleep, 60) for _ in range(3)]
    with pytest.raises(BusyError, match="2 others wait already"):
        Job(queue, "The test", tmp_path, sleep, 60)
    assert [(job.state.what, job.state.place) for job in jobs] == [("running", 0), ("waiting", 1), ("waiting", 2)]
    jobs[1].stop()
    assert jobs[1].state.what == "stopped"
    assert (jobs[2].state.place, jobs[2].state.length) == (1, 1)
    jobs[0].stop()
    until = time.monotonic() + PATIENCE
    while jobs[2].state.what == "waiting" and time.monotonic() < until:
        time.sleep(0.05)
    assert [job.state.what for job in jobs] == ["stopped", "stopped", "running"]
    jobs[2].stop()
    assert wait(jobs[2]).what == "stopped"


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.01, 0.1])
def test_a_job_can_be_stopped_at_any_moment(tmp_path, delay):
    job = Job(Queue(1, 2, 60.0, 2**31), "The test", tmp_path, sleep, 60)
    time.sleep(delay)
    job.stop()
    assert wait(job).what == "stopped"


@pytest.mark.slow
def test_a_wide_file_is_previewed_soon(tmp_path):
    """The time is in proportion to the number of columns; with a query for each column, to its square."""
    from polyroc.io.preview import preview

    path, seconds = Path(tmp_path, "wide.csv"), {}
    for number in (10, 1000, 4000):  # the first one bears what is done once
        names = ",".join(f"c{i}" for i in range(number))
        path.write_text(f"{names}\n{'1,' * (number - 1)}a\n{'2,' * (number - 1)}b\n")
        began = time.process_time()
        seen = preview(path)
        seconds[number] = time.process_time() - began
        assert (seen.columns[0].high, seen.columns[-1].values, seen.previewed) == (2.0, ("a", "b"), 2)
    assert seconds[4000] < (10 if duckdb.__version__ >= "2" else 14) * seconds[1000]
