"""Which engine a word means: this process, or Spark somewhere."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from quacklake.client.ports import Engines, QueryEngine
from quacklake.engine.local import LocalEngine
from quacklake.engine.spark import SparkCluster, SparkEngine
from quacklake.kernel.errors import UsageError
from quacklake.pipeline.ports import ProgramEngine, ProgramEngines

_MASTERS: Final = ("local[", "spark://", "sc://", "k8s://", "yarn")


def check_engine(word: str | None) -> None:
    """Refuse a word that names no engine."""
    if word not in (None, "local", "spark") and not is_spark(word):
        raise UsageError(
            f"no engine is called '{word}'",
            hint="write engine='local', engine='spark', or the address of a Spark master",
        )


def is_spark(word: str | None) -> bool:
    """Whether a word means Spark."""
    return word is not None and (word == "spark" or word.startswith(_MASTERS))


def master_of(word: str | None) -> str | None:
    """The master that a word names, if it is an address."""
    return word if word is not None and word != "spark" and is_spark(word) else None


def program_engines(cluster: SparkCluster) -> ProgramEngines:
    """The engines that keep stream tables, by name."""

    @lru_cache
    def engine(word: str) -> ProgramEngine:
        # Imported here: opening a lake needs none of it.
        if word == "local":
            from quacklake.engine.local.programs import LocalPrograms

            return LocalPrograms()
        check_engine(word)
        from quacklake.engine.spark.programs import SparkPrograms

        return SparkPrograms(cluster)

    return engine


def engines(default: str | None, cluster: SparkCluster) -> Engines:
    """The engines of one lake, each made when it is first asked for."""

    @lru_cache
    def engine(word: str | None) -> QueryEngine:
        check_engine(word)
        chosen = default if word is None else word
        return SparkEngine(cluster) if is_spark(chosen) else LocalEngine()

    return engine
