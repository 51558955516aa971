"""The tree drawn on top of the error module is the tree of its classes, and there is no other."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = "QuacklakeError"
BRANCH = re.compile(r"^(?P<stem>(?:│   |    )*)[├└]── (?P<name>\w+)")


def drawn(docstring: str) -> dict[str, str]:
    """Each class of the drawing with the class it hangs from."""
    above, tree = [ROOT], {}
    for match in filter(None, map(BRANCH.match, docstring.splitlines())):
        depth = len(match["stem"]) // 4 + 1
        above[depth:] = [match["name"]]
        tree[match["name"]] = above[depth - 1]
    return tree


def written(module: ast.Module) -> dict[str, str]:
    """Each class of a module with its first base."""
    classes = (node for node in module.body if isinstance(node, ast.ClassDef))
    return {each.name: ast.unparse(each.bases[0]) for each in classes if each.bases}


def problems(root: Path) -> Iterator[str]:
    """Where drawing, classes and the rest of the code disagree."""
    home = root / "src/quacklake/kernel/errors.py"
    module = ast.parse(home.read_text())
    tree = drawn(ast.get_docstring(module) or "")
    known = {ROOT, *tree}
    errors = {pair for pair in written(module).items() if known.intersection(pair)}
    for name, base in sorted({(ROOT, "Exception"), *tree.items()} ^ errors):
        yield f"{home.relative_to(root)}: drawing and classes disagree about {name}({base})"
    for path in sorted((root / "src").rglob("*.py")):
        for name, base in written(ast.parse(path.read_text())).items():
            # A private exception is a signal inside one module, not an error for users.
            public = path != home and not name.startswith("_")
            if public and base.rpartition(".")[2] in {"Exception", *known}:
                yield f"{path.relative_to(root)}: error {name} belongs in {home.name}"


if __name__ == "__main__":
    sys.exit("\n".join(problems(Path(__file__).parent.parent)) or 0)
