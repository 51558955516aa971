"""A port says the hard part: who calls it, how often, what may repeat, what an answer promises."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path


def is_protocol(node: ast.AST) -> bool:
    """Whether a class is a Protocol, generic or not."""
    if not isinstance(node, ast.ClassDef):
        return False
    names = {ast.unparse(each).partition("[")[0].rpartition(".")[2] for each in node.bases}
    return "Protocol" in names


def problems(root: Path) -> Iterator[str]:
    """Protocols without a second paragraph, and their methods without a sentence."""
    for path in sorted((root / "src").rglob("*.py")):
        place = path.relative_to(root)
        for node in filter(is_protocol, ast.walk(ast.parse(path.read_text()))):
            assert isinstance(node, ast.ClassDef)
            if "\n\n" not in (ast.get_docstring(node) or ""):
                yield f"{place}:{node.lineno}: protocol {node.name} does not state its promises"
            for method in (each for each in node.body if isinstance(each, ast.FunctionDef)):
                if not ast.get_docstring(method):
                    yield f"{place}:{method.lineno}: {node.name}.{method.name} says nothing"


if __name__ == "__main__":
    sys.exit("\n".join(problems(Path(__file__).parent.parent)) or 0)
