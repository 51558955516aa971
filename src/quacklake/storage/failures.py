"""What went wrong at a location, told by the kinds of errors stores raise."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pyarrow as pa

from quacklake.kernel.errors import AccessDenied, FileUnreadable, QuacklakeError, Unavailable

_DENIED_STATUS: Final = re.compile(
    r"ACCESS_DENIED|AccessDenied|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|EXPIRED_TOKEN"
    r"|ExpiredToken|InvalidAccessKeyId|SignatureDoesNotMatch|UNRECOGNIZED_CLIENT|INVALID_TOKEN"
    r"|HTTP status(?: code)?:? (?:401|403)|HTTP response code:? (?:401|403)|\b403 Forbidden"
    r"|\b401 Unauthorized|PERMISSION_DENIED|UNAUTHENTICATED|AuthenticationFailed"
    r"|AuthorizationFailure|Access Denied|access is denied",
    re.IGNORECASE,
)
_ABSENT_ERRNOS: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
_DENIED_ERRNOS: Final = frozenset({errno.EACCES, errno.EPERM})


@contextmanager
def reading(location: str) -> Iterator[None]:
    """Turn whatever a store or the Parquet reader raises into an error that names `location`."""
    try:
        yield
    except QuacklakeError:
        raise
    except OSError as problem:
        raise _from_store(problem, location) from problem
    except (pa.ArrowException, UnicodeDecodeError) as problem:
        raise not_parquet(location) from problem


def missing(location: str) -> FileUnreadable:
    """The catalog names a file that does not exist."""
    return FileUnreadable(
        f"file '{location}' does not exist",
        hint="it was removed or moved outside the lake, or the data path is wrong",
        location=location,
    )


def not_parquet(location: str) -> FileUnreadable:
    """A file exists and its bytes are not what they should be."""
    return FileUnreadable(
        f"file '{location}' is truncated or not a Parquet file",
        hint="restore it from a backup; 'quacklake doctor' lists every damaged file",
        location=location,
    )


def denied(location: str) -> AccessDenied:
    """The store knows who asks, and says no."""
    return AccessDenied(
        f"access to '{location}' is denied",
        hint="check the credentials, or the permissions of the file",
        location=location,
    )


def _from_store(problem: OSError, location: str) -> QuacklakeError:
    if isinstance(problem, FileNotFoundError) or problem.errno in _ABSENT_ERRNOS:
        return missing(location)
    if problem.errno in _DENIED_ERRNOS or _DENIED_STATUS.search(str(problem)):
        return denied(location)
    if problem.errno is None and _is_about_content(problem):
        return not_parquet(location)
    return Unavailable(
        f"'{location}' could not be read",
        hint="check that the store is up and its endpoint and region are right, then retry",
        location=location,
    )


_CONTENT: Final = re.compile(
    r"thrift|parquet|page|decompress|corrupt|snappy|zstd|gzip|lz4|brotli|unexpected end of stream"
    r"|end of file|eof|truncat",
    re.IGNORECASE,
)


def _is_about_content(problem: OSError) -> bool:
    # Arrow reports broken pages as plain OSError, without errno and without a class of their own.
    return bool(_CONTENT.search(str(problem)))
