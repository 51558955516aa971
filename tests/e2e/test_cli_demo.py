"""`quacklake demo` runs by itself, tells the truth, and cleans up."""

import tempfile

import pytest

from tests.support.commandline import Program
from tests.support.spark import ONE_WORKER


@pytest.fixture
def quacklake(capsys):
    return Program(capsys)


@ONE_WORKER
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_demo_ends_with_equal_answers_and_leaves_nothing(
    quacklake, tmp_path, monkeypatch, spark
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    outcome = quacklake("demo")

    assert (outcome.code, outcome.err) == (0, "")
    first = outcome.out.partition("\n8. ")[0]
    answers = [line.split(maxsplit=1) for line in first.splitlines() if "Decimal" in line]
    assert [name for name, _ in answers] == ["DuckDB", "Quacklake"]
    assert len({answer for _, answer in answers}) == 1
    assert "2 of 30 files" in outcome.out
    assert outcome.out.count("rows, equal") == 5
    assert "DIFFERENT" not in outcome.out
    assert list(tmp_path.glob("quacklake-demo-*")) == []


def test_a_demo_that_is_kept_can_be_looked_at(quacklake, tmp_path):
    kept = quacklake("demo", "--keep", str(tmp_path / "mine"), "--engine", "local")
    url = f"sqlite:///{tmp_path}/mine/shop.sqlite"

    assert kept.code == 0
    assert f"quacklake snapshots {url}" in kept.out
    assert quacklake("tables", url, "--json").document[0]["name"] == "orders"
    assert "cannot be made" in quacklake("demo", "--keep", str(tmp_path / "mine")).error
