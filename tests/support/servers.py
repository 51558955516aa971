"""Database servers for tests: child processes under a folder of their own, gone at the end."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

SERVER_USER: Final = "nobody"
"""Who runs servers when tests run as root: database servers refuse to be root."""
_PATIENCE_SECONDS: Final = 60.0


def _memory() -> Path | None:
    folder = Path("/dev/shm")
    return folder if folder.is_dir() and shutil.disk_usage(folder).free > 4 << 30 else None


MEMORY: Final = _memory()
"""A folder in memory, where the machine has one with enough room."""


class Server:
    """A folder and at most one server process in it."""

    def __init__(self, prefix: str) -> None:
        # Not pytest's own folder: only root may enter that one, and socket paths must be short.
        self.folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=MEMORY))
        self._process: subprocess.Popen[bytes] | None = None
        if runs_as_root():
            entry = pwd.getpwnam(SERVER_USER)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.folder.chmod(0o755)

    def run(self, command: Sequence[str]) -> None:
        """Run a preparing command to its end."""
        done = subprocess.run(command, **self._how(), capture_output=True, check=False)  # type: ignore[call-overload]
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {done.stderr.decode()[-2000:]}")

    def start(self, command: Sequence[str], ready: Callable[[], bool]) -> None:
        """Start the server and wait until it answers."""
        with (self.folder / "log").open("wb") as log:
            how = {**self._how(), "preexec_fn": _die_with_the_tests}
            self._process = subprocess.Popen(command, **how, stdout=log, stderr=log)  # type: ignore[call-overload]
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                text = (self.folder / "log").read_text(errors="replace")
                self.stop()
                raise RuntimeError(f"{command[0]} did not start: {text[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the process without ceremony and remove the folder."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _how(self) -> dict[str, object]:
        options: dict[str, object] = {"cwd": self.folder, "stdin": subprocess.DEVNULL}
        if runs_as_root():
            entry = pwd.getpwnam(SERVER_USER)
            options |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            options["env"] = {**os.environ, "HOME": str(self.folder)}
        return options


def _die_with_the_tests() -> None:
    """Ask Linux to stop this process when the tests that started it are killed."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGQUIT)


def runs_as_root() -> bool:
    """Whether this process is root."""
    return os.geteuid() == 0


def free_port() -> int:
    """A loopback port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
