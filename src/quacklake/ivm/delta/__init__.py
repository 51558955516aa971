"""A plan becomes the plan of its change."""
