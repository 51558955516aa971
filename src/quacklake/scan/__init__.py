"""A snapshot and a filter become tasks, and tasks become rows."""
