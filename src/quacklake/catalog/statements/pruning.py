"""Which files a predicate leaves, decided inside the catalog's own query."""

from __future__ import annotations

from sqlalchemy import true
from sqlalchemy.sql import ColumnElement, FromClause

from quacklake.catalog.statements.scope import Scope
from quacklake.format.partition import PartitionSpec
from quacklake.format.predicate import Predicate
from quacklake.format.table import Table


def kept(
    scope: Scope,
    files: FromClause,
    table: Table,
    predicate: Predicate,
    specs: tuple[PartitionSpec, ...],
) -> ColumnElement[bool]:
    """Whether a file may hold a row of `predicate`."""
    return true()
