"""DuckDB in this process: SQL over our own scan, without a server and without a JVM."""

from quacklake.engine.local.engine import LocalEngine

__all__ = ["LocalEngine"]
