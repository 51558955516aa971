"""An S3 server on loopback: a real process that checks signatures and serves a folder."""

from __future__ import annotations

import shutil
import socket
import sys
from pathlib import Path
from typing import Final

import duckdb

from quacklake.format.sqltypes import literal
from quacklake.storage import Storage, StorageOptions
from tests.support.servers import Server, free_port

_KEY: Final = "quack"
_SECRET: Final = "quack-and-quack-again"
_REGION: Final = "eu-west-1"


class ObjectStore:
    """A running server with one bucket; every test writes below a prefix of its own."""

    def __init__(self) -> None:
        self.bucket = "lakes"
        self._server = Server("ql-s3")
        self._port = free_port()
        self._root = self._server.folder / "root"
        self._server.run(["mkdir", "-p", str(self._root / self.bucket)])
        command = [
            _program(),
            "serve",
            "s3",
            str(self._root),
            f"--addr=127.0.0.1:{self._port}",
            f"--auth-key={_KEY},{_SECRET}",
            "--no-checksum",
            f"--config={self._server.folder / 'rclone.conf'}",
            f"--cache-dir={self._server.folder / 'cache'}",
        ]
        self._server.start(command, self._answers)

    @property
    def endpoint(self) -> str:
        """Where the server listens, as a URL."""
        return f"http://127.0.0.1:{self._port}"

    def location(self, path: str) -> str:
        """The location of `path` in the bucket."""
        return f"s3://{self.bucket}/{path}"

    def put(self, path: str, content: bytes) -> str:
        """Upload an object, or replace it, and return its location."""
        # Through the server: it does not notice what others do to its folder.
        location = self.location(path)
        with Storage(self.options()).open_output(location) as target:
            target.write(content)
        return location

    def settings(self) -> dict[str, str]:
        """The options a user would write down."""
        return {
            "s3.endpoint": self.endpoint,
            "s3.region": _REGION,
            "s3.access_key_id": _KEY,
            "s3.secret_access_key": _SECRET,
        }

    def options(self) -> StorageOptions:
        """The same options, parsed."""
        return StorageOptions.parse(self.settings())

    def environment(self) -> dict[str, str]:
        """The variables that say the same to a process without options."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": _REGION,
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": _SECRET,
        }

    def introduce(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Tell a DuckDB with httpfs how to reach the server."""
        connection.execute(
            "CREATE OR REPLACE SECRET object_store (TYPE s3, PROVIDER config, "
            f"KEY_ID {literal(_KEY)}, SECRET {literal(_SECRET)}, REGION {literal(_REGION)}, "
            f"ENDPOINT {literal(f'127.0.0.1:{self._port}')}, USE_SSL false, URL_STYLE 'path')"
        )

    def stop(self) -> None:
        """Stop the server and forget its objects."""
        self._server.stop()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


def _program() -> str:
    """The server's program, which its wheel puts beside the interpreter."""
    beside = Path(sys.executable).with_name("rclone")
    found = str(beside) if beside.exists() else shutil.which("rclone")
    if found is None:
        raise RuntimeError("rclone is missing: install the 'dev' dependencies")
    return found
