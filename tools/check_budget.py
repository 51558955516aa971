"""Files stay readable in one sitting: 300 lines wanted, 500 at most; functions 60 at most."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

WANTED, FILE, FUNCTION = 300, 500, 60
FOLDERS = ("src", "tests", "bench", "tools")
VAGUE = frozenset({"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"})


def problems(root: Path) -> Iterator[str]:
    """What breaks the budget, each as `place: problem`."""
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        text = path.read_text()
        place = path.relative_to(root)
        if (lines := text.count("\n")) > FILE:
            yield f"{place}: {lines} lines, at most {FILE}"
        if vague := VAGUE.intersection(place.with_suffix("").parts):
            yield f"{place}: '{min(vague)}' does not say what it holds"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION:
                    yield f"{place}:{node.lineno}: {node.name} has {length} lines of {FUNCTION}"


def long_files(root: Path) -> Iterator[str]:
    """Files above what we want and within what we allow."""
    for path in sorted((root / "src").rglob("*.py")):
        if WANTED < (lines := path.read_text().count("\n")) <= FILE:
            yield f"{path.relative_to(root)}: {lines} lines, {WANTED} are wanted"


if __name__ == "__main__":
    here = Path(__file__).parent.parent
    for warning in long_files(here):
        print("note:", warning)
    sys.exit("\n".join(problems(here)) or 0)
