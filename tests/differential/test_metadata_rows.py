"""The same operations done by us and by DuckDB leave the same rows in every metadata table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.metadata import differences, metadata_rows
from tests.support.referee import Referee

Operation = Callable[[Any], object]


@dataclass(frozen=True)
class Step:
    """One operation: as SQL for DuckDB, and as a call for us.

    `raises` is by how much more than DuckDB we raise the counter of files.
    """

    sql: str
    ours: Operation
    raises: int = 0


def ids(first: int, last: int) -> pa.Table:
    return pa.table({"id": pa.array(range(first, last), pa.int32())})


def t(lake: Any) -> Any:
    return lake.table("t")


CREATE = Step(
    "CREATE TABLE t (id INTEGER NOT NULL, s STRUCT(a INTEGER, b VARCHAR[]), n DOUBLE DEFAULT 1.5)",
    lambda lake: lake.create_table(
        "t", {"id": "int not null", "s": "struct(a int, b varchar[])", "n": "double default 1.5"}
    ),
)
FILL = Step(
    "INSERT INTO t SELECT i, NULL, i FROM range(10, 40) r(i)",
    lambda lake: t(lake).append(
        pa.table(
            {"id": list(range(10, 40)), "s": [None] * 30, "n": [float(i) for i in range(10, 40)]}
        )
    ),
)
SMALL = Step(
    "INSERT INTO t VALUES (1, {'a': 1, 'b': ['x']}, 1), (2, NULL, NULL)",
    lambda lake: t(lake).append(
        pa.table({"id": [1, 2], "s": [{"a": 1, "b": ["x"]}, None], "n": [1.0, None]})
    ),
)


def sql_and_call(sql: str, ours: Operation) -> Step:
    return Step(sql, ours)


SCRIPTS: dict[str, list[Step]] = {
    "create": [CREATE],
    "small insert": [CREATE, SMALL],
    "large insert": [CREATE, FILL],
    "both inserts": [CREATE, SMALL, FILL, SMALL],
    "inserts with defaults": [
        CREATE,
        Step("INSERT INTO t (id) VALUES (5)", lambda lake: t(lake).append(ids(5, 6))),
        Step(
            "INSERT INTO t (id) SELECT i FROM range(50, 80) r(i)",
            lambda lake: t(lake).append(ids(50, 80)),
        ),
    ],
    "inlined delete of a file": [
        CREATE,
        FILL,
        Step("DELETE FROM t WHERE id = 12", lambda lake: t(lake).delete("id = 12")),
        Step("DELETE FROM t WHERE id < 15", lambda lake: t(lake).delete("id < 15")),
    ],
    "delete file": [
        CREATE,
        FILL,
        Step(
            "DELETE FROM t WHERE id BETWEEN 12 AND 30",
            lambda lake: t(lake).delete("id between 12 and 30"),
        ),
    ],
    "delete after delete": [
        CREATE,
        FILL,
        Step(
            "DELETE FROM t WHERE id BETWEEN 12 AND 22",
            lambda lake: t(lake).delete("id between 12 and 22"),
        ),
        Step(
            "DELETE FROM t WHERE id BETWEEN 23 AND 35",
            lambda lake: t(lake).delete("id between 23 and 35"),
        ),
    ],
    "delete of a whole file": [
        CREATE,
        FILL,
        Step("DELETE FROM t WHERE id < 100", lambda lake: t(lake).delete("id < 100")),
    ],
    "truncate": [CREATE, SMALL, FILL, Step("TRUNCATE t", lambda lake: t(lake).truncate())],
    "delete of inlined rows": [
        CREATE,
        SMALL,
        Step("DELETE FROM t WHERE id = 1", lambda lake: t(lake).delete("id = 1")),
    ],
    "small update": [
        CREATE,
        SMALL,
        FILL,
        Step(
            "UPDATE t SET n = 7 WHERE id = 1",
            lambda lake: t(lake).update({"n": "7"}, where="id = 1"),
        ),
        Step(
            "UPDATE t SET n = 8 WHERE id = 13",
            lambda lake: t(lake).update({"n": "8"}, where="id = 13"),
        ),
    ],
    "large update": [
        CREATE,
        FILL,
        Step(
            "UPDATE t SET n = n + 1 WHERE id >= 20",
            lambda lake: t(lake).update({"n": "n + 1"}, where="id >= 20"),
        ),
        Step("UPDATE t SET n = 0", lambda lake: t(lake).update({"n": "0"})),
    ],
    "an update of nothing": [
        CREATE,
        FILL,
        Step(
            "UPDATE t SET n = 0 WHERE id = 0",
            lambda lake: t(lake).update({"n": "0"}, where="id = 0"),
        ),
        Step("DELETE FROM t WHERE id = 0", lambda lake: t(lake).delete("id = 0")),
    ],
    "columns": [
        CREATE,
        FILL,
        Step(
            "ALTER TABLE t ADD COLUMN z VARCHAR DEFAULT 'q'",
            lambda lake: t(lake).add_column("z", "varchar", default="'q'"),
        ),
        Step("ALTER TABLE t RENAME COLUMN z TO zz", lambda lake: t(lake).rename_column("z", "zz")),
        Step("ALTER TABLE t ADD COLUMN s.c INTEGER", lambda lake: t(lake).add_column("s.c", "int")),
        Step("ALTER TABLE t DROP COLUMN zz", lambda lake: t(lake).drop_column("zz")),
        Step("ALTER TABLE t ALTER id DROP NOT NULL", lambda lake: t(lake).drop_not_null("id")),
        Step(
            "ALTER TABLE t ALTER id SET DATA TYPE BIGINT",
            lambda lake: t(lake).set_type("id", "bigint"),
            raises=1,
        ),
        Step("ALTER TABLE t ALTER n SET DEFAULT 3", lambda lake: t(lake).set_default("n", "3")),
        Step("ALTER TABLE t ALTER id SET NOT NULL", lambda lake: t(lake).set_not_null("id")),
        Step("INSERT INTO t (id) VALUES (5)", lambda lake: t(lake).append(ids(5, 6))),
    ],
    "rename": [
        CREATE,
        SMALL,
        Step("ALTER TABLE t RENAME TO t2", lambda lake: t(lake).rename("t2")),
    ],
    "partitions": [
        CREATE,
        Step(
            "ALTER TABLE t SET PARTITIONED BY (id)", lambda lake: t(lake).set_partitioning(["id"])
        ),
        Step(
            "INSERT INTO t SELECT i % 2, NULL, i FROM range(30) r(i)",
            lambda lake: t(lake).append(
                pa.table(
                    {
                        "id": [i % 2 for i in range(30)],
                        "n": [float(i) for i in range(30)],
                        "s": [None] * 30,
                    }
                )
            ),
        ),
        Step("ALTER TABLE t RESET PARTITIONED BY", lambda lake: t(lake).set_partitioning([])),
        Step(
            "ALTER TABLE t SET PARTITIONED BY (id, n)",
            lambda lake: t(lake).set_partitioning(["id", "n"]),
        ),
    ],
    "sort order and comments": [
        CREATE,
        Step(
            "ALTER TABLE t SET SORTED BY (id DESC)",
            lambda lake: t(lake).set_sort_order(["id desc"]),
        ),
        Step("COMMENT ON TABLE t IS 'one'", lambda lake: t(lake).set_comment("one")),
        Step("COMMENT ON TABLE t IS 'two'", lambda lake: t(lake).set_comment("two")),
        Step("COMMENT ON COLUMN t.n IS 'en'", lambda lake: t(lake).set_comment("en", column="n")),
    ],
    "inserts into a sorted table": [
        CREATE,
        Step(
            "ALTER TABLE t SET SORTED BY (n DESC, id)",
            lambda lake: t(lake).set_sort_order(["n desc", "id"]),
        ),
        SMALL,
        FILL,
    ],
    "schemas and views": [
        Step("CREATE SCHEMA s9", lambda lake: lake.create_schema("s9")),
        Step("CREATE TABLE s9.k (a INTEGER)", lambda lake: lake.create_table("s9.k", {"a": "int"})),
        Step(
            "CREATE VIEW s9.v AS SELECT 1 AS one",
            lambda lake: lake.create_view("s9.v", "SELECT 1 AS one"),
        ),
        Step("ALTER VIEW s9.v RENAME TO w", lambda lake: lake.rename_view("s9.v", "w")),
        Step("COMMENT ON VIEW s9.w IS 'x'", lambda lake: lake.comment_on_view("s9.w", "x")),
        Step("DROP VIEW s9.w", lambda lake: lake.drop_view("s9.w")),
        Step("DROP TABLE s9.k", lambda lake: lake.drop_table("s9.k")),
        Step("DROP SCHEMA s9", lambda lake: lake.drop_schema("s9")),
    ],
    "drop of a table with everything": [
        CREATE,
        Step(
            "ALTER TABLE t SET PARTITIONED BY (id)", lambda lake: t(lake).set_partitioning(["id"])
        ),
        Step("ALTER TABLE t SET SORTED BY (id)", lambda lake: t(lake).set_sort_order(["id"])),
        Step("COMMENT ON TABLE t IS 'one'", lambda lake: t(lake).set_comment("one")),
        Step("COMMENT ON COLUMN t.n IS 'en'", lambda lake: t(lake).set_comment("en", column="n")),
        SMALL,
        FILL,
        Step("DROP TABLE t", lambda lake: t(lake).drop()),
    ],
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_both_writers_leave_the_same_rows(script: str, tmp_path: Path) -> None:
    ours = ql.connect(f"sqlite:///{tmp_path}/ours.sqlite", data_path=f"{tmp_path}/ours/")
    theirs = Referee(f"sqlite:{tmp_path}/theirs.sqlite", data_path=f"{tmp_path}/theirs/")

    lead: dict[int, int] = {}
    raised = 0

    for step in SCRIPTS[script]:
        step.ours(ours)
        theirs.execute(step.sql)
        raised += step.raises
        lead = {snapshot.id: lead.get(snapshot.id, raised) for snapshot in ours.snapshots()}

        found = differences(
            metadata_rows(f"{tmp_path}/ours.sqlite"),
            metadata_rows(f"{tmp_path}/theirs.sqlite"),
            lead,
        )
        assert found == [], step.sql
    ours.close()
    theirs.close()
