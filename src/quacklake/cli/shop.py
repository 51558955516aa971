"""The part of the demo that keeps queries fresh: five stream tables over a shop that goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import typer

from quacklake.cli import sheet
from quacklake.kernel.errors import Unsupported

if TYPE_CHECKING:
    import duckdb

    from quacklake.pipeline.lake import StreamingLake
    from quacklake.pipeline.reports import RefreshReport

VIEWS: Final = {
    "sales": """SELECT o.id, o.day, o.region, m.manager, o.amount
                FROM orders o JOIN managers m ON o.region = m.region""",
    "daily": """SELECT day, manager, count(*) AS orders, sum(amount) AS total
                FROM sales GROUP BY day, manager""",
    "by_manager": """SELECT manager, sum(total) AS total, max(total) AS best_day
                     FROM daily GROUP BY manager""",
    "ranked": """SELECT day, manager, total,
                 rank() OVER (PARTITION BY day ORDER BY total DESC, manager) AS place FROM daily""",
    "top_days": "SELECT day, manager, total FROM daily ORDER BY total DESC, day, manager LIMIT 5",
}
_MANAGERS: Final = {"eu": "Ada", "us": "Barbara", "asia": "Grace"}
_BY_DUCKDB: Final = (
    "DELETE FROM lake.orders WHERE id BETWEEN 700 AND 720",
    "UPDATE lake.orders SET amount = amount + 1000 WHERE id BETWEEN 5000 AND 5009",
)


def keep_fresh(
    lake: StreamingLake, stock_duckdb: Callable[[], duckdb.DuckDBPyConnection], engine: str
) -> None:
    """Declare the views, let the shop go on, and look at what was done for it."""
    _declare(lake, engine)
    first = lake.snapshots()[-1].id
    _window(lake, "9. New orders arrive", _new_orders)
    _window(lake, "10. Stock DuckDB deletes and changes orders", lambda _: _changed(stock_duckdb))
    _window(lake, "11. A manager leaves: a third of the sales get another name", _new_manager)
    _window(lake, "12. Nothing happens", lambda _: None)
    _verified(lake)
    _travelled(lake, first)
    with stock_duckdb() as duck:
        _by_others(lake, duck)


def _declare(lake: StreamingLake, engine: str) -> None:
    import pyarrow as pa

    where = "Spark, which takes a moment to start" if engine == "spark" else "DuckDB in process"
    _say(f"8. Five queries become tables that follow their sources, on {where}")
    names = pa.table({"region": list(_MANAGERS), "manager": list(_MANAGERS.values())})
    lake.create_table("managers", names)
    for name, query in VIEWS.items():
        lake.create_stream_table(name, query, engine=engine)
        typer.echo(f"   {name:<12}{' '.join(query.split())}")


def _window(lake: StreamingLake, title: str, change: Callable[[StreamingLake], object]) -> None:
    change(lake)
    _say(title + ": one snapshot refreshes all five")
    _shown(lake.refresh())


def _shown(reports: tuple[RefreshReport, ...]) -> None:
    rows = [
        (
            r.name.removeprefix("main."),
            r.mode,
            f"{r.rows_in:,}",
            f"{r.rows_out:,}",
            f"{r.rows_read:,}",
            f"{r.duration_ms:,}",
            r.reason,
        )
        for r in reports
    ]
    headers = ("table", "mode", "rows in", "rows out", "rows read", "ms", "why")
    sheet.show(headers, rows, right=(False, False, True, True, True, True))


def _new_orders(lake: StreamingLake) -> None:
    from datetime import date
    from decimal import Decimal

    import pyarrow as pa

    count = 200
    regions = list(_MANAGERS)
    lake.table("orders").append(
        pa.table(
            {
                "id": pa.array(range(70_000, 70_000 + count), pa.int64()),
                "day": [date(2026, 7, 1 + i % 2) for i in range(count)],
                "region": [regions[i % 3] for i in range(count)],
                "amount": pa.array([Decimal(i) for i in range(count)], pa.decimal128(9, 2)),
                "channel": ["app"] * count,
            }
        )
    )


def _changed(stock_duckdb: Callable[[], duckdb.DuckDBPyConnection]) -> None:
    with stock_duckdb() as duck:
        for statement in _BY_DUCKDB:
            duck.execute(statement)


def _new_manager(lake: StreamingLake) -> None:
    lake.table("managers").update({"manager": "'Radia'"}, where="region = 'us'")


def _verified(lake: StreamingLake) -> None:
    _say("13. Every table is compared with its query, computed anew, row by row")
    for view in lake.stream_tables():
        found = view.verify()
        word = "equal" if found.ok else "DIFFERENT"
        typer.echo(f"   {view.name.removeprefix('main.'):<12}{found.rows:>7,} rows, {word}")
        if not found:
            raise typer.Exit(1)
    _say("14. How 'by_manager' is kept")
    told = lake.stream_table("by_manager").explain()
    for line in [*told.tree.lines()][-3:]:
        typer.echo(f"   {line.strip()}")
    for each in told.aggregates:
        typer.echo(f"   {each.call}: {each.strategy}")


def _travelled(lake: StreamingLake, first: int) -> None:
    view = lake.stream_table("by_manager")
    then = view.scan(snapshot=first).to_arrow().sort_by("manager").to_pylist()
    _say(f"15. Results are tables: 'by_manager' at snapshot {first}, before all this")
    typer.echo("   " + ", ".join(f"{row['manager']} {row['total']}" for row in then))
    view.rewind(snapshot=first)
    back = view.to_arrow().sort_by("manager").to_pylist()
    report = view.refresh()
    typer.echo(f"   rewound to {first}: {'the same' if back == then else 'DIFFERENT'}; ")
    typer.echo(f"   and forward again: {report.mode}, {report.rows_out} rows changed")
    if back != then:
        raise typer.Exit(1)


def _by_others(lake: StreamingLake, duck: duckdb.DuckDBPyConnection) -> None:
    theirs = duck.execute("SELECT * FROM lake.by_manager ORDER BY manager").fetchall()
    ours = [tuple(r.values()) for r in lake.table("by_manager").to_arrow().to_pylist()]
    _say("16. Stock DuckDB reads the results, and so does pandas")
    typer.echo(f"   DuckDB {theirs}")
    try:
        typer.echo(str(lake.table("top_days").to_pandas()))
    except Unsupported:
        typer.echo(str(lake.table("top_days").to_arrow().to_pylist()))
    if sorted(ours) != theirs:
        raise typer.Exit(1)


def _say(title: str) -> None:
    typer.secho(f"\n{title}", bold=True)
