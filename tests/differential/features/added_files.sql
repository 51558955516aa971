-- feature: same columns
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
COPY (SELECT i::INTEGER AS a, 'x' AS b FROM range(5) r(i)) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');
INSERT INTO lake.t VALUES (1, 'one');

-- feature: other order and case
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
COPY (SELECT 'x' AS B, 1::INTEGER AS A) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');

-- feature: missing column
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t ADD COLUMN c INTEGER DEFAULT 7;
COPY (SELECT 1::INTEGER AS a) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet', allow_missing => true);

-- feature: extra column
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
COPY (SELECT 1::INTEGER AS a, 'x' AS b, 5 AS z) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet', ignore_extra_columns => true);

-- feature: narrower type
CREATE TABLE lake.t (a BIGINT, b VARCHAR);
COPY (SELECT 1::INTEGER AS a, 'x' AS b) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');

-- feature: hive folders
CREATE TABLE lake.t (a INTEGER, b VARCHAR, d DATE);
COPY (SELECT i::INTEGER AS a, 'k ' || i % 3 AS b, DATE '2020-01-01' AS d FROM range(9) r(i)) TO '{files}/hive' (FORMAT parquet, PARTITION_BY (b, d));
CALL ducklake_add_data_files('lake', 't', '{files}/hive/**/*.parquet', hive_partitioning => true);

-- feature: nested columns
CREATE TABLE lake.t (s STRUCT(a INTEGER, b VARCHAR)[], m MAP(VARCHAR, INTEGER));
COPY (SELECT MAP {'k': 1::INTEGER} AS m, [{'b': 'x', 'a': 1::INTEGER}] AS s) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');
ALTER TABLE lake.t RENAME COLUMN s.element.a TO c;

-- feature: renamed and dropped afterwards
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
COPY (SELECT 1::INTEGER AS a, 'x' AS b) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');
ALTER TABLE lake.t RENAME a TO c;
ALTER TABLE lake.t DROP COLUMN b;
ALTER TABLE lake.t ADD COLUMN a VARCHAR;

-- feature: deleted from and updated
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
COPY (SELECT i::INTEGER AS a, 'x' AS b FROM range(40) r(i)) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');
DELETE FROM lake.t WHERE a = 3;
DELETE FROM lake.t WHERE a < 20;
UPDATE lake.t SET b = 'y' WHERE a = 25;

-- feature: merged with written files
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'one' FROM range(30) r(i);
COPY (SELECT 'x' AS b, i::INTEGER AS a FROM range(40) r(i)) TO '{files}/one.parquet';
CALL ducklake_add_data_files('lake', 't', '{files}/one.parquet');
CALL ducklake_merge_adjacent_files('lake');
