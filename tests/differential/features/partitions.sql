-- feature: identity
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 3, 'x' || i FROM range(30) r(i);
INSERT INTO lake.t VALUES (1, 'inlined');
DELETE FROM lake.t WHERE a = 1;
INSERT INTO lake.t VALUES (2, 'flushed'), (5, 'flushed');
CALL ducklake_flush_inlined_data('lake');

-- feature: NULL and unusual values
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (b);
INSERT INTO lake.t SELECT i, [NULL, '', 'a/b=c', 'ü %', ' '][1 + i % 5] FROM range(30) r(i);
DELETE FROM lake.t WHERE b IS NULL;

-- feature: every type as a key
CREATE TABLE lake.t (i BIGINT, u UBIGINT, d DATE, t TIMESTAMP, z TIMESTAMPTZ, n DECIMAL(9,2), b BOOLEAN, f DOUBLE, x UUID);
ALTER TABLE lake.t SET PARTITIONED BY (i, u, d, t, z, n, b, f, x);
INSERT INTO lake.t SELECT i % 2 - 1, i % 2, DATE '2020-01-01' + (i % 2)::INTEGER, TIMESTAMP '2020-01-01 00:00:00.5', TIMESTAMPTZ '2020-01-01 00:00:00+02', i % 2 + 0.25, i % 2 = 0, i % 2 + 0.5, 'f79c3e09-677c-4bbd-a479-3f349cb785e7' FROM range(24) r(i);

-- feature: year
CREATE TABLE lake.t (a INTEGER, t TIMESTAMP);
ALTER TABLE lake.t SET PARTITIONED BY (year(t));
INSERT INTO lake.t SELECT i, TIMESTAMP '2020-12-30 20:00:00' + INTERVAL (i * 7) HOUR FROM range(30) r(i);
INSERT INTO lake.t SELECT i, NULL FROM range(12) r(i);

-- feature: month
CREATE TABLE lake.t (a INTEGER, t DATE);
ALTER TABLE lake.t SET PARTITIONED BY (month(t));
INSERT INTO lake.t SELECT i, DATE '2020-12-30' + i::INTEGER FROM range(60) r(i);

-- feature: day
CREATE TABLE lake.t (a INTEGER, t TIMESTAMPTZ);
ALTER TABLE lake.t SET PARTITIONED BY (day(t));
INSERT INTO lake.t SELECT i, TIMESTAMPTZ '2020-12-30 20:00:00+00' + INTERVAL (i * 7) HOUR FROM range(30) r(i);

-- feature: hour
CREATE TABLE lake.t (a INTEGER, t TIMESTAMP);
ALTER TABLE lake.t SET PARTITIONED BY (hour(t));
INSERT INTO lake.t SELECT i, TIMESTAMP '2020-12-30 20:00:00' + INTERVAL (i * 7) HOUR FROM range(30) r(i);

-- feature: bucket
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (bucket(4, b));
INSERT INTO lake.t SELECT i, 'k' || i % 7 FROM range(30) r(i);
INSERT INTO lake.t SELECT i, NULL FROM range(12) r(i);

-- feature: several keys
CREATE TABLE lake.t (a INTEGER, b VARCHAR, t TIMESTAMP);
ALTER TABLE lake.t SET PARTITIONED BY (year(t), month(t), b, bucket(2, a));
INSERT INTO lake.t SELECT i, 'k' || i % 3, TIMESTAMP '2020-12-30 20:00:00' + INTERVAL (i * 7) HOUR FROM range(30) r(i);

-- feature: set on a filled table
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i % 3, 'x' FROM range(30) r(i);
INSERT INTO lake.t VALUES (7, 'inlined');
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 3, 'y' FROM range(30) r(i);
CALL ducklake_flush_inlined_data('lake');

-- feature: changed
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);
ALTER TABLE lake.t SET PARTITIONED BY (bucket(3, b));
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);

-- feature: reset
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);
ALTER TABLE lake.t RESET PARTITIONED BY;
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);

-- feature: key renamed
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);
ALTER TABLE lake.t RENAME a TO c;
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);

-- feature: without hive folders
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
CALL ducklake_set_option('lake', 'hive_file_pattern', false);
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 3, 'x' || i % 2 FROM range(30) r(i);
