-- snapshots.latest
SELECT snapshot.snapshot_id, quacklake_micros(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM ducklake_snapshot AS snapshot ORDER BY snapshot.snapshot_id DESC
 LIMIT ? OFFSET ?;

-- snapshots.with_id
SELECT snapshot.snapshot_id, quacklake_micros(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id = ?;

-- snapshots.before
SELECT snapshot.snapshot_id, quacklake_micros(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM ducklake_snapshot AS snapshot
WHERE quacklake_micros(snapshot.snapshot_time) <= ? ORDER BY quacklake_micros(snapshot.snapshot_time) DESC, snapshot.snapshot_id DESC
 LIMIT ? OFFSET ?;

-- snapshots.bounds
SELECT min(snapshot.snapshot_id) AS min_1, max(snapshot.snapshot_id) AS max_1
FROM ducklake_snapshot AS snapshot;

-- snapshots.commits
SELECT snapshot.snapshot_id, quacklake_micros(snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id, snapshot_changes.changes_made, snapshot_changes.author, snapshot_changes.commit_message, snapshot_changes.commit_extra_info
FROM ducklake_snapshot AS snapshot LEFT OUTER JOIN ducklake_snapshot_changes AS snapshot_changes ON snapshot_changes.snapshot_id = snapshot.snapshot_id ORDER BY snapshot.snapshot_id;

-- entries.all_tables
WITH chosen AS
(SELECT "table".table_id AS table_id, "table".schema_id AS schema_id, "table".table_uuid AS table_uuid, "table".table_name AS table_name, "table".path AS path, "table".path_is_relative AS path_is_relative, schema.schema_name AS schema_name, schema.path AS schema_path, schema.path_is_relative AS schema_path_is_relative
FROM ducklake_table AS "table" JOIN ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= ? AND ("table".end_snapshot IS NULL OR "table".end_snapshot > ?) AND schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?))
 SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS BIGINT) AS n1, CAST(CAST(chosen.path_is_relative AS INTEGER) AS BIGINT) AS n2, CAST(CAST(chosen.schema_path_is_relative AS INTEGER) AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(chosen.schema_name AS VARCHAR) AS w1, CAST(chosen.table_name AS VARCHAR) AS w2, CAST(chosen.path AS VARCHAR) AS w3, CAST(chosen.schema_path AS VARCHAR) AS w4, CAST(chosen.table_uuid AS VARCHAR) AS w5
FROM chosen UNION ALL SELECT CAST(? AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5
FROM ducklake_column AS "column" JOIN chosen ON chosen.table_id = "column".table_id
WHERE "column".begin_snapshot <= ? AND ("column".end_snapshot IS NULL OR "column".end_snapshot > ?) UNION ALL SELECT CAST(? AS VARCHAR) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS BIGINT) AS n1, CAST(sort_expression.sort_key_index AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(sort_expression.expression AS VARCHAR) AS w1, CAST(sort_expression.dialect AS VARCHAR) AS w2, CAST(sort_expression.sort_direction AS VARCHAR) AS w3, CAST(sort_expression.null_order AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_sort_info AS sort_info JOIN chosen ON chosen.table_id = sort_info.table_id JOIN ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= ? AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > ?) UNION ALL SELECT CAST(? AS VARCHAR) AS fact, tag.object_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(tag.value AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_tag AS tag JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= ? AND (tag.end_snapshot IS NULL OR tag.end_snapshot > ?) AND tag."key" = ? AND tag.value IS NOT NULL UNION ALL SELECT CAST(? AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_partition_info AS partition_info JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT sqlite_master.name AS name
FROM sqlite_master
WHERE sqlite_master.type = ?) AS installed ON installed.name = (? || CAST(chosen.table_id AS VARCHAR));

-- entries.tables_in
WITH chosen AS
(SELECT "table".table_id AS table_id, "table".schema_id AS schema_id, "table".table_uuid AS table_uuid, "table".table_name AS table_name, "table".path AS path, "table".path_is_relative AS path_is_relative, schema.schema_name AS schema_name, schema.path AS schema_path, schema.path_is_relative AS schema_path_is_relative
FROM ducklake_table AS "table" JOIN ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= ? AND ("table".end_snapshot IS NULL OR "table".end_snapshot > ?) AND schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?) AND (schema.schema_name = ? OR lower(schema.schema_name) = ? OR lower(schema.schema_name) = ?))
 SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS BIGINT) AS n1, CAST(CAST(chosen.path_is_relative AS INTEGER) AS BIGINT) AS n2, CAST(CAST(chosen.schema_path_is_relative AS INTEGER) AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(chosen.schema_name AS VARCHAR) AS w1, CAST(chosen.table_name AS VARCHAR) AS w2, CAST(chosen.path AS VARCHAR) AS w3, CAST(chosen.schema_path AS VARCHAR) AS w4, CAST(chosen.table_uuid AS VARCHAR) AS w5
FROM chosen UNION ALL SELECT CAST(? AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5
FROM ducklake_column AS "column" JOIN chosen ON chosen.table_id = "column".table_id
WHERE "column".begin_snapshot <= ? AND ("column".end_snapshot IS NULL OR "column".end_snapshot > ?) UNION ALL SELECT CAST(? AS VARCHAR) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS BIGINT) AS n1, CAST(sort_expression.sort_key_index AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(sort_expression.expression AS VARCHAR) AS w1, CAST(sort_expression.dialect AS VARCHAR) AS w2, CAST(sort_expression.sort_direction AS VARCHAR) AS w3, CAST(sort_expression.null_order AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_sort_info AS sort_info JOIN chosen ON chosen.table_id = sort_info.table_id JOIN ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= ? AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > ?) UNION ALL SELECT CAST(? AS VARCHAR) AS fact, tag.object_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(tag.value AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_tag AS tag JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= ? AND (tag.end_snapshot IS NULL OR tag.end_snapshot > ?) AND tag."key" = ? AND tag.value IS NOT NULL UNION ALL SELECT CAST(? AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_partition_info AS partition_info JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT sqlite_master.name AS name
FROM sqlite_master
WHERE sqlite_master.type = ?) AS installed ON installed.name = (? || CAST(chosen.table_id AS VARCHAR));

-- entries.table_named
WITH chosen AS
(SELECT "table".table_id AS table_id, "table".schema_id AS schema_id, "table".table_uuid AS table_uuid, "table".table_name AS table_name, "table".path AS path, "table".path_is_relative AS path_is_relative, schema.schema_name AS schema_name, schema.path AS schema_path, schema.path_is_relative AS schema_path_is_relative
FROM ducklake_table AS "table" JOIN ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= ? AND ("table".end_snapshot IS NULL OR "table".end_snapshot > ?) AND schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?) AND (schema.schema_name = ? OR lower(schema.schema_name) = ? OR lower(schema.schema_name) = ?) AND ("table".table_name = ? OR lower("table".table_name) = ? OR lower("table".table_name) = ?))
 SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS BIGINT) AS n1, CAST(CAST(chosen.path_is_relative AS INTEGER) AS BIGINT) AS n2, CAST(CAST(chosen.schema_path_is_relative AS INTEGER) AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(chosen.schema_name AS VARCHAR) AS w1, CAST(chosen.table_name AS VARCHAR) AS w2, CAST(chosen.path AS VARCHAR) AS w3, CAST(chosen.schema_path AS VARCHAR) AS w4, CAST(chosen.table_uuid AS VARCHAR) AS w5
FROM chosen UNION ALL SELECT CAST(? AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5
FROM ducklake_column AS "column" JOIN chosen ON chosen.table_id = "column".table_id
WHERE "column".begin_snapshot <= ? AND ("column".end_snapshot IS NULL OR "column".end_snapshot > ?) UNION ALL SELECT CAST(? AS VARCHAR) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS BIGINT) AS n1, CAST(sort_expression.sort_key_index AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(sort_expression.expression AS VARCHAR) AS w1, CAST(sort_expression.dialect AS VARCHAR) AS w2, CAST(sort_expression.sort_direction AS VARCHAR) AS w3, CAST(sort_expression.null_order AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_sort_info AS sort_info JOIN chosen ON chosen.table_id = sort_info.table_id JOIN ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= ? AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > ?) UNION ALL SELECT CAST(? AS VARCHAR) AS fact, tag.object_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(tag.value AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_tag AS tag JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= ? AND (tag.end_snapshot IS NULL OR tag.end_snapshot > ?) AND tag."key" = ? AND tag.value IS NOT NULL UNION ALL SELECT CAST(? AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_partition_info AS partition_info JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT sqlite_master.name AS name
FROM sqlite_master
WHERE sqlite_master.type = ?) AS installed ON installed.name = (? || CAST(chosen.table_id AS VARCHAR));

-- entries.timeless
WITH chosen AS
(SELECT CAST(? AS BIGINT) AS table_id)
 SELECT CAST(? AS VARCHAR) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS BIGINT) AS n1, CAST(partition_column.partition_key_index AS BIGINT) AS n2, CAST(partition_column.column_id AS BIGINT) AS n3, CAST(partition_info.begin_snapshot AS BIGINT) AS n4, CAST(partition_info.end_snapshot AS BIGINT) AS n5, CAST(partition_column.transform AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_partition_info AS partition_info JOIN chosen ON partition_info.table_id = chosen.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS BIGINT) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(inlined_data_tables.table_name AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables JOIN chosen ON inlined_data_tables.table_id = chosen.table_id UNION ALL SELECT CAST(? AS VARCHAR) AS fact, chosen.table_id AS table_id, CAST(NULL AS BIGINT) AS n1, CAST(NULL AS BIGINT) AS n2, CAST(NULL AS BIGINT) AS n3, CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(NULL AS VARCHAR) AS w1, CAST(NULL AS VARCHAR) AS w2, CAST(NULL AS VARCHAR) AS w3, CAST(NULL AS VARCHAR) AS w4, CAST(NULL AS VARCHAR) AS w5
FROM chosen JOIN (SELECT sqlite_master.name AS name
FROM sqlite_master
WHERE sqlite_master.type = ?) AS installed ON installed.name = (? || CAST(chosen.table_id AS VARCHAR));

-- entries.columns_ever
SELECT CAST(? AS VARCHAR) AS fact, "column".table_id AS table_id, CAST("column".column_id AS BIGINT) AS n1, CAST("column".column_order AS BIGINT) AS n2, CAST("column".parent_column AS BIGINT) AS n3, CAST(CAST("column".nulls_allowed AS INTEGER) AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST("column".column_name AS VARCHAR) AS w1, CAST("column".column_type AS VARCHAR) AS w2, CAST("column".initial_default AS VARCHAR) AS w3, CAST("column".default_value AS VARCHAR) AS w4, CAST("column".default_value_type AS VARCHAR) AS w5, "column".begin_snapshot, "column".end_snapshot
FROM ducklake_column AS "column"
WHERE "column".table_id = ?;

-- objects.schemas
SELECT schema.schema_id, schema.schema_name, schema.path, schema.path_is_relative
FROM ducklake_schema AS schema
WHERE schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?) ORDER BY schema.schema_id;

-- objects.table_names
SELECT schema.schema_name, "table".table_name
FROM ducklake_table AS "table" JOIN ducklake_schema AS schema ON "table".schema_id = schema.schema_id
WHERE "table".begin_snapshot <= ? AND ("table".end_snapshot IS NULL OR "table".end_snapshot > ?) AND schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?);

-- objects.views
SELECT schema.schema_name, "view".view_name, "view".dialect, "view".sql, "view".column_aliases, "view".view_id
FROM ducklake_view AS "view" JOIN ducklake_schema AS schema ON "view".schema_id = schema.schema_id
WHERE "view".begin_snapshot <= ? AND ("view".end_snapshot IS NULL OR "view".end_snapshot > ?) AND schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?) ORDER BY "view".view_id;

-- objects.macros
SELECT macro.macro_id, macro_impl.impl_id, schema.schema_name, macro.macro_name, macro_impl.dialect, macro_impl.sql, macro_impl.type, macro_parameters.parameter_name, macro_parameters.default_value, macro_parameters.default_value_type
FROM ducklake_macro AS macro JOIN ducklake_schema AS schema ON macro.schema_id = schema.schema_id JOIN ducklake_macro_impl AS macro_impl ON macro_impl.macro_id = macro.macro_id LEFT OUTER JOIN ducklake_macro_parameters AS macro_parameters ON macro_parameters.macro_id = macro_impl.macro_id AND macro_parameters.impl_id = macro_impl.impl_id
WHERE macro.begin_snapshot <= ? AND (macro.end_snapshot IS NULL OR macro.end_snapshot > ?) AND schema.begin_snapshot <= ? AND (schema.end_snapshot IS NULL OR schema.end_snapshot > ?) ORDER BY macro.macro_id, macro_impl.impl_id, macro_parameters.column_id;

-- objects.options
SELECT metadata."key", metadata.value, metadata.scope, metadata.scope_id, schema.schema_name, table_schema.schema_name AS table_schema_name, "table".table_name
FROM ducklake_metadata AS metadata LEFT OUTER JOIN ducklake_schema AS schema ON metadata.scope = ? AND schema.schema_id = metadata.scope_id LEFT OUTER JOIN ducklake_table AS "table" ON metadata.scope = ? AND "table".table_id = metadata.scope_id AND "table".end_snapshot IS NULL LEFT OUTER JOIN ducklake_schema AS table_schema ON table_schema.schema_id = "table".schema_id ORDER BY metadata."key", metadata.scope, metadata.scope_id;

-- objects.facts
SELECT metadata."key", metadata.value
FROM ducklake_metadata AS metadata
WHERE metadata.scope IS NULL;

-- objects.is_installed
SELECT count(*) AS count_1
FROM (SELECT sqlite_master.name AS name
FROM sqlite_master
WHERE sqlite_master.type = ?) AS installed
WHERE installed.name = ?;

-- objects.mappings
SELECT name_mapping.mapping_id, name_mapping.column_id, name_mapping.source_name, name_mapping.target_field_id, name_mapping.parent_column, name_mapping.is_partition
FROM ducklake_name_mapping AS name_mapping
WHERE name_mapping.mapping_id IN (__[POSTCOMPILE_ids]) ORDER BY name_mapping.mapping_id, name_mapping.column_id;

-- files.files
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) ORDER BY data_file.data_file_id;

-- files.partition_values
SELECT data_file.data_file_id, file_partition_value.partition_key_index, file_partition_value.partition_value
FROM ducklake_data_file AS data_file JOIN ducklake_file_partition_value AS file_partition_value ON file_partition_value.data_file_id = data_file.data_file_id
WHERE data_file.table_id = ? AND file_partition_value.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) ORDER BY data_file.data_file_id, file_partition_value.partition_key_index;

-- files.file_stats
SELECT file_column_stats.data_file_id, file_column_stats.column_id, file_column_stats.column_size_bytes, file_column_stats.value_count, file_column_stats.null_count, file_column_stats.min_value, file_column_stats.max_value, file_column_stats.contains_nan, file_column_stats.extra_stats
FROM ducklake_data_file AS data_file JOIN ducklake_file_column_stats AS file_column_stats ON file_column_stats.data_file_id = data_file.data_file_id
WHERE data_file.table_id = ? AND file_column_stats.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) ORDER BY file_column_stats.data_file_id, file_column_stats.column_id;

-- files.table_stats
SELECT table_stats.record_count, table_stats.next_row_id, table_stats.file_size_bytes, table_column_stats.column_id, table_column_stats.contains_null, table_column_stats.contains_nan, table_column_stats.min_value, table_column_stats.max_value, table_column_stats.extra_stats
FROM ducklake_table_stats AS table_stats LEFT OUTER JOIN ducklake_table_column_stats AS table_column_stats ON table_column_stats.table_id = table_stats.table_id
WHERE table_stats.table_id = ? ORDER BY table_column_stats.column_id;

-- window.retained
SELECT (SELECT min("column".begin_snapshot) AS min_1
FROM ducklake_column AS "column"
WHERE "column".table_id = ?) AS began, (SELECT count(*) AS count_1
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id >= ? AND snapshot.snapshot_id >= (SELECT min("column".begin_snapshot) AS min_1
FROM ducklake_column AS "column"
WHERE "column".table_id = ?) AND snapshot.snapshot_id <= ?) AS there, (SELECT snapshot.next_file_id
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id = ?) AS next_file;

-- window.unbroken
SELECT max(snapshot.snapshot_id) AS max_1
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id <= ? AND NOT (EXISTS (SELECT predecessor.snapshot_id
FROM ducklake_snapshot AS predecessor
WHERE predecessor.snapshot_id = snapshot.snapshot_id - ?));

-- window.rewrites
SELECT snapshot_changes.snapshot_id, snapshot_changes.changes_made
FROM ducklake_snapshot_changes AS snapshot_changes
WHERE snapshot_changes.snapshot_id > ? AND snapshot_changes.snapshot_id <= ? AND (lower(snapshot_changes.changes_made) LIKE ? OR lower(snapshot_changes.changes_made) LIKE ?);

-- window.files
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key, data_file.end_snapshot, delete_file.begin_snapshot > ? OR delete_file.partial_max > ? OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= ? AS anon_1
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (data_file.end_snapshot > ? AND data_file.end_snapshot <= ? OR delete_file.begin_snapshot > ? OR delete_file.partial_max > ? OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.begin_snapshot > ? OR data_file.partial_max > ? OR data_file.end_snapshot > ? AND data_file.end_snapshot <= ? OR delete_file.delete_file_id IS NOT NULL) ORDER BY data_file.data_file_id, delete_file.delete_file_id;

-- pruned.whole
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN file_column_stats.min_value GLOB '[0-9-]*' AND substr(file_column_stats.min_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.min_value GLOB '*[0-9]' THEN CAST(file_column_stats.min_value AS INTEGER) END > CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END OR CASE WHEN file_column_stats.max_value GLOB '[0-9-]*' AND substr(file_column_stats.max_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.max_value GLOB '*[0-9]' THEN CAST(file_column_stats.max_value AS INTEGER) END < CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END))) ORDER BY data_file.data_file_id;

-- pruned.whole_range
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN file_column_stats.max_value GLOB '[0-9-]*' AND substr(file_column_stats.max_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.max_value GLOB '*[0-9]' THEN CAST(file_column_stats.max_value AS INTEGER) END < CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END OR file_column_stats.value_count = ? OR CASE WHEN file_column_stats.min_value GLOB '[0-9-]*' AND substr(file_column_stats.min_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.min_value GLOB '*[0-9]' THEN CAST(file_column_stats.min_value AS INTEGER) END >= CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END))) ORDER BY data_file.data_file_id;

-- pruned.text
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR file_column_stats.min_value >= ?))) ORDER BY data_file.data_file_id;

-- pruned.real
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.max_value GLOB '[0-9-]*[0-9]' OR file_column_stats.max_value GLOB '[0-9]') AND substr(file_column_stats.max_value, 2) NOT GLOB '*[^0-9.eE+-]*' THEN CAST(file_column_stats.max_value AS REAL) END <= CASE WHEN (? GLOB '[0-9-]*[0-9]' OR ? GLOB '[0-9]') AND substr(?, 2) NOT GLOB '*[^0-9.eE+-]*' THEN CAST(? AS REAL) END AND file_column_stats.contains_nan = 0))) ORDER BY data_file.data_file_id;

-- pruned.money
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.min_value GLOB '[0-9-]*[0-9]' OR file_column_stats.min_value GLOB '[0-9]') AND substr(file_column_stats.min_value, 2) NOT GLOB '*[^0-9.eE+-]*' THEN CAST(file_column_stats.min_value AS REAL) END >= CASE WHEN (? GLOB '[0-9-]*[0-9]' OR ? GLOB '[0-9]') AND substr(?, 2) NOT GLOB '*[^0-9.eE+-]*' THEN CAST(? AS REAL) END))) ORDER BY data_file.data_file_id;

-- pruned.day
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.min_value LIKE ?) THEN file_column_stats.min_value END > ? OR CASE WHEN (file_column_stats.max_value LIKE ?) THEN file_column_stats.max_value END < ?))) ORDER BY data_file.data_file_id;

-- pruned.moment
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.max_value LIKE ?) THEN file_column_stats.max_value || ? WHEN (file_column_stats.max_value LIKE ? AND NOT (file_column_stats.max_value LIKE ? OR file_column_stats.max_value LIKE ?)) THEN substr(file_column_stats.max_value, ?, ?) END < ?))) ORDER BY data_file.data_file_id;

-- pruned.instant
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.max_value LIKE ? AND file_column_stats.max_value LIKE ?) THEN substr(file_column_stats.max_value, ?, ?) END < ?))) ORDER BY data_file.data_file_id;

-- pruned.flag
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (lower(file_column_stats.min_value) IN (__[POSTCOMPILE_lower_1])) THEN ? WHEN (lower(file_column_stats.min_value) IN (__[POSTCOMPILE_lower_2])) THEN ? END = ? AND CASE WHEN (lower(file_column_stats.max_value) IN (__[POSTCOMPILE_lower_3])) THEN ? WHEN (lower(file_column_stats.max_value) IN (__[POSTCOMPILE_lower_4])) THEN ? END = ?))) ORDER BY data_file.data_file_id;

-- pruned.key
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.min_value LIKE ?) THEN lower(file_column_stats.min_value) END > ? OR CASE WHEN (file_column_stats.max_value LIKE ?) THEN lower(file_column_stats.max_value) END < ?))) ORDER BY data_file.data_file_id;

-- pruned.nulls
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND file_column_stats.null_count = ?)) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND file_column_stats.value_count = ?)) ORDER BY data_file.data_file_id;

-- pruned.either
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND ((data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR (CASE WHEN file_column_stats.min_value GLOB '[0-9-]*' AND substr(file_column_stats.min_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.min_value GLOB '*[0-9]' THEN CAST(file_column_stats.min_value AS INTEGER) END > CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END OR CASE WHEN file_column_stats.max_value GLOB '[0-9-]*' AND substr(file_column_stats.max_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.max_value GLOB '*[0-9]' THEN CAST(file_column_stats.max_value AS INTEGER) END < CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END) AND (CASE WHEN file_column_stats.min_value GLOB '[0-9-]*' AND substr(file_column_stats.min_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.min_value GLOB '*[0-9]' THEN CAST(file_column_stats.min_value AS INTEGER) END > CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END OR CASE WHEN file_column_stats.max_value GLOB '[0-9-]*' AND substr(file_column_stats.max_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.max_value GLOB '*[0-9]' THEN CAST(file_column_stats.max_value AS INTEGER) END < CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END)))) OR (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR file_column_stats.min_value > ? OR file_column_stats.max_value < ?)))) ORDER BY data_file.data_file_id;

-- pruned.by_partition
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > ?) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN file_column_stats.min_value GLOB '[0-9-]*' AND substr(file_column_stats.min_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.min_value GLOB '*[0-9]' THEN CAST(file_column_stats.min_value AS INTEGER) END > CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END OR CASE WHEN file_column_stats.max_value GLOB '[0-9-]*' AND substr(file_column_stats.max_value, 2) NOT GLOB '*[^0-9]*' AND file_column_stats.max_value GLOB '*[0-9]' THEN CAST(file_column_stats.max_value AS INTEGER) END < CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END))) AND (data_file.partition_id IS NULL OR data_file.partition_id != ? OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = ? AND file_partition_value.partition_key_index = ? AND file_partition_value.data_file_id IS NOT NULL AND (file_partition_value.partition_value IS NULL OR CASE WHEN file_partition_value.partition_value GLOB '[0-9-]*' AND substr(file_partition_value.partition_value, 2) NOT GLOB '*[^0-9]*' AND file_partition_value.partition_value GLOB '*[0-9]' THEN CAST(file_partition_value.partition_value AS INTEGER) END > CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END OR CASE WHEN file_partition_value.partition_value GLOB '[0-9-]*' AND substr(file_partition_value.partition_value, 2) NOT GLOB '*[^0-9]*' AND file_partition_value.partition_value GLOB '*[0-9]' THEN CAST(file_partition_value.partition_value AS INTEGER) END < CASE WHEN ? GLOB '[0-9-]*' AND substr(?, 2) NOT GLOB '*[^0-9]*' AND ? GLOB '*[0-9]' THEN CAST(? AS INTEGER) END)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != ? OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = ? AND file_partition_value.partition_key_index = ? AND file_partition_value.data_file_id IS NOT NULL AND (file_partition_value.partition_value IS NULL OR (CASE WHEN file_partition_value.partition_value GLOB '[0-9-]*' AND substr(file_partition_value.partition_value, 2) NOT GLOB '*[^0-9]*' AND file_partition_value.partition_value GLOB '*[0-9]' THEN CAST(file_partition_value.partition_value AS INTEGER) END NOT IN (__[POSTCOMPILE_param_3]))) AND NOT (EXISTS (SELECT *
FROM ducklake_column AS "column"
WHERE "column".table_id = ? AND "column".column_id = ? AND lower("column".column_type) != ?))))) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = ? AND file_column_stats.column_id = ? AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.max_value LIKE ?) THEN file_column_stats.max_value || ? WHEN (file_column_stats.max_value LIKE ? AND NOT (file_column_stats.max_value LIKE ? OR file_column_stats.max_value LIKE ?)) THEN substr(file_column_stats.max_value, ?, ?) END < ? OR file_column_stats.value_count = ? OR CASE WHEN (file_column_stats.min_value LIKE ?) THEN file_column_stats.min_value || ? WHEN (file_column_stats.min_value LIKE ? AND NOT (file_column_stats.min_value LIKE ? OR file_column_stats.min_value LIKE ?)) THEN substr(file_column_stats.min_value, ?, ?) END >= ?))) AND (data_file.partition_id IS NULL OR data_file.partition_id != ? OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = ? AND file_partition_value.partition_key_index = ? AND file_partition_value.data_file_id IS NOT NULL AND (CASE WHEN file_partition_value.partition_value GLOB '[0-9-]*' AND substr(file_partition_value.partition_value, 2) NOT GLOB '*[^0-9]*' AND file_partition_value.partition_value GLOB '*[0-9]' THEN CAST(file_partition_value.partition_value AS INTEGER) END < ? OR CASE WHEN file_partition_value.partition_value GLOB '[0-9-]*' AND substr(file_partition_value.partition_value, 2) NOT GLOB '*[^0-9]*' AND file_partition_value.partition_value GLOB '*[0-9]' THEN CAST(file_partition_value.partition_value AS INTEGER) END > ?)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != ? OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = ? AND file_partition_value.partition_key_index = ? AND file_partition_value.data_file_id IS NOT NULL AND (CASE WHEN file_partition_value.partition_value GLOB '[0-9-]*' AND substr(file_partition_value.partition_value, 2) NOT GLOB '*[^0-9]*' AND file_partition_value.partition_value GLOB '*[0-9]' THEN CAST(file_partition_value.partition_value AS INTEGER) END NOT IN (__[POSTCOMPILE_param_10]))))) ORDER BY data_file.data_file_id;

-- inlined.deletes
SELECT ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id
FROM ducklake_inlined_delete_7
WHERE ducklake_inlined_delete_7.begin_snapshot <= ? ORDER BY ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id;

-- inlined.probe
SELECT ducklake_inlined_data_7_1.row_id
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.begin_snapshot <= ? AND (ducklake_inlined_data_7_1.end_snapshot IS NULL OR ducklake_inlined_data_7_1.end_snapshot > ?)
 LIMIT ? OFFSET ?;

-- inlined.window_probe
SELECT count(CASE WHEN (ducklake_inlined_data_7_1.begin_snapshot > ? AND ducklake_inlined_data_7_1.begin_snapshot <= ?) THEN ? END) AS count_1, count(CASE WHEN (ducklake_inlined_data_7_1.end_snapshot > ? AND ducklake_inlined_data_7_1.end_snapshot <= ?) THEN ? END) AS count_2
FROM ducklake_inlined_data_7_1;

-- inlined.rows_born
SELECT ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot, ducklake_inlined_data_7_1.whole AS whole, ducklake_inlined_data_7_1.text AS text
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.begin_snapshot > ? AND ducklake_inlined_data_7_1.begin_snapshot <= ? AND (ducklake_inlined_data_7_1.end_snapshot IS NULL OR ducklake_inlined_data_7_1.end_snapshot > ducklake_inlined_data_7_1.begin_snapshot) ORDER BY ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot;

-- inlined.rows_died
SELECT ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.end_snapshot, ducklake_inlined_data_7_1.whole AS whole, ducklake_inlined_data_7_1.text AS text
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.end_snapshot > ? AND ducklake_inlined_data_7_1.end_snapshot <= ? AND ducklake_inlined_data_7_1.end_snapshot > ducklake_inlined_data_7_1.begin_snapshot ORDER BY ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.end_snapshot;

-- window.files_of
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key, data_file.end_snapshot, delete_file.begin_snapshot > ? OR delete_file.partial_max > ? OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= ? AS anon_1
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = ? AND delete_file.begin_snapshot <= ? AND (data_file.end_snapshot > ? AND data_file.end_snapshot <= ? OR delete_file.begin_snapshot > ? OR delete_file.partial_max > ? OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= ?)
WHERE data_file.table_id = ? AND data_file.begin_snapshot <= ? AND (data_file.begin_snapshot > ? OR data_file.partial_max > ? OR data_file.end_snapshot > ? AND data_file.end_snapshot <= ? OR delete_file.delete_file_id IS NOT NULL OR data_file.data_file_id IN (SELECT ducklake_inlined_delete_7.file_id
FROM ducklake_inlined_delete_7
WHERE ducklake_inlined_delete_7.begin_snapshot > ? AND ducklake_inlined_delete_7.begin_snapshot <= ?)) ORDER BY data_file.data_file_id, delete_file.delete_file_id;

-- window.deletions
SELECT ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id, ducklake_inlined_delete_7.begin_snapshot
FROM ducklake_inlined_delete_7 JOIN ducklake_data_file AS data_file ON data_file.data_file_id = ducklake_inlined_delete_7.file_id
WHERE data_file.table_id = ? AND ducklake_inlined_delete_7.begin_snapshot <= ? AND (ducklake_inlined_delete_7.begin_snapshot > ? OR data_file.end_snapshot > ? AND data_file.end_snapshot <= ?) ORDER BY ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id;

-- inlined.rows
SELECT ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot, ducklake_inlined_data_7_1.whole AS whole, ducklake_inlined_data_7_1.text AS text, ducklake_inlined_data_7_1.real AS real, ducklake_inlined_data_7_1.money AS money, ducklake_inlined_data_7_1.day AS day, ducklake_inlined_data_7_1.moment AS moment, ducklake_inlined_data_7_1.instant AS instant, ducklake_inlined_data_7_1.flag AS flag, ducklake_inlined_data_7_1."key" AS "key", ducklake_inlined_data_7_1.span AS span, ducklake_inlined_data_7_1.list AS list
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.begin_snapshot <= ? AND (ducklake_inlined_data_7_1.end_snapshot IS NULL OR ducklake_inlined_data_7_1.end_snapshot > ?) ORDER BY ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot;

-- tables

CREATE TABLE ducklake_metadata (
    "key" VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    scope VARCHAR,
    scope_id BIGINT
);

CREATE TABLE ducklake_snapshot (
    snapshot_id BIGINT NOT NULL,
    snapshot_time VARCHAR,
    schema_version BIGINT,
    next_catalog_id BIGINT,
    next_file_id BIGINT,
    PRIMARY KEY (snapshot_id)
);

CREATE TABLE ducklake_snapshot_changes (
    snapshot_id BIGINT NOT NULL,
    changes_made VARCHAR,
    author VARCHAR,
    commit_message VARCHAR,
    commit_extra_info VARCHAR,
    PRIMARY KEY (snapshot_id)
);

CREATE TABLE ducklake_schema_versions (
    begin_snapshot BIGINT,
    schema_version BIGINT,
    table_id BIGINT
);

CREATE TABLE ducklake_schema (
    schema_id BIGINT NOT NULL,
    schema_uuid VARCHAR,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_name VARCHAR,
    path VARCHAR,
    path_is_relative BIGINT,
    PRIMARY KEY (schema_id)
);

CREATE TABLE ducklake_table (
    table_id BIGINT,
    table_uuid VARCHAR,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_id BIGINT,
    table_name VARCHAR,
    path VARCHAR,
    path_is_relative BIGINT
);

CREATE TABLE ducklake_view (
    view_id BIGINT,
    view_uuid VARCHAR,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_id BIGINT,
    view_name VARCHAR,
    dialect VARCHAR,
    sql VARCHAR,
    column_aliases VARCHAR
);

CREATE TABLE ducklake_column (
    column_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    table_id BIGINT,
    column_order BIGINT,
    column_name VARCHAR,
    column_type VARCHAR,
    initial_default VARCHAR,
    default_value VARCHAR,
    nulls_allowed BIGINT,
    parent_column BIGINT,
    default_value_type VARCHAR,
    default_value_dialect VARCHAR
);

CREATE TABLE ducklake_tag (
    object_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    "key" VARCHAR,
    value VARCHAR
);

CREATE TABLE ducklake_column_tag (
    table_id BIGINT,
    column_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    "key" VARCHAR,
    value VARCHAR
);

CREATE TABLE ducklake_macro (
    schema_id BIGINT,
    macro_id BIGINT,
    macro_name VARCHAR,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE ducklake_macro_impl (
    macro_id BIGINT,
    impl_id BIGINT,
    dialect VARCHAR,
    sql VARCHAR,
    type VARCHAR
);

CREATE TABLE ducklake_macro_parameters (
    macro_id BIGINT,
    impl_id BIGINT,
    column_id BIGINT,
    parameter_name VARCHAR,
    parameter_type VARCHAR,
    default_value VARCHAR,
    default_value_type VARCHAR
);

CREATE TABLE ducklake_data_file (
    data_file_id BIGINT NOT NULL,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    file_order BIGINT,
    path VARCHAR,
    path_is_relative BIGINT,
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

CREATE TABLE ducklake_delete_file (
    delete_file_id BIGINT NOT NULL,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    data_file_id BIGINT,
    path VARCHAR,
    path_is_relative BIGINT,
    format VARCHAR,
    delete_count BIGINT,
    file_size_bytes BIGINT,
    footer_size BIGINT,
    encryption_key VARCHAR,
    partial_max BIGINT,
    PRIMARY KEY (delete_file_id)
);

CREATE TABLE ducklake_files_scheduled_for_deletion (
    data_file_id BIGINT,
    path VARCHAR,
    path_is_relative BIGINT,
    schedule_start VARCHAR
);

CREATE TABLE ducklake_file_column_stats (
    data_file_id BIGINT,
    table_id BIGINT,
    column_id BIGINT,
    column_size_bytes BIGINT,
    value_count BIGINT,
    null_count BIGINT,
    min_value VARCHAR,
    max_value VARCHAR,
    contains_nan BIGINT,
    extra_stats VARCHAR
);

CREATE TABLE ducklake_file_variant_stats (
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
    contains_nan BIGINT,
    extra_stats VARCHAR
);

CREATE TABLE ducklake_table_stats (
    table_id BIGINT,
    record_count BIGINT,
    next_row_id BIGINT,
    file_size_bytes BIGINT
);

CREATE TABLE ducklake_table_column_stats (
    table_id BIGINT,
    column_id BIGINT,
    contains_null BIGINT,
    contains_nan BIGINT,
    min_value VARCHAR,
    max_value VARCHAR,
    extra_stats VARCHAR
);

CREATE TABLE ducklake_partition_info (
    partition_id BIGINT,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE ducklake_partition_column (
    partition_id BIGINT,
    table_id BIGINT,
    partition_key_index BIGINT,
    column_id BIGINT,
    transform VARCHAR
);

CREATE TABLE ducklake_file_partition_value (
    data_file_id BIGINT,
    table_id BIGINT,
    partition_key_index BIGINT,
    partition_value VARCHAR
);

CREATE TABLE ducklake_sort_info (
    sort_id BIGINT,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE ducklake_sort_expression (
    sort_id BIGINT,
    table_id BIGINT,
    sort_key_index BIGINT,
    expression VARCHAR,
    dialect VARCHAR,
    sort_direction VARCHAR,
    null_order VARCHAR
);

CREATE TABLE ducklake_inlined_data_tables (
    table_id BIGINT,
    table_name VARCHAR,
    schema_version BIGINT
);

CREATE TABLE ducklake_column_mapping (
    mapping_id BIGINT,
    table_id BIGINT,
    type VARCHAR
);

CREATE TABLE ducklake_name_mapping (
    mapping_id BIGINT,
    column_id BIGINT,
    source_name VARCHAR,
    target_field_id BIGINT,
    parent_column BIGINT,
    is_partition BIGINT
);
