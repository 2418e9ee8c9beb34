"""Spark's process that forks the Python workers, without a garbage collection after each task.

With the modules that polyroc needs, a collection takes longer than a task on the small data of the tests. Spark
starts it (`spark.python.daemon.module`).
"""

import gc
from types import SimpleNamespace
from typing import Any

from pyspark import daemon

if __name__ == "__main__":
    collector: Any = SimpleNamespace(**{**vars(gc), "collect": lambda: 0})
    daemon.gc = collector
    daemon.manager()
