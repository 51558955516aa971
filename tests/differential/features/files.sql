-- feature: sorted
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET SORTED BY (b DESC NULLS LAST, a);
INSERT INTO lake.t SELECT i, 'x' || i % 4 FROM range(30) r(i);
ALTER TABLE lake.t RESET SORTED BY;
INSERT INTO lake.t SELECT i, 'y' || i % 4 FROM range(30) r(i);

-- feature: many row groups
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
CALL ducklake_set_option('lake', 'parquet_row_group_size', 2048);
INSERT INTO lake.t SELECT i, 'x' || i FROM range(7000) r(i);
DELETE FROM lake.t WHERE a % 100 = 3;
DELETE FROM lake.t WHERE a % 1000 = 7;

-- feature: Parquet version 2
CREATE TABLE lake.t (a INTEGER, b VARCHAR, t TIMESTAMP);
CALL ducklake_set_option('lake', 'parquet_version', 2);
INSERT INTO lake.t SELECT i, 'x' || i, TIMESTAMP '2020-01-01 00:00:00' FROM range(30) r(i);

-- feature: compression
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
CALL ducklake_set_option('lake', 'parquet_compression', 'uncompressed');
INSERT INTO lake.t SELECT i, 'x' || i FROM range(30) r(i);
CALL ducklake_set_option('lake', 'parquet_compression', 'gzip');
INSERT INTO lake.t SELECT i, 'x' || i FROM range(30) r(i);
CALL ducklake_set_option('lake', 'parquet_compression', 'zstd');
INSERT INTO lake.t SELECT i, 'x' || i FROM range(30) r(i);
CALL ducklake_set_option('lake', 'parquet_compression', 'brotli');
INSERT INTO lake.t SELECT i, 'x' || i FROM range(30) r(i);
CALL ducklake_set_option('lake', 'parquet_compression', 'lz4_raw');
INSERT INTO lake.t SELECT i, 'x' || i FROM range(30) r(i);

-- feature: several files in one insert
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
CALL ducklake_set_option('lake', 'target_file_size', '1KB');
INSERT INTO lake.t SELECT i, repeat('x' || i, 50) FROM range(20000) r(i);

-- feature: encrypted (encrypted)
CREATE TABLE lake.t (a INTEGER, b VARCHAR, l STRUCT(x INTEGER, y VARCHAR)[]);
INSERT INTO lake.t SELECT i, 'x' || i, [{'x': i, 'y': 'z'}] FROM range(30) r(i);
INSERT INTO lake.t VALUES (99, 'inlined', NULL);
ALTER TABLE lake.t ADD COLUMN c INTEGER DEFAULT 5;
CALL ducklake_flush_inlined_data('lake');

-- feature: encrypted deletes (encrypted)
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'x' || i FROM range(40) r(i);
DELETE FROM lake.t WHERE a = 3;
DELETE FROM lake.t WHERE a % 2 = 0;
DELETE FROM lake.t WHERE a % 3 = 0;
UPDATE lake.t SET b = 'y' WHERE a > 20;
