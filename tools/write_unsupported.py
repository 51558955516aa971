"""Write docs/unsupported.md from what the compiler of views refuses."""

from __future__ import annotations

from pathlib import Path

from quacklake.ivm import unsupported_page

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "unsupported.md"
    place.write_text(unsupported_page())
    print(f"wrote {place.name}")
