"""Data frames of Spark Connect give the answers of memory; in a process of their own, as a client has it."""

import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine_files import frame
from spark_settings import JAVA, SETTINGS

SCRIPT = Path(__file__).parent.parent / "spark_connect_client.py"


@pytest.fixture
def spark(tmp_path):
    """The environment of a client that starts its own server."""
    if JAVA is None or find_spec("grpc") is None:
        if os.environ.get("POLYROC_REQUIRE_JAVA") == "1":
            pytest.fail("Spark's tests may not be skipped here, and there is no Java, or no grpcio.")
        pytest.skip("Spark Connect needs Java and pyspark[connect].")
    submitted = " ".join(f"--conf {shlex.quote(f'{name}={value}')}" for name, value in SETTINGS.items())
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": f"{submitted} --conf spark.local.dir={tmp_path} pyspark-shell",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


@pytest.mark.slow
def test_spark_connect_equals_memory(spark, tmp_path):
    path = tmp_path / "rows.parquet"
    frame().write_parquet(path)
    run = subprocess.run(
        [sys.executable, SCRIPT, path], env=spark, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split() == ["exact", "tolerance", "by", "vector", "errors"]
