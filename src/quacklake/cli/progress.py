"""Progress of long work, on the terminal only: nothing of it is in pipes, files or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quacklake.client.upkeep import unwatched

if TYPE_CHECKING:
    import pyarrow as pa

    from quacklake.client.upkeep import Watch


def is_shown(*, json: bool) -> bool:
    """Whether somebody may be looking on."""
    return not json and sys.stderr.isatty()


def counted(reader: pa.RecordBatchReader, *, shown: bool) -> pa.RecordBatchReader:
    """The same rows, counted as they pass."""
    if not shown:
        return reader
    import pyarrow as pa
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    def rows() -> Iterator[pa.RecordBatch]:
        columns = (TextColumn("{task.completed:,} rows"), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("append", total=None)
            for batch in reader:
                progress.advance(task, batch.num_rows)
                yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, rows())


@contextmanager
def watched(work: str, *, shown: bool) -> Iterator[Watch]:
    """Show which table a piece of work is at, and how many of how many are done."""
    if not shown:
        yield unwatched
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TimeElapsedColumn

    described = "[progress.description]{task.description}"
    columns = (SpinnerColumn(), described, MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(work, total=None)

        def watch(what: str, done: int, total: int) -> None:
            progress.update(task, description=f"{work} {what}", completed=done, total=total)

        yield watch
