"""Every example in the documents runs, and every table in them agrees with the code."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest

from quacklake.format.arrow import arrow_type
from quacklake.format.types import Kind, Scalar
from quacklake.kernel import errors
from tests.support.commandline import Program
from tests.support.spark import ONE_WORKER

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
ON_SPARK = {"spark", "stream-tables"}
BLOCK = re.compile(
    r"^```(?P<language>\w+)(?P<note>[^\n]*)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL
)
CLAIM = re.compile(r"#\s*→\s*(?P<value>.+)$")


def run_python(code, names, *, page, line):
    """Run a block statement by statement; `expression  # → value` must come true."""
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        where = f"{page}:{line + statement.lineno}"
        claim = CLAIM.search(lines[statement.end_lineno - 1])
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), where, "eval"), names)
            if claim:
                assert repr(value) == claim["value"], where
        else:
            assert not claim, f"{where} claims a value for a statement that has none"
            exec(compile(ast.Module([statement], []), where, "exec"), names)


def run_commands(code, program, *, page):
    """Run each line that calls the command line; it must succeed."""
    for command in code.splitlines():
        name, *arguments = shlex.split(command, comments=True) or [""]
        if name == "quacklake":
            done = program(*arguments)
            assert done.code == 0, f"{page}: {command}\n{done.out}{done.err}"


def marked(page):
    """Pages that use Spark run where its session is."""
    return pytest.param(page, marks=[ONE_WORKER] if page.stem in ON_SPARK else [], id=page.name)


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_the_examples_of_a_page_run_in_order(page, request, capsys, tmp_path, monkeypatch):
    if page.stem in ON_SPARK:
        request.getfixturevalue("spark")
    monkeypatch.chdir(tmp_path)
    program = Program(capsys)
    text = page.read_text()
    names = {"__name__": "example"}

    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        if block["language"] == "python" and "no-run" in block["note"]:
            compile(block["code"], f"{page.name}:{line}", "exec")
        elif block["language"] == "python":
            run_python(block["code"], names, page=page.name, line=line)
        elif block["language"] == "sh":
            run_commands(block["code"], program, page=page.name)


def table_rows(page, heading):
    """The cells of the first table below a heading."""
    below = page.read_text().split(heading, 1)[1]
    rows = [line for line in below.split("\n#", 1)[0].splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_guide_lists_the_arrow_type_of_every_type():
    rows = table_rows(ROOT / "docs/guide/reading.md", "## Types")
    listed = {
        kind: arrow.strip("`")
        for kinds, arrow, *_ in rows
        for kind in re.findall(r"`([^`]+)`", kinds)
    }

    for kind in Kind:
        assert listed.get(kind.value) == str(arrow_type(Scalar(kind))), kind


def test_the_error_page_lists_every_class_with_what_to_do():
    rows = table_rows(ROOT / "docs/reference/errors.md", "# Errors")
    listed = {name.strip("`"): recovery for name, _, recovery in rows}
    classes = {
        name: each.recovery.value
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, errors.QuacklakeError)
    }

    assert listed == classes


def test_the_architecture_page_lists_exactly_the_packages():
    tree = (ROOT / "ARCHITECTURE.md").read_text().split("src/quacklake/\n", 1)[1].split("tests/")[0]
    listed = set(re.findall(r"^  (\w+)/", tree, re.MULTILINE))
    source = ROOT / "src" / "quacklake"

    assert listed == {path.parent.name for path in source.glob("*/__init__.py")}


def test_links_between_documents_lead_somewhere():
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = [
        (page, target)
        for page in documents
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    ]

    missing = [(page.name, target) for page, target in links if not (page.parent / target).exists()]

    assert not missing
