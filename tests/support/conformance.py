"""The conformance report: which feature reads right on which catalog through which path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.support.features import FEATURES, Feature
from tests.support.read_paths import READ_PATHS

REPORT: Final = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"
PROPERTY: Final = "conformance"
"""The test property that carries what a test saw: feature, catalog, paths and version."""
_CATALOGS: Final = {
    "duckdb": "DuckDB",
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
}
_PASSED, _FAILED, _IMPOSSIBLE, UNTRIED = "✓", "✗", "·", "?"


@dataclass(slots=True)
class Conformance:
    """What the tests of a run saw."""

    seen: dict[tuple[str, str], Mapping[str, bool]] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)

    def take(self, properties: Sequence[tuple[str, object]]) -> None:
        """Take in the properties of a finished test."""
        for name, value in properties:
            if name == PROPERTY and isinstance(value, dict):
                self.seen[value["feature"], value["catalog"]] = value["paths"]
                self.versions.add(value["version"])

    def report(self) -> str:
        """The whole document."""
        parts = [_HEAD.format(version=", ".join(sorted(self.versions)), totals=self._totals())]
        for group, features in groupby(_in_order(), key=lambda feature: feature.group):
            parts.append(f"## {group.capitalize()}\n\n{self._table(list(features))}")
        return "\n\n".join(parts) + "\n"

    def _table(self, features: list[Feature]) -> str:
        head = f"| feature | {' | '.join(_CATALOGS.values())} |"
        rule = "|---" * (len(_CATALOGS) + 1) + "|"
        return "\n".join([head, rule, *(self._line(feature) for feature in features)])

    def _line(self, feature: Feature) -> str:
        cells = [self._cell(feature, catalog) for catalog in _CATALOGS]
        return f"| {feature.name} | {' | '.join(cells)} |"

    def _cell(self, feature: Feature, catalog: str) -> str:
        if catalog in feature.impossible_on:
            return _IMPOSSIBLE
        paths = self.seen.get((feature.id, catalog))
        if paths is None:
            return UNTRIED
        return "".join(_PASSED if paths.get(path) else _FAILED for path in READ_PATHS)

    def _totals(self) -> str:
        lines = []
        for catalog, title in _CATALOGS.items():
            paths = [paths for (_, where), paths in self.seen.items() if where == catalog]
            passed = sum(sum(marks.values()) for marks in paths)
            lines.append(f"| {title} | {len(paths)} | {passed} | {sum(map(len, paths)) - passed} |")
        return "\n".join(lines)


def features_in(report: str) -> list[str]:
    """The features that a report lists, as `group: name`, in its order."""
    found, group = [], ""
    for line in report.splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ").lower()
        elif group and line.startswith("| ") and not line.startswith("| feature |"):
            found.append(f"{group}: {line.split(' | ')[0].removeprefix('| ')}")
    return found


def _in_order() -> list[Feature]:
    groups = list(dict.fromkeys(feature.group for feature in FEATURES))
    return sorted(FEATURES, key=lambda feature: groups.index(feature.group))


def listed() -> list[str]:
    """The features of this suite in the order of the report."""
    return [feature.id for feature in _in_order()]


_HEAD: Final = """\
# Conformance

Written by `pytest tests/differential/test_features.py --write-conformance`; do not edit.

Each feature of the format has a small lake of its own, written by DuckDB's DuckLake extension
{{version}}. Its tables are read and compared with what the extension
returns: the same bag of rows, the same column names and types. `to_arrow` reads every table at
every snapshot, the other ways read it at its last one. A cell has one mark for each way to read:
{paths}.
{passed} passed, {failed} failed, {impossible} the extension cannot make it, {untried} not run.

The extension does not write MySQL catalogs. Those lakes were written on SQLite without inlining,
and their catalog rows copied into a catalog that Quacklake made.

| catalog | features | passed | failed |
|---|---|---|---|
{{totals}}""".format(
    paths=", ".join(f"`{path}`" for path in READ_PATHS),
    passed=_PASSED,
    failed=_FAILED,
    impossible=_IMPOSSIBLE,
    untried=UNTRIED,
)
