"""Whether a lake is sound: what to look at, what is wrong with it, what to do about it."""

from quacklake.app.doctor.engines import spark_here
from quacklake.app.doctor.examine import Report, examine
from quacklake.app.doctor.findings import Finding, Severity

__all__ = ["Finding", "Report", "Severity", "examine", "spark_here"]
