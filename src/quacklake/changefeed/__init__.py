"""A range of snapshots becomes the rows that came and went in it."""
