-- feature: add column
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ALTER TABLE lake.t ADD COLUMN c DATE;
INSERT INTO lake.t VALUES (9, 'x', '2020-01-01');

-- feature: add column with default
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ALTER TABLE lake.t ADD COLUMN c INTEGER DEFAULT 42;
ALTER TABLE lake.t ADD COLUMN d VARCHAR DEFAULT 'it''s';
ALTER TABLE lake.t ADD COLUMN e TIMESTAMPTZ DEFAULT '2020-01-01 00:00:00+02';
INSERT INTO lake.t (a) VALUES (9);

-- feature: changed default
CREATE TABLE lake.t (a INTEGER);
INSERT INTO lake.t SELECT i FROM range(30) r(i);
ALTER TABLE lake.t ADD COLUMN c INTEGER DEFAULT 1;
ALTER TABLE lake.t ALTER c SET DEFAULT 2;
INSERT INTO lake.t (a) VALUES (9);
ALTER TABLE lake.t ALTER c DROP DEFAULT;
INSERT INTO lake.t (a) VALUES (10);

-- feature: drop column
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ALTER TABLE lake.t DROP COLUMN b;
INSERT INTO lake.t VALUES (9);

-- feature: rename column
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ALTER TABLE lake.t RENAME b TO c;
INSERT INTO lake.t VALUES (9, 'x');

-- feature: column dropped and added again
CREATE TABLE lake.t (a INTEGER, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one'), (2, NULL);
INSERT INTO lake.t SELECT i, 'row ' || i FROM range(30) r(i);
ALTER TABLE lake.t DROP COLUMN b;
ALTER TABLE lake.t ADD COLUMN b VARCHAR;
INSERT INTO lake.t VALUES (9, 'x');

-- feature: swapped column names
CREATE TABLE lake.t (a INTEGER, b INTEGER);
INSERT INTO lake.t VALUES (1, 10), (2, NULL);
INSERT INTO lake.t SELECT i, i + 100 FROM range(30) r(i);
ALTER TABLE lake.t RENAME a TO x;
ALTER TABLE lake.t RENAME b TO a;
ALTER TABLE lake.t RENAME x TO b;
INSERT INTO lake.t VALUES (3, 30);

-- feature: not null
CREATE TABLE lake.t (a INTEGER NOT NULL, b VARCHAR);
INSERT INTO lake.t VALUES (1, 'one');
ALTER TABLE lake.t ALTER a DROP NOT NULL;
INSERT INTO lake.t VALUES (NULL, 'x');
ALTER TABLE lake.t ALTER b SET NOT NULL;

-- feature: struct field added
CREATE TABLE lake.t (s STRUCT(a INTEGER));
INSERT INTO lake.t VALUES ({'a': 1}), (NULL);
INSERT INTO lake.t SELECT {'a': i} FROM range(20) r(i);
ALTER TABLE lake.t ADD COLUMN s.b VARCHAR;
ALTER TABLE lake.t ADD COLUMN s.c INTEGER DEFAULT 4;
INSERT INTO lake.t VALUES ({'a': 2, 'b': 'x', 'c': 3});

-- feature: struct field dropped
CREATE TABLE lake.t (s STRUCT(a INTEGER, b VARCHAR));
INSERT INTO lake.t VALUES ({'a': 1, 'b': 'x'}), (NULL);
INSERT INTO lake.t SELECT {'a': i, 'b': 'x'} FROM range(20) r(i);
ALTER TABLE lake.t DROP COLUMN s.a;
INSERT INTO lake.t VALUES ({'b': 'y'});

-- feature: struct field renamed
CREATE TABLE lake.t (s STRUCT(a INTEGER, b VARCHAR));
INSERT INTO lake.t VALUES ({'a': 1, 'b': 'x'}), (NULL);
INSERT INTO lake.t SELECT {'a': i, 'b': 'x'} FROM range(20) r(i);
ALTER TABLE lake.t RENAME COLUMN s.a TO c;
INSERT INTO lake.t VALUES ({'c': 2, 'b': 'y'});

-- feature: struct field widened
CREATE TABLE lake.t (s STRUCT(a INTEGER, b VARCHAR));
INSERT INTO lake.t VALUES ({'a': 1, 'b': 'x'}), (NULL);
INSERT INTO lake.t SELECT {'a': i, 'b': 'x'} FROM range(20) r(i);
ALTER TABLE lake.t ALTER s SET TYPE STRUCT(a BIGINT, b VARCHAR, c DATE);
INSERT INTO lake.t VALUES ({'a': 5000000000, 'b': 'y', 'c': NULL});
INSERT INTO lake.t SELECT {'a': 5000000000, 'b': 'x', 'c': NULL} FROM range(20) r(i);

-- feature: fields of a struct in a list
CREATE TABLE lake.t (l STRUCT(x INTEGER, y VARCHAR, z DATE)[]);
INSERT INTO lake.t VALUES ([{'x': 1, 'y': 'a', 'z': NULL}, NULL]), ([]), (NULL);
INSERT INTO lake.t SELECT [{'x': i, 'y': 'b', 'z': DATE '2020-01-01'}] FROM range(20) r(i);
ALTER TABLE lake.t ADD COLUMN l.element.w INTEGER;
ALTER TABLE lake.t DROP COLUMN l.element.x;
ALTER TABLE lake.t RENAME COLUMN l.element.y TO v;
INSERT INTO lake.t VALUES ([{'v': 'c', 'z': NULL, 'w': 7}]);

-- feature: fields of a struct in a map
CREATE TABLE lake.t (m MAP(VARCHAR, STRUCT(x INTEGER, y VARCHAR)));
INSERT INTO lake.t VALUES (MAP {'k': {'x': 1, 'y': 'a'}}), (MAP {}), (NULL);
INSERT INTO lake.t SELECT MAP {'k' || i: {'x': i, 'y': 'b'}} FROM range(20) r(i);
ALTER TABLE lake.t ADD COLUMN m.value.w INTEGER;
ALTER TABLE lake.t DROP COLUMN m.value.x;
ALTER TABLE lake.t RENAME COLUMN m.value.y TO v;
INSERT INTO lake.t VALUES (MAP {'k': {'v': 'c', 'w': 7}});
