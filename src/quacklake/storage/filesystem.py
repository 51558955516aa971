"""Stores as file systems, opened when first needed and shared within a process."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final

import pyarrow as pa
from pyarrow import fs

from quacklake.kernel.errors import UsageError
from quacklake.storage.failures import missing, reading
from quacklake.storage.location import Place, Store, place_of
from quacklake.storage.options import StorageOptions

_CONNECT_SECONDS: Final = 5.0
_REQUEST_SECONDS: Final = 60.0
_ATTEMPTS: Final = 4


class Storage:
    """Reads bytes at locations. Holds options only, so that it can travel to other processes."""

    __slots__ = ("options",)

    def __init__(self, options: StorageOptions | None = None) -> None:
        self.options = options or StorageOptions()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and self.options == other.options

    def __hash__(self) -> int:
        return hash(self.options)

    def __repr__(self) -> str:
        return f"Storage({self.options!r})"

    def open_input(self, location: str) -> pa.NativeFile:
        """The file at `location`, open for random access."""
        with reading(location):
            place = place_of(location)
            if place.store is Store.LOCAL:
                return _LOCAL.open_input_file(place.path)
            return self._filesystem(place).open_input_file(place.path)

    def is_local(self, location: str) -> bool:
        """Whether `location` is a path of this machine."""
        return place_of(location).store is Store.LOCAL

    def local_path(self, location: str) -> str | None:
        """The path of a local file, or None for anything in an object store."""
        place = place_of(location)
        return place.path if place.store is Store.LOCAL else None

    def exists(self, location: str) -> bool:
        """Whether a file is at `location`."""
        return self._info(location).type is fs.FileType.File

    def size(self, location: str) -> int:
        """The number of bytes of the file at `location`."""
        info = self._info(location)
        if info.type is not fs.FileType.File or info.size is None:
            raise missing(location)
        return int(info.size)

    def _info(self, location: str) -> fs.FileInfo:
        with reading(location):
            place = place_of(location)
            return self._filesystem(place).get_file_info(place.path)

    def _filesystem(self, place: Place) -> fs.FileSystem:
        if place.store is Store.LOCAL:
            return _LOCAL
        return _opened(place.store, place.account, self.options, _environment())


_LOCAL: Final = fs.LocalFileSystem()


def _environment() -> tuple[str | None, ...]:
    """The variables that steer a store: a change of them must not meet an old connection."""
    return tuple(os.environ.get(name) for name in _VARIABLES)


_VARIABLES: Final = (
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
)


@lru_cache(maxsize=32)
def _opened(
    store: Store, account: str | None, options: StorageOptions, environment: tuple[str | None, ...]
) -> fs.FileSystem:
    del environment
    match store:
        case Store.S3:
            return _s3(options)
        case Store.GCS:
            return _gcs(options)
        case Store.AZURE:
            return _azure(options, account)
        case Store.LOCAL:
            return _LOCAL


def _s3(options: StorageOptions) -> fs.FileSystem:
    endpoint = (
        options.s3_endpoint
        or os.environ.get("AWS_ENDPOINT_URL_S3")
        or os.environ.get("AWS_ENDPOINT_URL")
    )
    scheme, authority = _endpoint(endpoint, allow_http=options.s3_allow_http)
    region = (
        options.s3_region
        or os.environ.get("AWS_REGION")
        or os.environ.get("AWS_DEFAULT_REGION")
        # A custom endpoint ignores the region, and asking the instance metadata service takes long.
        or ("us-east-1" if authority else None)
    )
    return fs.S3FileSystem(
        access_key=options.s3_access_key_id,
        secret_key=options.s3_secret_access_key,
        session_token=options.s3_session_token,
        role_arn=options.s3_role_arn,
        anonymous=options.s3_anonymous,
        region=region,
        scheme=scheme,
        endpoint_override=authority,
        force_virtual_addressing=options.s3_virtual_addressing,
        connect_timeout=_CONNECT_SECONDS,
        request_timeout=_REQUEST_SECONDS,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


def _endpoint(endpoint: str | None, *, allow_http: bool) -> tuple[str, str | None]:
    """Scheme and authority; a bare `host:port` is HTTPS unless HTTP is allowed."""
    if not endpoint:
        return "https", None
    scheme, separator, authority = endpoint.partition("://")
    if not separator:
        return ("http" if allow_http else "https"), endpoint.rstrip("/")
    return scheme, authority.rstrip("/")


def _gcs(options: StorageOptions) -> fs.FileSystem:
    from datetime import timedelta

    scheme, authority = _endpoint(options.gcs_endpoint, allow_http=False)
    return fs.GcsFileSystem(
        anonymous=options.gcs_anonymous,
        scheme=scheme,
        endpoint_override=authority,
        retry_time_limit=timedelta(seconds=20),
    )


def _azure(options: StorageOptions, account: str | None) -> fs.FileSystem:
    name = (
        account
        or options.azure_account_name
        or os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
        or os.environ.get("AZURE_STORAGE_ACCOUNT")
    )
    if name is None:
        raise UsageError(
            "the Azure storage account is not known",
            hint="set the option 'azure.account_name' or AZURE_STORAGE_ACCOUNT_NAME",
        )
    scheme = "http" if options.azure_allow_http else "https"
    key = options.azure_account_key or os.environ.get("AZURE_STORAGE_ACCOUNT_KEY")
    sas = options.azure_sas_token or os.environ.get("AZURE_STORAGE_SAS_TOKEN")
    return fs.AzureFileSystem(
        account_name=name,
        account_key=key,
        sas_token=None if key else sas,
        tenant_id=options.azure_tenant_id,
        client_id=options.azure_client_id,
        client_secret=options.azure_client_secret,
        blob_storage_authority=options.azure_blob_authority,
        dfs_storage_authority=options.azure_dfs_authority,
        blob_storage_scheme=scheme,
        dfs_storage_scheme=scheme,
    )
