"""How the tests start Spark."""

import os
import shutil

JAVA = shutil.which("java") or os.environ.get("JAVA_HOME")
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # sessions are short and small
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.retainedStages": "1000000",  # tests sum over all stages; the oldest are forgotten by default
    "spark.ui.showConsoleProgress": "false",
}
