"""Delete files as the extension writes them: every format, on disk and on S3, sealed or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from quacklake.format.files import DeleteFile, DeleteFormat
from quacklake.format.sqltypes import literal
from quacklake.kernel.ids import DeleteFileId, SnapshotId
from quacklake.storage import Storage, deleted_positions
from tests.support.objectstore import ObjectStore
from tests.support.referee import extended

ROWS: Final = 100_000
EVERY_THIRD: Final = list(range(0, ROWS, 3))
METADATA: Final = "__ducklake_metadata_lake"


@dataclass(frozen=True, slots=True)
class Written:
    """A lake after some deletes, and how its files are reached."""

    storage: Storage
    table_path: str
    rows: list[tuple[object, ...]]

    def files(self) -> list[DeleteFile]:
        return [
            DeleteFile(
                DeleteFileId(number),
                self.table_path + str(path),
                DeleteFormat(str(kind)),
                *(int(str(each)) for each in (count, size)),
                SnapshotId(int(str(begin))),
                None if until is None else SnapshotId(int(str(until))),
                None if key is None else str(key),
            )
            for number, (path, kind, count, size, begin, until, key) in enumerate(self.rows)
        ]


class Writer:
    """The extension with a lake of its own for each test."""

    def __init__(self, folder: Path, store: ObjectStore) -> None:
        self._folder = folder
        self._store = store

    def write(
        self, *deletes: str, on_s3: bool, puffin: bool = False, encrypted: bool = False
    ) -> Written:
        data = self._store.location(f"{self._folder.name}/") if on_s3 else f"{self._folder}/data/"
        with extended("ducklake", "httpfs") as connection:
            self._store.introduce(connection)
            connection.execute(
                f"ATTACH {literal(f'ducklake:{self._folder}/lake.ducklake')} AS lake "
                f"(DATA_PATH {literal(data)}, DATA_INLINING_ROW_LIMIT 0"
                f"{', ENCRYPTED' if encrypted else ''})"
            )
            connection.execute("CREATE TABLE lake.t AS SELECT range AS id FROM range(100000)")
            if puffin:
                connection.execute("CALL lake.set_option('write_deletion_vectors', true)")
            for delete in deletes:
                connection.execute(f"DELETE FROM lake.t WHERE {delete}")
            rows = connection.execute(
                "SELECT path, format, delete_count, file_size_bytes, begin_snapshot, partial_max, "
                f"encryption_key FROM {METADATA}.ducklake_delete_file ORDER BY begin_snapshot"
            ).fetchall()
        storage = Storage(self._store.options()) if on_s3 else Storage()
        return Written(storage, f"{data}main/t/", rows)


@pytest.fixture
def writer(tmp_path: Path, object_store: ObjectStore) -> Writer:
    return Writer(tmp_path, object_store)


@pytest.mark.parametrize("on_s3", [False, True])
@pytest.mark.parametrize("encrypted", [False, True])
def test_a_first_delete_lists_its_positions(
    writer: Writer, *, on_s3: bool, encrypted: bool
) -> None:
    written = writer.write("id % 3 = 0", on_s3=on_s3, encrypted=encrypted)

    (file,) = written.files()

    assert (file.encryption_key is not None) == encrypted
    assert deleted_positions(written.storage, file, SnapshotId(2)).tolist() == EVERY_THIRD


@pytest.mark.parametrize("encrypted", [False, True])
def test_deletes_of_several_snapshots_are_told_apart(writer: Writer, *, encrypted: bool) -> None:
    written = writer.write("id = 7", "id < 3", "id = 99999", on_s3=False, encrypted=encrypted)

    (file,) = written.files()
    found = {
        at: deleted_positions(written.storage, file, SnapshotId(at)).tolist() for at in range(1, 6)
    }

    assert found == {
        1: [],
        2: [7],
        3: [0, 1, 2, 7],
        4: [0, 1, 2, 7, 99999],
        5: [0, 1, 2, 7, 99999],
    }


@pytest.mark.parametrize("on_s3", [False, True])
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id % 3 = 0", EVERY_THIRD),
        ("id = 70000", [70_000]),
        ("id BETWEEN 10 AND 90000", list(range(10, 90_001))),
        ("id % 20000 = 1", [1, 20_001, 40_001, 60_001, 80_001]),
    ],
)
def test_deletion_vectors_list_their_positions(
    writer: Writer,
    *,
    on_s3: bool,
    condition: str,
    expected: list[int],
) -> None:
    written = writer.write(condition, on_s3=on_s3, puffin=True)

    (file,) = written.files()

    assert file.format is DeleteFormat.PUFFIN
    assert deleted_positions(written.storage, file, SnapshotId(9)).tolist() == expected
