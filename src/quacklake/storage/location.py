"""Where a location points: which kind of store, and the path inside it.

Locations are taken literally: nothing is percent-decoded, because a hive directory named
`a%2Fb` is stored under exactly that name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from quacklake.kernel.errors import Unsupported, UsageError


class Store(Enum):
    """A kind of store."""

    LOCAL = "local files"
    S3 = "S3"
    GCS = "Google Cloud Storage"
    AZURE = "Azure Blob Storage"


@dataclass(frozen=True, slots=True)
class Place:
    """A path inside a store; `account` is named by some Azure locations only."""

    store: Store
    path: str
    account: str | None = None


_SCHEMES: Final = {
    "s3": Store.S3,
    "s3a": Store.S3,
    "s3n": Store.S3,
    "gs": Store.GCS,
    "gcs": Store.GCS,
    "az": Store.AZURE,
    "azure": Store.AZURE,
    "abfs": Store.AZURE,
    "abfss": Store.AZURE,
}
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)


@lru_cache(maxsize=4096)
def place_of(location: str) -> Place:
    """The store and path that `location` names; without a scheme it is a local path."""
    if location.startswith("file:"):
        return Place(Store.LOCAL, _local_path(location))
    match = _URL.fullmatch(location)
    if match is None:
        return Place(Store.LOCAL, location)
    scheme, rest = match[1].lower(), match[2]
    store = _SCHEMES.get(scheme)
    if store is None:
        raise Unsupported(
            f"cannot read from '{scheme}://' locations",
            hint="use a local path, s3://, gs:// or az://",
            scheme=scheme,
            location=location,
        )
    return _azure_place(rest) if store is Store.AZURE else Place(store, rest)


def _local_path(location: str) -> str:
    path = location.removeprefix("file:")
    if path.startswith("//"):
        path = path[2:].removeprefix("localhost")
    if not path.startswith("/"):
        raise UsageError(
            f"'{location}' does not name a file of this machine",
            hint="write file:///path, or the path alone",
            location=location,
        )
    return path


def _azure_place(rest: str) -> Place:
    """Azure names the account nowhere, before the container, or after it with an `@`."""
    host, _, path = rest.partition("/")
    container, at, authority = host.partition("@")
    if at:
        return Place(Store.AZURE, f"{container}/{path}", _account(authority))
    if ".core." in host:
        return Place(Store.AZURE, path, _account(host))
    return Place(Store.AZURE, rest)


def _account(authority: str) -> str:
    return authority.partition(".")[0]
