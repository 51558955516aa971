-- feature: shredded variant
CREATE TABLE lake.t (id INTEGER, v VARIANT);
INSERT INTO lake.t SELECT i, {'a': i, 'b': {'c': 'x' || i}}::VARIANT FROM range(30) r(i);
INSERT INTO lake.t SELECT i, i::VARIANT FROM range(30) r(i);

-- feature: infinite dates and timestamps
CREATE TABLE lake.t (d DATE, t TIMESTAMP, z TIMESTAMPTZ, n TIMESTAMP_NS);
INSERT INTO lake.t SELECT x, x, x, x FROM (VALUES ('infinity'), ('-infinity')) v(x);
INSERT INTO lake.t SELECT x, x, x, x FROM (VALUES ('infinity'), ('-infinity')) v(x), range(20);
