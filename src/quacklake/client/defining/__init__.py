"""What users do to definitions: schemas, tables, columns, views, layout and comments."""
