"""Files and stores that fail: the right error, the file's name in it, and soon."""

from __future__ import annotations

import base64
import socket
import time
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from quacklake.format.files import DeleteFile, DeleteFormat
from quacklake.kernel.errors import (
    AccessDenied,
    CorruptLake,
    FileUnreadable,
    QuacklakeError,
    Unavailable,
    Unsupported,
    UsageError,
)
from quacklake.kernel.ids import DeleteFileId, SnapshotId
from quacklake.storage import Storage, StorageOptions, deleted_positions, open_parquet
from tests.support.objectstore import ObjectStore
from tests.support.roaring import deletion_vector
from tests.support.servers import free_port, runs_as_root

KEY: Final = bytes(range(16))
TEXT: Final = base64.b64encode(KEY).decode()
OTHER: Final = base64.b64encode(bytes(16)).decode()
SOON: Final = 15.0


def read(
    location: str,
    storage: Storage | None = None,
    *,
    size: int | None = None,
    key: str | None = None,
) -> None:
    source = open_parquet(storage or Storage(), location, file_size=size, encryption_key=key)
    try:
        source.read(range(len(source.row_groups)), source.schema.fields)
    finally:
        source.close()


def refused(
    kind: type[QuacklakeError], location: str, storage: Storage | None = None, **given: object
) -> QuacklakeError:
    """The error of reading `location`, which must be of exactly this class and name it."""
    began = time.monotonic()
    with pytest.raises(QuacklakeError) as caught:
        read(location, storage, **given)  # type: ignore[arg-type]
    assert type(caught.value) is kind
    assert caught.value.facts["location"] == location
    assert caught.value.hint
    assert time.monotonic() - began < SOON
    return caught.value


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "parquet decrypt AWS Error.parquet"
    table = pa.table({"id": list(range(10_000)), "name": [f"row {i}" for i in range(10_000)]})
    pq.write_table(table, path, row_group_size=2_000, compression="zstd")
    return path


def test_a_missing_file(tmp_path: Path) -> None:
    refused(FileUnreadable, str(tmp_path / "absent.parquet"))


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    refused(FileUnreadable, str(tmp_path))


def test_a_file_below_a_file(sample: Path) -> None:
    refused(FileUnreadable, str(sample / "x.parquet"))


@pytest.mark.skipif(runs_as_root(), reason="root may read everything")
def test_a_file_without_permission(sample: Path) -> None:
    sample.chmod(0)

    refused(AccessDenied, str(sample))


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 12, 1_000, -1, -9, -100])
def test_a_truncated_file(sample: Path, kept: int) -> None:
    sample.write_bytes(sample.read_bytes()[:kept])

    refused(FileUnreadable, str(sample))


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1PAR1", b"id,name\n1,a\n" * 100, bytes(5_000)]
)
def test_bytes_that_are_not_parquet(sample: Path, content: bytes) -> None:
    sample.write_bytes(content)

    refused(FileUnreadable, str(sample))


def test_a_damaged_page(sample: Path) -> None:
    data = bytearray(sample.read_bytes())
    data[4:100] = b"\xff" * 96
    sample.write_bytes(data)

    refused(FileUnreadable, str(sample))


def test_another_size_than_the_catalog_says(sample: Path) -> None:
    size = sample.stat().st_size

    error = refused(FileUnreadable, str(sample), size=size + 1)

    assert (error.facts["expected"], error.facts["found"]) == (size + 1, size)


def test_a_scheme_nobody_reads() -> None:
    refused(Unsupported, "ftp://host/x.parquet")


def test_azure_without_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(UsageError):
        read("az://container/x.parquet")


@pytest.mark.slow
def test_a_store_that_quotes_its_signature(capsys: pytest.CaptureFixture[str]) -> None:
    down = f"127.0.0.1:{free_port()}"
    options = StorageOptions(
        azure_account_name="duck",
        azure_sas_token="?sv=2024&sig=hush",
        azure_blob_authority=down,
        azure_dfs_authority=down,
        azure_allow_http=True,
    )

    error = refused(Unavailable, "az://container/x.parquet", Storage(options))

    traceback.print_exception(error)
    assert "hush" not in capsys.readouterr().err


class TestEncrypted:
    """Files sealed by DuckDB, and by Arrow."""

    @pytest.fixture(params=["DuckDB", "Arrow"])
    def sealed(self, request: pytest.FixtureRequest, sample: Path) -> Path:
        if request.param == "Arrow":
            table = pq.read_table(sample)
            pq.write_table(
                table, sample, encryption_properties=pe.create_encryption_properties(KEY)
            )
            return sample
        with duckdb.connect() as connection:
            connection.execute("SET force_mbedtls_unsafe = true")
            connection.execute(
                f"COPY (SELECT range AS id FROM range(10000)) TO '{sample}' "
                "(FORMAT parquet, ENCRYPTION_CONFIG {footer_key_value: $key})",
                {"key": KEY},
            )
        return sample

    def test_the_right_key_opens_it(self, sealed: Path) -> None:
        read(str(sealed), key=TEXT)

    def test_a_wrong_key(self, sealed: Path) -> None:
        error = refused(FileUnreadable, str(sealed), key=OTHER)

        assert "decrypt" in error.problem
        assert not_in_any_message(error, OTHER, bytes(16).hex())

    def test_no_key(self, sealed: Path) -> None:
        error = refused(FileUnreadable, str(sealed))

        assert "decrypt" in error.problem

    @pytest.mark.parametrize("kept", [0, 3, 8, 100, -1, -8, -30])
    def test_a_truncated_file(self, sealed: Path, kept: int) -> None:
        sealed.write_bytes(sealed.read_bytes()[:kept])

        refused(FileUnreadable, str(sealed), key=TEXT)

    @pytest.mark.parametrize("at", [20, -12, -40, -200])
    def test_a_changed_byte(self, sealed: Path, at: int) -> None:
        data = bytearray(sealed.read_bytes())
        data[at] ^= 1
        sealed.write_bytes(data)

        refused(FileUnreadable, str(sealed), key=TEXT)

    @pytest.mark.parametrize("key", ["not base64!", "c2hvcnQ=", ""])
    def test_a_key_that_is_none(self, sealed: Path, key: str) -> None:
        error = refused(CorruptLake, str(sealed), key=key)

        assert not key or not_in_any_message(error, key)


def not_in_any_message(error: BaseException | None, *secrets: str) -> bool:
    while error is not None:
        if any(secret in str(error) for secret in secrets):
            return False
        error = error.__cause__ or error.__context__
    return True


class TestDeletes:
    """Delete files that cannot be believed."""

    @staticmethod
    def described(path: Path, kind: DeleteFormat) -> DeleteFile:
        size = path.stat().st_size if path.exists() else 10
        return DeleteFile(DeleteFileId(1), str(path), kind, 1, size, SnapshotId(1), None)

    def refused(self, path: Path, kind: DeleteFormat = DeleteFormat.PARQUET) -> None:
        with pytest.raises(FileUnreadable) as caught:
            deleted_positions(Storage(), self.described(path, kind), SnapshotId(9))
        assert caught.value.facts["location"] == str(path)

    def test_a_missing_one(self, tmp_path: Path) -> None:
        self.refused(tmp_path / "absent.parquet")
        self.refused(tmp_path / "absent.puffin", DeleteFormat.PUFFIN)

    def test_one_without_positions(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"file_path": ["a"], "pos": ["b"]}), tmp_path / "d.parquet")

        self.refused(tmp_path / "d.parquet")

    @pytest.mark.parametrize("positions", [[1, 1], [2, 1], [-1, 3], [1, None]])
    def test_positions_out_of_order(self, tmp_path: Path, positions: list[int | None]) -> None:
        table = pa.table({"file_path": ["a", "a"], "pos": pa.array(positions, pa.int64())})
        pq.write_table(table, tmp_path / "d.parquet")

        self.refused(tmp_path / "d.parquet")

    def test_a_deletion_vector_with_a_wrong_checksum(self, tmp_path: Path) -> None:
        data = bytearray(deletion_vector([1, 2, 3]))
        data[-1] ^= 1
        (tmp_path / "d.puffin").write_bytes(data)

        self.refused(tmp_path / "d.puffin", DeleteFormat.PUFFIN)

    @pytest.mark.parametrize("content", [b"", b"x", b"PFA1", b"PFA1" * 10, bytes(100)])
    def test_bytes_that_are_no_deletion_vector(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "d.puffin").write_bytes(content)

        self.refused(tmp_path / "d.puffin", DeleteFormat.PUFFIN)


class TestObjectStore:
    """An S3 server that says no, or nothing."""

    @pytest.fixture
    def location(self, object_store: ObjectStore, sample: Path, tmp_path: Path) -> str:
        return object_store.put(f"{tmp_path.name}/rows.parquet", sample.read_bytes())

    @pytest.fixture
    def options(self, object_store: ObjectStore) -> StorageOptions:
        return object_store.options()

    @pytest.fixture
    def silent(self) -> Iterator[str]:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"

    def test_a_missing_object(self, location: str, options: StorageOptions) -> None:
        refused(FileUnreadable, location + ".absent", Storage(options))

    def test_a_missing_bucket(self, options: StorageOptions) -> None:
        refused(FileUnreadable, "s3://no-such-bucket/x.parquet", Storage(options))

    def test_a_wrong_secret(self, location: str, options: StorageOptions) -> None:
        wrong = Storage(replace(options, s3_secret_access_key="something else"))

        error = refused(AccessDenied, location, wrong)

        assert not_in_any_message(error, "something else")

    def test_a_wrong_key(self, location: str, options: StorageOptions) -> None:
        refused(AccessDenied, location, Storage(replace(options, s3_access_key_id="nobody")))

    def test_no_credentials(self, location: str, object_store: ObjectStore) -> None:
        stranger = Storage(StorageOptions(s3_endpoint=object_store.endpoint, s3_anonymous=True))

        refused(AccessDenied, location, stranger)

    def test_a_server_that_is_down(self, location: str, options: StorageOptions) -> None:
        down = Storage(replace(options, s3_endpoint=f"http://127.0.0.1:{free_port()}"))

        refused(Unavailable, location, down)

    def test_a_server_whose_name_nobody_knows(self, location: str, options: StorageOptions) -> None:
        lost = Storage(replace(options, s3_endpoint="http://no-such-host.invalid"))

        refused(Unavailable, location, lost)

    @pytest.mark.slow
    def test_a_server_that_never_answers(
        self, location: str, options: StorageOptions, silent: str
    ) -> None:
        with pytest.raises(Unavailable):
            read(location, Storage(replace(options, s3_endpoint=silent)))

    def test_a_truncated_object(
        self, sample: Path, tmp_path: Path, options: StorageOptions, object_store: ObjectStore
    ) -> None:
        content = sample.read_bytes()
        location = object_store.put(f"{tmp_path.name}/half.parquet", content[:-100])

        refused(FileUnreadable, location, Storage(options), size=len(content))
        refused(FileUnreadable, location, Storage(options))

    def test_a_server_that_goes_down_while_a_file_is_read(self) -> None:
        store = ObjectStore()
        try:
            content = pa.BufferOutputStream()
            pq.write_table(pa.table({"id": pa.array(range(1_000_000))}), content)
            location = store.put("rows.parquet", content.getvalue().to_pybytes())
            source = open_parquet(Storage(store.options()), location)
        finally:
            store.stop()

        with pytest.raises(Unavailable) as caught:
            source.read([0], source.schema.fields)

        assert caught.value.facts["location"] == source.location
        source.close()

    def test_asking_for_the_size_of_nothing(self, location: str, options: StorageOptions) -> None:
        storage = Storage(options)

        assert storage.exists(location)
        assert not storage.exists(location + ".absent")
        with pytest.raises(FileUnreadable):
            storage.size(location + ".absent")
