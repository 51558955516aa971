"""A plan becomes SQL for an engine."""
