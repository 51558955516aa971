"""What the package offers, and what importing it costs."""

import os
import subprocess
import sys

import pytest

import quacklake as ql

HEAVY = ("pyarrow", "duckdb", "sqlalchemy", "sqlglot", "pandas", "polars", "numpy", "typer")


def loaded_by(code):
    """Which heavy libraries a fresh interpreter has after running `code`."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; {code}; print(*[m for m in {HEAVY} if m in sys.modules])",
        ],
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_every_name_is_there():
    for name in ql.__all__:
        assert getattr(ql, name) is not None
    assert set(ql.__all__) <= set(dir(ql))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ql.nothing


def test_importing_loads_nothing_heavy():
    assert loaded_by("import quacklake") == []


def test_connecting_loads_no_frame_library_and_no_command_line():
    loaded = loaded_by("import quacklake; quacklake.connect")

    assert not {"pandas", "polars", "typer"} & set(loaded)


@pytest.mark.parametrize(
    ("options", "error", "problem"),
    [
        ({"engine": "abacus"}, ql.UsageError, "no engine is called 'abacus'"),
        ({"catalog": "tenant"}, ql.Unsupported, "many catalogs in one shared layout"),
        ({"storage_options": {"s3.colour": 1}}, ql.UsageError, "unknown storage option"),
    ],
)
def test_what_this_version_lacks_is_refused_before_anything_is_made(
    tmp_path, options, error, problem
):
    with pytest.raises(error, match=problem):
        ql.connect(f"sqlite:///{tmp_path}/m.sqlite", **options)

    assert list(tmp_path.iterdir()) == []
