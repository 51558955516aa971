"""Locations name a store and a path, literally."""

from __future__ import annotations

import pytest

from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.storage.location import Place, Store, place_of

IN_ACCOUNT = Place(Store.AZURE, "container/x", "account")


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("a/b c.parquet", Place(Store.LOCAL, "a/b c.parquet")),
        ("/a/k=v%2Fw/f#1?.parquet", Place(Store.LOCAL, "/a/k=v%2Fw/f#1?.parquet")),
        ("C:\\lake\\f.parquet", Place(Store.LOCAL, "C:\\lake\\f.parquet")),
        ("file:///a/b", Place(Store.LOCAL, "/a/b")),
        ("file:/a/b", Place(Store.LOCAL, "/a/b")),
        ("file://localhost/a/b", Place(Store.LOCAL, "/a/b")),
        ("s3://bucket/k=a%20b/ü #?.parquet", Place(Store.S3, "bucket/k=a%20b/ü #?.parquet")),
        ("S3A://bucket/x", Place(Store.S3, "bucket/x")),
        ("gs://bucket/x", Place(Store.GCS, "bucket/x")),
        ("gcs://bucket/x", Place(Store.GCS, "bucket/x")),
        ("az://container/x/y", Place(Store.AZURE, "container/x/y")),
        ("abfss://container@account.dfs.core.windows.net/x", IN_ACCOUNT),
        ("abfss://account.dfs.core.windows.net/container/x", IN_ACCOUNT),
        ("az://account.blob.core.windows.net/container/x", IN_ACCOUNT),
    ],
)
def test_a_location_names_a_store_and_a_path(location: str, place: Place) -> None:
    assert place_of(location) == place


def test_an_unknown_scheme_is_named() -> None:
    with pytest.raises(Unsupported) as caught:
        place_of("https://example.org/x.parquet")

    assert caught.value.facts["scheme"] == "https"


def test_a_file_of_another_machine_is_refused() -> None:
    with pytest.raises(UsageError):
        place_of("file://elsewhere.example.org/x.parquet")
