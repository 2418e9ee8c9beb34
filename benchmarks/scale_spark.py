"""Evaluation on Spark with two cores: seconds, passes over the rows, and bytes sent to the driver.

Part of `make bench-scale`. Run as a script with the files to evaluate, it prints Spark's own counts.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import polyroc as pr

SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
SIZES = (10**6, 10**7)


def spark_rows(make_files):
    if shutil.which("java") is None:
        print("Spark is not measured: there is no Java.")
        return
    for rows in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, make_files(folder, rows)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        *evaluations, handed = json.loads(done.stdout.splitlines()[-1])
        for result, precision in zip(evaluations, ("", ", bounds within 1e-6"), strict=True):
            work = f"M, error on Spark local[2], {rows:.0e} rows x 3 classes of Parquet{precision}"
            yield work, "MB to the driver", result["bytes"] / 1e6, "<=", 50
            yield work, "seconds", result["seconds"], "", None
            yield work, "polyroc / handing all rows to Python once", result["seconds"] / handed, "", None
            yield work, "passes", result["passes"], "<=", 2


def driver_bytes(spark):
    """The bytes that the tasks of all stages sent to the driver, by Spark's own count."""
    context, gateway = spark.sparkContext._jsc.sc(), spark.sparkContext._gateway
    context.listenerBus().waitUntilEmpty()
    nothing, none = gateway.jvm.java.util.ArrayList(), gateway.new_array(gateway.jvm.double, 0)
    stages = context.statusStore().stageList(nothing, False, False, none, nothing)
    return sum(stages.apply(i).resultSize() for i in range(stages.size()))


def count_rows(batches):
    """What it costs Spark to hand rows to Python, which only counts them."""
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict({"rows": [sum(batch.num_rows for batch in batches)]})


def main(files):
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    spark = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
    table = spark.read.parquet(files)
    options: dict[str, Any] = {"truth": "y", "scores": ["p0", "p1", "p2"], "measure": "hand_till", "engine": spark}
    pr.evaluate(table.limit(1000), **options)  # starts the workers
    results: list[Any] = []
    for tolerance in (None, 1e-6):
        before, start = driver_bytes(spark), time.perf_counter()
        certificate = pr.evaluate(table, tolerance=tolerance, **options).certificate
        assert certificate.width <= (tolerance or 1)
        seconds = time.perf_counter() - start
        results.append({"bytes": driver_bytes(spark) - before, "seconds": seconds, "passes": certificate.passes})
    start = time.perf_counter()
    table.mapInArrow(count_rows, "rows bigint").collect()
    results.append(time.perf_counter() - start)
    print(json.dumps(results))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
