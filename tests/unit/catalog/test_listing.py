"""A listing of files is a sequence of values that are made when they are looked at."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from quacklake.catalog.listing import ColumnarRows, FileListing, folded

NO_DELETES = (None,) * 9


def deletes(number):
    return (number, f"{number}-delete.parquet", True, "parquet", 2, 100, 1, None, None)


def row(number, *, mapping=None, deletes=NO_DELETES):
    file = (number, f"{number}.parquet", True, 10, 100, 1, None, 0, 50, None, mapping, None)
    return (*file, *deletes)


def columnar(rows):
    columns = [pa.array(cells) for cells in zip(*rows, strict=True)]
    return ColumnarRows(pa.table(columns, names=[str(place) for place in range(len(columns))]))


def test_a_listing_reads_like_the_files_it_lists():
    listing = FileListing([row(1), row(2), row(3)], "lake/t/")

    assert len(listing) == 3
    assert [file.path for file in listing] == [f"lake/t/{i}.parquet" for i in (1, 2, 3)]
    assert listing[-1].id == 3
    assert [file.id for file in listing[1:]] == [2, 3]
    assert listing == list(listing)


def test_a_listing_knows_the_name_mappings_it_needs():
    listing = FileListing([row(1, mapping=7), row(2), row(3, mapping=7), row(4, mapping=9)], "")

    assert listing.mapping_ids() == {7, 9}


def test_a_listing_travels_to_other_processes():
    listing = FileListing([row(1), row(2)], "lake/t/")

    assert pickle.loads(pickle.dumps(listing)) == listing


@pytest.mark.parametrize("kept", [list, columnar])
def test_delete_files_of_one_data_file_are_put_together(kept):
    rows = [row(1), *(row(2, deletes=deletes(n)) for n in (7, 8, 9)), row(3, deletes=deletes(5))]

    files = FileListing(folded(kept(rows)), "lake/t/")

    assert [file.id for file in files] == [1, 2, 3]
    assert files[0].delete_file is None
    assert [each.id for each in files[1].delete_file.each()] == [7, 8, 9]
    assert [each.path for each in files[2].delete_file.each()] == ["lake/t/5-delete.parquet"]


@pytest.mark.parametrize("kept", [list, columnar])
def test_rows_of_different_files_stay_as_they_are(kept):
    rows = kept([row(1), row(2, deletes=deletes(7))])

    assert folded(rows) is rows


def test_no_rows_are_no_files():
    assert folded([]) == []
