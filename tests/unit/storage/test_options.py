"""Options of object stores: parsed strictly, carried safely."""

from __future__ import annotations

import pickle

import pytest

from quacklake.kernel.errors import UsageError
from quacklake.storage.filesystem import Storage
from quacklake.storage.options import StorageOptions


def test_options_are_read_from_a_plain_mapping() -> None:
    options = StorageOptions.parse({"s3.region": "eu-west-1", "s3.allow_http": "true"})

    assert options == StorageOptions(s3_region="eu-west-1", s3_allow_http=True)


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        StorageOptions.parse({"s3.regoin": "eu-west-1"})

    assert caught.value.facts == {"option": "s3.regoin"}
    assert "s3.region" in caught.value.hint


@pytest.mark.parametrize(
    ("given", "expected"), [(True, True), ("TRUE", True), ("0", False), ("no", False)]
)
def test_flags_are_read_from_text(given: object, *, expected: bool) -> None:
    assert StorageOptions.parse({"s3.anonymous": given}).s3_anonymous is expected


def test_a_flag_that_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        StorageOptions.parse({"s3.anonymous": "perhaps"})

    assert caught.value.facts == {"option": "s3.anonymous"}


def test_secrets_do_not_show() -> None:
    options = StorageOptions.parse(
        {
            "s3.access_key_id": "hush-1",
            "s3.secret_access_key": "hush-2",
            "s3.session_token": "hush-3",
            "azure.account_key": "hush-4",
            "azure.sas_token": "hush-5",
            "azure.client_secret": "hush-6",
        }
    )

    assert "hush" not in repr(options)
    assert "hush" not in repr(Storage(options))


def test_a_storage_travels_to_another_process() -> None:
    storage = Storage(StorageOptions(s3_region="eu-west-1", s3_secret_access_key="s"))

    assert pickle.loads(pickle.dumps(storage)) == storage
