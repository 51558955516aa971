"""SQL text becomes a plan: names resolved, clauses in the order SQL gives them meaning."""
