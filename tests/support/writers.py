"""Writers of both kinds: one set of operations, done by us or by DuckDB, with a plain model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import pyarrow as pa

from quacklake.client.lake import Lake
from tests.support.referee import Referee

Row = tuple[int, int]
Model = Callable[[list[Row]], list[Row]]

TABLE: Final = {"k": "int", "n": "bigint"}


@dataclass(frozen=True)
class Operation:
    """One change of a table of `k` and `n`: as SQL for DuckDB, as a call for us, as a model."""

    sql: str
    ours: Callable[[Lake, str], object]
    model: Model

    def by_duckdb(self, referee: Referee, table: str) -> None:
        """Done by DuckDB; a query's rows are fetched, because maintenance runs while they are."""
        for statement in self.sql.replace("{t}", table).split(";"):
            referee.rows(statement)


def unchanged(rows: list[Row]) -> list[Row]:
    """What maintenance and new columns do to rows."""
    return rows


def rows_from(first: int, count: int, n: int = 0) -> pa.Table:
    """Rows with ascending keys."""
    keys = pa.array(range(first, first + count), pa.int64())
    return pa.table({"k": keys, "n": pa.array([n] * count, pa.int64())})


def insert(first: int, count: int, n: int = 0) -> Operation:
    """New rows with ascending keys."""
    return Operation(
        f"INSERT INTO {{t}} (k, n) SELECT i, {n} FROM range({first}, {first + count}) r(i)",
        lambda lake, t: lake.table(t).append(rows_from(first, count, n)),
        lambda rows: rows + [(k, n) for k in range(first, first + count)],
    )


def delete(first: int, count: int) -> Operation:
    """Rows gone by key."""
    where = f"k >= {first} AND k < {first + count}"
    return Operation(
        f"DELETE FROM {{t}} WHERE {where}",
        lambda lake, t: lake.table(t).delete(where),
        lambda rows: [row for row in rows if not first <= row[0] < first + count],
    )


def increment(first: int, count: int) -> Operation:
    """One more in each row, by key."""
    where = f"k >= {first} AND k < {first + count}"
    return Operation(
        f"UPDATE {{t}} SET n = n + 1 WHERE {where}",
        lambda lake, t: lake.table(t).update({"n": "n + 1"}, where=where),
        lambda rows: [(k, n + 1) if first <= k < first + count else (k, n) for k, n in rows],
    )


def merge(first: int, count: int, n: int) -> Operation:
    """Rows brought in by key."""

    def model(rows: list[Row]) -> list[Row]:
        brought, known = range(first, first + count), {k for k, _ in rows}
        changed = [(k, n) if k in brought else (k, old) for k, old in rows]
        return changed + [(k, n) for k in brought if k not in known]

    return Operation(
        f"MERGE INTO {{t}} USING (SELECT i AS k, {n} AS n FROM range({first}, {first + count}) "
        "r(i)) AS source ON {t}.k = source.k WHEN MATCHED THEN UPDATE SET n = source.n "
        "WHEN NOT MATCHED THEN INSERT (k, n) VALUES (source.k, source.n)",
        lambda lake, t: lake.table(t).merge(rows_from(first, count, n), on="k"),
        model,
    )


TRUNCATE: Final = Operation("TRUNCATE {t}", lambda lake, t: lake.table(t).truncate(), lambda _: [])
FLUSH: Final = Operation(
    "CALL ducklake_flush_inlined_data('lake', table_name => '{t}')",
    lambda lake, t: lake.flush_inlined_data(t),
    unchanged,
)
COMPACT: Final = Operation(
    "CALL ducklake_merge_adjacent_files('lake', '{t}')",
    lambda lake, t: lake.merge_adjacent_files(t),
    unchanged,
)
REWRITE: Final = Operation(
    "CALL ducklake_rewrite_data_files('lake', '{t}', delete_threshold => 0.01)",
    lambda lake, t: lake.rewrite_data_files(t, delete_threshold=0.01),
    unchanged,
)
CLEAN_UP: Final = Operation(
    "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
    lambda lake, _: lake.cleanup_old_files(cleanup_all=True),
    unchanged,
)


def expire(versions: Sequence[int]) -> Operation:
    """Snapshots given up."""
    return Operation(
        f"CALL ducklake_expire_snapshots('lake', versions => {list(versions)})",
        lambda lake, _: lake.expire_snapshots(versions=versions),
        unchanged,
    )


def altered(sql: str, ours: Callable[[Any], object]) -> Operation:
    """A change of the table's definition; `k` and `n` stay."""
    return Operation(f"ALTER TABLE {{t}} {sql}", lambda lake, t: ours(lake.table(t)), unchanged)


ALTER: Final = altered(
    "ADD COLUMN c INTEGER DEFAULT 7", lambda t: t.add_column("c", "int", default="7")
)


def check_current(lake: Lake, referee: Referee, table: str, expected: list[Row]) -> None:
    """Both read the same rows with the same, unique row ids; DuckDB's statistics are right.

    The referee has been attached all the time: what it caches must have been given up.
    """
    found = lake.table(table).scan(columns=["k", "n", "rowid"]).to_arrow()
    ours = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    ids = [row[2] for row in ours]
    assert Counter((k, n) for k, n, _ in ours) == Counter(expected), "rows as we read them"
    assert len(set(ids)) == len(ids), "row ids"
    assert Counter(referee.rows(f"SELECT k, n, rowid FROM {table}")) == Counter(ours), "DuckDB's"
    keys = [k for k, _ in expected]
    span = (len(keys), min(keys, default=None), max(keys, default=None))
    assert referee.rows(f"SELECT count(*) FROM {table}") == [span[:1]]
    assert referee.rows(f"SELECT count(*), min(k), max(k) FROM {table}") == [span]
    for wanted in {min(keys, default=0), max(keys, default=0)}:
        hits = referee.rows(f"SELECT count(*) FROM {table} WHERE k = {wanted}")
        assert hits == [(keys.count(wanted),)], f"a filter on {wanted}"


def check_past(lake: Lake, referee: Referee, table: str, past: dict[int, list[Row]]) -> None:
    """Every snapshot reads as it did when it was the newest, by both."""
    # The extension applies today's statistics to the past; without this it answers wrongly.
    referee.execute("SET disabled_optimizers = 'statistics_propagation'")
    for snapshot, rows in past.items():
        found = lake.table(table).scan(columns=["k", "n"], snapshot=snapshot).to_arrow()
        ours = zip(*(column.to_pylist() for column in found.columns), strict=True)
        theirs = referee.rows(f"SELECT k, n FROM {table} AT (VERSION => {snapshot})")
        assert Counter(ours) == Counter(theirs) == Counter(rows), f"snapshot {snapshot}"
    referee.execute("RESET disabled_optimizers")


def check_catalog(referee: Referee) -> None:
    """Counters only grow, changes are written in the format's words, statistics hold."""
    meta = "__ducklake_metadata_lake"
    heads = referee.rows(
        "SELECT snapshot_id, schema_version, next_catalog_id, next_file_id "
        f"FROM {meta}.ducklake_snapshot ORDER BY 1"
    )
    for before, after in pairwise(heads):
        assert before[0] < after[0]
        assert all(a <= b for a, b in zip(before, after, strict=True)), (before, after)
    assert len(referee.rows("FROM ducklake_snapshots('lake')")) == len(heads)
    for kind in ("data", "delete"):
        top = referee.rows(f"SELECT max({kind}_file_id) FROM {meta}.ducklake_{kind}_file")[0][0]
        assert top is None or top < heads[-1][3], f"next_file_id is not above a {kind} file"
    twice = referee.rows(
        f"SELECT data_file_id FROM {meta}.ducklake_delete_file WHERE end_snapshot IS NULL "
        "GROUP BY 1 HAVING count(*) > 1"
    )
    assert twice == [], "data files with two delete files"
    tables = f"{meta}.ducklake_table_stats JOIN {meta}.ducklake_table t USING (table_id)"
    schemas = f"{meta}.ducklake_schema s USING (schema_id)"
    stats = referee.rows(
        f"SELECT schema_name, table_name, next_row_id FROM {tables} JOIN {schemas} "
        "WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL"
    )
    for schema, name, next_row in stats:
        top = referee.rows(f'SELECT max(rowid) FROM "{schema}"."{name}"')[0][0]
        assert top is None or top < next_row, f"next_row_id of {name}"
        check_statistics(referee, name, schema)


def check_statistics(referee: Referee, table: str, schema: str = "main") -> None:
    """No value lies outside of what the table's statistics say."""
    meta = "__ducklake_metadata_lake"
    bounds = referee.rows(
        f"SELECT column_name, min_value::BIGINT, max_value::BIGINT "
        f"FROM {meta}.ducklake_table_column_stats s JOIN {meta}.ducklake_column c "
        "USING (table_id, column_id) "
        f"JOIN {meta}.ducklake_table t USING (table_id) WHERE t.table_name = '{table}' "
        "AND c.end_snapshot IS NULL AND t.end_snapshot IS NULL AND min_value IS NOT NULL"
    )
    for column, low, high in bounds:
        # + 0 keeps DuckDB from answering out of the statistics themselves.
        outside = f'"{column}" + 0 < {low} OR "{column}" + 0 > {high}'
        found = referee.rows(f'SELECT count(*) FROM "{schema}"."{table}" WHERE {outside}')
        assert found == [(0,)], column
