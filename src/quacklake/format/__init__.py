"""The DuckLake specification as immutable values; nothing here reads or writes."""
