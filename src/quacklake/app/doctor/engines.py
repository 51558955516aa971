"""What Spark would run on here; a lake is sound without it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from quacklake.engine.spark.java import found_java, version_of
from quacklake.kernel.errors import QuacklakeError


def spark_here() -> str:
    """The versions of Spark and Java, or what is missing and what to do about it."""
    try:
        release = version("pyspark")
        java = found_java()
    except PackageNotFoundError:
        return "is not installed; pip install 'quacklake[spark]'"
    except QuacklakeError as error:
        return f"cannot start: {error.problem}; {error.hint}"
    return f"{release} on Java {version_of(java.parent.parent)}, '{java}'"
