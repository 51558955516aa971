"""Where queries become rows."""
