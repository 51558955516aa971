"""`quacklake demo`: the founding promise, shown in seconds."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from quacklake.cli import sheet
from quacklake.format.sqltypes import literal
from quacklake.kernel.errors import Unsupported, UsageError

if TYPE_CHECKING:
    import duckdb

    from quacklake.client.lake import Lake

EXAMPLES: Final = ("quacklake demo", "quacklake demo --keep my_demo/ --engine local")

_FILL: Final = (
    "CREATE TABLE lake.orders (id BIGINT, day DATE, region VARCHAR, amount DECIMAL(9, 2))",
    "ALTER TABLE lake.orders SET PARTITIONED BY (month(day), region)",
    """INSERT INTO lake.orders
       SELECT i, DATE '2026-01-01' + (i % 180)::INTEGER, ['eu', 'us', 'asia'][i % 3 + 1], i % 500
       FROM range(60_000) AS r(i)""",
)
_CHANGE: Final = (
    "DELETE FROM lake.orders WHERE id < 600",
    "UPDATE lake.orders SET amount = amount * 2 WHERE id BETWEEN 1000 AND 1099",
    "ALTER TABLE lake.orders ADD COLUMN channel VARCHAR DEFAULT 'web'",
    "INSERT INTO lake.orders VALUES (60_000, DATE '2026-06-30', 'eu', 9.90, 'shop')",
)
_FILTER: Final = "day >= '2026-06-01' AND region = 'eu'"
_QUERY: Final = "SELECT region, count(*) AS orders, sum(amount) AS total FROM orders GROUP BY ALL"


def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Make the lake in this new folder and leave it.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="What keeps the stream tables: spark or local.")
    ] = "spark",
) -> None:
    """Make a lake, let stock DuckDB fill it, and keep queries over it fresh."""
    folder = _new_folder(keep)
    try:
        _show(folder, engine)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if keep is None:
        typer.echo("\nThe lake is gone again. `quacklake demo --keep my_demo/` leaves it for you.")
    else:
        url = f"sqlite:///{folder}/shop.sqlite"
        typer.echo("\nThe lake is yours now. Try:")
        typer.echo(f"  quacklake snapshots {url}")
        typer.echo(f"  quacklake describe {url} orders")
        typer.echo(f'  quacklake sql {url} "FROM orders AT (VERSION => 3) LIMIT 5"')
        typer.echo(f"  quacklake stream list {url}")
        typer.echo(f"  quacklake stream explain {url} by_manager")


def _new_folder(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="quacklake-demo-"))
    try:
        keep.mkdir(parents=True)
    except OSError as error:
        raise UsageError(
            f"the folder '{keep}' cannot be made", hint="name one that does not exist yet"
        ) from error
    return keep.absolute()


def _show(folder: Path, engine: str) -> None:
    from quacklake.app.connecting import connect
    from quacklake.cli.shop import keep_fresh

    catalog = folder / "shop.sqlite"
    with connect(f"sqlite:///{catalog}", str(folder / "data")) as lake:
        _say("1. Quacklake makes an empty lake", f"{lake.label}, files in {lake.data_path}")
        with _stock_duckdb(catalog) as duck:
            _told(duck, "2. Stock DuckDB, with its own extension, makes a table in it", _FILL)
            before = lake.snapshots()[-1].id
            _told(duck, "3. It changes rows and columns", _CHANGE)
        _two_snapshots(lake, before)
        _pruning(lake)
        _frames(lake)
        with _stock_duckdb(catalog) as duck:
            _same_answer(lake, duck)
        keep_fresh(lake, lambda: _stock_duckdb(catalog), engine)


def _stock_duckdb(catalog: Path) -> duckdb.DuckDBPyConnection:
    import duckdb

    try:
        import duckdb_extensions
    except ImportError as error:
        raise Unsupported(
            "the demo needs DuckDB's ducklake extension as a Python package",
            hint="install it with: pip install 'quacklake[demo]'",
        ) from error
    connection = duckdb.connect()
    for name in ("sqlite_scanner", "ducklake"):
        duckdb_extensions.import_extension(name, con=connection)
        connection.load_extension(name)
    connection.execute(f"ATTACH {literal(f'ducklake:sqlite:{catalog}')} AS lake")
    return connection


def _told(duck: duckdb.DuckDBPyConnection, title: str, statements: tuple[str, ...]) -> None:
    _say(title)
    for statement in statements:
        duck.execute(statement)
        typer.echo("   " + " ".join(statement.split()))


def _two_snapshots(lake: Lake, before: int) -> None:
    orders = lake.table("orders")
    now = lake.snapshots()[-1].id
    _say(f"4. Quacklake reads the table at two snapshots: {before}, before the changes, and {now}")
    rows = []
    for snapshot in (before, now):
        found = orders.scan(snapshot=snapshot).to_arrow()
        rows.append((str(snapshot), f"{found.num_rows:,}", ", ".join(found.column_names)))
    sheet.show(("snapshot", "rows", "columns"), rows, right=(True, True))


def _pruning(lake: Lake) -> None:
    orders = lake.table("orders")
    everything, some = orders.scan().plan(), orders.scan(filter=_FILTER).plan()
    found = orders.scan(filter=_FILTER).to_arrow().num_rows
    inlined = sum(rows.rows.num_rows for rows in everything.inlined)
    _say(f"5. A filter opens only the files that can match: {_FILTER}")
    typer.echo(
        f"   {len(some.tasks)} of {len(everything.tasks)} files for {found:,} rows; "
        f"rows that the catalog keeps itself: {inlined}"
    )


def _frames(lake: Lake) -> None:
    _say(f"6. SQL runs over the same scan, here into a frame: {_QUERY}")
    result = lake.sql(f"{_QUERY} ORDER BY region")
    try:
        shown = str(result.to_pandas())
    except Unsupported:
        shown = str(result.to_arrow().to_pylist())
    typer.echo(shown)


def _same_answer(lake: Lake, duck: duckdb.DuckDBPyConnection) -> None:
    question = "SELECT count(*), sum(amount), max(channel) FROM {table}"
    ours = tuple(lake.sql(question.format(table="orders")).to_arrow().to_pylist()[0].values())
    theirs = duck.execute(question.format(table="lake.orders")).fetchone()
    _say("7. Stock DuckDB opens the lake again and gives the same answer: count, sum, max")
    typer.echo(f"   DuckDB    {theirs}\n   Quacklake {ours}")
    if ours != theirs:
        raise typer.Exit(1)


def _say(title: str, detail: str = "") -> None:
    typer.secho(f"\n{title}", bold=True)
    if detail:
        typer.echo(f"   {detail}")
