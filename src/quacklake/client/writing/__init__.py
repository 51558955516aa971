"""What users do to rows: each operation reads through the workspace and stages changes in it."""
