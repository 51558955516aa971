-- feature: flush
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t VALUES (3, 'three');
CALL ducklake_flush_inlined_data('lake');
INSERT INTO lake.t VALUES (4, 'four');

-- feature: flush with deleted and updated rows
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
DELETE FROM lake.t WHERE a = 1;
INSERT INTO lake.t VALUES (3, 'three');
UPDATE lake.t SET b = 'x' WHERE a = 2;
CALL ducklake_flush_inlined_data('lake');
DELETE FROM lake.t WHERE a = 3;

-- feature: flush of inlined deletes
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DELETE FROM lake.t WHERE a = 3;
DELETE FROM lake.t WHERE a = 4;
CALL ducklake_flush_inlined_data('lake');
DELETE FROM lake.t WHERE a = 5;

-- feature: flush after schema changes
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
ALTER TABLE lake.t ADD COLUMN c INTEGER DEFAULT 5;
INSERT INTO lake.t VALUES (3, 'three', 6);
ALTER TABLE lake.t RENAME b TO d;
ALTER TABLE lake.t DROP COLUMN a;
INSERT INTO lake.t VALUES ('four', 7);
CALL ducklake_flush_inlined_data('lake');

-- feature: merge files
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'one' FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'two' FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'three' FROM range(30) r(i);
CALL ducklake_merge_adjacent_files('lake');
INSERT INTO lake.t SELECT i, 'four' FROM range(30) r(i);
CALL ducklake_merge_adjacent_files('lake');

-- feature: merge files with row ids of their own
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(40) r(i);
UPDATE lake.t SET b = 'x' WHERE a < 15;
UPDATE lake.t SET b = 'y' WHERE a > 20;
CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.1);
CALL ducklake_merge_adjacent_files('lake');
DELETE FROM lake.t WHERE a < 12;

-- feature: merge files of different schemas
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'one' FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'two' FROM range(30) r(i);
ALTER TABLE lake.t ADD COLUMN c INTEGER DEFAULT 5;
INSERT INTO lake.t SELECT i, 'three', i FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'four', i FROM range(30) r(i);
CALL ducklake_merge_adjacent_files('lake');

-- feature: merge files, then delete
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'one' FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'two' FROM range(30) r(i);
CALL ducklake_merge_adjacent_files('lake');
DELETE FROM lake.t WHERE a < 15;
DELETE FROM lake.t WHERE a < 20;
DELETE FROM lake.t WHERE a = 25;

-- feature: merge files of partitions
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
ALTER TABLE lake.t SET PARTITIONED BY (a);
INSERT INTO lake.t SELECT i % 2, 'one' FROM range(30) r(i);
INSERT INTO lake.t SELECT i % 2, 'two' FROM range(30) r(i);
CALL ducklake_merge_adjacent_files('lake');

-- feature: rewrite files
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(40) r(i);
DELETE FROM lake.t WHERE a < 15;
CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.1);
INSERT INTO lake.t VALUES (1, 'one');

-- feature: rewrite files of which nothing is left
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(40) r(i);
DELETE FROM lake.t WHERE a < 35;
DELETE FROM lake.t WHERE a >= 35;
CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.1);

-- feature: expired snapshots
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(40) r(i);
DELETE FROM lake.t WHERE a < 15;
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(40) r(i);
CALL ducklake_expire_snapshots('lake', versions => [0, 2, 3]);
CALL ducklake_cleanup_old_files('lake', cleanup_all => true);

-- feature: clean-up after merging
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'one' FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'two' FROM range(30) r(i);
CALL ducklake_merge_adjacent_files('lake');
CALL ducklake_cleanup_old_files('lake', cleanup_all => true);

-- feature: checkpoint
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'one' FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'two' FROM range(30) r(i);
DELETE FROM lake.t WHERE a < 15;
CHECKPOINT lake;
