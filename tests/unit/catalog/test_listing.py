"""A listing of files is a sequence of values that are made when they are looked at."""

from __future__ import annotations

import pickle

from quacklake.catalog.listing import FileListing


def row(number, *, mapping=None):
    file = (number, f"{number}.parquet", True, 10, 100, 1, None, 0, 50, None, mapping, None)
    return (*file, *[None] * 9)


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
