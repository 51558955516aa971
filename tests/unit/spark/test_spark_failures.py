"""What Spark says reaches a user as one sentence that tells something."""

from __future__ import annotations

import pytest

from quacklake.engine.spark.failures import running
from quacklake.kernel.errors import Unavailable

py4j = pytest.importorskip("py4j.protocol")

LOST_WORKER = """An error occurred while calling o15161.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 failed 1 times
\tat org.apache.spark.Some.place(Some.scala:1)
Caused by: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed).
\tat org.apache.spark.Other.place(Other.scala:1)
Caused by: java.io.EOFException
\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:386)
"""


class Late(py4j.Py4JError):
    """What Py4J wraps an exception of the JVM in."""

    __module__ = "py4j.protocol"


def test_the_innermost_cause_with_words_is_told():
    with pytest.raises(Unavailable) as told, running():
        raise Late(LOST_WORKER)

    assert told.value.problem == "the Spark job failed: Python worker exited unexpectedly (crashed)"
    assert told.value.hint == "see Spark's log for more"


def test_words_of_a_condition_come_first():
    with pytest.raises(Unavailable) as told, running():
        raise Late(": org.apache.spark.SparkException: [PLAN_FAILED] A rule failed. SQLSTATE: XX")

    assert told.value.problem == "the Spark job failed: A rule failed"
