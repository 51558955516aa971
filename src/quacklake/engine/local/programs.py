"""Programs of views on DuckDB, in this process."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import duckdb
import pyarrow as pa

from quacklake.client.ports import Planner
from quacklake.engine.local.carriers import lake_type
from quacklake.engine.local.result import explained
from quacklake.format import casting
from quacklake.format.arrow import arrow_schema, arrow_type
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.types import FLOATS, INTEGERS, Column, Decimal, Kind, LakeType, Scalar
from quacklake.ivm import RECURSION, Origin, Program, Read, Step
from quacklake.kernel.ids import ColumnId
from quacklake.pipeline.comparing import differing
from quacklake.pipeline.ports import Changed, Filled, Kept, Part
from quacklake.pipeline.sources import KeptQuery
from quacklake.pipeline.supply import IDENTITY, WEIGHT, Planned, Supply
from quacklake.scan.dataset import LakeDataset
from quacklake.scan.masks import BothFilters, RowFilter
from quacklake.scan.plan import ScanPlan
from quacklake.scan.reading import read_batches, read_table

_WIDE = Decimal(38, 0)
"""How states keep DuckDB's HUGEINT: a file would keep it as a DOUBLE."""


class LocalPrograms:
    """Runs the programs of views on DuckDB."""

    name = "local"
    dialect = "duckdb"

    def filled(self, view: KeptQuery, supply: Supply, *, row_ids: bool = False) -> Filled:
        """All rows of the view and of its states."""
        program = view.full(self.dialect, row_ids=row_ids)
        with _running(program, supply) as run:
            done = run.shared()
            rows = run.whole(program.sql(kept=done), view.types, row_ids=row_ids)
            states = {
                each.name: run.whole(program.state_sql(each.name, kept=done), ())
                for each in program.states
            }
        return Filled(rows, states)

    def changed(self, program: Program, supply: Supply, kept: Kept) -> Changed:
        """What a program computes, in the types of what is stored."""
        with _running(program, supply) as run:
            done = run.key_sets()
            rows = run.weighted(program.sql(kept=done), kept.rows)
            states = {
                each.name: run.weighted(
                    program.state_sql(each.name, kept=done), kept.states[each.name]
                )
                for each in program.states
            }
        return Changed(rows, states)

    def collected(self, program: Program, supply: Supply, kept: Kept) -> pa.Table:
        """The rows of a program."""
        with _running(program, supply) as run:
            return run.weighted(program.sql(kept=run.key_sets()), kept.rows)

    def differing(self, part: Part, planner: Planner, stored: ScanPlan) -> tuple[int, pa.Table]:
        """How many rows are stored, and what turns them into those that `filled` gave."""
        found = read_table(stored, planner.storage)
        wanted = _table(part, stored.columns)
        return found.num_rows, differing(wanted, found, stored.columns)

    def few(self, part: Part, columns: tuple[Column, ...], limit: int) -> pa.Table | None:
        """Rows that `filled` gave, unless they are more than `limit`."""
        found = _table(part, columns)
        return found if found.num_rows <= limit else None


def _table(part: Part, columns: tuple[Column, ...]) -> pa.Table:
    """Rows that `filled` gave, in the types of `columns`."""
    source = part.rows
    assert isinstance(source, pa.Table)  # noqa: S101 - this engine gives nothing else
    found = zip(source.columns, columns, strict=True)
    return pa.table(
        [casting.cast(each, column.type) for each, column in found],
        names=[column.name for column in columns],
    )


class _Run:
    """One program on a connection of its own."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, program: Program, supply: Supply
    ) -> None:
        self._connection = connection
        self._program = program
        self._supply = supply
        self._given: set[str] = set()
        self._made: list[str] = []
        self._keys: dict[str, pa.Table] = {}
        self._problems: list[BaseException] = []

    def shared(self) -> tuple[str, ...]:
        """Compute a recursion once, however many parts use it."""
        for step in self._program.steps:
            if step.name == RECURSION:
                self._make(step)
        return tuple(self._made)

    def key_sets(self) -> tuple[str, ...]:
        """Compute the key sets that limit reads, each as soon as what it needs is there."""
        wanted = {each.step for read in self._program.reads for each in read.keys}
        for step in self._program.steps:
            if step.name in wanted:
                self._make(step)
                self._keys[step.name] = self._connection.table(step.name).to_arrow_table()
        return tuple(self._made)

    def _make(self, step: Step) -> None:
        text = self._program.step_sql(step.name, kept=self._made)
        self._give(self._needed(step.uses))
        with explained(self._problems):
            self._connection.execute(f"CREATE TEMP TABLE {quoted(step.name)} AS {text}")
        self._made.append(step.name)

    def _needed(self, uses: Sequence[str]) -> list[Read]:
        """The reads that parts need, and are not given yet."""
        steps = {step.name: step for step in self._program.steps}
        names: set[str] = set()
        waiting = list(uses)
        while waiting:
            name = waiting.pop()
            if name not in names:
                names.add(name)
                if name in steps and name not in self._made:
                    waiting.extend(steps[name].uses)
        return [
            read
            for read in self._program.reads
            if read.name in names and read.name not in self._given
        ]

    def _give(self, reads: Sequence[Read]) -> None:
        for read in reads:
            self._given.add(read.name)
            self._register(read)

    def _register(self, read: Read) -> None:
        columns = self._supply.columns(read)
        given = f"given {read.name}"
        if self._supply.is_change(read):
            self._connection.register(given, self._supply.change(read))
        else:
            planned = self._supply.scan(read, self._keys)
            self._connection.register(given, self._rows(planned, columns, keyed=bool(read.keys)))
        typed = [
            f"{_restored(column, own=read.origin is Origin.STATE)} AS {quoted(column.name)}"
            for column in columns
        ]
        shown = ", ".join(typed) or "1 AS one"
        self._connection.execute(
            f"CREATE TEMP VIEW {quoted(read.name)} AS SELECT {shown} FROM {quoted(given)}"
        )

    def _rows(
        self, planned: Planned | None, columns: tuple[Column, ...], *, keyed: bool
    ) -> pa.Table | LakeDataset:
        if planned is None:
            return arrow_schema(columns).empty_table()
        if keyed:
            # Few rows, and a program may look at them often.
            return self._supply.rows(planned)
        return _dataset(planned, self._supply, self._problems)

    def whole(self, text: str, types: Sequence[str], *, row_ids: bool = False) -> Part:
        """All rows of a query, and the lake types they are stored in; row ids come last."""
        self._give([read for read in self._program.reads if read.name not in self._given])
        with explained(self._problems):
            relation = self._connection.sql(text)
            count = len(relation.columns) - row_ids
            found = [lake_type(each) for each in relation.types[:count]]
            known = types or [""] * count
            wanted = [_stored_type(*pair) for pair in zip(found, known, strict=True)]
            columns = [
                Column(ColumnId(place), name, kind)
                for place, (name, kind) in enumerate(zip(relation.columns, wanted, strict=False))
            ]
            rows = self._cast(text, [*columns, IDENTITY] if row_ids else columns)
        return Part(rows, {column.name: sql_type(column.type) for column in columns})

    def weighted(self, text: str, columns: tuple[Column, ...]) -> pa.Table:
        """The rows of a change in the types they are stored in, and their weights."""
        self._give([read for read in self._program.reads if read.name not in self._given])
        with explained(self._problems):
            return self._cast(text, [*columns, WEIGHT])

    def _cast(self, text: str, columns: Sequence[Column]) -> pa.Table:
        shown = ", ".join(
            f"{casting.carried(f'CAST(#{place} AS {sql_type(column.type)})', column.type)} "
            f"AS {quoted(column.name)}"
            for place, column in enumerate(columns, start=1)
        )
        found = self._connection.execute(f"SELECT {shown} FROM ({text}) AS made").to_arrow_table()
        schema = pa.schema([(column.name, arrow_type(column.type)) for column in columns])
        arrays = [
            casting.in_type(each, field.type)
            for each, field in zip(found.columns, schema, strict=True)
        ]
        return pa.table(arrays, schema=schema)


@contextmanager
def _running(program: Program, supply: Supply) -> Iterator[_Run]:
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET temp_directory = {literal(tempfile.gettempdir())}")
        yield _Run(connection, program, supply)
    finally:
        connection.close()


def _restored(column: Column, *, own: bool) -> str:
    if own and column.type == _WIDE:
        return f"CAST({quoted(column.name)} AS HUGEINT)"
    if isinstance(column.type, Scalar) and column.type.kind in FLOATS:
        # A filter on a bare column would be Arrow's, to which NaN is no number and -0.0 not 0.0.
        return f"{quoted(column.name)} * CAST(1 AS {sql_type(column.type)})"
    return casting.restored(quoted(column.name), column.type)


def _stored_type(found: LakeType, spark: str) -> LakeType:
    """The type a column is stored in: whole numbers as wide as Spark has them."""
    if not (isinstance(found, Scalar) and found.kind in INTEGERS):
        return found
    widths = {"TINYINT": Kind.INT8, "SMALLINT": Kind.INT16, "INT": Kind.INT32, "BIGINT": Kind.INT64}
    if spark in widths:
        return Scalar(widths[spark])
    return _WIDE if found.kind in (Kind.INT128, Kind.UINT128) else found


def _dataset(planned: Planned, supply: Supply, problems: list[BaseException]) -> LakeDataset:
    """A scan that DuckDB may narrow further; what goes wrong in it is kept in `problems`."""
    plan, planner = planned.plan, planned.planner

    def opened(names: Sequence[str] | None, given: RowFilter | None) -> pa.RecordBatchReader:
        by_name = {column.name: column for column in plan.columns}
        columns = plan.columns if not names else tuple(by_name[name] for name in names)
        both = BothFilters(plan.filter, given) if plan.filter and given else plan.filter or given
        narrow = replace(plan, columns=columns, filter=both)

        def batches() -> Iterator[pa.RecordBatch]:
            try:
                yield from read_batches(narrow, planner.storage, meter=supply.meter)
            except Exception as problem:
                problems.append(problem)
                raise

        return pa.RecordBatchReader.from_batches(narrow.schema, batches())

    return LakeDataset(plan.table, plan.schema, opened)
