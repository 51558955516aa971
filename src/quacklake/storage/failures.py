"""What went wrong at a location, told by the kinds of errors stores and readers raise."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

import pyarrow as pa

from quacklake.kernel.errors import AccessDenied, FileUnreadable, QuacklakeError, Unavailable

_ABSENT_ERRNOS: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
_DENIED_ERRNOS: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_FULL_ERRNOS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# Arrow gives object store errors neither errno nor class: the store's own code is in the text.
_ABSENT: Final = re.compile(
    r"is a directory|NO_SUCH_(?:KEY|BUCKET)|HTTP status 404|not found", re.IGNORECASE
)
_DENIED: Final = re.compile(
    r"ACCESS_?DENIED|INVALID_?ACCESS_?KEY_?ID|SIGNATURE_?DOES_?NOT_?MATCH|EXPIRED_?TOKEN"
    r"|UNRECOGNIZED_CLIENT|INVALID_(?:CLIENT_)?TOKEN|HTTP status (?:400|401|403)|40[13] Forbidden"
    r"|401 Unauthorized|PERMISSION_DENIED|UNAUTHENTICATED|AuthenticationFailed"
    r"|AuthorizationFailure|AuthorizationPermissionMismatch|Could not create a OAuth2",
    re.IGNORECASE,
)
_SEALED: Final = re.compile(r"decrypt|encrypted|cipher", re.IGNORECASE)
_STORE: Final = re.compile(
    r"AWS Error|curlCode|google::cloud|GetObject|Azure|HTTP (?:status|response)|Connection|timeout",
    re.IGNORECASE,
)


class _Telling:
    """Turns errors into ours that name a location; a class, because every file passes here."""

    __slots__ = ("_errors", "_judged", "_location")

    def __init__(
        self,
        location: str,
        errors: tuple[type[Exception], ...],
        judged: Callable[[Exception, str], QuacklakeError],
    ) -> None:
        self._location = location
        self._errors = errors
        self._judged = judged

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: object, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if problem is not None and isinstance(problem, self._errors):
            raise self._judged(problem, self._location) from _told(problem)


def opening(location: str) -> _Telling:
    """Turn whatever a store raises into an error that names `location`."""
    return _Telling(location, _STORE_ERRORS, _from_store)


def reading(location: str) -> _Telling:
    """Turn whatever a store or the Parquet reader raises into an error that names `location`."""
    return _Telling(location, _READER_ERRORS, _from_reading)


@contextmanager
def writing(location: str) -> Iterator[None]:
    """Turn whatever a store or the Parquet writer raises into an error that names `location`."""
    try:
        yield
    except (OSError, pa.ArrowException) as problem:
        raise _from_writing(problem, location) from _told(problem)


_STORE_ERRORS: Final = (OSError, pa.ArrowException)
_READER_ERRORS: Final = (OSError, pa.ArrowException, UnicodeDecodeError)
_SIGNATURE: Final = re.compile(r"\?[^\s'\"]*\bsig=[^\s'\"]*")


def _told(problem: Exception) -> Exception:
    """The cause as it may be shown: Azure quotes addresses with the signature that opens them."""
    text = str(problem)
    return OSError(_SIGNATURE.sub("", text)) if _SIGNATURE.search(text) else problem


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


def undecipherable(location: str) -> FileUnreadable:
    """A key is at hand and does not fit."""
    return FileUnreadable(
        f"file '{location}' cannot be decrypted with the catalog's key",
        hint="the file or the catalog was replaced: restore both from one backup",
        location=location,
    )


def denied(location: str) -> AccessDenied:
    """The store knows who asks, and says no."""
    return AccessDenied(
        f"access to '{location}' is denied",
        hint="check the credentials and the region, or the permissions of the file",
        location=location,
    )


def _from_reading(problem: Exception, location: str) -> QuacklakeError:
    words = _words(problem, location)
    if _SEALED.search(words):
        return undecipherable(location)
    # A broken page is a plain OSError without a number, a broken network names its store.
    if isinstance(problem, OSError) and (problem.errno is not None or _STORE.search(words)):
        return _from_store(problem, location)
    return not_parquet(location)


def _from_store(problem: Exception, location: str) -> QuacklakeError:
    number = problem.errno if isinstance(problem, OSError) else None
    words = _words(problem, location)
    if number in _ABSENT_ERRNOS or (number is None and _ABSENT.search(words)):
        return missing(location)
    if number in _DENIED_ERRNOS or (number is None and _DENIED.search(words)):
        return denied(location)
    return Unavailable(
        f"'{location}' could not be read",
        hint="check that the store is up and its endpoint and region are right, then retry",
        location=location,
    )


def _from_writing(problem: Exception, location: str) -> QuacklakeError:
    number = problem.errno if isinstance(problem, OSError) else None
    words = _words(problem, location)
    if number in _DENIED_ERRNOS or (number is None and _DENIED.search(words)):
        return denied(location)
    if number in _FULL_ERRNOS:
        return Unavailable(
            f"'{location}' could not be written: no space left",
            hint="make room on the disk, then retry",
            location=location,
        )
    return Unavailable(
        f"'{location}' could not be written",
        hint="check that the store is up, its bucket exists and its region is right, then retry",
        location=location,
    )


def _words(problem: Exception, location: str) -> str:
    """The text of an error without the quoted names in it, which may look like anything."""
    text = str(problem)
    path = location.partition("://")[2] or location
    bucket, _, key = path.partition("/")
    for name in (location, path, key, bucket):
        text = text.replace(f"'{name}'", "''")
    return text
