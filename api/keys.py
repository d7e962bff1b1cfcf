"""API keys: roles and workspaces, read from a TOML file that holds only digests of the keys."""

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
    """A key as in the keys file. `workspaces` None opens all of them."""

    name: str
    sha256: str
    role: Role
    workspaces: frozenset[str] | None

    def opens(self, workspace: str) -> bool:
        return self.workspaces is None or workspace in self.workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """All keys of the keys file."""

    keys: tuple[Key, ...]

    def find(self, secret: str) -> Key | None:
        """Return the key with this secret, None for an unknown or empty one. Takes constant time for each key."""
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
    """Return a new secret of 256 bits."""
    return "ret_" + secrets.token_urlsafe(32)


def key_line(key: Key) -> str:
    """Return the line of `key` in the keys file."""
    opened = '"*"' if key.workspaces is None else "[" + ", ".join(f'"{name}"' for name in sorted(key.workspaces)) + "]"
    return f'"{key.name}" = {{ sha256 = "{key.sha256}", role = "{key.role}", workspaces = {opened} }}'


def read_keys(path: Path) -> Keys:
    """Return the keys in the file at `path`. Raises `InvalidSettings`."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise _invalid(path, found=f"it cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # also invalid UTF-8, numbers too long, nesting too deep
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
    """Return the key of one entry of the keys file."""
    if not isinstance(entry, Mapping) or entry.keys() != {"sha256", "role", "workspaces"}:
        raise _invalid(path, found=f"the entry {name!r} is not {{ sha256, role, workspaces }}")
    digest, role, opened = entry["sha256"], entry["role"], entry["workspaces"]
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
        raise _invalid(path, found=f"the sha256 of {name!r} is not 64 hexadecimal digits")
    if digest.lower() == digest_of(""):
        raise _invalid(path, found=f"the sha256 of {name!r} is that of the empty text")
    if role not in ("read", "write"):
        raise _invalid(path, found=f"the role of {name!r} is neither read nor write")
    named = isinstance(opened, list) and opened and all(isinstance(item, str) for item in opened)
    if opened != "*" and not named:
        raise _invalid(path, found=f'the workspaces of {name!r} are neither a list of names nor "*"')
    workspaces = None if opened == "*" else frozenset(check_workspace_name(item) for item in opened)
    return Key(name=name, sha256=digest.lower(), role=role, workspaces=workspaces)


def _invalid(path: Path, *, found: str) -> InvalidSettings:
    return InvalidSettings(f"the keys file {path}", found=found, hint="Add the line that `retinue key new` prints")
