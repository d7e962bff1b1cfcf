"""The options of a study: those of a protocol file, if any, and over them what was given by hand."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from graph.errors import InvalidInput


def read_options(
    kind: type, given: Mapping[str, Any], *, file: Path | None, hint: str
) -> tuple[dict[str, Any], str | None]:
    """By field of the dataclass `kind`, lists as tuples, what is None or empty left out; and the file's digest.

    Raises `InvalidInput` for a file that cannot be read, or that names no field of `kind`.
    """
    values: dict[str, Any] = {}
    digest = None
    if file is not None:
        try:
            content = file.read_bytes()
            values = tomllib.loads(content.decode())
        except (OSError, ValueError) as error:
            raise InvalidInput(f"the protocol file {file.name}", found=str(error), hint="Give a TOML file") from error
        digest = sha256(content).hexdigest()
        if unknown := sorted(values.keys() - {it.name for it in fields(kind)}):
            raise InvalidInput(f"the protocol file {file.name}", found=f"no option {unknown[0]!r}", hint=hint)
    values |= {key: value for key, value in given.items() if value not in (None, (), [])}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}, digest
