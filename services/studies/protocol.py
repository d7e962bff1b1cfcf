"""Protocols of studies: a dataclass filled from a TOML file and from options, before anything runs."""

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from graph.errors import InvalidInput

P = TypeVar("P")


def read_protocol(
    kind: type[P], options: Mapping[str, Any], *, file: Path | None, command: str
) -> tuple[P, str | None]:
    """Make a protocol from a file and from options; options that are None or empty leave what the file says.

    Returns the protocol, lists as tuples, and the file's SHA-256 (None without a file). Raises `InvalidInput` for a
    file that cannot be read, or that names no field of `kind`.
    """
    values: dict[str, Any] = {}
    digest = None
    if file is not None:
        asked = f"the protocol file {file.name}"
        try:
            content = file.read_bytes()
            values = tomllib.loads(content.decode())
        except (OSError, ValueError) as error:
            raise InvalidInput(asked, found=str(error), hint="Give a TOML file") from error
        digest = sha256(content).hexdigest()
        if unknown := sorted(values.keys() - {it.name for it in fields(kind)}):  # type: ignore[arg-type]
            hint = f"`retinue study {command} --help` lists the options"
            raise InvalidInput(asked, found=f"no option {unknown[0]!r}", hint=hint)
    values |= {key: value for key, value in options.items() if value not in (None, (), [])}
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}), digest
