"""A draft and the head it meets become rows of the catalog. Nothing here reads or writes."""
