"""What Spark says when something goes wrong, in the words of our errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from quacklake.kernel import errors
from quacklake.kernel.errors import QuacklakeError, Unavailable, UsageError

_OURS: Final = re.compile(r"quacklake\.kernel\.errors\.(\w+): (.+)")
_DATA: Final = re.compile(r"SQLSTATE: (?:21|22|P0)")
"""States of the SQL standard that speak of values, not of machines."""
_RAISED: Final = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Invalid)\w*: ")
_CAUSE: Final = re.compile(r"(?:Caused by)?: ?[\w.$]+(?:Error|Exception): (\S.*)")
"""How the JVM tells what an exception came of; the first has no word before its colon."""


@contextmanager
def running() -> Iterator[None]:
    """Run Spark; its exceptions leave as ours, with the first line that tells a user something."""
    from pyspark.errors import AnalysisException, ParseException, PySparkException

    # PySpark logs every error that it also raises, with the JVM's stack.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    try:
        yield
    except ParseException as error:
        raise UsageError(f"the query is not valid Spark SQL: {_line(error)}") from error
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            raise _translated(error) from error
        raise UsageError(f"Spark cannot run the query: {_line(error)}") from error
    except PySparkException as error:
        raise _translated(error) from error
    except Exception as error:
        # Py4J wraps what the JVM throws late; anything else is not Spark's.
        if not type(error).__module__.startswith("py4j"):
            raise
        raise _translated(error) from error


def _translated(error: BaseException) -> QuacklakeError:
    text = str(error)
    ours = _OURS.search(text)
    if ours:
        # The class is what callers act upon; it crossed a process as the name in a traceback.
        kind = getattr(errors, ours[1], QuacklakeError)
        return QuacklakeError(ours[2]) if kind is QuacklakeError else kind(ours[2])
    if "BrotliCodec" in text:
        return errors.Unsupported(
            "a data file is compressed with Brotli, for which Spark has no codec",
            hint="run with engine='local', or rewrite the file with another parquet_compression",
        )
    if "FAILED_READ_FILE" in text or "PATH_NOT_FOUND" in text:
        return errors.FileUnreadable(
            f"Spark could not read a data file: {_line(error)}",
            hint="it is missing, damaged, or out of reach of the executors",
        )
    if _DATA.search(text):
        return UsageError(f"Spark cannot compute a value: {_line(error)}")
    return Unavailable(f"the Spark job failed: {_line(error)}", hint="see Spark's log for more")


def _line(error: BaseException) -> str:
    condition = getattr(error, "getCondition", None)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if any(line.startswith("Traceback") for line in lines):
        raised = [line for line in lines if _RAISED.match(line)]
        return raised[-1] if raised else "a Python worker failed"
    for line in lines:
        found = re.search(r"\[([A-Z_.]+)\] (.+)", line)
        if found:
            return found[2].partition(" SQLSTATE")[0].rstrip(". ")
    causes = [found[1] for line in lines if (found := _CAUSE.match(line))]
    if causes:
        # The innermost cause that says anything.
        return causes[-1].rstrip(". ")
    named = condition() if callable(condition) else None
    return lines[0] if lines else str(named or type(error).__name__)
