"""API keys: who may do what over HTTP, read from a TOML file that holds digests only.

A key itself is shown once, when it is made, and never kept.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from api.settings import check_workspace_name
from graph.errors import InvalidSettings

Role = Literal["read", "write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as the server knows it. `workspaces` None opens all of them."""

    name: str
    sha256: str
    role: Role
    workspaces: frozenset[str] | None

    def opens(self, workspace: str) -> bool:
        return self.workspaces is None or workspace in self.workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """All keys that the server knows."""

    keys: tuple[Key, ...]

    def find(self, secret: str) -> Key | None:
        """The key with this secret; none has the empty one, which is what a caller without a key shows.

        Every digest is compared in full, so that time tells nothing.
        """
        if not secret:
            return None
        digest = digest_of(secret)
        found = None
        for key in self.keys:
            if hmac.compare_digest(key.sha256, digest):
                found = key
        return found


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def make_key() -> str:
    """A fresh secret of 256 bits."""
    return "ret_" + secrets.token_urlsafe(32)


def key_line(key: Key) -> str:
    """The line of the keys file that makes the server know `key`."""
    opened = '"*"' if key.workspaces is None else "[" + ", ".join(f'"{name}"' for name in sorted(key.workspaces)) + "]"
    return f'"{key.name}" = {{ sha256 = "{key.sha256}", role = "{key.role}", workspaces = {opened} }}'


def read_keys(path: Path) -> Keys:
    """The keys in the file at `path`, one a line, as `key_line` writes them."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise _invalid(path, found=f"it cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # bytes that are no text, too many digits, and too deep a nesting too
        raise _invalid(path, found=f"it is not TOML ({str(error)[:200]})") from error
    if not table:
        raise _invalid(path, found="it holds no key")
    keys = tuple(parse_key(name, entry, path=path) for name, entry in table.items())
    names: dict[str, str] = {}
    for key in keys:
        if key.sha256 in names:
            raise _invalid(path, found=f"{names[key.sha256]!r} and {key.name!r} have the same sha256")
        names[key.sha256] = key.name
    return Keys(keys=keys)


def parse_key(name: str, entry: object, *, path: Path) -> Key:
    """The key that one entry of the keys file describes."""
    if not isinstance(entry, Mapping) or entry.keys() != {"sha256", "role", "workspaces"}:
        raise _invalid(path, found=f"the entry {name!r} is not {{ sha256, role, workspaces }}")
    digest, role, opened = entry["sha256"], entry["role"], entry["workspaces"]
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
        raise _invalid(path, found=f"the sha256 of {name!r} is not 64 hexadecimal digits")
    if digest.lower() == digest_of(""):
        raise _invalid(path, found=f"the sha256 of {name!r} is that of the empty text, which anybody has")
    if role not in ("read", "write"):
        raise _invalid(path, found=f"the role of {name!r} is neither read nor write")
    if opened == "*":
        return Key(name=name, sha256=digest.lower(), role=role, workspaces=None)
    if not isinstance(opened, list) or not opened or not all(isinstance(item, str) for item in opened):
        raise _invalid(path, found=f'the workspaces of {name!r} are neither a list of names nor "*"')
    return Key(
        name=name,
        sha256=digest.lower(),
        role=role,
        workspaces=frozenset(check_workspace_name(item) for item in opened),
    )


def _invalid(path: Path, *, found: str) -> InvalidSettings:
    return InvalidSettings(f"the keys file {path}", found=found, hint="Add the line that `retinue key new` prints")
