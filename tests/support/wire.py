"""A wire to a database server that can be cut, at once or when its answer is due."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

_CHUNK: Final = 65536


class Wire:
    """Passes bytes between clients and a server until it is cut.

    After `lose_answers`, what clients send still arrives; the first answer cuts instead.
    """

    def __init__(self, server: tuple[str, int] | str) -> None:
        self._server = server
        self._deaf = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answers(self) -> None:
        """From now on no answer comes through."""
        self._deaf = True

    def cut(self) -> None:
        """End all connections at once; new ones may be made."""
        self._deaf = False
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _end(*pair)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            upstream = self._connected()
            self._pairs.append((client, upstream))
            for source, sink, answers in ((client, upstream, False), (upstream, client, True)):
                pump = threading.Thread(
                    target=self._pump, args=(source, sink), kwargs={"answers": answers}, daemon=True
                )
                pump.start()

    def _connected(self) -> socket.socket:
        if isinstance(self._server, str):
            upstream = socket.socket(socket.AF_UNIX)
            upstream.connect(self._server)
            return upstream
        return socket.create_connection(self._server)

    def _pump(self, source: socket.socket, sink: socket.socket, *, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                if answers and self._deaf:
                    self.cut()
                    break
                sink.sendall(data)
        _end(source, sink)

    def close(self) -> None:
        """Cut, and take no more connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _end(*ends: socket.socket) -> None:
    for end in ends:
        # Closing alone does not wake a thread that waits for bytes.
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
