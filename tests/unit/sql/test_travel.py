from datetime import UTC, datetime

import pytest

from quacklake.format.snapshot import AtTime, AtVersion
from quacklake.kernel.errors import UsageError
from quacklake.sql.statement import parsed
from quacklake.sql.travel import placed, spliced


def place(text):
    statement = parsed(text)
    (reference,) = (each for each in statement.references if each.travels)
    return statement.text, placed(statement.text, reference)


@pytest.mark.parametrize(
    ("clause", "at"),
    [
        ("VERSION => 5", AtVersion(5)),
        ("VERSION => '5'", AtVersion(5)),
        ("VERSION => 2 + 3", AtVersion(5)),
        ("VERSION => (2 + (3))", AtVersion(5)),
        ("TIMESTAMP => '2026-01-31'", AtTime(datetime(2026, 1, 31, tzinfo=UTC))),
        ("TIMESTAMP => DATE '2026-01-31'", AtTime(datetime(2026, 1, 31, tzinfo=UTC))),
        (
            "TIMESTAMP => '2026-01-31 02:00:00.000001+02'",
            AtTime(datetime(2026, 1, 31, 0, 0, 0, 1, tzinfo=UTC)),
        ),
    ],
)
def test_a_clause_says_which_snapshot(clause, at):
    _, found = place(f"SELECT * FROM t AT ({clause})")

    assert found.at == at


def test_name_and_clause_are_cut_out_of_the_text_exactly():
    text, found = place('SELECT x."é" FROM  s . "T t" AS x AT (VERSION => 1) WHERE true')

    assert text[slice(*found.name)] == 's . "T t"'
    assert text[slice(*found.clause)] == "AT (VERSION => 1)"


@pytest.mark.parametrize(
    "clause",
    ["VERSION => 'x'", "VERSION => NULL", "TIMESTAMP => 'yesterday'", "VERSION => some_column"],
)
def test_a_clause_without_meaning_is_refused(clause):
    with pytest.raises(UsageError, match="a time travel clause"):
        place(f"FROM t AT ({clause})")


def test_splicing_replaces_spans_in_any_order():
    assert spliced("abcdef", [((0, 1), "A"), ((4, 6), ""), ((2, 3), "CC")]) == "AbCCd"
