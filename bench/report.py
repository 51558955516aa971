"""Results as Markdown, ready for docs/reference/performance.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from rounds import Measured

PACKAGES = ("duckdb", "pyarrow", "polars", "ducklake-sdk", "ducklake-dataframe", "sqlalchemy")


def machine() -> str:
    """The machine and the versions of what was measured."""
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return (
        f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {gigabytes:.0f} GB; "
        f"load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}; {versions}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def heading(contenders: Sequence[str]) -> str:
    """The first two rows of the table."""
    titles = ["line", f"{contenders[0]} ms", *(f"÷ {name}" for name in contenders[1:])]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def row(title: str, results: Sequence[Measured]) -> str:
    """Our median time, and it over everybody else's: below 1 we are faster."""
    ours = results[0]
    cells = [title, _milliseconds(ours), *(_ratio(ours, other) for other in results[1:])]
    return f"| {' | '.join(cells)} |"


def details(results: Sequence[Measured]) -> Iterator[str]:
    """Everybody's own numbers, and what did not work."""
    expected = results[0].answer
    for each in results:
        facts = f"  {each.name:<20}"
        if each.median is not None and each.cpu is not None:
            facts += f" {each.median * 1e3:9.1f} ms   CPU {each.cpu * 1e3:9.1f} ms"
            facts += f"   of {len(each.seconds)} rounds"
        if each.answer is not None and each.answer != expected:
            facts += f"   another answer: {each.answer[0]:,} rows"
        if each.failure:
            facts += f"   cannot ({each.failed_rounds} times): {each.failure}"
        yield facts


def _milliseconds(measured: Measured) -> str:
    return "cannot" if measured.median is None else f"{measured.median * 1e3:,.1f}"


def _ratio(ours: Measured, other: Measured) -> str:
    if ours.median is None or other.median is None:
        return "cannot" if other.median is None else "-"
    mark = "" if other.answer == ours.answer else " *"
    return f"{ours.median / other.median:.2f}{mark}"
