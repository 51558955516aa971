-- snapshots.latest
SELECT snapshot.snapshot_id, epoch_us(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM main.ducklake_snapshot AS snapshot ORDER BY snapshot.snapshot_id DESC
 LIMIT %(param_1)s;

-- snapshots.with_id
SELECT snapshot.snapshot_id, epoch_us(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM main.ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id = %(at)s;

-- snapshots.before
SELECT snapshot.snapshot_id, epoch_us(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM main.ducklake_snapshot AS snapshot
WHERE epoch_us(snapshot.snapshot_time) <= %(micros)s ORDER BY epoch_us(snapshot.snapshot_time) DESC, snapshot.snapshot_id DESC
 LIMIT %(param_1)s;

-- snapshots.bounds
SELECT min(snapshot.snapshot_id) AS min_1, max(snapshot.snapshot_id) AS max_1
FROM main.ducklake_snapshot AS snapshot;

-- snapshots.commits
SELECT snapshot.snapshot_id, epoch_us(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id, snapshot_changes.changes_made, snapshot_changes.author, snapshot_changes.commit_message, snapshot_changes.commit_extra_info
FROM main.ducklake_snapshot AS snapshot LEFT OUTER JOIN main.ducklake_snapshot_changes AS snapshot_changes ON snapshot_changes.snapshot_id = snapshot.snapshot_id ORDER BY snapshot.snapshot_id;

-- entries.all_tables
WITH chosen AS
(SELECT "table".table_id AS table_id, "table".schema_id AS schema_id, "table".table_uuid AS table_uuid, "table".table_name AS table_name, "table".path AS path, "table".path_is_relative AS path_is_relative, schema.schema_name AS schema_name, schema.path AS schema_path, schema.path_is_relative AS schema_path_is_relative
FROM main.ducklake_table AS "table" JOIN main.ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= %(at)s AND ("table".end_snapshot IS NULL OR "table".end_snapshot > %(at)s) AND schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s))
 SELECT CAST(%(param_1)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS BIGINT) AS n1, CAST(CAST(chosen.path_is_relative AS INTEGER) AS BIGINT) AS n2, CAST(CAST(chosen.schema_path_is_relative AS INTEGER) AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(chosen.schema_name AS VARCHAR) AS w1, CAST(chosen.table_name AS VARCHAR) AS w2, CAST(chosen.path AS VARCHAR) AS w3, CAST(chosen.schema_path AS VARCHAR) AS w4, CAST(chosen.table_uuid AS VARCHAR) AS w5
FROM chosen UNION ALL SELECT CAST(%(param_2)s AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5
FROM main.ducklake_column AS "column" JOIN chosen ON chosen.table_id = "column".table_id
WHERE "column".begin_snapshot <= %(at)s AND ("column".end_snapshot IS NULL OR "column".end_snapshot > %(at)s) UNION ALL SELECT CAST(%(param_3)s AS VARCHAR) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS BIGINT) AS n1, CAST(sort_expression.sort_key_index AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(sort_expression.expression AS VARCHAR) AS w1, CAST(sort_expression.dialect AS VARCHAR) AS w2, CAST(sort_expression.sort_direction AS VARCHAR) AS w3, CAST(sort_expression.null_order AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_sort_info AS sort_info JOIN chosen ON chosen.table_id = sort_info.table_id JOIN main.ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= %(at)s AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > %(at)s) UNION ALL SELECT CAST(%(param_4)s AS VARCHAR) AS fact, tag.object_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(tag.value AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_tag AS tag JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= %(at)s AND (tag.end_snapshot IS NULL OR tag.end_snapshot > %(at)s) AND tag.key = %(key_1)s AND tag.value IS NOT NULL UNION ALL SELECT CAST(%(param_5)s AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_partition_info AS partition_info JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN main.ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%(param_6)s AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM main.ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(%(param_7)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT anon_1.table_name AS name
FROM duckdb_tables() AS anon_1
WHERE anon_1.database_name = current_database() AND anon_1.schema_name = %(param_8)s) AS installed ON installed.name = (%(param_9)s || CAST(chosen.table_id AS VARCHAR));

-- entries.tables_in
WITH chosen AS
(SELECT "table".table_id AS table_id, "table".schema_id AS schema_id, "table".table_uuid AS table_uuid, "table".table_name AS table_name, "table".path AS path, "table".path_is_relative AS path_is_relative, schema.schema_name AS schema_name, schema.path AS schema_path, schema.path_is_relative AS schema_path_is_relative
FROM main.ducklake_table AS "table" JOIN main.ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= %(at)s AND ("table".end_snapshot IS NULL OR "table".end_snapshot > %(at)s) AND schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s) AND (schema.schema_name = %(schema)s OR lower(schema.schema_name) = %(schema_ascii)s OR lower(schema.schema_name) = %(schema_lower)s))
 SELECT CAST(%(param_1)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS BIGINT) AS n1, CAST(CAST(chosen.path_is_relative AS INTEGER) AS BIGINT) AS n2, CAST(CAST(chosen.schema_path_is_relative AS INTEGER) AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(chosen.schema_name AS VARCHAR) AS w1, CAST(chosen.table_name AS VARCHAR) AS w2, CAST(chosen.path AS VARCHAR) AS w3, CAST(chosen.schema_path AS VARCHAR) AS w4, CAST(chosen.table_uuid AS VARCHAR) AS w5
FROM chosen UNION ALL SELECT CAST(%(param_2)s AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5
FROM main.ducklake_column AS "column" JOIN chosen ON chosen.table_id = "column".table_id
WHERE "column".begin_snapshot <= %(at)s AND ("column".end_snapshot IS NULL OR "column".end_snapshot > %(at)s) UNION ALL SELECT CAST(%(param_3)s AS VARCHAR) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS BIGINT) AS n1, CAST(sort_expression.sort_key_index AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(sort_expression.expression AS VARCHAR) AS w1, CAST(sort_expression.dialect AS VARCHAR) AS w2, CAST(sort_expression.sort_direction AS VARCHAR) AS w3, CAST(sort_expression.null_order AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_sort_info AS sort_info JOIN chosen ON chosen.table_id = sort_info.table_id JOIN main.ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= %(at)s AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > %(at)s) UNION ALL SELECT CAST(%(param_4)s AS VARCHAR) AS fact, tag.object_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(tag.value AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_tag AS tag JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= %(at)s AND (tag.end_snapshot IS NULL OR tag.end_snapshot > %(at)s) AND tag.key = %(key_1)s AND tag.value IS NOT NULL UNION ALL SELECT CAST(%(param_5)s AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_partition_info AS partition_info JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN main.ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%(param_6)s AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM main.ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(%(param_7)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT anon_1.table_name AS name
FROM duckdb_tables() AS anon_1
WHERE anon_1.database_name = current_database() AND anon_1.schema_name = %(param_8)s) AS installed ON installed.name = (%(param_9)s || CAST(chosen.table_id AS VARCHAR));

-- entries.table_named
WITH chosen AS
(SELECT "table".table_id AS table_id, "table".schema_id AS schema_id, "table".table_uuid AS table_uuid, "table".table_name AS table_name, "table".path AS path, "table".path_is_relative AS path_is_relative, schema.schema_name AS schema_name, schema.path AS schema_path, schema.path_is_relative AS schema_path_is_relative
FROM main.ducklake_table AS "table" JOIN main.ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= %(at)s AND ("table".end_snapshot IS NULL OR "table".end_snapshot > %(at)s) AND schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s) AND (schema.schema_name = %(schema)s OR lower(schema.schema_name) = %(schema_ascii)s OR lower(schema.schema_name) = %(schema_lower)s) AND ("table".table_name = %(name)s OR lower("table".table_name) = %(name_ascii)s OR lower("table".table_name) = %(name_lower)s))
 SELECT CAST(%(param_1)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS BIGINT) AS n1, CAST(CAST(chosen.path_is_relative AS INTEGER) AS BIGINT) AS n2, CAST(CAST(chosen.schema_path_is_relative AS INTEGER) AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(chosen.schema_name AS VARCHAR) AS w1, CAST(chosen.table_name AS VARCHAR) AS w2, CAST(chosen.path AS VARCHAR) AS w3, CAST(chosen.schema_path AS VARCHAR) AS w4, CAST(chosen.table_uuid AS VARCHAR) AS w5
FROM chosen UNION ALL SELECT CAST(%(param_2)s AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5
FROM main.ducklake_column AS "column" JOIN chosen ON chosen.table_id = "column".table_id
WHERE "column".begin_snapshot <= %(at)s AND ("column".end_snapshot IS NULL OR "column".end_snapshot > %(at)s) UNION ALL SELECT CAST(%(param_3)s AS VARCHAR) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS BIGINT) AS n1, CAST(sort_expression.sort_key_index AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(sort_expression.expression AS VARCHAR) AS w1, CAST(sort_expression.dialect AS VARCHAR) AS w2, CAST(sort_expression.sort_direction AS VARCHAR) AS w3, CAST(sort_expression.null_order AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_sort_info AS sort_info JOIN chosen ON chosen.table_id = sort_info.table_id JOIN main.ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= %(at)s AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > %(at)s) UNION ALL SELECT CAST(%(param_4)s AS VARCHAR) AS fact, tag.object_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(tag.value AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_tag AS tag JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= %(at)s AND (tag.end_snapshot IS NULL OR tag.end_snapshot > %(at)s) AND tag.key = %(key_1)s AND tag.value IS NOT NULL UNION ALL SELECT CAST(%(param_5)s AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_partition_info AS partition_info JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN main.ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%(param_6)s AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM main.ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(%(param_7)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT anon_1.table_name AS name
FROM duckdb_tables() AS anon_1
WHERE anon_1.database_name = current_database() AND anon_1.schema_name = %(param_8)s) AS installed ON installed.name = (%(param_9)s || CAST(chosen.table_id AS VARCHAR));

-- entries.timeless
WITH chosen AS
(SELECT CAST(%(table)s AS BIGINT) AS table_id)
 SELECT CAST(%(param_1)s AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_partition_info AS partition_info JOIN chosen ON partition_info.table_id = chosen.table_id LEFT OUTER JOIN main.ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%(param_2)s AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM main.ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM main.ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON inlined_data_tables.table_id = chosen.table_id UNION ALL SELECT CAST(%(param_3)s AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT anon_1.table_name AS name
FROM duckdb_tables() AS anon_1
WHERE anon_1.database_name = current_database() AND anon_1.schema_name = %(param_4)s) AS installed ON installed.name = (%(param_5)s || CAST(chosen.table_id AS VARCHAR));

-- entries.columns_ever
SELECT CAST(%(param_1)s AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5, "column".begin_snapshot, "column".end_snapshot
FROM main.ducklake_column AS "column"
WHERE "column".table_id = %(table)s;

-- objects.schemas
SELECT schema.schema_id, schema.schema_name, schema.path, schema.path_is_relative
FROM main.ducklake_schema AS schema
WHERE schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s) ORDER BY schema.schema_id;

-- objects.table_names
SELECT schema.schema_name, "table".table_name
FROM main.ducklake_table AS "table" JOIN main.ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= %(at)s AND ("table".end_snapshot IS NULL OR "table".end_snapshot > %(at)s) AND schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s);

-- objects.views
SELECT schema.schema_name, view.view_name, view.dialect, view.sql, view.column_aliases, view.view_id
FROM main.ducklake_view AS view JOIN main.ducklake_schema AS schema ON view.schema_id = schema.schema_id
WHERE view.begin_snapshot <= %(at)s AND (view.end_snapshot IS NULL OR view.end_snapshot > %(at)s) AND schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s) ORDER BY view.view_id;

-- objects.macros
SELECT macro.macro_id, macro_impl.impl_id, schema.schema_name, macro.macro_name, macro_impl.dialect, macro_impl.sql, macro_impl.type, macro_parameters.parameter_name, macro_parameters.default_value, macro_parameters.default_value_type
FROM main.ducklake_macro AS macro JOIN main.ducklake_schema AS schema ON macro.schema_id = schema.schema_id JOIN main.ducklake_macro_impl AS macro_impl ON macro_impl.macro_id = macro.macro_id LEFT OUTER JOIN main.ducklake_macro_parameters AS macro_parameters ON macro_parameters.macro_id = macro_impl.macro_id AND macro_parameters.impl_id = macro_impl.impl_id
WHERE macro.begin_snapshot <= %(at)s AND (macro.end_snapshot IS NULL OR macro.end_snapshot > %(at)s) AND schema.begin_snapshot <= %(at)s AND (schema.end_snapshot IS NULL OR schema.end_snapshot > %(at)s) ORDER BY macro.macro_id, macro_impl.impl_id, macro_parameters.column_id;

-- objects.options
SELECT metadata.key, metadata.value, metadata.scope, metadata.scope_id, schema.schema_name, table_schema.schema_name AS table_schema_name, "table".table_name
FROM main.ducklake_metadata AS metadata LEFT OUTER JOIN main.ducklake_schema AS schema ON metadata.scope = %(scope_1)s AND schema.schema_id = metadata.scope_id LEFT OUTER JOIN main.ducklake_table AS "table" ON metadata.scope = %(scope_2)s AND "table".table_id = metadata.scope_id AND "table".end_snapshot IS NULL LEFT OUTER JOIN main.ducklake_schema AS table_schema ON table_schema.schema_id = "table".schema_id ORDER BY metadata.key, metadata.scope, metadata.scope_id;

-- objects.facts
SELECT metadata.key, metadata.value
FROM main.ducklake_metadata AS metadata
WHERE metadata.scope IS NULL;

-- objects.is_installed
SELECT count(*) AS count_1
FROM (SELECT anon_1.table_name AS name
FROM duckdb_tables() AS anon_1
WHERE anon_1.database_name = current_database() AND anon_1.schema_name = %(param_1)s) AS installed
WHERE installed.name = %(param_2)s;

-- objects.mappings
SELECT name_mapping.mapping_id, name_mapping.column_id, name_mapping.source_name, name_mapping.target_field_id, name_mapping.parent_column, name_mapping.is_partition
FROM main.ducklake_name_mapping AS name_mapping
WHERE name_mapping.mapping_id IN (__[POSTCOMPILE_ids]) ORDER BY name_mapping.mapping_id, name_mapping.column_id;

-- files.files
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) ORDER BY data_file.data_file_id;

-- files.partition_values
SELECT data_file.data_file_id, file_partition_value.partition_key_index, file_partition_value.partition_value
FROM main.ducklake_data_file AS data_file JOIN main.ducklake_file_partition_value AS file_partition_value ON file_partition_value.data_file_id = data_file.data_file_id
WHERE data_file.table_id = %(table)s AND file_partition_value.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) ORDER BY data_file.data_file_id, file_partition_value.partition_key_index;

-- files.file_stats
SELECT file_column_stats.data_file_id, file_column_stats.column_id, file_column_stats.column_size_bytes, file_column_stats.value_count, file_column_stats.null_count, file_column_stats.min_value, file_column_stats.max_value, file_column_stats.contains_nan, file_column_stats.extra_stats
FROM main.ducklake_data_file AS data_file JOIN main.ducklake_file_column_stats AS file_column_stats ON file_column_stats.data_file_id = data_file.data_file_id
WHERE data_file.table_id = %(table)s AND file_column_stats.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) ORDER BY file_column_stats.data_file_id, file_column_stats.column_id;

-- files.table_stats
SELECT table_stats.record_count, table_stats.next_row_id, table_stats.file_size_bytes, table_column_stats.column_id, table_column_stats.contains_null, table_column_stats.contains_nan, table_column_stats.min_value, table_column_stats.max_value, table_column_stats.extra_stats
FROM main.ducklake_table_stats AS table_stats LEFT OUTER JOIN main.ducklake_table_column_stats AS table_column_stats ON table_column_stats.table_id = table_stats.table_id
WHERE table_stats.table_id = %(table)s ORDER BY table_column_stats.column_id;

-- window.retained
SELECT (SELECT min("column".begin_snapshot) AS min_1
FROM main.ducklake_column AS "column"
WHERE "column".table_id = %(table)s) AS began, (SELECT count(*) AS count_1
FROM main.ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id >= %(after)s AND snapshot.snapshot_id >= (SELECT min("column".begin_snapshot) AS min_1
FROM main.ducklake_column AS "column"
WHERE "column".table_id = %(table)s) AND snapshot.snapshot_id <= %(upto)s) AS there, (SELECT snapshot.next_file_id
FROM main.ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id = %(after)s) AS next_file;

-- window.unbroken
SELECT max(snapshot.snapshot_id) AS max_1
FROM main.ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id <= %(upto)s AND NOT (EXISTS (SELECT predecessor.snapshot_id
FROM main.ducklake_snapshot AS predecessor
WHERE predecessor.snapshot_id = snapshot.snapshot_id - %(snapshot_id_1)s));

-- window.rewrites
SELECT snapshot_changes.snapshot_id, snapshot_changes.changes_made
FROM main.ducklake_snapshot_changes AS snapshot_changes
WHERE snapshot_changes.snapshot_id > %(after)s AND snapshot_changes.snapshot_id <= %(upto)s AND (lower(snapshot_changes.changes_made) LIKE %(rewritten)s OR lower(snapshot_changes.changes_made) LIKE %(compacted)s);

-- window.files
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key, data_file.end_snapshot, delete_file.begin_snapshot > %(after)s OR delete_file.partial_max > %(after)s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %(first_file)s AS anon_1
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(upto)s AND (data_file.end_snapshot > %(after)s AND data_file.end_snapshot <= %(upto)s OR delete_file.begin_snapshot > %(after)s OR delete_file.partial_max > %(after)s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %(first_file)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(upto)s AND (data_file.begin_snapshot > %(after)s OR data_file.partial_max > %(after)s OR data_file.end_snapshot > %(after)s AND data_file.end_snapshot <= %(upto)s OR delete_file.delete_file_id IS NOT NULL) ORDER BY data_file.data_file_id, delete_file.delete_file_id;

-- pruned.whole
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR TRY_CAST(file_column_stats.min_value AS HUGEINT) > TRY_CAST(%(param_1)s AS HUGEINT) OR TRY_CAST(file_column_stats.max_value AS HUGEINT) < TRY_CAST(%(param_1)s AS HUGEINT)))) ORDER BY data_file.data_file_id;

-- pruned.whole_range
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR TRY_CAST(file_column_stats.max_value AS HUGEINT) < TRY_CAST(%(param_1)s AS HUGEINT) OR file_column_stats.value_count = %(value_count_2)s OR TRY_CAST(file_column_stats.min_value AS HUGEINT) >= TRY_CAST(%(param_2)s AS HUGEINT)))) ORDER BY data_file.data_file_id;

-- pruned.text
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR file_column_stats.min_value >= %(param_1)s))) ORDER BY data_file.data_file_id;

-- pruned.real
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR TRY_CAST(NULLIF(lower(file_column_stats.max_value), 'nan') AS DOUBLE) <= TRY_CAST(NULLIF(lower(%(param_1)s), 'nan') AS DOUBLE) AND file_column_stats.contains_nan = false))) ORDER BY data_file.data_file_id;

-- pruned.money
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR TRY_CAST(file_column_stats.min_value AS DECIMAL(38,3)) > TRY_CAST(%(param_1)s AS DECIMAL(38,3))))) ORDER BY data_file.data_file_id;

-- pruned.day
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR CASE WHEN (file_column_stats.min_value LIKE %(min_value_1)s) THEN file_column_stats.min_value END > %(param_1)s OR CASE WHEN (file_column_stats.max_value LIKE %(max_value_1)s) THEN file_column_stats.max_value END < %(param_1)s))) ORDER BY data_file.data_file_id;

-- pruned.moment
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR CASE WHEN (file_column_stats.max_value LIKE %(max_value_1)s) THEN file_column_stats.max_value || %(param_1)s WHEN (file_column_stats.max_value LIKE %(max_value_2)s AND NOT (file_column_stats.max_value LIKE %(max_value_3)s OR file_column_stats.max_value LIKE %(max_value_4)s)) THEN substr(file_column_stats.max_value, %(substr_1)s, %(substr_2)s) END < %(param_2)s))) ORDER BY data_file.data_file_id;

-- pruned.instant
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR CASE WHEN (file_column_stats.max_value LIKE %(max_value_1)s AND file_column_stats.max_value LIKE %(max_value_2)s) THEN substr(file_column_stats.max_value, %(substr_1)s, %(substr_2)s) END < %(param_1)s))) ORDER BY data_file.data_file_id;

-- pruned.flag
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR CASE WHEN (lower(file_column_stats.min_value) IN (__[POSTCOMPILE_lower_1])) THEN %(param_1)s WHEN (lower(file_column_stats.min_value) IN (__[POSTCOMPILE_lower_2])) THEN %(param_2)s END = %(param_3)s AND CASE WHEN (lower(file_column_stats.max_value) IN (__[POSTCOMPILE_lower_3])) THEN %(param_4)s WHEN (lower(file_column_stats.max_value) IN (__[POSTCOMPILE_lower_4])) THEN %(param_5)s END = %(param_3)s))) ORDER BY data_file.data_file_id;

-- pruned.key
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR CASE WHEN (file_column_stats.min_value LIKE %(min_value_1)s) THEN lower(file_column_stats.min_value) END > %(param_1)s OR CASE WHEN (file_column_stats.max_value LIKE %(max_value_1)s) THEN lower(file_column_stats.max_value) END < %(param_1)s))) ORDER BY data_file.data_file_id;

-- pruned.nulls
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND file_column_stats.null_count = %(null_count_1)s)) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_2)s AND file_column_stats.column_id = %(column_id_2)s AND file_column_stats.data_file_id IS NOT NULL AND file_column_stats.value_count = %(value_count_1)s)) ORDER BY data_file.data_file_id;

-- pruned.either
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND ((data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR (TRY_CAST(file_column_stats.min_value AS HUGEINT) > TRY_CAST(%(param_1)s AS HUGEINT) OR TRY_CAST(file_column_stats.max_value AS HUGEINT) < TRY_CAST(%(param_1)s AS HUGEINT)) AND (TRY_CAST(file_column_stats.min_value AS HUGEINT) > TRY_CAST(%(param_2)s AS HUGEINT) OR TRY_CAST(file_column_stats.max_value AS HUGEINT) < TRY_CAST(%(param_2)s AS HUGEINT))))) OR (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_2)s AND file_column_stats.column_id = %(column_id_2)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_2)s OR file_column_stats.min_value > %(param_3)s OR file_column_stats.max_value < %(param_3)s)))) ORDER BY data_file.data_file_id;

-- pruned.by_partition
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(at)s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %(at)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(at)s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %(at)s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_1)s AND file_column_stats.column_id = %(column_id_1)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_1)s OR TRY_CAST(file_column_stats.min_value AS HUGEINT) > TRY_CAST(%(param_1)s AS HUGEINT) OR TRY_CAST(file_column_stats.max_value AS HUGEINT) < TRY_CAST(%(param_1)s AS HUGEINT)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %(partition_id_1)s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM main.ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %(table_id_2)s AND file_partition_value.partition_key_index = %(partition_key_index_1)s AND file_partition_value.data_file_id IS NOT NULL AND (file_partition_value.partition_value IS NULL OR TRY_CAST(file_partition_value.partition_value AS HUGEINT) > TRY_CAST(%(param_2)s AS HUGEINT) OR TRY_CAST(file_partition_value.partition_value AS HUGEINT) < TRY_CAST(%(param_2)s AS HUGEINT))))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %(partition_id_2)s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM main.ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %(table_id_3)s AND file_partition_value.partition_key_index = %(partition_key_index_2)s AND file_partition_value.data_file_id IS NOT NULL AND (file_partition_value.partition_value IS NULL OR (TRY_CAST(file_partition_value.partition_value AS HUGEINT) NOT IN (__[POSTCOMPILE_param_3]))) AND NOT (EXISTS (SELECT *
FROM main.ducklake_column AS "column"
WHERE "column".table_id = %(table_id_4)s AND "column".column_id = %(column_id_2)s AND lower("column".column_type) != %(lower_1)s))))) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM main.ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %(table_id_5)s AND file_column_stats.column_id = %(column_id_3)s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %(value_count_2)s OR CASE WHEN (file_column_stats.max_value LIKE %(max_value_1)s) THEN file_column_stats.max_value || %(param_4)s WHEN (file_column_stats.max_value LIKE %(max_value_2)s AND NOT (file_column_stats.max_value LIKE %(max_value_3)s OR file_column_stats.max_value LIKE %(max_value_4)s)) THEN substr(file_column_stats.max_value, %(substr_1)s, %(substr_2)s) END < %(param_5)s OR file_column_stats.value_count = %(value_count_3)s OR CASE WHEN (file_column_stats.min_value LIKE %(min_value_1)s) THEN file_column_stats.min_value || %(param_6)s WHEN (file_column_stats.min_value LIKE %(min_value_2)s AND NOT (file_column_stats.min_value LIKE %(min_value_3)s OR file_column_stats.min_value LIKE %(min_value_4)s)) THEN substr(file_column_stats.min_value, %(substr_3)s, %(substr_4)s) END >= %(param_7)s))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %(partition_id_3)s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM main.ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %(table_id_6)s AND file_partition_value.partition_key_index = %(partition_key_index_3)s AND file_partition_value.data_file_id IS NOT NULL AND (TRY_CAST(file_partition_value.partition_value AS HUGEINT) < %(param_8)s OR TRY_CAST(file_partition_value.partition_value AS HUGEINT) > %(param_9)s)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %(partition_id_4)s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM main.ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %(table_id_7)s AND file_partition_value.partition_key_index = %(partition_key_index_4)s AND file_partition_value.data_file_id IS NOT NULL AND (TRY_CAST(file_partition_value.partition_value AS HUGEINT) NOT IN (__[POSTCOMPILE_param_10]))))) ORDER BY data_file.data_file_id;

-- inlined.deletes
SELECT main.ducklake_inlined_delete_7.file_id, main.ducklake_inlined_delete_7.row_id
FROM main.ducklake_inlined_delete_7
WHERE main.ducklake_inlined_delete_7.begin_snapshot <= %(at)s ORDER BY main.ducklake_inlined_delete_7.file_id, main.ducklake_inlined_delete_7.row_id;

-- inlined.probe
SELECT main.ducklake_inlined_data_7_1.row_id
FROM main.ducklake_inlined_data_7_1
WHERE main.ducklake_inlined_data_7_1.begin_snapshot <= %(at)s AND (main.ducklake_inlined_data_7_1.end_snapshot IS NULL OR main.ducklake_inlined_data_7_1.end_snapshot > %(at)s)
 LIMIT %(param_1)s;

-- inlined.window_probe
SELECT count(CASE WHEN (main.ducklake_inlined_data_7_1.begin_snapshot > %(after)s AND main.ducklake_inlined_data_7_1.begin_snapshot <= %(upto)s) THEN %(param_1)s END) AS count_1, count(CASE WHEN (main.ducklake_inlined_data_7_1.end_snapshot > %(after)s AND main.ducklake_inlined_data_7_1.end_snapshot <= %(upto)s) THEN %(param_2)s END) AS count_2
FROM main.ducklake_inlined_data_7_1;

-- inlined.rows_born
SELECT main.ducklake_inlined_data_7_1.row_id, main.ducklake_inlined_data_7_1.begin_snapshot, main.ducklake_inlined_data_7_1.whole AS whole, main.ducklake_inlined_data_7_1.text AS text
FROM main.ducklake_inlined_data_7_1
WHERE main.ducklake_inlined_data_7_1.begin_snapshot > %(after)s AND main.ducklake_inlined_data_7_1.begin_snapshot <= %(upto)s AND (main.ducklake_inlined_data_7_1.end_snapshot IS NULL OR main.ducklake_inlined_data_7_1.end_snapshot > main.ducklake_inlined_data_7_1.begin_snapshot) ORDER BY main.ducklake_inlined_data_7_1.row_id, main.ducklake_inlined_data_7_1.begin_snapshot;

-- inlined.rows_died
SELECT main.ducklake_inlined_data_7_1.row_id, main.ducklake_inlined_data_7_1.end_snapshot, main.ducklake_inlined_data_7_1.whole AS whole, main.ducklake_inlined_data_7_1.text AS text
FROM main.ducklake_inlined_data_7_1
WHERE main.ducklake_inlined_data_7_1.end_snapshot > %(after)s AND main.ducklake_inlined_data_7_1.end_snapshot <= %(upto)s AND main.ducklake_inlined_data_7_1.end_snapshot > main.ducklake_inlined_data_7_1.begin_snapshot ORDER BY main.ducklake_inlined_data_7_1.row_id, main.ducklake_inlined_data_7_1.end_snapshot;

-- window.files_of
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key, data_file.end_snapshot, delete_file.begin_snapshot > %(after)s OR delete_file.partial_max > %(after)s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %(first_file)s AS anon_1
FROM main.ducklake_data_file AS data_file LEFT OUTER JOIN main.ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %(table)s AND delete_file.begin_snapshot <= %(upto)s AND (data_file.end_snapshot > %(after)s AND data_file.end_snapshot <= %(upto)s OR delete_file.begin_snapshot > %(after)s OR delete_file.partial_max > %(after)s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %(first_file)s)
WHERE data_file.table_id = %(table)s AND data_file.begin_snapshot <= %(upto)s AND (data_file.begin_snapshot > %(after)s OR data_file.partial_max > %(after)s OR data_file.end_snapshot > %(after)s AND data_file.end_snapshot <= %(upto)s OR delete_file.delete_file_id IS NOT NULL OR data_file.data_file_id IN (SELECT main.ducklake_inlined_delete_7.file_id
FROM main.ducklake_inlined_delete_7
WHERE main.ducklake_inlined_delete_7.begin_snapshot > %(after)s AND main.ducklake_inlined_delete_7.begin_snapshot <= %(upto)s)) ORDER BY data_file.data_file_id, delete_file.delete_file_id;

-- window.deletions
SELECT main.ducklake_inlined_delete_7.file_id, main.ducklake_inlined_delete_7.row_id, main.ducklake_inlined_delete_7.begin_snapshot
FROM main.ducklake_inlined_delete_7 JOIN main.ducklake_data_file AS data_file ON data_file.data_file_id = main.ducklake_inlined_delete_7.file_id
WHERE data_file.table_id = %(table)s AND main.ducklake_inlined_delete_7.begin_snapshot <= %(upto)s AND (main.ducklake_inlined_delete_7.begin_snapshot > %(after)s OR data_file.end_snapshot > %(after)s AND data_file.end_snapshot <= %(upto)s) ORDER BY main.ducklake_inlined_delete_7.file_id, main.ducklake_inlined_delete_7.row_id;

-- inlined.rows
SELECT main.ducklake_inlined_data_7_1.row_id, main.ducklake_inlined_data_7_1.begin_snapshot, main.ducklake_inlined_data_7_1.whole AS whole, main.ducklake_inlined_data_7_1.text AS text, main.ducklake_inlined_data_7_1.real AS real, main.ducklake_inlined_data_7_1.money AS money, main.ducklake_inlined_data_7_1.day AS day, main.ducklake_inlined_data_7_1.moment AS moment, main.ducklake_inlined_data_7_1.instant AS instant, main.ducklake_inlined_data_7_1.flag AS flag, CAST("key" AS VARCHAR) AS key, main.ducklake_inlined_data_7_1.span AS span, CAST("list" AS VARCHAR[]) AS list
FROM main.ducklake_inlined_data_7_1
WHERE main.ducklake_inlined_data_7_1.begin_snapshot <= %(at)s AND (main.ducklake_inlined_data_7_1.end_snapshot IS NULL OR main.ducklake_inlined_data_7_1.end_snapshot > %(at)s) ORDER BY main.ducklake_inlined_data_7_1.row_id, main.ducklake_inlined_data_7_1.begin_snapshot;

-- tables

CREATE TABLE main.ducklake_metadata (
    key VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    scope VARCHAR,
    scope_id BIGINT
);

CREATE TABLE main.ducklake_snapshot (
    snapshot_id BIGINT NOT NULL,
    snapshot_time TIMESTAMP WITH TIME ZONE,
    schema_version BIGINT,
    next_catalog_id BIGINT,
    next_file_id BIGINT,
    PRIMARY KEY (snapshot_id)
);

CREATE TABLE main.ducklake_snapshot_changes (
    snapshot_id BIGINT NOT NULL,
    changes_made VARCHAR,
    author VARCHAR,
    commit_message VARCHAR,
    commit_extra_info VARCHAR,
    PRIMARY KEY (snapshot_id)
);

CREATE TABLE main.ducklake_schema_versions (
    begin_snapshot BIGINT,
    schema_version BIGINT,
    table_id BIGINT
);

CREATE TABLE main.ducklake_schema (
    schema_id BIGINT NOT NULL,
    schema_uuid UUID,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_name VARCHAR,
    path VARCHAR,
    path_is_relative BOOLEAN,
    PRIMARY KEY (schema_id)
);

CREATE TABLE main.ducklake_table (
    table_id BIGINT,
    table_uuid UUID,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_id BIGINT,
    table_name VARCHAR,
    path VARCHAR,
    path_is_relative BOOLEAN
);

CREATE TABLE main.ducklake_view (
    view_id BIGINT,
    view_uuid UUID,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_id BIGINT,
    view_name VARCHAR,
    dialect VARCHAR,
    sql VARCHAR,
    column_aliases VARCHAR
);

CREATE TABLE main.ducklake_column (
    column_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    table_id BIGINT,
    column_order BIGINT,
    column_name VARCHAR,
    column_type VARCHAR,
    initial_default VARCHAR,
    default_value VARCHAR,
    nulls_allowed BOOLEAN,
    parent_column BIGINT,
    default_value_type VARCHAR,
    default_value_dialect VARCHAR
);

CREATE TABLE main.ducklake_tag (
    object_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    key VARCHAR,
    value VARCHAR
);

CREATE TABLE main.ducklake_column_tag (
    table_id BIGINT,
    column_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    key VARCHAR,
    value VARCHAR
);

CREATE TABLE main.ducklake_macro (
    schema_id BIGINT,
    macro_id BIGINT,
    macro_name VARCHAR,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE main.ducklake_macro_impl (
    macro_id BIGINT,
    impl_id BIGINT,
    dialect VARCHAR,
    sql VARCHAR,
    type VARCHAR
);

CREATE TABLE main.ducklake_macro_parameters (
    macro_id BIGINT,
    impl_id BIGINT,
    column_id BIGINT,
    parameter_name VARCHAR,
    parameter_type VARCHAR,
    default_value VARCHAR,
    default_value_type VARCHAR
);

CREATE TABLE main.ducklake_data_file (
    data_file_id BIGINT NOT NULL,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    file_order BIGINT,
    path VARCHAR,
    path_is_relative BOOLEAN,
    file_format VARCHAR,
    record_count BIGINT,
    file_size_bytes BIGINT,
    footer_size BIGINT,
    row_id_start BIGINT,
    partition_id BIGINT,
    encryption_key VARCHAR,
    mapping_id BIGINT,
    partial_max BIGINT,
    PRIMARY KEY (data_file_id)
);

CREATE TABLE main.ducklake_delete_file (
    delete_file_id BIGINT NOT NULL,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    data_file_id BIGINT,
    path VARCHAR,
    path_is_relative BOOLEAN,
    format VARCHAR,
    delete_count BIGINT,
    file_size_bytes BIGINT,
    footer_size BIGINT,
    encryption_key VARCHAR,
    partial_max BIGINT,
    PRIMARY KEY (delete_file_id)
);

CREATE TABLE main.ducklake_files_scheduled_for_deletion (
    data_file_id BIGINT,
    path VARCHAR,
    path_is_relative BOOLEAN,
    schedule_start TIMESTAMP WITH TIME ZONE
);

CREATE TABLE main.ducklake_file_column_stats (
    data_file_id BIGINT,
    table_id BIGINT,
    column_id BIGINT,
    column_size_bytes BIGINT,
    value_count BIGINT,
    null_count BIGINT,
    min_value VARCHAR,
    max_value VARCHAR,
    contains_nan BOOLEAN,
    extra_stats VARCHAR
);

CREATE TABLE main.ducklake_file_variant_stats (
    data_file_id BIGINT,
    table_id BIGINT,
    column_id BIGINT,
    variant_path VARCHAR,
    shredded_type VARCHAR,
    column_size_bytes BIGINT,
    value_count BIGINT,
    null_count BIGINT,
    min_value VARCHAR,
    max_value VARCHAR,
    contains_nan BOOLEAN,
    extra_stats VARCHAR
);

CREATE TABLE main.ducklake_table_stats (
    table_id BIGINT,
    record_count BIGINT,
    next_row_id BIGINT,
    file_size_bytes BIGINT
);

CREATE TABLE main.ducklake_table_column_stats (
    table_id BIGINT,
    column_id BIGINT,
    contains_null BOOLEAN,
    contains_nan BOOLEAN,
    min_value VARCHAR,
    max_value VARCHAR,
    extra_stats VARCHAR
);

CREATE TABLE main.ducklake_partition_info (
    partition_id BIGINT,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE main.ducklake_partition_column (
    partition_id BIGINT,
    table_id BIGINT,
    partition_key_index BIGINT,
    column_id BIGINT,
    transform VARCHAR
);

CREATE TABLE main.ducklake_file_partition_value (
    data_file_id BIGINT,
    table_id BIGINT,
    partition_key_index BIGINT,
    partition_value VARCHAR
);

CREATE TABLE main.ducklake_sort_info (
    sort_id BIGINT,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE main.ducklake_sort_expression (
    sort_id BIGINT,
    table_id BIGINT,
    sort_key_index BIGINT,
    expression VARCHAR,
    dialect VARCHAR,
    sort_direction VARCHAR,
    null_order VARCHAR
);

CREATE TABLE main.ducklake_inlined_data_tables (
    table_id BIGINT,
    table_name VARCHAR,
    schema_version BIGINT
);

CREATE TABLE main.ducklake_column_mapping (
    mapping_id BIGINT,
    table_id BIGINT,
    type VARCHAR
);

CREATE TABLE main.ducklake_name_mapping (
    mapping_id BIGINT,
    column_id BIGINT,
    source_name VARCHAR,
    target_field_id BIGINT,
    parent_column BIGINT,
    is_partition BOOLEAN
);
