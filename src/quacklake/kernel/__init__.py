"""Words everyone shares: identifiers and errors."""
