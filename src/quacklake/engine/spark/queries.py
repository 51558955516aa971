"""A query in Spark's SQL: names of the lake become DataFrames, everything else is Spark's."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

import sqlglot
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.catalog.reader import CatalogReader
from quacklake.client.references import DEFAULT_SCHEMA
from quacklake.client.session import Session
from quacklake.engine.spark.cluster import SparkCluster
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.pruning import pruning_filter
from quacklake.engine.spark.travelling import travelled
from quacklake.format.snapshot import AtVersion, Latest, Snapshot
from quacklake.format.table import TableName, View
from quacklake.kernel.errors import NotFound, Unsupported, UsageError
from quacklake.scan.plan import Request, ScanPlan, plan_scan
from quacklake.sql.travel import spliced

_EXPLAIN: Final = re.compile(
    r"\s*EXPLAIN\s+(?:(?:EXTENDED|CODEGEN|COST|FORMATTED)\s+)?", re.IGNORECASE
)
_FILES: Final = frozenset({"parquet", "csv", "json", "orc", "text", "binaryfile", "avro"})
_OWN_CATALOG: Final = re.compile(r'"?\{DUCKLAKE_CATALOG\}"?\.')


@dataclass(frozen=True, slots=True)
class Part:
    """A name of a query: a table to scan, or a view whose own query has parts again."""

    plan: ScanPlan | None
    view: Query | None


@dataclass(frozen=True, slots=True)
class Query:
    """A query ready for Spark: `{t0}`, `{t1}`, … stand for its parts."""

    text: str
    parts: tuple[Part, ...]

    def frame(self, cluster: SparkCluster, session: Session, spark: SparkSession) -> DataFrame:
        """The query's DataFrame; it is analysed, but nothing runs yet."""
        frames: dict[str, Any] = {
            f"t{place}": part.view.frame(cluster, session, spark)
            if part.view is not None
            else cluster.frame(session, _planned(part), spark)
            for place, part in enumerate(self.parts)
        }
        with running():
            return spark.sql(self.text, **frames)


def _planned(part: Part) -> ScanPlan:
    if part.plan is None:
        raise UsageError("a part of the query is neither a table nor a view")
    return part.plan


def planned(session: Session, spark: SparkSession, text: str) -> Query:
    """The query `text`, its tables planned in one view of the catalog."""
    with session.reading() as reader:
        head = reader.snapshot(Latest())
        return _Names(reader, spark, {view.name: view for view in reader.views(head)}).query(
            text, head, (DEFAULT_SCHEMA,), ()
        )


class _Names:
    """Resolves the names of queries at one state of the catalog."""

    def __init__(
        self, reader: CatalogReader, spark: SparkSession, views: dict[TableName, View]
    ) -> None:
        self._reader = reader
        self._spark = spark
        self._views = {_folded(name): view for name, view in views.items()}

    def query(
        self, text: str, head: Snapshot, path: tuple[str, ...], trail: tuple[TableName, ...]
    ) -> Query:
        """A query in Spark's SQL, its names resolved at `head` or as they say."""
        prefix = _EXPLAIN.match(text)
        skipped = prefix.end() if prefix else 0
        source = travelled(text[skipped:].rstrip().rstrip(";"))
        tree = _tree(source.text)
        local = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
        parts: list[Part] = []
        changes: list[tuple[tuple[int, int], str]] = []
        for node in tree.find_all(exp.Table):
            names = [part for part in node.parts if isinstance(part, exp.Identifier)]
            if not names or len(names) != len(node.parts) or "start" not in names[0].meta:
                continue
            start, end = names[0].meta["start"], names[-1].meta["end"]
            ref = source.at.get(end)
            at = head if ref is None else self._reader.snapshot(ref)
            if ref is None and len(names) == 1 and node.name.casefold() in local:
                continue
            part = self._part(node, at, path, trail)
            if part is not None:
                alias = "" if node.alias else f" AS `{node.name.replace('`', '``')}`"
                # Doubled later: these braces are the only ones that mean something.
                changes.append(((start, end + 1), f"\x00t{len(parts)}\x01{alias}"))
                parts.append(part)
        plain = spliced(source.text, changes)
        escaped = plain.replace("{", "{{").replace("}", "}}")
        marked = escaped.replace("\x00", "{").replace("\x01", "}")
        return Query(text[:skipped] + marked, tuple(parts))

    def _part(
        self, node: exp.Table, at: Snapshot, path: tuple[str, ...], trail: tuple[TableName, ...]
    ) -> Part | None:
        """What a name means; None if it is Spark's own."""
        if node.args.get("catalog") or node.db.casefold() in _FILES:
            return None
        problem: NotFound | None = None
        for schema in (node.db,) if node.db else path:
            name = TableName(schema, node.name)
            view = self._views.get(_folded(name))
            if view is not None:
                return Part(None, self._expanded(view, at, trail))
            try:
                table = self._reader.table(name, at)
            except NotFound as error:
                problem = problem or error
                continue
            wanted = pruning_filter(node, table)
            plan = plan_scan(self._reader, Request(name, AtVersion(at.id), None, wanted))
            # The filter only chose files: which rows pass is for Spark to say.
            return Part(replace(plan, filter=None), None)
        if self._spark.catalog.tableExists(_spelled(node)):
            return None
        raise problem or NotFound(f"no table '{node.name}'", kind="table", name=node.name)

    def _expanded(self, view: View, at: Snapshot, trail: tuple[TableName, ...]) -> Query:
        if view.name in trail:
            raise UsageError(f"view '{view.name}' refers to itself")
        try:
            text = _OWN_CATALOG.sub("", view.sql)
            (translated,) = sqlglot.transpile(text, read=view.dialect.lower(), write="spark")
        except (SqlglotError, ValueError) as error:
            raise Unsupported(
                f"view '{view.name}' cannot be said in Spark's SQL",
                hint="run the query with engine='local'",
            ) from error
        path = (view.name.schema, DEFAULT_SCHEMA)
        return self.query(translated, at, path, (*trail, view.name))


def _spelled(node: exp.Table) -> str:
    """The name alone, without what follows it."""
    return ".".join(part.sql("spark", identify=True) for part in node.parts)


def _folded(name: TableName) -> TableName:
    return TableName(name.schema.casefold(), name.table.casefold())


def _tree(text: str) -> exp.Expr:
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect="spark") if tree is not None]
    except SqlglotError as error:
        details = getattr(error, "errors", None) or [{}]
        problem = details[0].get("description", "syntax error")
        raise UsageError(
            f"the query is not valid Spark SQL: {problem} (line {details[0].get('line', 1)})"
        ) from error
    if len(trees) != 1:
        found = "empty" if not trees else "several statements"
        raise UsageError(f"the query is {found}", hint="run one query at a time")
    if not isinstance(trees[0], exp.Query | exp.Subquery | exp.Values):
        raise Unsupported(
            "only queries and statements that change the lake can be run on Spark",
            hint="write SELECT, INSERT, UPDATE, DELETE, MERGE, CREATE, ALTER or DROP",
        )
    return trees[0]
