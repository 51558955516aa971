"""Long work of the command line shows its progress on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import quacklake as ql

ROOT = Path(__file__).parents[2]
MAIN = "import sys; from quacklake.cli import main; sys.exit(main())"


@pytest.fixture
def lake(tmp_path):
    url = f"sqlite:///{tmp_path}/lake.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/") as made:
        table = made.create_table("t", {"a": "bigint"})
        for first in (0, 20):
            table.append(pa.table({"a": list(range(first, first + 20))}))
    pq.write_table(pa.table({"a": list(range(50_000))}), tmp_path / "rows.parquet")
    return url


def run(*words: str) -> tuple[str, str]:
    """What the command says on standard output, and on a terminal as its standard error."""
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *words],
            env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm", "COLUMNS": "80"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=True,
            text=True,
            timeout=60,
        )
        os.set_blocking(ours, False)
        try:
            shown = os.read(ours, 1 << 20).decode()
        except BlockingIOError:
            shown = ""
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout, shown


def test_append_counts_rows_on_a_terminal(lake, tmp_path):
    said, shown = run("append", lake, "t", str(tmp_path / "rows.parquet"))

    assert said == "50000 rows appended to t, snapshot 4\n"
    assert "50,000 rows" in shown


def test_maintain_names_the_table_it_is_at(lake):
    said, shown = run("maintain", lake, "merge")

    assert said == "merge: did merge of main.t: 2 files into 1, 40 rows\n"
    assert "merge main.t" in shown


def test_json_and_pipes_get_no_progress(lake, tmp_path):
    assert run("append", lake, "t", str(tmp_path / "rows.parquet"), "--json")[1] == ""
    assert run("maintain", lake, "checkpoint", "--json")[1] == ""
    piped = subprocess.run(
        [sys.executable, "-c", MAIN, "append", lake, "t",
         str(tmp_path / "rows.parquet")],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        check=True,
        timeout=60,
    )  # fmt: skip
    assert piped.stderr == b""
