"""Whether anybody listens at the address of a Spark, before Spark itself waits for minutes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Final

from quacklake.kernel.errors import Unavailable, UsageError

_PATIENCE_SECONDS: Final = 10
_PORTS: Final = {"spark": 7077, "sc": 15002}


def check_reachable(address: str) -> None:
    """Refuse the address of a master or a Connect server where nobody listens."""
    problem: OSError | None = None
    for host, port in _places(address):
        try:
            socket.create_connection((host, port), timeout=_PATIENCE_SECONDS).close()
        except OSError as error:
            problem = error
        else:
            return
    if problem is not None:
        raise Unavailable(
            f"no Spark session at '{without_secrets(address)}': nobody answers there",
            hint="check the address, and that the server runs and is reachable from here",
        ) from problem


def without_secrets(address: str) -> str:
    """The address alone: what follows it may be a token."""
    return address.partition("/;")[0]


def _places(address: str) -> Iterator[tuple[str, int]]:
    scheme, _, rest = address.partition("://")
    if scheme not in _PORTS:
        return
    # A standalone master may have stand-ins: spark://one:7077,two:7077.
    for place in rest.partition("/")[0].split(","):
        host, _, port = place.rpartition(":") if ":" in place else (place, "", "")
        if port and not port.isdigit():
            raise UsageError(
                f"the address '{without_secrets(address)}' has no port that is a number"
            )
        yield host.strip("[]"), int(port) if port else _PORTS[scheme]
