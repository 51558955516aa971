"""A change becomes rows removed and added: exactly as many copies as its weights say.

Rows that go are found by their row ids where the change has them, by their key where they have
one, and else by all their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import add_rows, schema_with_ids
from quacklake.client.writing.matching import checked_ids
from quacklake.client.writing.removing import remove_rows
from quacklake.format import casting
from quacklake.format.snapshot import AtVersion
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.ivm import ROW_ID_COLUMN, WEIGHT_COLUMN
from quacklake.kernel.errors import CorruptLake
from quacklake.pipeline.keys import KeySetFilter, key_filter
from quacklake.pipeline.supply import IDENTITY
from quacklake.scan.plan import PLACES, ROW_ID, VERSION, Request, ScanPlan
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
    key: Sequence[str] | None = None,
    row_ids: bool = False,
    doubt: bool = False,
    meter: Meter,
) -> Applied:
    """Stage a weighted change of a stored table.

    With a `key` its columns tell rows apart, and a row that is replaced keeps its row id. With
    `row_ids` the change has them before its weights, and rows come and go under them; in `doubt`
    their values must agree, too. Raises `CorruptLake`, and stages nothing, if a row that must go
    is not there.
    """
    draft = work.drafted(name)
    table = draft.table
    weights = change.column(WEIGHT_COLUMN)
    gone = change.filter(pc.less(weights, 0))
    come = change.filter(pc.greater(weights, 0))
    if row_ids:
        checked_ids(change.column(ROW_ID_COLUMN), table)
    found = None
    if gone.num_rows:
        find = partial(_by_row_id, doubt=doubt) if row_ids else partial(_by_values, key=key)
        plan, found = find(work, table, gone, meter)
        _check(table, found.num_rows, gone)
        draft = remove_rows(draft, plan, found)
    added = 0
    if come.num_rows:
        draft = replace(draft, borrows_ids=row_ids)
        copies = _copies(come)
        ids = copies.column(ROW_ID_COLUMN) if row_ids else _kept_ids(table, copies, found, key)
        rows = _with_ids(table, copies, ids)
        draft, added = add_rows(work, draft, iter(rows.to_batches()), with_ids=True)
    work.stage(draft)
    return Applied(added, 0 if found is None else found.num_rows)


def _by_values(
    work: Workspace, table: Table, gone: pa.Table, meter: Meter, *, key: Sequence[str] | None
) -> tuple[ScanPlan, pa.Table]:
    """The stored rows that go, and where they lie; with a `key` fewer are looked at."""
    plan = _planned(work, table, _chosen(table, gone, key))
    plan = replace(plan, columns=(*table.columns, ROW_ID, *PLACES))
    found = _read(work, plan, meter)
    return plan, found.take(_hits(table.columns, found, gone).column("place"))


def _by_row_id(
    work: Workspace, table: Table, gone: pa.Table, meter: Meter, *, doubt: bool
) -> tuple[ScanPlan, pa.Table]:
    """The stored rows with the row ids of those that go, and where they lie."""
    # What the catalog knows of values rules out files; what files say of ids, parts of them.
    plan = _planned(work, table, _chosen(table, gone, None))
    chosen = key_filter((IDENTITY,), gone.select([ROW_ID_COLUMN]))
    plan = replace(plan, columns=(IDENTITY, *PLACES), filter=chosen)
    found = _read(work, plan, meter)
    _check_alone(table, found)
    wanted = -(pc.sum(gone.column(WEIGHT_COLUMN)).as_py() or 0)
    alone = pc.count_distinct(found.column(ROW_ID_COLUMN)).as_py() == found.num_rows
    if not doubt and alone and found.num_rows == wanted:
        return plan, found
    return _by_id_and_values(work, table, plan, gone, meter)


def _by_id_and_values(
    work: Workspace, table: Table, plan: ScanPlan, gone: pa.Table, meter: Meter
) -> tuple[ScanPlan, pa.Table]:
    """The stored rows that go: of equal ones those with the same row id, if they are there.

    Ids may be shared, or be others by now, once somebody else changed or merged the files.
    """
    columns = (*table.columns, IDENTITY)
    plan = replace(plan, columns=(*columns, *PLACES), filter=_chosen(table, gone, None))
    found = _read(work, plan, meter)
    hits = _hits(columns, found, gone)
    places = hits.column("place").to_numpy()
    sure = found.take(pa.array(places))
    met = np.bincount(hits.column("wanted").to_numpy(), minlength=gone.num_rows)
    left = gone.column(WEIGHT_COLUMN).to_numpy() + met
    if not (left < 0).any():
        return plan, sure
    at = gone.schema.get_field_index(WEIGHT_COLUMN)
    rest = gone.set_column(at, WEIGHT_COLUMN, pa.array(left)).filter(pa.array(left < 0))
    others = found.take(pa.array(np.delete(np.arange(found.num_rows), places)))
    more = others.take(_hits(table.columns, others, rest).column("place"))
    return plan, pa.concat_tables([sure, more])


def _check_alone(table: Table, found: pa.Table) -> None:
    """Of rows in the catalog that share an id none could go without the others."""
    kept = found.filter(pc.is_valid(found.column(VERSION.name)))
    if pc.count_distinct(kept.column(ROW_ID_COLUMN)).as_py() != kept.num_rows:
        raise CorruptLake(
            f"rows of '{table.name}' that the catalog keeps share a row id",
            hint="move them to files with flush_inlined_data, then refresh again",
            table=str(table.name),
        )


def _chosen(table: Table, gone: pa.Table, key: Sequence[str] | None) -> KeySetFilter | None:
    columns = table.columns if key is None else tuple(table.column(name) for name in key)
    return key_filter(columns, gone.select([column.name for column in columns]))


def _planned(work: Workspace, table: Table, chosen: KeySetFilter | None) -> ScanPlan:
    at = AtVersion(work.ground.snapshot.id)
    return work.plan(Request(table.name, at, None, chosen, places=True))


def _read(work: Workspace, plan: ScanPlan, meter: Meter) -> pa.Table:
    return pa.Table.from_batches(read_batches(plan, work.storage, meter=meter), plan.schema)


def _hits(columns: tuple[Column, ...], found: pa.Table, gone: pa.Table) -> pa.Table:
    """For each row that goes as many places as there are copies to go, or as there are.

    `place` counts the rows of `found`, `wanted` those of `gone`.
    """
    session = casting.session()
    width = len(columns)
    stored = numbered(found.select(range(width)))
    wanted = numbered(gone.select(range(width))).append_column(
        "copies", pc.negate(gone.column(WEIGHT_COLUMN))
    )
    session.register("stored", stored)
    session.register("wanted", wanted)
    same = " AND ".join(
        f"{_typed('s', place, column)} IS NOT DISTINCT FROM w.k{place}"
        for place, column in enumerate(columns)
    )
    keys = ", ".join(
        f"{_typed('w', place, column)} AS k{place}" for place, column in enumerate(columns)
    )
    # Rows that differ in bits only, 0.0 and -0.0, must not both choose the same place.
    once = (
        f"SELECT {keys}, min(w.place) AS place, sum(w.copies) AS copies FROM wanted w GROUP BY "
        + ", ".join(str(place) for place in range(1, width + 1))
    )
    try:
        return session.execute(
            "SELECT place, wanted FROM (SELECT s.place, w.place AS wanted, w.copies, "
            "row_number() OVER (PARTITION BY w.place ORDER BY s.place) AS copy "
            f"FROM stored s JOIN ({once}) w ON {same}) WHERE copy <= copies"
        ).to_arrow_table()
    finally:
        session.unregister("stored")
        session.unregister("wanted")


def numbered(rows: pa.Table) -> pa.Table:
    """Rows under names that no query meets elsewhere, and their places."""
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


def _copies(come: pa.Table) -> pa.Table:
    """The rows that come, each as often as its weight says."""
    copies = come.column(WEIGHT_COLUMN).to_numpy()
    if not (copies > 1).any():
        return come
    places = [place for place, count in enumerate(copies) for _ in range(count)]
    return come.take(pa.array(places))


def _with_ids(table: Table, rows: pa.Table, ids: pa.Array | pa.ChunkedArray) -> pa.Table:
    schema = schema_with_ids(table)
    columns = [
        casting.in_type(column, field.type)
        for column, field in zip(rows.columns[: len(table.columns)], schema, strict=False)
    ]
    return pa.table([*columns, ids], schema=schema)


def _kept_ids(
    table: Table, come: pa.Table, removed: pa.Table | None, key: Sequence[str] | None
) -> pa.Array:
    """The ids of the rows that new ones replace under their key; NULL where there is none."""
    if key is None or removed is None or not removed.num_rows:
        return pa.nulls(come.num_rows, pa.int64())
    columns = [table.column(name) for name in key]
    session = casting.session()
    old = numbered(removed.select([c.name for c in columns])).append_column(
        "id", removed.column(len(table.columns))
    )
    session.register("old", old)
    session.register("new", numbered(come.select([c.name for c in columns])))
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
