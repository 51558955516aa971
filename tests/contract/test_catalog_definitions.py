"""Definitions are remembered until the schema version says that one changed."""

from __future__ import annotations

import pytest

import quacklake as ql
from quacklake.catalog.definitions import Definitions
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from quacklake.kernel.errors import NotFound

T = TableName("main", "t")


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/l.sqlite", data_path=f"{tmp_path}/files/") as lake:
        lake.create_table("t", {"id": "bigint"})
        yield lake


def described(lake, definitions, name=T):
    with lake.session.catalog.read() as reader:
        return definitions.table(reader, name, reader.snapshot(Latest()))


def test_a_definition_is_asked_for_once_while_rows_come_and_go(lake):
    definitions = Definitions()
    lake.table("t").append({"id": [0]})
    first = described(lake, definitions)

    lake.table("t").append({"id": [1]})
    lake.table("t").delete("id = 1")

    assert described(lake, definitions) is first


def test_a_changed_definition_is_seen_at_once(lake):
    definitions = Definitions()
    before = described(lake, definitions)

    lake.table("t").add_column("more", "integer")

    after = described(lake, definitions)
    assert [column.name for column in after.columns] == ["id", "more"]
    assert len(before.columns) == 1


def test_another_process_may_change_what_a_writer_remembers(lake, tmp_path):
    lake.table("t").append({"id": [1]})
    with ql.connect(f"sqlite:///{tmp_path}/l.sqlite") as other:
        other.table("t").add_column("more", "integer", default="7")

    lake.table("t").append({"id": [2], "more": [3]})

    rows = lake.table("t").to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": 1, "more": 7}, {"id": 2, "more": 3}]


def test_a_table_that_is_missing_is_not_remembered_as_missing(lake):
    definitions = Definitions()
    other = TableName("main", "later")
    with pytest.raises(NotFound):
        described(lake, definitions, other)

    lake.create_table("later", {"id": "bigint"})

    assert described(lake, definitions, other).name == other
