"""How object stores are reached; whatever is absent comes from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final, Self

from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class StorageOptions:
    """Endpoints and credentials of object stores; secrets never show in `repr`."""

    s3_endpoint: str | None = None
    s3_region: str | None = None
    s3_access_key_id: str | None = field(default=None, repr=False)
    s3_secret_access_key: str | None = field(default=None, repr=False)
    s3_session_token: str | None = field(default=None, repr=False)
    s3_role_arn: str | None = None
    s3_anonymous: bool = False
    s3_allow_http: bool = False
    s3_virtual_addressing: bool = False
    gcs_endpoint: str | None = None
    gcs_anonymous: bool = False
    azure_account_name: str | None = None
    azure_account_key: str | None = field(default=None, repr=False)
    azure_sas_token: str | None = field(default=None, repr=False)
    azure_tenant_id: str | None = None
    azure_client_id: str | None = None
    azure_client_secret: str | None = field(default=None, repr=False)
    azure_blob_authority: str | None = None
    azure_dfs_authority: str | None = None
    azure_allow_http: bool = False

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """The options that a mapping such as `{"s3.region": "eu-west-1"}` asks for."""
        values: dict[str, str | bool] = {}
        for key, value in given.items():
            name = _NAMES.get(key)
            if name is None:
                raise UsageError(
                    f"unknown storage option '{key}'",
                    hint=f"the options are {', '.join(_NAMES)}",
                    option=key,
                )
            values[name] = _flag(key, value) if name in _FLAGS else str(value)
        return cls(**values)  # type: ignore[arg-type]  # flags are bool, the rest text


_NAMES: Final = {each.name.replace("_", ".", 1): each.name for each in fields(StorageOptions)}
_FLAGS: Final = frozenset(each.name for each in fields(StorageOptions) if each.default is False)
_TRUTH: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _flag(key: str, value: object) -> bool:
    parsed = value if isinstance(value, bool) else _TRUTH.get(str(value).strip().lower())
    if parsed is None:
        raise UsageError(
            f"storage option '{key}' is neither true nor false",
            hint="write true or false",
            option=key,
        )
    return parsed
