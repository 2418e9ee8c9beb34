"""What is damaged or odd, and what is promised about it.

A trial takes a generator of random numbers and an empty folder. It returns True if the input was rejected with an
error of polyroc, False if it was accepted; anything else that is raised is a failure of polyroc.
"""

import atexit
import contextlib
import gzip
import io
import json
import math
import random
import socket
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import polyroc as pr
from command import polyroc
from csv_dialects import CLASSES, DIALECTS, MISSING, SCORES, agree, lines, outcome, rows
from fuzz.registry import rejected, subject
from golden import files, studies
from golden.files import RESULTS, STORED
from golden.inputs import TALLIES
from polyroc._results.result import Result
from polyroc.serve.forms import as_columns
from serve_process import Server, upload
from stored_damage import mutated, signed_front, signed_tally, store_with_log, tally_parts

ERROR = "an error of polyroc, or values within their range"


def several(data, rng):
    """Plain data with one to three mutations."""
    for _ in range(int(rng.integers(1, 4))):
        if not isinstance(data, dict | list) or not data:
            break
        data, _ = mutated(data, rng)
    return data


def damaged_bytes(whole, rng):
    """Bytes with a part overwritten, inverted, removed, repeated or cut off."""
    content, length = bytearray(whole), int(2 ** rng.integers(0, 10))
    start = int(rng.integers(max(len(whole), 1)))
    action = rng.integers(6)
    if action == 0:
        content[start : start + length] = rng.bytes(len(content[start : start + length]))
    elif action == 1:
        content[start] ^= 1 << int(rng.integers(8))
    elif action == 2:
        del content[start : start + length]
    elif action == 3:
        content[start:start] = content[start : start + length]
    elif action == 4:
        del content[start:]
    else:
        content[start : start + length] = bytes(len(content[start : start + length]))
    return bytes(content)


def require_range(value):
    assert math.isnan(value) or 0 <= value <= 1, f"a value of {value}"


# Stored files


@cache
def result_data(name):
    return json.loads(files.result_text(name))


@subject(
    "stored results",
    "entries of stored results of every class, removed, replaced, exchanged or scaled",
    ERROR,
    "tests/results/test_damaged_results.py",
)
def stored_result(rng, folder):
    name = list(RESULTS)[rng.integers(len(RESULTS))]

    def read():
        result = RESULTS[name].kind.from_dict(several(result_data(name), rng))
        json.dumps(result.to_dict(), allow_nan=False)
        if isinstance(result, Result):
            result.rows()
            str(result)
        for probability in ("pvalue", "standard_error"):
            value = getattr(result, probability, None)
            assert not isinstance(value, float) or math.isnan(value) or value >= 0, f"{probability} {value}"

    return rejected(read)


@subject(
    "stored results as text",
    "bytes of stored results overwritten, inverted, removed, repeated or cut off",
    ERROR,
    "tests/results/test_codec.py",
)
def stored_text(rng, folder):
    name = list(RESULTS)[rng.integers(len(RESULTS))]
    text = damaged_bytes(files.result_text(name).encode(), rng).decode("utf-8", "replace")
    kind = RESULTS[name].kind
    return rejected(lambda: kind.from_json(text).to_dict() if issubclass(kind, Result) else None)


@cache
def tally_bytes(name):
    return (STORED / f"tally_{name}.bin").read_bytes()


def evaluate_tally(data):
    tally = pr.Tally.from_bytes(data)
    require_range(tally.evaluate("auc" if len(tally.labels) == 2 else "accuracy").value)


@subject(
    "tallies, signed again",
    "headers and arrays of tallies changed, with a checksum that fits",
    f"{ERROR}; memory in proportion to the file",
    "tests/engines/test_tally_file.py",
)
def tally_signed(rng, folder):
    header, arrays = tally_parts(tally_bytes(list(TALLIES)[rng.integers(len(TALLIES))]))
    if rng.integers(2):
        header = several(header, rng)
    else:
        arrays = damaged_bytes(arrays, rng)
    return rejected(lambda: evaluate_tally(signed_tally(header, arrays)))


@subject("tallies", "bytes of tallies changed", "an error of polyroc", "tests/engines/test_tally_file.py")
def tally_damaged(rng, folder):
    whole = tally_bytes(list(TALLIES)[rng.integers(len(TALLIES))])
    data = damaged_bytes(whole, rng)
    was_rejected = rejected(lambda: evaluate_tally(data))
    assert was_rejected or data == whole, "a damaged tally was accepted"
    return was_rejected


@subject(
    "fronts, signed again",
    "entries of fronts changed, with a digest that fits",
    ERROR,
    "tests/fronts/test_damaged_fronts.py",
)
def front_signed(rng, folder):
    data = several(result_data(["Front", "Front_searched"][rng.integers(2)]), rng)
    with contextlib.suppress(TypeError, ValueError, OverflowError):  # arrays that cannot be read
        data = signed_front(data)

    def read():
        front = pr.results.Front.from_dict(data)
        front.rows()
        repr(front)
        require_range(front.growth.gini[-1])
        assert ((front.rates >= 0) & (front.rates <= 1)).all(), "rates outside their range"

    return rejected(read)


@subject(
    "front files",
    "bytes of stored fronts (.npz, .json) changed",
    "an error of polyroc, or the front that was stored",
    "tests/fronts/test_damaged_fronts.py",
)
def front_file(rng, folder):
    name = ["front.npz", "front.json"][rng.integers(2)]
    whole = (STORED / name).read_bytes()
    path = folder / name
    path.write_bytes(damaged_bytes(whole, rng))

    def read():
        front, original = pr.results.Front.load(path), pr.results.Front.load(STORED / name)
        for array in ("counts", "costs"):
            same = np.array_equal(getattr(front, array), getattr(original, array))
            assert same, f"another front: {array}"
        front.rows()

    return rejected(read)


@subject(
    "rules and classifiers",
    "entries of stored rules and classifiers changed",
    ERROR,
    "tests/studies/test_damaged_stores.py",
)
def rule(rng, folder):
    paths = sorted([*STORED.glob("rule_*.json"), *STORED.glob("classifier_*.json")])
    path = paths[rng.integers(len(paths))]
    data = several(json.loads(path.read_text(encoding="utf-8")), rng)

    def read():
        if path.name.startswith("rule"):
            stored = pr.Rule.from_json(json.dumps(data))
            stored.sentence()
            n = len(stored.labels)
            assert set(stored.decide(rng.dirichlet(np.ones(n), size=5)).tolist()) <= set(stored.labels)
        else:
            classifier = pr.fronts.PointClassifier.from_json(json.dumps(data))
            classifier.to_json()
            assert set(classifier.decide(rng.normal(size=(5, classifier.model.features)))) <= set(
                classifier.labels
            )

    return rejected(read)


@subject("plans", "entries of study plans changed", ERROR, "tests/studies/test_damaged_stores.py")
def plan(rng, folder):
    data = several(json.loads(json.dumps(studies.PLAN)), rng)
    return rejected(lambda: pr.Plan.from_dict(data).to_toml())


@cache
def store_bytes():
    with tempfile.TemporaryDirectory() as folder:
        path = files.unpack_study(folder)
        copy = store_with_log(path, _subfolder(folder))
        return path.read_bytes(), copy.read_bytes(), copy.with_name(f"{copy.name}.wal").read_bytes()


def _subfolder(folder):
    path = Path(folder, "log")
    path.mkdir()
    return path


def open_study(path):
    study = pr.results.Study.open(path)
    study.rows()
    study.fit_times()


@subject(
    "study stores",
    "bytes of study stores changed",
    "an error of polyroc that says what can be saved, or a study",
    "tests/studies/test_damaged_stores.py",
)
def store(rng, folder):
    path = folder / "study.duckdb"
    path.write_bytes(damaged_bytes(store_bytes()[0], rng))
    return rejected(lambda: open_study(path))


@subject(
    "logs of study stores",
    "bytes of write-ahead logs changed",
    "an error that names the log; the store without it is read",
    "tests/studies/test_damaged_stores.py",
)
def log(rng, folder):
    _, whole, wal = store_bytes()
    path = folder / "study.duckdb"
    path.write_bytes(whole)
    path.with_name(f"{path.name}.wal").write_bytes(damaged_bytes(wal, rng))
    was_rejected = rejected(lambda: open_study(path))
    if was_rejected:
        path.write_bytes(whole)
        path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
        open_study(path)
    return was_rejected


# Data files


def odd_csv(rng):
    """A CSV file put together from odd parts, as bytes, and its positive class."""
    pick = random.Random(int(rng.integers(2**32)))
    if pick.random() < 0.2:
        content = pick.choice(list(DIALECTS.values()))
        return (content if isinstance(content, bytes) else content.encode()), "b"
    classes = pick.choice(list(CLASSES.values()) + [("a", "b")] * 10)
    table = rows(classes, n=pick.choice((2, 10, 40)))
    for _ in range(pick.choice((0, 0, 1, 2))):
        place = pick.randrange(len(table) + 1)
        table.insert(place, [pick.choice(["a", *MISSING]), pick.choice(SCORES)])
    if pick.random() < 0.2:
        table = [[f'"{value}"' if not value.startswith('"') else value for value in row] for row in table]
    if pick.random() < 0.1:
        table.insert(pick.randrange(len(table)), [pick.choice(["", "#", '"', "a", "a,b,c", "\0"])])
    headers = [("truth", "score")] * 8 + [('"truth"', "score"), ("truth", "score", ""), ("score", "truth")]
    text = lines(table, pick.choice(",,,,;\t|"), pick.choice(["\n"] * 4 + ["\r\n", "\r"]), pick.choice(headers))
    text = pick.choice([""] * 8 + ["\ufeff", "\n", "\r\n", "# note\n"]) + text
    if pick.random() < 0.1:
        place = pick.randrange(len(text))
        text = text[:place] + pick.choice(["\n", '"', ",", "\0", "#", "\\", "é", "\r"]) + text[place:]
    encoding = pick.choice(["utf-8"] * 12 + ["utf-16", "latin-1"])
    return text.encode(encoding, "replace"), classes[1].strip('"')


@subject(
    "CSV dialects",
    "CSV files put together from odd delimiters, quotes, labels, numbers, line ends, encodings",
    "the engine for large files gives what the reader into memory gives, or both raise an error",
    "tests/engines/test_dialects.py",
    share=4.0,
)
def dialect(rng, folder):
    path = folder / "cases.csv"
    content, positive = odd_csv(rng)
    path.write_bytes(content)
    options = {"pos_label": positive} if rng.integers(8) else {}
    if rng.integers(2):
        options["missing"] = "drop"
    memory, engine = (outcome(path, name, **options) for name in ("memory", "duckdb"))
    assert agree(memory, engine), f"memory: {memory}; engine: {engine}"
    if not isinstance(memory, Exception):
        require_range(memory)
    return isinstance(memory, Exception)


@cache
def csv_content():
    return lines(rows(n=400)).encode()


def evaluated(path, engine):
    value = outcome(path, engine, pos_label="b")
    if isinstance(value, float):
        require_range(value)
    return value


@subject(
    "gzip files",
    "bytes of gzip-compressed CSV files changed",
    "an error of polyroc, or the value of the undamaged file",
    "tests/io/test_integrity.py",
    share=2.0,
)
def gzip_file(rng, folder):
    path, whole = folder / "cases.csv.gz", folder / "cases.csv"
    path.write_bytes(damaged_bytes(gzip.compress(csv_content(), mtime=0), rng))
    whole.write_bytes(csv_content())
    engine = ["memory", "duckdb"][rng.integers(2)]
    value = evaluated(path, engine)
    assert isinstance(value, Exception) or agree(value, evaluated(whole, engine)), f"another value: {value}"
    return isinstance(value, Exception)


@cache
def parquet_content():
    import polars as pl

    table = rows(n=2000)
    frame = pl.DataFrame({"truth": [row[0] for row in table], "score": [float(row[1]) for row in table]})
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="snappy", row_group_size=500)
    return buffer.getvalue()


@subject(
    "Parquet files",
    "bytes of Parquet files changed (the format has no checksum that DuckDB verifies)",
    "an error of polyroc, or a value within its range; memory and engine agree",
    "tests/fuzz/test_fuzz.py",
    share=2.0,
)
def parquet_file(rng, folder):
    path = folder / "cases.parquet"
    path.write_bytes(damaged_bytes(parquet_content(), rng))
    memory, engine = evaluated(path, "memory"), evaluated(path, "duckdb")
    assert agree(memory, engine), f"memory: {memory}; engine: {engine}"
    return isinstance(memory, Exception)


@cache
def json_content():
    return "".join(json.dumps({"truth": label, "score": float(score)}) + "\n" for label, score in rows()).encode()


@subject("JSON lines", "bytes of JSON-lines files changed", ERROR, "tests/fuzz/test_fuzz.py")
def json_file(rng, folder):
    path = folder / "cases.jsonl"
    path.write_bytes(damaged_bytes(json_content(), rng))
    return isinstance(evaluated(path, "memory"), Exception)


@subject(
    "command line",
    "the commands evaluate, curve, front and study show with damaged and odd files",
    "exit code 0 or 1 with a result, or 2 with one line on standard error",
    "tests/cli/test_commands.py",
    share=2.0,
)
def command(rng, folder):
    content, positive = odd_csv(rng)
    name, whole = [
        ("cases.csv", content),
        ("cases.csv.gz", damaged_bytes(gzip.compress(csv_content(), mtime=0), rng)),
        ("cases.parquet", damaged_bytes(parquet_content(), rng)),
        ("front.npz", damaged_bytes((STORED / "front.npz").read_bytes(), rng)),
        ("study.duckdb", damaged_bytes(store_bytes()[0], rng)),
    ][rng.integers(5)]
    path = folder / name
    path.write_bytes(whole)
    columns = ("--truth", "truth", "--scores", "score", "--pos-label", positive if name == "cases.csv" else "b")
    if name == "front.npz":
        arguments = ["front", path]
    elif name == "study.duckdb":
        arguments = ["study", "show", path]
    else:
        arguments = [["evaluate", "curve"][rng.integers(2)], path, *columns]
    done = polyroc(*arguments)
    assert done.returncode in (0, 1, 2), f"exit code {done.returncode}"
    if done.returncode == 2:
        (line,) = [line for line in done.stderr.splitlines() if not line.startswith("polyroc: note: ")]
        assert line.startswith("polyroc"), line
    else:
        assert done.stdout
    return done.returncode == 2


@subject(
    "forms of serve",
    "choices of columns that the page did not send",
    "an error of polyroc, or a choice",
    "tests/serve/test_serve.py",
)
def form(rng, folder):
    choice = {"truth": "y", "scores": ["a", "b"], "labels": ["x", "y"], "pos_label": "x", "missing": "drop"}
    body = json.dumps(several(choice, rng)).encode()
    if rng.integers(2):
        body = damaged_bytes(body, rng)
    if rng.integers(20) == 0:
        body = [b"[", b'{"truth":'][rng.integers(2)] * int(rng.integers(1, 10**5))
    return rejected(lambda: as_columns(body))


@cache
def server():
    """A server that lives as long as this process."""
    folder = tempfile.TemporaryDirectory(prefix="polyroc-fuzz-")
    started = Server(Path(folder.name), "--max-silence", "2", "--max-size", "1", "--max-visitors", "1000000")
    atexit.register(folder.cleanup)
    atexit.register(started.stop)
    with started.visitor() as visitor:
        key = upload(visitor)
        return started, key, dict(visitor.cookies)["polyroc"]


def raw_request(rng, key, cookie):
    """The bytes of a request, most of them damaged."""
    target = [
        "GET /",
        "GET /static/serve.js",
        "POST /files?name=a.csv",
        f"GET /files/{key}/state",
        f"POST /files/{key}/report",
        "POST /end",
        "OPTIONS *",
        "GET /static/../../app.py",
    ][rng.integers(8)]
    body = json.dumps(several({"truth": "kind", "scores": ["p_cat", "p_dog"]}, rng)).encode()
    headers = ["Host: localhost", "x-polyroc: 1", f"Content-Length: {len(body)}", "Connection: close"]
    if rng.integers(2):
        headers.append(f"Cookie: polyroc={cookie if not target.endswith('/end') else 'x'}")
    if rng.integers(4) == 0:
        headers.insert(0, "Transfer-Encoding: chunked")
    whole = "\r\n".join([f"{target} HTTP/1.1", *headers, "", ""]).encode() + body
    return damaged_bytes(whole, rng) if rng.integers(4) else whole


@subject(
    "raw requests to serve",
    "requests to a running server with damaged lines, headers and bodies",
    "a response below 500, or a closed connection; the next visitor is served",
    "tests/serve/test_limits.py",
)
def raw(rng, folder):
    running, key, cookie = server()
    answer = b""
    with running.connect() as connection, contextlib.suppress(ConnectionResetError, BrokenPipeError):
        connection.sendall(raw_request(rng, key, cookie))
        connection.shutdown(socket.SHUT_WR)
        while piece := connection.recv(65536):
            answer += piece
    status = int(answer.split(b" ", 2)[1]) if answer else 400
    assert status < 500, answer[:300]
    with running.visitor() as visitor:
        assert visitor.get("/").status_code == 200
    return status >= 400
