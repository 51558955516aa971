"""The repository works anywhere: no file names one machine's folders or a package index."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Written so that no pattern matches its own text.
FORBIDDEN = {
    "a folder of one machine": re.compile(r"(?<![\w.:/-])/(?:home|root|Users|work|opt)/\w"),
    "a package index": re.compile(
        r"pypi\.org|pythonhosted\.org|--(?:extra-)?index[-]url|--find[-]links"
    ),
}


def tracked(root: Path) -> list[Path]:
    """The files git keeps, or would once they are added."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [root / name for name in listing.split("\0") if name and (root / name).is_file()]


def problems(root: Path) -> Iterator[str]:
    """Lines that tie the repository to a place."""
    for path in tracked(root):
        text = path.read_bytes().decode(errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            for what, pattern in FORBIDDEN.items():
                if pattern.search(line):
                    yield f"{path.relative_to(root)}:{number}: names {what}"


if __name__ == "__main__":
    sys.exit("\n".join(problems(Path(__file__).parent.parent)) or 0)
