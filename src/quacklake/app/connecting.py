"""From an address to an open lake."""

from __future__ import annotations

from collections.abc import Mapping

from quacklake.app.engines import (
    check_engine,
    engines,
    is_spark,
    master_of,
    program_engines,
)
from quacklake.client.opening import Address
from quacklake.client.session import Session
from quacklake.engine.spark import SparkCluster
from quacklake.kernel.errors import Unsupported
from quacklake.pipeline.lake import StreamingLake as Lake


def connect(  # noqa: PLR0913 - each is a choice users make by name
    url: str,
    data_path: str | None = None,
    *,
    catalog: str | None = None,
    metadata_schema: str | None = None,
    engine: str | None = None,
    read_only: bool = False,
    create: bool = True,
    encrypted: bool | None = None,
    storage_options: Mapping[str, object] | None = None,
) -> Lake:
    """Open the lake at `url`, or make an empty one there.

    `url` is `duckdb:///file`, `sqlite:///file`, `postgresql://user@host/db`,
    `mysql://user@host/db`, or what DuckDB's ATTACH takes, such as `ducklake:file`. Three
    slashes begin a relative path, four an absolute one.

    Args:
        url: Where the catalog is.
        data_path: The folder or bucket for the files of a new lake; a lake remembers its own.
        catalog: One of many catalogs in a shared layout; not available in this version.
        metadata_schema: The database schema that holds the catalog.
        engine: What runs `lake.sql` and large changes: "local", DuckDB in this process, or
            "spark"; the address of a Spark master or Connect server means Spark there.
        read_only: Refuse every change, at the database too.
        create: Make an empty lake where there is none.
        encrypted: Whether a new lake encrypts its files; keys are kept in the catalog.
        storage_options: How object stores are reached, such as `{"s3.region": "eu-west-1"}`;
            what is absent comes from the environment. Nothing of it is stored.
    """
    _check_available(catalog)
    check_engine(engine)
    address = Address(
        str(url),
        data_path=None if data_path is None else str(data_path),
        metadata_schema=metadata_schema,
        read_only=read_only,
        create=create,
        encrypted=encrypted,
        storage_options=storage_options or {},
    )
    opened, storage = address.open()
    cluster = SparkCluster(master_of(engine))
    session = Session(opened, storage, cluster, bulk=is_spark(engine))
    return Lake(
        session,
        engines(engine, cluster),
        program_engines(cluster),
        label=address.location.display,
        engine="local" if engine == "local" else "spark",
    )


def _check_available(catalog: str | None) -> None:
    if catalog is not None:
        raise Unsupported(
            "many catalogs in one shared layout are not available in this version",
            hint="leave catalog out; metadata_schema gives a lake a schema of its own",
        )
