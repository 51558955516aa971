-- feature: empty table
CREATE TABLE lake.t (a INTEGER, b VARCHAR);

-- feature: table from a query
CREATE TABLE lake.t AS SELECT i AS a, 'x' || i AS b FROM range(30) r(i);

-- feature: renamed table
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ALTER TABLE lake.t RENAME TO u;
INSERT INTO lake.u VALUES (9, 'x');

-- feature: dropped table
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DROP TABLE lake.t;

-- feature: table dropped and created again
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
DROP TABLE lake.t;
CREATE TABLE lake.t (a VARCHAR);
INSERT INTO lake.t VALUES ('x');

-- feature: several schemas
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
CREATE SCHEMA lake.s;
CREATE TABLE lake.s.t (z BIGINT);
INSERT INTO lake.s.t VALUES (1);

-- feature: unusual names
CREATE SCHEMA lake."sch.ema";
CREATE TABLE lake."sch.ema"."ta ble""1" ("a b" INTEGER, "日本" VARCHAR, "select" DATE);
INSERT INTO lake."sch.ema"."ta ble""1" SELECT i, 'x', NULL FROM range(20) r(i);
INSERT INTO lake."sch.ema"."ta ble""1" VALUES (1, 'y', '2020-01-01');
ALTER TABLE lake."sch.ema"."ta ble""1" SET PARTITIONED BY ("a b");
INSERT INTO lake."sch.ema"."ta ble""1" SELECT i % 2, 'ü/?#=', NULL FROM range(20) r(i);

-- feature: column named like an internal one (inlined_rows=0)
CREATE TABLE lake.t (row_id INTEGER, begin_snapshot VARCHAR, end_snapshot DATE);
INSERT INTO lake.t VALUES (1, 'one', NULL);
DELETE FROM lake.t WHERE row_id = 1;

-- feature: names that differ from SQL words in nothing
CREATE TABLE lake."table" ("order" INTEGER, "group" STRUCT("from" INTEGER, "A" VARCHAR));
INSERT INTO lake."table" VALUES (1, {'from': 1, 'A': 'x'});
INSERT INTO lake."table" SELECT i, {'from': i, 'A': 'x'} FROM range(20) r(i);

-- feature: comments
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
COMMENT ON TABLE lake.t IS 'it''s a table';
COMMENT ON COLUMN lake.t.a IS 'a column';
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);

-- feature: views and macros beside tables
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
CREATE VIEW lake.v AS SELECT b FROM lake.t WHERE a > 1;
CREATE MACRO lake.double(x) AS x * 2;
CREATE MACRO lake.numbers(n) AS TABLE SELECT * FROM range(n);
DROP VIEW lake.v;
