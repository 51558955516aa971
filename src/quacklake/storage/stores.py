"""Object stores as Arrow file systems, one connection pool for each way of reaching one."""

from __future__ import annotations

import os
from datetime import timedelta
from functools import lru_cache
from typing import Final

from pyarrow import fs

from quacklake.kernel.errors import UsageError
from quacklake.storage.location import Place, Store
from quacklake.storage.options import StorageOptions

_CONNECT_SECONDS: Final = 5.0
_REQUEST_SECONDS: Final = 10.0
_ATTEMPTS: Final = 3
_GCS_RETRIES: Final = timedelta(seconds=10)

LOCAL: Final = fs.LocalFileSystem()


def filesystem_of(place: Place, options: StorageOptions) -> fs.FileSystem:
    """The file system that `place` lies in, opened when first needed."""
    if place.store is Store.LOCAL:
        return LOCAL
    return _opened(place.store, place.account, options, _environment())


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
            return LOCAL


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
    if authority is not None:
        # Few stores but Amazon's take the chunked uploads that its library now sends, and a
        # variable is the only way to tell it.
        os.environ.setdefault("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
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
    scheme, authority = _endpoint(options.gcs_endpoint, allow_http=False)
    return fs.GcsFileSystem(
        anonymous=options.gcs_anonymous,
        scheme=scheme,
        endpoint_override=authority,
        retry_time_limit=_GCS_RETRIES,
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
