-- snapshots.latest
SELECT snapshot.snapshot_id, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM ducklake_snapshot AS snapshot ORDER BY snapshot.snapshot_id DESC
 LIMIT %s;

-- snapshots.with_id
SELECT snapshot.snapshot_id, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id = %s;

-- snapshots.before
SELECT snapshot.snapshot_id, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id
FROM ducklake_snapshot AS snapshot
WHERE TIMESTAMPDIFF(MICROSECOND, '1970-01-01', snapshot.snapshot_time) <= %s ORDER BY TIMESTAMPDIFF(MICROSECOND, '1970-01-01', snapshot.snapshot_time) DESC, snapshot.snapshot_id DESC
 LIMIT %s;

-- snapshots.bounds
SELECT min(snapshot.snapshot_id) AS min_1, max(snapshot.snapshot_id) AS max_1
FROM ducklake_snapshot AS snapshot;

-- snapshots.commits
SELECT snapshot.snapshot_id, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', snapshot.snapshot_time) AS time, snapshot.schema_version, snapshot.next_catalog_id, snapshot.next_file_id, snapshot_changes.changes_made, snapshot_changes.author, snapshot_changes.commit_message, snapshot_changes.commit_extra_info
FROM ducklake_snapshot AS snapshot LEFT OUTER JOIN ducklake_snapshot_changes AS snapshot_changes ON snapshot_changes.snapshot_id = snapshot.snapshot_id ORDER BY snapshot.snapshot_id;

-- entries.all_tables
WITH chosen AS
(SELECT `table`.table_id AS table_id, `table`.schema_id AS schema_id, `table`.table_uuid AS table_uuid, `table`.table_name AS table_name, `table`.path AS path, `table`.path_is_relative AS path_is_relative, `schema`.schema_name AS schema_name, `schema`.path AS schema_path, `schema`.path_is_relative AS schema_path_is_relative
FROM ducklake_table AS `table` INNER JOIN ducklake_schema AS `schema` ON `table`.schema_id = `schema`.schema_id
WHERE `table`.begin_snapshot <= %s AND (`table`.end_snapshot IS NULL OR `table`.end_snapshot > %s) AND `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s))
 SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS SIGNED INTEGER) AS n1, CAST(CAST(chosen.path_is_relative AS SIGNED INTEGER) AS SIGNED INTEGER) AS n2, CAST(CAST(chosen.schema_path_is_relative AS SIGNED INTEGER) AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(chosen.schema_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(chosen.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(chosen.path AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(chosen.schema_path AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(chosen.table_uuid AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, `column`.table_id AS table_id, CAST(`column`.column_id AS SIGNED INTEGER) AS n1, CAST(`column`.column_order AS SIGNED INTEGER) AS n2, CAST(`column`.parent_column AS SIGNED INTEGER) AS n3, CAST(CAST(`column`.nulls_allowed AS SIGNED INTEGER) AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(`column`.column_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(`column`.column_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(`column`.initial_default AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(`column`.default_value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(`column`.default_value_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_column AS `column` INNER JOIN chosen ON chosen.table_id = `column`.table_id
WHERE `column`.begin_snapshot <= %s AND (`column`.end_snapshot IS NULL OR `column`.end_snapshot > %s) UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS SIGNED INTEGER) AS n1, CAST(sort_expression.sort_key_index AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(sort_expression.expression AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(sort_expression.dialect AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(sort_expression.sort_direction AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(sort_expression.null_order AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_sort_info AS sort_info INNER JOIN chosen ON chosen.table_id = sort_info.table_id INNER JOIN ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= %s AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > %s) UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, tag.object_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(tag.value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_tag AS tag INNER JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= %s AND (tag.end_snapshot IS NULL OR tag.end_snapshot > %s) AND tag.`key` = %s AND tag.value IS NOT NULL UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS SIGNED INTEGER) AS n1, CAST(partition_column.partition_key_index AS SIGNED INTEGER) AS n2, CAST(partition_column.column_id AS SIGNED INTEGER) AS n3, CAST(partition_info.begin_snapshot AS SIGNED INTEGER) AS n4, CAST(partition_info.end_snapshot AS SIGNED INTEGER) AS n5, CAST(partition_column.transform AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_partition_info AS partition_info INNER JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS SIGNED INTEGER) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(inlined_data_tables.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables INNER JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen INNER JOIN (SELECT information_schema.tables.table_name AS name
FROM information_schema.tables
WHERE information_schema.tables.table_schema = database()) AS installed ON installed.name = (concat(%s, CAST(chosen.table_id AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)));

-- entries.tables_in
WITH chosen AS
(SELECT `table`.table_id AS table_id, `table`.schema_id AS schema_id, `table`.table_uuid AS table_uuid, `table`.table_name AS table_name, `table`.path AS path, `table`.path_is_relative AS path_is_relative, `schema`.schema_name AS schema_name, `schema`.path AS schema_path, `schema`.path_is_relative AS schema_path_is_relative
FROM ducklake_table AS `table` INNER JOIN ducklake_schema AS `schema` ON `table`.schema_id = `schema`.schema_id
WHERE `table`.begin_snapshot <= %s AND (`table`.end_snapshot IS NULL OR `table`.end_snapshot > %s) AND `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s) AND (`schema`.schema_name = %s OR lower(`schema`.schema_name) = %s OR lower(`schema`.schema_name) = %s))
 SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS SIGNED INTEGER) AS n1, CAST(CAST(chosen.path_is_relative AS SIGNED INTEGER) AS SIGNED INTEGER) AS n2, CAST(CAST(chosen.schema_path_is_relative AS SIGNED INTEGER) AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(chosen.schema_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(chosen.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(chosen.path AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(chosen.schema_path AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(chosen.table_uuid AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, `column`.table_id AS table_id, CAST(`column`.column_id AS SIGNED INTEGER) AS n1, CAST(`column`.column_order AS SIGNED INTEGER) AS n2, CAST(`column`.parent_column AS SIGNED INTEGER) AS n3, CAST(CAST(`column`.nulls_allowed AS SIGNED INTEGER) AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(`column`.column_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(`column`.column_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(`column`.initial_default AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(`column`.default_value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(`column`.default_value_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_column AS `column` INNER JOIN chosen ON chosen.table_id = `column`.table_id
WHERE `column`.begin_snapshot <= %s AND (`column`.end_snapshot IS NULL OR `column`.end_snapshot > %s) UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS SIGNED INTEGER) AS n1, CAST(sort_expression.sort_key_index AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(sort_expression.expression AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(sort_expression.dialect AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(sort_expression.sort_direction AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(sort_expression.null_order AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_sort_info AS sort_info INNER JOIN chosen ON chosen.table_id = sort_info.table_id INNER JOIN ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= %s AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > %s) UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, tag.object_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(tag.value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_tag AS tag INNER JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= %s AND (tag.end_snapshot IS NULL OR tag.end_snapshot > %s) AND tag.`key` = %s AND tag.value IS NOT NULL UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS SIGNED INTEGER) AS n1, CAST(partition_column.partition_key_index AS SIGNED INTEGER) AS n2, CAST(partition_column.column_id AS SIGNED INTEGER) AS n3, CAST(partition_info.begin_snapshot AS SIGNED INTEGER) AS n4, CAST(partition_info.end_snapshot AS SIGNED INTEGER) AS n5, CAST(partition_column.transform AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_partition_info AS partition_info INNER JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS SIGNED INTEGER) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(inlined_data_tables.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables INNER JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen INNER JOIN (SELECT information_schema.tables.table_name AS name
FROM information_schema.tables
WHERE information_schema.tables.table_schema = database()) AS installed ON installed.name = (concat(%s, CAST(chosen.table_id AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)));

-- entries.table_named
WITH chosen AS
(SELECT `table`.table_id AS table_id, `table`.schema_id AS schema_id, `table`.table_uuid AS table_uuid, `table`.table_name AS table_name, `table`.path AS path, `table`.path_is_relative AS path_is_relative, `schema`.schema_name AS schema_name, `schema`.path AS schema_path, `schema`.path_is_relative AS schema_path_is_relative
FROM ducklake_table AS `table` INNER JOIN ducklake_schema AS `schema` ON `table`.schema_id = `schema`.schema_id
WHERE `table`.begin_snapshot <= %s AND (`table`.end_snapshot IS NULL OR `table`.end_snapshot > %s) AND `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s) AND (`schema`.schema_name = %s OR lower(`schema`.schema_name) = %s OR lower(`schema`.schema_name) = %s) AND (`table`.table_name = %s OR lower(`table`.table_name) = %s OR lower(`table`.table_name) = %s))
 SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(chosen.schema_id AS SIGNED INTEGER) AS n1, CAST(CAST(chosen.path_is_relative AS SIGNED INTEGER) AS SIGNED INTEGER) AS n2, CAST(CAST(chosen.schema_path_is_relative AS SIGNED INTEGER) AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(chosen.schema_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(chosen.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(chosen.path AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(chosen.schema_path AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(chosen.table_uuid AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, `column`.table_id AS table_id, CAST(`column`.column_id AS SIGNED INTEGER) AS n1, CAST(`column`.column_order AS SIGNED INTEGER) AS n2, CAST(`column`.parent_column AS SIGNED INTEGER) AS n3, CAST(CAST(`column`.nulls_allowed AS SIGNED INTEGER) AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(`column`.column_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(`column`.column_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(`column`.initial_default AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(`column`.default_value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(`column`.default_value_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_column AS `column` INNER JOIN chosen ON chosen.table_id = `column`.table_id
WHERE `column`.begin_snapshot <= %s AND (`column`.end_snapshot IS NULL OR `column`.end_snapshot > %s) UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, sort_info.table_id AS table_id, CAST(sort_info.sort_id AS SIGNED INTEGER) AS n1, CAST(sort_expression.sort_key_index AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(sort_expression.expression AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(sort_expression.dialect AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(sort_expression.sort_direction AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(sort_expression.null_order AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_sort_info AS sort_info INNER JOIN chosen ON chosen.table_id = sort_info.table_id INNER JOIN ducklake_sort_expression AS sort_expression ON sort_expression.sort_id = sort_info.sort_id
WHERE sort_info.begin_snapshot <= %s AND (sort_info.end_snapshot IS NULL OR sort_info.end_snapshot > %s) UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, tag.object_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(tag.value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_tag AS tag INNER JOIN chosen ON chosen.table_id = tag.object_id
WHERE tag.begin_snapshot <= %s AND (tag.end_snapshot IS NULL OR tag.end_snapshot > %s) AND tag.`key` = %s AND tag.value IS NOT NULL UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS SIGNED INTEGER) AS n1, CAST(partition_column.partition_key_index AS SIGNED INTEGER) AS n2, CAST(partition_column.column_id AS SIGNED INTEGER) AS n3, CAST(partition_info.begin_snapshot AS SIGNED INTEGER) AS n4, CAST(partition_info.end_snapshot AS SIGNED INTEGER) AS n5, CAST(partition_column.transform AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_partition_info AS partition_info INNER JOIN chosen ON chosen.table_id = partition_info.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS SIGNED INTEGER) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(inlined_data_tables.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables INNER JOIN chosen ON chosen.table_id = inlined_data_tables.table_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen INNER JOIN (SELECT information_schema.tables.table_name AS name
FROM information_schema.tables
WHERE information_schema.tables.table_schema = database()) AS installed ON installed.name = (concat(%s, CAST(chosen.table_id AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)));

-- entries.timeless
WITH chosen AS
(SELECT CAST(%s AS SIGNED INTEGER) AS table_id)
 SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, partition_info.table_id AS table_id, CAST(partition_info.partition_id AS SIGNED INTEGER) AS n1, CAST(partition_column.partition_key_index AS SIGNED INTEGER) AS n2, CAST(partition_column.column_id AS SIGNED INTEGER) AS n3, CAST(partition_info.begin_snapshot AS SIGNED INTEGER) AS n4, CAST(partition_info.end_snapshot AS SIGNED INTEGER) AS n5, CAST(partition_column.transform AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_partition_info AS partition_info INNER JOIN chosen ON partition_info.table_id = chosen.table_id LEFT OUTER JOIN ducklake_partition_column AS partition_column ON partition_column.partition_id = partition_info.partition_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, inlined_data_tables.table_id AS table_id, CAST(inlined_data_tables.schema_version AS SIGNED INTEGER) AS n1, CAST((SELECT max(schema_versions.begin_snapshot) AS max_1
FROM ducklake_schema_versions AS schema_versions
WHERE schema_versions.table_id = inlined_data_tables.table_id AND schema_versions.schema_version <= inlined_data_tables.schema_version) AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(inlined_data_tables.table_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM ducklake_inlined_data_tables AS inlined_data_tables INNER JOIN chosen ON inlined_data_tables.table_id = chosen.table_id UNION ALL SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, chosen.table_id AS table_id, CAST(NULL AS SIGNED INTEGER) AS n1, CAST(NULL AS SIGNED INTEGER) AS n2, CAST(NULL AS SIGNED INTEGER) AS n3, CAST(NULL AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(NULL AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5
FROM chosen INNER JOIN (SELECT information_schema.tables.table_name AS name
FROM information_schema.tables
WHERE information_schema.tables.table_schema = database()) AS installed ON installed.name = (concat(%s, CAST(chosen.table_id AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)));

-- entries.columns_ever
SELECT CAST(%s AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS fact, `column`.table_id AS table_id, CAST(`column`.column_id AS SIGNED INTEGER) AS n1, CAST(`column`.column_order AS SIGNED INTEGER) AS n2, CAST(`column`.parent_column AS SIGNED INTEGER) AS n3, CAST(CAST(`column`.nulls_allowed AS SIGNED INTEGER) AS SIGNED INTEGER) AS n4, CAST(NULL AS SIGNED INTEGER) AS n5, CAST(`column`.column_name AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w1, CAST(`column`.column_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w2, CAST(`column`.initial_default AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w3, CAST(`column`.default_value AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w4, CAST(`column`.default_value_type AS CHAR CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) AS w5, `column`.begin_snapshot, `column`.end_snapshot
FROM ducklake_column AS `column`
WHERE `column`.table_id = %s;

-- objects.schemas
SELECT `schema`.schema_id, `schema`.schema_name, `schema`.path, `schema`.path_is_relative
FROM ducklake_schema AS `schema`
WHERE `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s) ORDER BY `schema`.schema_id;

-- objects.table_names
SELECT `schema`.schema_name, `table`.table_name
FROM ducklake_table AS `table` INNER JOIN ducklake_schema AS `schema` ON `table`.schema_id = `schema`.schema_id
WHERE `table`.begin_snapshot <= %s AND (`table`.end_snapshot IS NULL OR `table`.end_snapshot > %s) AND `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s);

-- objects.views
SELECT `schema`.schema_name, view.view_name, view.dialect, view.`sql`, view.column_aliases, view.view_id
FROM ducklake_view AS view INNER JOIN ducklake_schema AS `schema` ON view.schema_id = `schema`.schema_id
WHERE view.begin_snapshot <= %s AND (view.end_snapshot IS NULL OR view.end_snapshot > %s) AND `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s) ORDER BY view.view_id;

-- objects.macros
SELECT macro.macro_id, macro_impl.impl_id, `schema`.schema_name, macro.macro_name, macro_impl.dialect, macro_impl.`sql`, macro_impl.type, macro_parameters.parameter_name, macro_parameters.default_value, macro_parameters.default_value_type
FROM ducklake_macro AS macro INNER JOIN ducklake_schema AS `schema` ON macro.schema_id = `schema`.schema_id INNER JOIN ducklake_macro_impl AS macro_impl ON macro_impl.macro_id = macro.macro_id LEFT OUTER JOIN ducklake_macro_parameters AS macro_parameters ON macro_parameters.macro_id = macro_impl.macro_id AND macro_parameters.impl_id = macro_impl.impl_id
WHERE macro.begin_snapshot <= %s AND (macro.end_snapshot IS NULL OR macro.end_snapshot > %s) AND `schema`.begin_snapshot <= %s AND (`schema`.end_snapshot IS NULL OR `schema`.end_snapshot > %s) ORDER BY macro.macro_id, macro_impl.impl_id, macro_parameters.column_id;

-- objects.options
SELECT metadata.`key`, metadata.value, metadata.scope, metadata.scope_id, `schema`.schema_name, table_schema.schema_name AS table_schema_name, `table`.table_name
FROM ducklake_metadata AS metadata LEFT OUTER JOIN ducklake_schema AS `schema` ON metadata.scope = %s AND `schema`.schema_id = metadata.scope_id LEFT OUTER JOIN ducklake_table AS `table` ON metadata.scope = %s AND `table`.table_id = metadata.scope_id AND `table`.end_snapshot IS NULL LEFT OUTER JOIN ducklake_schema AS table_schema ON table_schema.schema_id = `table`.schema_id ORDER BY metadata.`key`, metadata.scope, metadata.scope_id;

-- objects.facts
SELECT metadata.`key`, metadata.value
FROM ducklake_metadata AS metadata
WHERE metadata.scope IS NULL;

-- objects.is_installed
SELECT count(*) AS count_1
FROM (SELECT information_schema.tables.table_name AS name
FROM information_schema.tables
WHERE information_schema.tables.table_schema = database()) AS installed
WHERE installed.name = %s;

-- objects.mappings
SELECT name_mapping.mapping_id, name_mapping.column_id, name_mapping.source_name, name_mapping.target_field_id, name_mapping.parent_column, name_mapping.is_partition
FROM ducklake_name_mapping AS name_mapping
WHERE name_mapping.mapping_id IN (__[POSTCOMPILE_ids]) ORDER BY name_mapping.mapping_id, name_mapping.column_id;

-- files.files
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) ORDER BY data_file.data_file_id;

-- files.partition_values
SELECT data_file.data_file_id, file_partition_value.partition_key_index, file_partition_value.partition_value
FROM ducklake_data_file AS data_file INNER JOIN ducklake_file_partition_value AS file_partition_value ON file_partition_value.data_file_id = data_file.data_file_id
WHERE data_file.table_id = %s AND file_partition_value.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) ORDER BY data_file.data_file_id, file_partition_value.partition_key_index;

-- files.file_stats
SELECT file_column_stats.data_file_id, file_column_stats.column_id, file_column_stats.column_size_bytes, file_column_stats.value_count, file_column_stats.null_count, file_column_stats.min_value, file_column_stats.max_value, file_column_stats.contains_nan, file_column_stats.extra_stats
FROM ducklake_data_file AS data_file INNER JOIN ducklake_file_column_stats AS file_column_stats ON file_column_stats.data_file_id = data_file.data_file_id
WHERE data_file.table_id = %s AND file_column_stats.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) ORDER BY file_column_stats.data_file_id, file_column_stats.column_id;

-- files.table_stats
SELECT table_stats.record_count, table_stats.next_row_id, table_stats.file_size_bytes, table_column_stats.column_id, table_column_stats.contains_null, table_column_stats.contains_nan, table_column_stats.min_value, table_column_stats.max_value, table_column_stats.extra_stats
FROM ducklake_table_stats AS table_stats LEFT OUTER JOIN ducklake_table_column_stats AS table_column_stats ON table_column_stats.table_id = table_stats.table_id
WHERE table_stats.table_id = %s ORDER BY table_column_stats.column_id;

-- window.retained
SELECT (SELECT min(`column`.begin_snapshot) AS min_1
FROM ducklake_column AS `column`
WHERE `column`.table_id = %s) AS began, (SELECT count(*) AS count_1
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id >= %s AND snapshot.snapshot_id >= (SELECT min(`column`.begin_snapshot) AS min_1
FROM ducklake_column AS `column`
WHERE `column`.table_id = %s) AND snapshot.snapshot_id <= %s) AS there, (SELECT snapshot.next_file_id
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id = %s) AS next_file;

-- window.unbroken
SELECT max(snapshot.snapshot_id) AS max_1
FROM ducklake_snapshot AS snapshot
WHERE snapshot.snapshot_id <= %s AND NOT (EXISTS (SELECT predecessor.snapshot_id
FROM ducklake_snapshot AS predecessor
WHERE predecessor.snapshot_id = snapshot.snapshot_id - %s));

-- window.rewrites
SELECT snapshot_changes.snapshot_id, snapshot_changes.changes_made
FROM ducklake_snapshot_changes AS snapshot_changes
WHERE snapshot_changes.snapshot_id > %s AND snapshot_changes.snapshot_id <= %s AND (lower(snapshot_changes.changes_made) LIKE %s OR lower(snapshot_changes.changes_made) LIKE %s);

-- window.files
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key, data_file.end_snapshot, delete_file.begin_snapshot > %s OR delete_file.partial_max > %s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %s AS anon_1
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (data_file.end_snapshot > %s AND data_file.end_snapshot <= %s OR delete_file.begin_snapshot > %s OR delete_file.partial_max > %s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.begin_snapshot > %s OR data_file.partial_max > %s OR data_file.end_snapshot > %s AND data_file.end_snapshot <= %s OR delete_file.delete_file_id IS NOT NULL) ORDER BY data_file.data_file_id, delete_file.delete_file_id;

-- pruned.whole
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CASE WHEN file_column_stats.min_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.min_value AS DECIMAL(65,0)) END > CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END OR CASE WHEN file_column_stats.max_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.max_value AS DECIMAL(65,0)) END < CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END))) ORDER BY data_file.data_file_id;

-- pruned.whole_range
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CASE WHEN file_column_stats.max_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.max_value AS DECIMAL(65,0)) END < CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END OR file_column_stats.value_count = %s OR CASE WHEN file_column_stats.min_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.min_value AS DECIMAL(65,0)) END >= CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END))) ORDER BY data_file.data_file_id;

-- pruned.text
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(file_column_stats.min_value AS BINARY) >= CAST(%s AS BINARY)))) ORDER BY data_file.data_file_id;

-- pruned.real
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CASE WHEN file_column_stats.max_value REGEXP '^-?[0-9]{1,40}([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?$' THEN CAST(file_column_stats.max_value AS DOUBLE) END <= CASE WHEN %s REGEXP '^-?[0-9]{1,40}([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?$' THEN CAST(%s AS DOUBLE) END AND file_column_stats.contains_nan = false))) ORDER BY data_file.data_file_id;

-- pruned.money
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CASE WHEN file_column_stats.min_value REGEXP '^-?[0-9]{1,38}([.][0-9]{1,38})?$' THEN CAST(file_column_stats.min_value AS DECIMAL(65,3)) END > CASE WHEN %s REGEXP '^-?[0-9]{1,38}([.][0-9]{1,38})?$' THEN CAST(%s AS DECIMAL(65,3)) END))) ORDER BY data_file.data_file_id;

-- pruned.day
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(CASE WHEN (file_column_stats.min_value LIKE %s) THEN file_column_stats.min_value END AS BINARY) > CAST(%s AS BINARY) OR CAST(CASE WHEN (file_column_stats.max_value LIKE %s) THEN file_column_stats.max_value END AS BINARY) < CAST(%s AS BINARY)))) ORDER BY data_file.data_file_id;

-- pruned.moment
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(CASE WHEN (file_column_stats.max_value LIKE %s) THEN concat(file_column_stats.max_value, %s) WHEN (file_column_stats.max_value LIKE %s AND NOT (file_column_stats.max_value LIKE %s OR file_column_stats.max_value LIKE %s)) THEN substr(file_column_stats.max_value, %s, %s) END AS BINARY) < CAST(%s AS BINARY)))) ORDER BY data_file.data_file_id;

-- pruned.instant
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(CASE WHEN (file_column_stats.max_value LIKE %s AND file_column_stats.max_value LIKE %s) THEN substr(file_column_stats.max_value, %s, %s) END AS BINARY) < CAST(%s AS BINARY)))) ORDER BY data_file.data_file_id;

-- pruned.flag
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CASE WHEN (lower(file_column_stats.min_value) IN (__[POSTCOMPILE_lower_1])) THEN %s WHEN (lower(file_column_stats.min_value) IN (__[POSTCOMPILE_lower_2])) THEN %s END = %s AND CASE WHEN (lower(file_column_stats.max_value) IN (__[POSTCOMPILE_lower_3])) THEN %s WHEN (lower(file_column_stats.max_value) IN (__[POSTCOMPILE_lower_4])) THEN %s END = %s))) ORDER BY data_file.data_file_id;

-- pruned.key
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(CASE WHEN (file_column_stats.min_value LIKE %s) THEN lower(file_column_stats.min_value) END AS BINARY) > CAST(%s AS BINARY) OR CAST(CASE WHEN (file_column_stats.max_value LIKE %s) THEN lower(file_column_stats.max_value) END AS BINARY) < CAST(%s AS BINARY)))) ORDER BY data_file.data_file_id;

-- pruned.nulls
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND file_column_stats.null_count = %s)) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND file_column_stats.value_count = %s)) ORDER BY data_file.data_file_id;

-- pruned.either
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND ((data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR (CASE WHEN file_column_stats.min_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.min_value AS DECIMAL(65,0)) END > CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END OR CASE WHEN file_column_stats.max_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.max_value AS DECIMAL(65,0)) END < CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END) AND (CASE WHEN file_column_stats.min_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.min_value AS DECIMAL(65,0)) END > CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END OR CASE WHEN file_column_stats.max_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.max_value AS DECIMAL(65,0)) END < CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END)))) OR (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(file_column_stats.min_value AS BINARY) > CAST(%s AS BINARY) OR CAST(file_column_stats.max_value AS BINARY) < CAST(%s AS BINARY))))) ORDER BY data_file.data_file_id;

-- pruned.by_partition
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (delete_file.end_snapshot IS NULL OR delete_file.end_snapshot > %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.end_snapshot IS NULL OR data_file.end_snapshot > %s) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CASE WHEN file_column_stats.min_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.min_value AS DECIMAL(65,0)) END > CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END OR CASE WHEN file_column_stats.max_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_column_stats.max_value AS DECIMAL(65,0)) END < CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %s AND file_partition_value.partition_key_index = %s AND file_partition_value.data_file_id IS NOT NULL AND (file_partition_value.partition_value IS NULL OR CASE WHEN file_partition_value.partition_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_partition_value.partition_value AS DECIMAL(65,0)) END > CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END OR CASE WHEN file_partition_value.partition_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_partition_value.partition_value AS DECIMAL(65,0)) END < CASE WHEN %s REGEXP '^-?[0-9]{1,38}$' THEN CAST(%s AS DECIMAL(65,0)) END)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %s AND file_partition_value.partition_key_index = %s AND file_partition_value.data_file_id IS NOT NULL AND (file_partition_value.partition_value IS NULL OR (CASE WHEN file_partition_value.partition_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_partition_value.partition_value AS DECIMAL(65,0)) END NOT IN (__[POSTCOMPILE_param_3]))) AND NOT (EXISTS (SELECT *
FROM ducklake_column AS `column`
WHERE `column`.table_id = %s AND `column`.column_id = %s AND lower(`column`.column_type) != %s))))) AND (data_file.data_file_id NOT IN (SELECT file_column_stats.data_file_id
FROM ducklake_file_column_stats AS file_column_stats
WHERE file_column_stats.table_id = %s AND file_column_stats.column_id = %s AND file_column_stats.data_file_id IS NOT NULL AND (file_column_stats.value_count = %s OR CAST(CASE WHEN (file_column_stats.max_value LIKE %s) THEN concat(file_column_stats.max_value, %s) WHEN (file_column_stats.max_value LIKE %s AND NOT (file_column_stats.max_value LIKE %s OR file_column_stats.max_value LIKE %s)) THEN substr(file_column_stats.max_value, %s, %s) END AS BINARY) < CAST(%s AS BINARY) OR file_column_stats.value_count = %s OR CAST(CASE WHEN (file_column_stats.min_value LIKE %s) THEN concat(file_column_stats.min_value, %s) WHEN (file_column_stats.min_value LIKE %s AND NOT (file_column_stats.min_value LIKE %s OR file_column_stats.min_value LIKE %s)) THEN substr(file_column_stats.min_value, %s, %s) END AS BINARY) >= CAST(%s AS BINARY)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %s AND file_partition_value.partition_key_index = %s AND file_partition_value.data_file_id IS NOT NULL AND (CASE WHEN file_partition_value.partition_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_partition_value.partition_value AS DECIMAL(65,0)) END < %s OR CASE WHEN file_partition_value.partition_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_partition_value.partition_value AS DECIMAL(65,0)) END > %s)))) AND (data_file.partition_id IS NULL OR data_file.partition_id != %s OR (data_file.data_file_id NOT IN (SELECT file_partition_value.data_file_id
FROM ducklake_file_partition_value AS file_partition_value
WHERE file_partition_value.table_id = %s AND file_partition_value.partition_key_index = %s AND file_partition_value.data_file_id IS NOT NULL AND (CASE WHEN file_partition_value.partition_value REGEXP '^-?[0-9]{1,38}$' THEN CAST(file_partition_value.partition_value AS DECIMAL(65,0)) END NOT IN (__[POSTCOMPILE_param_10]))))) ORDER BY data_file.data_file_id;

-- inlined.deletes
SELECT ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id
FROM ducklake_inlined_delete_7
WHERE ducklake_inlined_delete_7.begin_snapshot <= %s ORDER BY ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id;

-- inlined.probe
SELECT ducklake_inlined_data_7_1.row_id
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.begin_snapshot <= %s AND (ducklake_inlined_data_7_1.end_snapshot IS NULL OR ducklake_inlined_data_7_1.end_snapshot > %s)
 LIMIT %s;

-- inlined.window_probe
SELECT count(CASE WHEN (ducklake_inlined_data_7_1.begin_snapshot > %s AND ducklake_inlined_data_7_1.begin_snapshot <= %s) THEN %s END) AS count_1, count(CASE WHEN (ducklake_inlined_data_7_1.end_snapshot > %s AND ducklake_inlined_data_7_1.end_snapshot <= %s) THEN %s END) AS count_2
FROM ducklake_inlined_data_7_1;

-- inlined.rows_born
SELECT ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot, ducklake_inlined_data_7_1.whole AS whole, ducklake_inlined_data_7_1.text AS text
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.begin_snapshot > %s AND ducklake_inlined_data_7_1.begin_snapshot <= %s AND (ducklake_inlined_data_7_1.end_snapshot IS NULL OR ducklake_inlined_data_7_1.end_snapshot > ducklake_inlined_data_7_1.begin_snapshot) ORDER BY ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot;

-- inlined.rows_died
SELECT ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.end_snapshot, ducklake_inlined_data_7_1.whole AS whole, ducklake_inlined_data_7_1.text AS text
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.end_snapshot > %s AND ducklake_inlined_data_7_1.end_snapshot <= %s AND ducklake_inlined_data_7_1.end_snapshot > ducklake_inlined_data_7_1.begin_snapshot ORDER BY ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.end_snapshot;

-- window.files_of
SELECT data_file.data_file_id, data_file.path, data_file.path_is_relative, data_file.record_count, data_file.file_size_bytes, data_file.begin_snapshot, data_file.partial_max, data_file.row_id_start, data_file.footer_size, data_file.partition_id, data_file.mapping_id, data_file.encryption_key, delete_file.delete_file_id, delete_file.path AS delete_path, delete_file.path_is_relative AS delete_path_is_relative, delete_file.format, delete_file.delete_count, delete_file.file_size_bytes AS delete_size_bytes, delete_file.begin_snapshot AS delete_begin, delete_file.partial_max AS delete_partial_max, delete_file.encryption_key AS delete_key, data_file.end_snapshot, delete_file.begin_snapshot > %s OR delete_file.partial_max > %s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %s AS anon_1
FROM ducklake_data_file AS data_file LEFT OUTER JOIN ducklake_delete_file AS delete_file ON delete_file.data_file_id = data_file.data_file_id AND delete_file.table_id = %s AND delete_file.begin_snapshot <= %s AND (data_file.end_snapshot > %s AND data_file.end_snapshot <= %s OR delete_file.begin_snapshot > %s OR delete_file.partial_max > %s OR delete_file.partial_max IS NULL AND delete_file.delete_file_id >= %s)
WHERE data_file.table_id = %s AND data_file.begin_snapshot <= %s AND (data_file.begin_snapshot > %s OR data_file.partial_max > %s OR data_file.end_snapshot > %s AND data_file.end_snapshot <= %s OR delete_file.delete_file_id IS NOT NULL OR data_file.data_file_id IN (SELECT ducklake_inlined_delete_7.file_id
FROM ducklake_inlined_delete_7
WHERE ducklake_inlined_delete_7.begin_snapshot > %s AND ducklake_inlined_delete_7.begin_snapshot <= %s)) ORDER BY data_file.data_file_id, delete_file.delete_file_id;

-- window.deletions
SELECT ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id, ducklake_inlined_delete_7.begin_snapshot
FROM ducklake_inlined_delete_7 INNER JOIN ducklake_data_file AS data_file ON data_file.data_file_id = ducklake_inlined_delete_7.file_id
WHERE data_file.table_id = %s AND ducklake_inlined_delete_7.begin_snapshot <= %s AND (ducklake_inlined_delete_7.begin_snapshot > %s OR data_file.end_snapshot > %s AND data_file.end_snapshot <= %s) ORDER BY ducklake_inlined_delete_7.file_id, ducklake_inlined_delete_7.row_id;

-- inlined.rows
SELECT ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot, ducklake_inlined_data_7_1.whole AS whole, ducklake_inlined_data_7_1.text AS text, ducklake_inlined_data_7_1.`real` AS `real`, ducklake_inlined_data_7_1.money AS money, ducklake_inlined_data_7_1.day AS day, ducklake_inlined_data_7_1.moment AS moment, ducklake_inlined_data_7_1.instant AS instant, ducklake_inlined_data_7_1.flag AS flag, ducklake_inlined_data_7_1.`key` AS `key`, ducklake_inlined_data_7_1.span AS span, ducklake_inlined_data_7_1.list AS list
FROM ducklake_inlined_data_7_1
WHERE ducklake_inlined_data_7_1.begin_snapshot <= %s AND (ducklake_inlined_data_7_1.end_snapshot IS NULL OR ducklake_inlined_data_7_1.end_snapshot > %s) ORDER BY ducklake_inlined_data_7_1.row_id, ducklake_inlined_data_7_1.begin_snapshot;

-- tables

CREATE TABLE ducklake_metadata (
    `key` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    scope LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    scope_id BIGINT
);

CREATE TABLE ducklake_snapshot (
    snapshot_id BIGINT NOT NULL,
    snapshot_time DATETIME(6),
    schema_version BIGINT,
    next_catalog_id BIGINT,
    next_file_id BIGINT,
    PRIMARY KEY (snapshot_id)
);

CREATE TABLE ducklake_snapshot_changes (
    snapshot_id BIGINT NOT NULL,
    changes_made LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    author LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    commit_message LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    commit_extra_info LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    PRIMARY KEY (snapshot_id)
);

CREATE TABLE ducklake_schema_versions (
    begin_snapshot BIGINT,
    schema_version BIGINT,
    table_id BIGINT
);

CREATE TABLE ducklake_schema (
    schema_id BIGINT NOT NULL,
    schema_uuid CHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path_is_relative BOOL,
    PRIMARY KEY (schema_id)
);

CREATE TABLE ducklake_table (
    table_id BIGINT,
    table_uuid CHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_id BIGINT,
    table_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path_is_relative BOOL
);

CREATE TABLE ducklake_view (
    view_id BIGINT,
    view_uuid CHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    schema_id BIGINT,
    view_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    dialect LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    `sql` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    column_aliases LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_column (
    column_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    table_id BIGINT,
    column_order BIGINT,
    column_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    column_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    initial_default LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    default_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    nulls_allowed BOOL,
    parent_column BIGINT,
    default_value_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    default_value_dialect LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_tag (
    object_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    `key` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_column_tag (
    table_id BIGINT,
    column_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    `key` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_macro (
    schema_id BIGINT,
    macro_id BIGINT,
    macro_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    begin_snapshot BIGINT,
    end_snapshot BIGINT
);

CREATE TABLE ducklake_macro_impl (
    macro_id BIGINT,
    impl_id BIGINT,
    dialect LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    `sql` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_macro_parameters (
    macro_id BIGINT,
    impl_id BIGINT,
    column_id BIGINT,
    parameter_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    parameter_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    default_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    default_value_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_data_file (
    data_file_id BIGINT NOT NULL,
    table_id BIGINT,
    begin_snapshot BIGINT,
    end_snapshot BIGINT,
    file_order BIGINT,
    path LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path_is_relative BOOL,
    file_format LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    record_count BIGINT,
    file_size_bytes BIGINT,
    footer_size BIGINT,
    row_id_start BIGINT,
    partition_id BIGINT,
    encryption_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
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
    path LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path_is_relative BOOL,
    format LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    delete_count BIGINT,
    file_size_bytes BIGINT,
    footer_size BIGINT,
    encryption_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    partial_max BIGINT,
    PRIMARY KEY (delete_file_id)
);

CREATE TABLE ducklake_files_scheduled_for_deletion (
    data_file_id BIGINT,
    path LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    path_is_relative BOOL,
    schedule_start DATETIME(6)
);

CREATE TABLE ducklake_file_column_stats (
    data_file_id BIGINT,
    table_id BIGINT,
    column_id BIGINT,
    column_size_bytes BIGINT,
    value_count BIGINT,
    null_count BIGINT,
    min_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    max_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    contains_nan BOOL,
    extra_stats LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_file_variant_stats (
    data_file_id BIGINT,
    table_id BIGINT,
    column_id BIGINT,
    variant_path LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    shredded_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    column_size_bytes BIGINT,
    value_count BIGINT,
    null_count BIGINT,
    min_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    max_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    contains_nan BOOL,
    extra_stats LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
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
    contains_null BOOL,
    contains_nan BOOL,
    min_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    max_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    extra_stats LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
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
    transform LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_file_partition_value (
    data_file_id BIGINT,
    table_id BIGINT,
    partition_key_index BIGINT,
    partition_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
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
    expression LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    dialect LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    sort_direction LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    null_order LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_inlined_data_tables (
    table_id BIGINT,
    table_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    schema_version BIGINT
);

CREATE TABLE ducklake_column_mapping (
    mapping_id BIGINT,
    table_id BIGINT,
    type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
);

CREATE TABLE ducklake_name_mapping (
    mapping_id BIGINT,
    column_id BIGINT,
    source_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    target_field_id BIGINT,
    parent_column BIGINT,
    is_partition BOOL
);
