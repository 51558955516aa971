import pytest

from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.statement import parsed


def named(text):
    return {
        ".".join(part for part in (each.schema, each.table) if part)
        for each in parsed(text).references
    }


def test_tables_are_found_wherever_a_query_may_name_them():
    query = """
        WITH c AS (SELECT * FROM a)
        SELECT (SELECT max(x) FROM s.b) FROM c, LATERAL (FROM d)
        WHERE x IN (FROM "E e") UNION ALL FROM f PIVOT (sum(x) FOR y IN (1, 2))
    """

    assert named(query) == {"a", "c", "s.b", "d", "E e", "f"}
    assert parsed(query).local == {"c"}


@pytest.mark.parametrize("text", ["DESCRIBE t", "SUMMARIZE t", "FROM (DESCRIBE t)", "TABLE t"])
def test_statements_about_a_table_name_it(text):
    assert named(text) == {"t"}


def test_table_functions_are_functions_and_no_tables():
    statement = parsed("FROM range(3), my_macro(1) SELECT upper('a')")

    assert statement.references == ()
    assert {"range", "my_macro", "upper"} <= statement.functions


def test_a_reference_knows_where_its_name_begins_and_whether_it_travels():
    (there, here) = sorted(
        parsed("SELECT 'é' FROM u, s.t AS x AT (VERSION => 1)").references, key=lambda r: r.travels
    )

    assert (there.start, there.travels) == (16, False)
    assert (here.start, here.travels, here.schema) == (19, True, "s")


@pytest.mark.parametrize(
    "text",
    ["SHOW TABLES", "SHOW ALL TABLES", "FROM information_schema.tables", "FROM duckdb_tables()"],
)
def test_a_listing_asks_for_every_table(text):
    assert parsed(text).lists
    assert parsed(text).references == ()


def test_explain_is_set_apart_from_what_it_explains():
    statement = parsed("EXPLAIN ANALYZE SELECT * FROM t;")

    assert (statement.prefix, statement.text) == ("EXPLAIN ANALYZE ", "SELECT * FROM t")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELEC 1", "(line 1, column 1)"),
        ("SELECT *\nFROM t WHERE (", "(line 2, column 15)"),
        ("SELECT 'é' FROMM t", "(line 1, column 18)"),
    ],
)
def test_malformed_sql_is_refused_with_its_place(text, place):
    with pytest.raises(UsageError, match="the query is not valid SQL") as caught:
        parsed(text)

    assert caught.value.problem.endswith(place)


@pytest.mark.parametrize("text", ["", "  ;", "-- nothing"])
def test_nothing_is_no_query(text):
    with pytest.raises(UsageError, match="the query is empty"):
        parsed(text)


def test_several_statements_are_refused():
    with pytest.raises(UsageError, match="there are several statements"):
        parsed("SELECT 1; SELECT 2")


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE t AS SELECT 1",
        "DELETE FROM t",
        "UPDATE t SET a = 1",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN b INT",
        "COPY t TO 'x.csv'",
        "WITH c AS (SELECT 1) INSERT INTO t FROM c",
    ],
)
def test_a_statement_that_writes_is_no_query(text):
    with pytest.raises(Unsupported, match="this way of writing is not available"):
        parsed(text)


@pytest.mark.parametrize("text", ["SET threads = 1", "ATTACH 'x'", "PRAGMA version", "LOAD icu"])
def test_what_is_no_query_is_refused(text):
    with pytest.raises(Unsupported):
        parsed(text)


def test_a_pivot_over_unknown_values_is_refused_with_a_way_out():
    with pytest.raises(Unsupported, match="PIVOT must list its values"):
        parsed("PIVOT t ON a USING sum(b)")
