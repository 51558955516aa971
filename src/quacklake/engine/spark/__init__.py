"""Spark: plans become jobs of many processes, on one machine or on a cluster."""

from quacklake.engine.spark.cluster import SparkCluster
from quacklake.engine.spark.engine import SparkEngine

__all__ = ["SparkCluster", "SparkEngine"]
