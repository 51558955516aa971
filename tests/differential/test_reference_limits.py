"""Where the extension itself fails, pinned: random histories stay away from these places.

A pin that no longer holds means that the extension got better: then histories may go there.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.kernel.errors import CorruptLake
from tests.support.histories import History, Step
from tests.support.oracle import disagreements, judge, remember
from tests.support.referee import Referee
from tests.support.teller import TellerDied

TEXTS = ("sqlite", "postgres")

MISREAD = {
    "quotes and backslashes in a struct inlined as text": (
        TEXTS,
        "STRUCT(a VARCHAR)",
        r"[{'a': 'it''s'}, {'a': 'back\slash'}]",
    ),
}
UNREADABLE = {
    "a struct of times inlined as text": (
        "STRUCT(a TIME, b UUID, c DATE, d DOUBLE)",
        """[{'a': '12:34:56', 'b': 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 'c': '2020-01-02',
             'd': 'nan'}]""",
    ),
    "a list of JSON inlined as text": ("JSON[]", """[['{"a": 1}', '"s"', NULL]]"""),
}


def _history(*statements: str) -> History:
    return History(tuple(Step("pinned", (statement,)) for statement in statements))


def _inlined(sql: str, values: str) -> History:
    return _history(
        f"CREATE TABLE lake.t (v {sql})",
        f"INSERT INTO lake.t SELECT unnest(CAST({values} AS {sql}[]))",
    )


def _read(made, **options) -> pa.Table:
    with ql.connect(made.url, read_only=True) as lake:
        return lake.table("t").scan(**options).to_arrow()


def _only_on(workshop, catalogs: tuple[str, ...]) -> None:
    if workshop.kind not in catalogs:
        pytest.skip(f"a {workshop.kind} catalog does not have this trouble")


@pytest.mark.parametrize("case", MISREAD)
def test_what_the_extension_misreads_we_read_right(workshop, case):
    catalogs, sql, values = MISREAD[case]
    _only_on(workshop, catalogs)

    with workshop.lake(_inlined(sql, values)) as made:
        written = f"SELECT unnest(CAST({values} AS {sql}[])) AS v"
        truth = remember(made.referee, written, "truth")
        theirs = made.told.readings[-1].answer

        assert made.disagreements(truth, _read(made)) == ()
        assert made.disagreements(theirs, _read(made))


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_the_extension_cannot_read_back_we_read_right(workshop, case):
    _only_on(workshop, ("sqlite",))
    sql, values = UNREADABLE[case]

    with workshop.lake(_inlined(sql, values)) as made:
        written = f"SELECT unnest(CAST({values} AS {sql}[])) AS v"
        truth = remember(made.referee, written, "truth")

        assert made.told.readings[-1].complaint
        assert made.disagreements(truth, _read(made)) == ()


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_the_extension_dies_of_reading_we_read_right(workshop, postgres, tmp_path, case):
    _only_on(workshop, ("postgres",))
    sql, values = UNREADABLE[case]
    database = postgres.database()

    with pytest.raises(TellerDied), workshop.lake(_inlined(sql, values)):
        pass
    with Referee(f"postgres:{postgres.words(database)}", f"{tmp_path}/") as writer:
        for step in _inlined(sql, values).steps:
            writer.execute(step.statements[0])
    with judge() as con, ql.connect(postgres.url(database), read_only=True) as lake:
        truth = remember(con, f"SELECT unnest(CAST({values} AS {sql}[])) AS v", "truth")
        assert disagreements(con, truth, lake.table("t").to_arrow()) == ()


def test_inlined_rows_of_a_reordered_struct_are_null_only_to_the_extension(workshop):
    _only_on(workshop, ("duckdb",))
    history = _history(
        "CREATE TABLE lake.t (v STRUCT(a INTEGER, b VARCHAR))",
        "ALTER TABLE lake.t ALTER v SET TYPE STRUCT(b VARCHAR, a BIGINT)",
        "INSERT INTO lake.t VALUES ({'b': 'x', 'a': 7})",
    )

    with workshop.lake(history) as made:
        truth = remember(made.referee, "SELECT {'a': 7::BIGINT, 'b': 'x'} AS v", "truth")

        assert made.disagreements(truth, _read(made)) == ()
        assert made.disagreements(made.told.readings[-1].answer, _read(made))


def test_128_bit_integers_at_their_limits_are_exact_while_inlined(workshop):
    values = f"[{2**127 - 1}, {-(2**127)}]"

    with workshop.lake(_inlined("HUGEINT", values)) as made:
        assert made.disagreements(made.told.readings[-1].answer, _read(made)) == ()


def test_a_128_bit_integer_at_its_limit_is_lost_in_a_file(workshop):
    history = _history(
        "CREATE TABLE lake.t (v HUGEINT)",
        f"INSERT INTO lake.t SELECT {2**127 - 1} FROM range(11)",
    )

    with workshop.lake(history) as made:
        assert "failed to cast" in made.told.readings[-1].complaint
        with pytest.raises(CorruptLake):
            _read(made)


def test_a_widened_boolean_default_is_lost(workshop):
    history = _history(
        "CREATE TABLE lake.t (a INTEGER)",
        "INSERT INTO lake.t VALUES (1)",
        "ALTER TABLE lake.t ADD COLUMN b BOOLEAN DEFAULT 'true'",
        "ALTER TABLE lake.t ALTER b SET TYPE INTEGER",
    )

    with workshop.lake(history) as made:
        assert "Could not convert" in made.told.readings[-1].complaint
        with pytest.raises(CorruptLake):
            _read(made)


@pytest.mark.parametrize(
    ("sql", "value"), [("INTERVAL", "'-1 month'"), ("TIMESTAMP_S", "'infinity'")]
)
def test_a_value_that_no_file_can_hold_stays_inlined(workshop, sql, value):
    history = _history(
        f"CREATE TABLE lake.t (v {sql})",
        f"INSERT INTO lake.t VALUES ({value})",
        "CALL ducklake_flush_inlined_data('lake')",
    )

    with workshop.lake(history) as made:
        assert len(made.told.tally.refused) == 1
        assert made.disagreements(made.told.readings[-1].answer, _read(made)) == ()


def test_the_extension_dies_of_writing_time_ns_to_a_file(workshop):
    _only_on(workshop, ("duckdb", "sqlite"))
    history = _history(
        "CREATE TABLE lake.t (v TIME_NS)",
        "INSERT INTO lake.t SELECT '00:00:00' FROM range(11)",
    )

    with pytest.raises(TellerDied), workshop.lake(history):
        pass


def test_files_older_than_a_bucket_key_are_found(workshop):
    history = _history(
        "CREATE TABLE lake.t (a INTEGER, b VARCHAR)",
        "INSERT INTO lake.t SELECT i, 'k' || i % 3 FROM range(30) r(i)",
        "ALTER TABLE lake.t SET PARTITIONED BY (bucket(4, b))",
        "INSERT INTO lake.t SELECT i, 'k' || i % 3 FROM range(30) r(i)",
    )

    with workshop.lake(history) as made:
        where = "b = 'k1'"
        ours = _read(made, filter=where)

        assert ours.num_rows == 20
        assert made.disagreements(made.told.readings[-1].answer, ours, where=where) == ()
