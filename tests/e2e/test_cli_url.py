"""With QUACKLAKE_URL set, commands that write do without a URL, too."""

from __future__ import annotations

import pytest

import quacklake as ql
from tests.support.commandline import Program


@pytest.fixture
def quacklake(capsys, tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/") as lake:
        lake.create_table("t", {"id": "bigint"})
    monkeypatch.setenv("QUACKLAKE_URL", url)
    return Program(capsys)


def test_rows_are_appended_and_the_lake_is_maintained(quacklake, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("id\n1\n2\n")

    assert quacklake("append", "t", str(file)).out == "2 rows appended to t, snapshot 2\n"
    assert quacklake("maintain", "flush").out.startswith("flush: did flush of main.t")
    assert quacklake("head", "t", "--json").lines == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("append",), "the table or its files are missing"),
        (("append", "t"), "the table or its files are missing"),
        (("maintain",), "what to do is missing"),
        (("maintain", "sweep"), "'sweep' is nothing to do"),
    ],
)
def test_what_is_missing_is_told(quacklake, words, problem):
    outcome = quacklake(*words)

    assert (outcome.code, outcome.error) == (2, problem)
