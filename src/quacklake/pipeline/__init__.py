"""Stream tables: declared, refreshed by what changed, and kept with their frontiers."""
