"""Reports: their time and size, and the response time of the explorer in a browser."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import polyroc as pr
from fronts import CASES, front_of
from timing import PEAK_KILOBYTES

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
MOVES = """async () => {
    const slider = document.querySelector('[data-slider="cost 0,1"]'), taken = [];
    for (let i = 0; i < 41; i++) {
        slider.value = -1 + i / 20;
        const start = performance.now();
        slider.dispatchEvent(new Event("input"));
        taken.push(performance.now() - start);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
    return taken.sort((a, b) => a - b)[20];
}"""


def classifiers(c, n, k):
    rng = np.random.default_rng(0)
    y = rng.integers(c, size=n)
    probabilities = {}
    for i in range(k):
        z = rng.normal(size=(n, c))
        z[np.arange(n), y] += 1.0 + 0.2 * i
        P = np.exp(z)
        probabilities[f"classifier {i}"] = P / P.sum(axis=1, keepdims=True)
    return y, probabilities


def reports():
    pr.report(*classifiers(3, 300, 3), path=None).to_html()
    y, scores = classifiers(3, 10**5, 3)
    start = time.perf_counter()
    report = pr.report(y, scores, path=None)
    computed = time.perf_counter()
    page = report.to_html()
    done = time.perf_counter()
    work = "report of 3 classifiers, 3 classes, 1e+05 cases"
    yield work, "seconds", done - start, "<=", 15
    yield work, "share of them that is statistics", (computed - start) / (done - start), ">=", 0.5
    yield work, "size of the page, MB", len(page.encode()) / 1e6, "<=", 10


OF_FILE = f"""
import sys
import polyroc as pr
pr.report(sys.argv[1], truth="y", scores=dict(a="a", b="b"), path=sys.argv[2])
print({PEAK_KILOBYTES} * 1024)
"""


def report_of_a_file():
    """Ten million rows by the engine, in a process of its own, whose memory is measured."""
    rng = np.random.default_rng(0)
    y = rng.random(10**7) < 0.3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.parquet")
        scores = {
            name: 1 / (1 + np.exp(1 - rng.normal(size=len(y)) - gain * y))
            for name, gain in (("a", 1.2), ("b", 0.8))
        }
        pl.DataFrame({"y": y, **scores}).write_parquet(path)
        command = [sys.executable, "-c", OF_FILE, str(path), str(Path(folder, "report.html"))]
        start = time.perf_counter()
        memory = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        done = time.perf_counter()
    work = "report of a Parquet file of 1e+07 cases, 2 classifiers"
    yield work, "peak memory, GB", memory / 1e9, "<=", 1.5
    yield work, "seconds", done - start, "<=", 120


def explorer_answers():
    """The median time of 41 moves of a slider in the report on a front of 9,000 points."""
    if not CHROMIUM.exists():
        return
    from playwright.sync_api import sync_playwright

    rates = front_of(9000, 0)
    counts = np.round(rates * CASES).astype(np.int64)
    counts[:, range(3), range(3)] = CASES - counts.sum(axis=2)
    costs = np.random.default_rng(0).random(counts.shape) * (1 - np.eye(3))
    fronts: Any = pr.front(*classifiers(3, 300, 1), draws=100)
    small = fronts["classifier 0"]
    front = pr.results.Front(small.classifier, small.classes, counts, costs, small.growth, False, small.provenance)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        path = Path(folder, "front.html")
        pr.report(front, path=path)
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page()
        page.goto(path.as_uri())
        taken = page.evaluate(MOVES)
        browser.close()
    yield "explorer, front of 9000 points: a slider is moved", "milliseconds", taken, "<=", 50
