"""The composition root: the only place that picks the parts of a lake."""
