-- feature: inlined
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t VALUES (1, 'one'), (3, 'it''s');

-- feature: in files
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);

-- feature: never inlined (inlined_rows=0)
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one');
INSERT INTO lake.t VALUES (2, 'two');
DELETE FROM lake.t WHERE a = 1;

-- feature: update inlined
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
UPDATE lake.t SET b = 'new' WHERE a = 1;
UPDATE lake.t SET b = 'newer' WHERE a = 1;

-- feature: update in files
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
UPDATE lake.t SET b = 'new' WHERE a % 2 = 0;
UPDATE lake.t SET a = a + 1;
UPDATE lake.t SET b = 'few' WHERE a < 4;

-- feature: delete inlined
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
DELETE FROM lake.t WHERE a = 1;
DELETE FROM lake.t;

-- feature: delete file
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DELETE FROM lake.t WHERE a % 2 = 0;

-- feature: delete after delete
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(60) r(i);
DELETE FROM lake.t WHERE a < 12;
DELETE FROM lake.t WHERE a < 25;
DELETE FROM lake.t WHERE a < 40;
DELETE FROM lake.t WHERE a = 45;

-- feature: inlined delete
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DELETE FROM lake.t WHERE a = 7;
DELETE FROM lake.t WHERE a IN (8, 9);

-- feature: inlined delete, then delete file
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(60) r(i);
DELETE FROM lake.t WHERE a = 7;
DELETE FROM lake.t WHERE a > 20;

-- feature: delete all
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DELETE FROM lake.t;
INSERT INTO lake.t VALUES (1, 'one');

-- feature: truncate
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
TRUNCATE lake.t;
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);

-- feature: deletion vector
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
CALL ducklake_set_option('lake', 'write_deletion_vectors', true);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(3000) r(i);
DELETE FROM lake.t WHERE a % 2 = 0;

-- feature: deletion vector after deletion vector
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
CALL ducklake_set_option('lake', 'write_deletion_vectors', true);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(70000) r(i);
DELETE FROM lake.t WHERE a % 2 = 0;
DELETE FROM lake.t WHERE a BETWEEN 1000 AND 60000;

-- feature: merge
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
MERGE INTO lake.t AS t USING (VALUES (2, 'two'), (99, 'new')) AS q(a, b) ON t.a = q.a WHEN MATCHED THEN UPDATE SET b = q.b WHEN NOT MATCHED THEN INSERT VALUES (q.a, q.b);

-- feature: several statements in one transaction
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
BEGIN;
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DELETE FROM lake.t WHERE a = 5;
UPDATE lake.t SET b = 'u' WHERE a = 6;
COMMIT;
BEGIN;
DELETE FROM lake.t WHERE a = 6;
ALTER TABLE lake.t ADD COLUMN c INTEGER;
COMMIT;

-- feature: inserted and deleted in one transaction
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
BEGIN;
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
DELETE FROM lake.t WHERE a > 3;
COMMIT;

-- feature: rolled back
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
BEGIN;
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ROLLBACK;
