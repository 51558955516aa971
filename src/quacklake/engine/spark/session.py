"""The Spark session: the user's own, or one embedded in this process and kept warm."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quacklake.engine.spark.java import java_home
from quacklake.engine.spark.reaching import check_reachable, without_secrets
from quacklake.kernel.errors import Unavailable, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER: Final = "QUACKLAKE_SPARK_MASTER"
"""The environment variable that names a master or a Connect server; Spark's own are heeded too."""

_NEEDED: Final = {
    # Files are read by field id: names and places of columns change, ids do not.
    "spark.sql.parquet.fieldId.read.enabled": "true",
}
_HOUSE: Final = {
    **_NEEDED,
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
_STARTED: Final = {
    # A refresh of one view over six joined tables is more programs than Spark's default keeps,
    # so that every refresh compiled all of them again.
    "spark.sql.codegen.cache.maxEntries": "2000",
}
"""What a session can only begin with."""
_LATENCY: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Small jobs cost what their plan costs: few partitions, and no replanning between stages.
    "spark.sql.adaptive.enabled": "false",
    # Listing files on executors costs a job of its own, which files at hand do not repay.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
}
_making = threading.Lock()


def spark_session(
    master: str | None = None, config: Mapping[str, str] | None = None
) -> SparkSession:
    """The session to use: the active one, or one on `master`, or one in this process.

    `master` is what Spark calls so (`local[4]`, `spark://host:7077`, `yarn`), or the address of
    a Connect server (`sc://host`).
    """
    _require_pyspark()
    from pyspark.sql import SparkSession

    with _making:
        found = SparkSession.getActiveSession()
        if found is None or _stopped(found):
            found = _made(master or os.environ.get(MASTER), dict(config or {}))
        elif master is not None:
            _check_master(found, master)
        return prepared(found)


def prepared(session: SparkSession) -> SparkSession:
    """`session` with the settings that reading a lake relies on."""
    for name, value in _NEEDED.items():
        if session.conf.get(name, None) != value:
            session.conf.set(name, value)
    return session


def _require_pyspark() -> None:
    if find_spec("pyspark") is None:
        raise UsageError("Spark is not installed", hint="pip install 'quacklake[spark]'")


def _check_master(session: SparkSession, wanted: str) -> None:
    """Refuse another Spark than the one asked for; a Connect server's address is its own."""
    has = session.conf.get("spark.master", None)
    if has is not None and has != wanted and not wanted.startswith("sc://"):
        raise UsageError(
            f"a Spark session at '{has}' is active, and one at '{wanted}' was asked for",
            hint="stop the active session first, or use it: leave the address out",
        )


def _stopped(session: SparkSession) -> bool:
    if not hasattr(session, "is_stopped"):
        return False
    return bool(session.is_stopped)


def _made(master: str | None, config: dict[str, str]) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    builder = SparkSession.builder
    remote = master if master and master.startswith("sc://") else os.environ.get("SPARK_REMOTE")
    check_reachable(remote or master or "")
    try:
        if remote:
            for name, value in (_HOUSE | config).items():
                builder = builder.config(name, value)
            return builder.remote(remote).getOrCreate()
        for name, value in _settings(master, config).items():
            builder = builder.config(name, value)
        with _java_found():
            return builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        where = without_secrets(remote or master or "local")
        raise Unavailable(
            f"no Spark session at '{where}': {_first_line(error)}",
            hint="check the address of the master, that it runs, and that its version fits",
        ) from error


@contextmanager
def _java_found() -> Iterator[None]:
    """Name the Java to start; what the user's own programs see is left as it was."""
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(java_home())
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("JAVA_HOME", None)
        else:
            os.environ["JAVA_HOME"] = before


def _settings(master: str | None, config: Mapping[str, str]) -> dict[str, str]:
    chosen = master or "local[*]"
    settings = {"spark.master": chosen, "spark.app.name": "quacklake", **_HOUSE, **_STARTED}
    if chosen.startswith("local"):
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        warehouse = tempfile.mkdtemp(prefix="quacklake-spark-")
        atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
        settings |= _LATENCY
        settings["spark.sql.shuffle.partitions"] = str(cores or 1)
        settings["spark.sql.warehouse.dir"] = warehouse
        settings["spark.driver.memory"] = _driver_memory()
    quiet = Path(__file__).with_name("log4j2.properties")
    settings["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={quiet.as_uri()}"
    return settings | dict(config)


def _driver_memory() -> str:
    """A quarter of the machine: where Spark runs in this process, its heap is the driver's."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "1g"
    return f"{max(1024, total // 4 // 2**20)}m"


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
