"""Which stored rows a change removes, and which rows it adds: a function of values alone.

So it can be made of parts: a change and the stored rows, shared out alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.writing.adding import schema_with_ids
from quacklake.format import casting
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Table
from quacklake.format.types import Column
from quacklake.ivm import ROW_ID_COLUMN, WEIGHT_COLUMN
from quacklake.kernel.errors import CorruptLake
from quacklake.pipeline.supply import IDENTITY
from quacklake.scan.plan import VERSION


@dataclass(frozen=True, slots=True)
class Applied:
    """How many rows came and went."""

    added: int = 0
    removed: int = 0


def parted(change: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The rows of a change that go, and those that come."""
    weights = change.column(WEIGHT_COLUMN)
    return change.filter(pc.less(weights, 0)), change.filter(pc.greater(weights, 0))


def leaving(table: Table, found: pa.Table, gone: pa.Table, *, row_ids: bool) -> pa.Table:
    """Those of the stored rows `found` that go; both begin with the columns of the table.

    With `row_ids` the ids follow: of equal rows those with the same id go, if they are there.
    Ids may be shared, or be others by now, once somebody else changed or merged the files.
    Raises `CorruptLake` if a row that must go is not there.
    """
    width = len(table.columns)
    columns = (*table.columns, IDENTITY) if row_ids else table.columns
    hits = _hits(columns, found, gone)
    places = hits.column("place").to_numpy()
    left = found.take(pa.array(places))
    if row_ids and left.num_rows < copies_of(gone):
        met = np.bincount(hits.column("wanted").to_numpy(), minlength=gone.num_rows)
        missing = gone.column(WEIGHT_COLUMN).to_numpy() + met
        at = gone.schema.get_field_index(WEIGHT_COLUMN)
        rest = gone.set_column(at, WEIGHT_COLUMN, pa.array(missing)).filter(pa.array(missing < 0))
        others = found.take(pa.array(np.delete(np.arange(found.num_rows), places)))
        more = others.take(_hits(columns[:width], others, rest).column("place"))
        left = pa.concat_tables([left, more])
    check_found(table, left.num_rows, gone)
    return left


def arriving(
    table: Table,
    come: pa.Table,
    left: pa.Table | None,
    *,
    key: Sequence[str] | None,
    row_ids: bool,
) -> pa.Table:
    """The rows that come, with ids: their own, or of the row of `left` under the same key."""
    copies = _copies(come)
    ids = copies.column(ROW_ID_COLUMN) if row_ids else _kept_ids(table, copies, left, key)
    return _with_ids(table, copies, ids)


def copies_of(gone: pa.Table) -> int:
    """How many rows a change removes."""
    return -(pc.sum(gone.column(WEIGHT_COLUMN)).as_py() or 0)


def check_alone(table: Table, found: pa.Table) -> None:
    """Of rows in the catalog that share an id none could go without the others."""
    kept = found.filter(pc.is_valid(found.column(VERSION.name)))
    if pc.count_distinct(kept.column(ROW_ID_COLUMN)).as_py() != kept.num_rows:
        raise CorruptLake(
            f"rows of '{table.name}' that the catalog keeps share a row id",
            hint="move them to files with flush_inlined_data, then refresh again",
            table=str(table.name),
        )


def check_found(table: Table, removed: int, gone: pa.Table) -> None:
    """An impossible change changes nothing."""
    expected = copies_of(gone)
    if removed != expected:
        raise CorruptLake(
            f"a change of '{table.name}' removes {expected} rows, of which {removed} are there",
            hint="look with verify(), and mend it with refresh(mode='full')",
            table=str(table.name),
        )


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
