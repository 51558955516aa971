"""Spark's own idiom: `quacklake.spark.register(spark)` makes the format `ducklake` known."""

from quacklake.engine.spark.registering import register
from quacklake.engine.spark.session import spark_session as session

__all__ = ["register", "session"]
