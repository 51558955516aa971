"""A change becomes rows removed and added: exactly as many copies as its weights say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import add_rows, schema_with_ids
from quacklake.client.writing.removing import remove_rows
from quacklake.format import casting
from quacklake.format.snapshot import AtVersion
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.ivm import WEIGHT_COLUMN
from quacklake.kernel.errors import CorruptLake
from quacklake.pipeline.keys import key_filter
from quacklake.scan.plan import PLACES, ROW_ID, Request, ScanPlan
from quacklake.scan.reading import read_batches
from quacklake.scan.reads import Meter


@dataclass(frozen=True, slots=True)
class Applied:
    """How many rows came and went."""

    added: int = 0
    removed: int = 0


def apply_change(
    work: Workspace,
    name: TableName,
    change: pa.Table,
    *,
    key: Sequence[str] | None,
    meter: Meter,
) -> Applied:
    """Stage a weighted change of a stored table.

    With a `key` its columns tell rows apart, and a row that is replaced keeps its row id. Raises
    `CorruptLake`, and stages nothing, if a row that must go is not there.
    """
    draft = work.drafted(name)
    table = draft.table
    weights = change.column(WEIGHT_COLUMN)
    gone = change.filter(pc.less(weights, 0))
    come = change.filter(pc.greater(weights, 0))
    found = None
    removed = 0
    if gone.num_rows:
        plan, found = _candidates(work, table, gone, key, meter)
        hits = _hits(table, found, gone)
        removed = hits.num_rows
        _check(table, removed, gone)
        found = found.take(hits.column("place"))
        draft = remove_rows(draft, plan, found)
    added = 0
    if come.num_rows:
        rows = _new_rows(table, come, found if key is not None else None, key or ())
        draft, added = add_rows(work, draft, iter(rows.to_batches()), with_ids=True)
    work.stage(draft)
    return Applied(added, removed)


def _candidates(
    work: Workspace, table: Table, gone: pa.Table, key: Sequence[str] | None, meter: Meter
) -> tuple[ScanPlan, pa.Table]:
    """The stored rows that may be those that go, and where they lie."""
    columns = table.columns if key is None else tuple(table.column(name) for name in key)
    chosen = key_filter(columns, gone.select([column.name for column in columns]))
    at = AtVersion(work.ground.snapshot.id)
    plan = work.plan(Request(table.name, at, None, chosen, places=True))
    plan = replace(plan, columns=(*table.columns, ROW_ID, *PLACES))
    found = read_batches(plan, work.storage, meter=meter)
    return plan, pa.Table.from_batches(found, plan.schema)


def _hits(table: Table, found: pa.Table, gone: pa.Table) -> pa.Table:
    """For each row that goes as many places as there are copies to go, or as there are."""
    session = casting.session()
    width = len(table.columns)
    stored = _numbered(found.select(range(width)))
    wanted = _numbered(gone.select(range(width))).append_column(
        "copies", pc.negate(gone.column(WEIGHT_COLUMN))
    )
    session.register("stored", stored)
    session.register("wanted", wanted)
    same = " AND ".join(
        f"{_typed('s', place, column)} IS NOT DISTINCT FROM w.k{place}"
        for place, column in enumerate(table.columns)
    )
    keys = ", ".join(
        f"{_typed('w', place, column)} AS k{place}" for place, column in enumerate(table.columns)
    )
    # Rows that differ in bits only, 0.0 and -0.0, must not both choose the same place.
    once = (
        f"SELECT {keys}, min(w.place) AS place, sum(w.copies) AS copies FROM wanted w GROUP BY "
        + ", ".join(str(place) for place in range(1, width + 1))
    )
    try:
        return session.execute(
            "SELECT place FROM (SELECT s.place, w.copies, "
            "row_number() OVER (PARTITION BY w.place ORDER BY s.place) AS copy "
            f"FROM stored s JOIN ({once}) w ON {same}) WHERE copy <= copies"
        ).to_arrow_table()
    finally:
        session.unregister("stored")
        session.unregister("wanted")


def _numbered(rows: pa.Table) -> pa.Table:
    names = [f"c{place}" for place in range(rows.num_columns)]
    return rows.rename_columns(names).append_column("place", pa.array(range(rows.num_rows)))


def _typed(alias: str, place: int, column: Column) -> str:
    return casting.restored(f"{alias}.c{place}", column.type)


def _check(table: Table, removed: int, gone: pa.Table) -> None:
    expected = -(pc.sum(gone.column(WEIGHT_COLUMN)).as_py() or 0)
    if removed != expected:
        raise CorruptLake(
            f"a change of '{table.name}' removes {expected} rows, of which {removed} are there",
            hint="look with verify(), and mend it with refresh(mode='full')",
            table=str(table.name),
        )


def _new_rows(
    table: Table, come: pa.Table, removed: pa.Table | None, key: Sequence[str]
) -> pa.Table:
    """The rows that come, each as often as its weight, with the ids that replaced rows had."""
    schema = schema_with_ids(table)
    width = len(table.columns)
    copies = come.column(WEIGHT_COLUMN).to_numpy()
    if (copies > 1).any():
        places = [place for place, count in enumerate(copies) for _ in range(count)]
        come = come.take(pa.array(places))
    ids: pa.Array = pa.nulls(come.num_rows, pa.int64())
    if removed is not None and removed.num_rows:
        ids = _kept_ids(table, come, removed, key)
    columns = [
        casting.in_type(column, field.type)
        for column, field in zip(come.columns[:width], schema, strict=False)
    ]
    return pa.table([*columns, ids], schema=schema)


def _kept_ids(table: Table, come: pa.Table, removed: pa.Table, key: Sequence[str]) -> pa.Array:
    columns = [table.column(name) for name in key]
    session = casting.session()
    old = _numbered(removed.select([c.name for c in columns])).append_column(
        "id", removed.column(ROW_ID.name)
    )
    session.register("old", old)
    session.register("new", _numbered(come.select([c.name for c in columns])))
    same = " AND ".join(
        f"{_typed('o', place, c)} IS NOT DISTINCT FROM {_typed('n', place, c)}"
        for place, c in enumerate(columns)
    )
    try:
        found = session.execute(
            f"SELECT any_value(o.id) AS {quoted('id')} FROM new n LEFT JOIN old o "
            f"ON {same or 'true'} GROUP BY n.place ORDER BY n.place"
        ).to_arrow_table()
    finally:
        session.unregister("old")
        session.unregister("new")
    return found.column("id").combine_chunks()
