"""What every study leaves in its folder: a manifest, raw rows and a summary, in forms that are equal byte for byte.

Times stand in the manifest alone; a protocol file's digest is remembered there, so that a changed one is noticed.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from graph.errors import InvalidInput

PACKAGES = ("retinue", "numpy", "sqlglot", "sentence-transformers", "torch")


def digest_of(value: Any) -> str:
    return sha256(canonical(value).encode()).hexdigest()


def canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def write_rows(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        for row in rows:
            opened.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def read_rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as opened:
        yield from map(json.loads, opened)


def check_unchanged(folder: Path, *, protocol_file: str | None, exploratory: bool) -> None:
    """Raises `InvalidInput` where the folder holds a run of another protocol file and this is not exploratory."""
    manifest = folder / "manifest.json"
    if exploratory or protocol_file is None or not manifest.exists():
        return
    before = json.loads(manifest.read_text(encoding="utf-8")).get("protocol_file")
    if before not in (None, protocol_file):
        raise InvalidInput(
            "the protocol file",
            found="it was changed since its first run in this folder",
            hint="Run it with --exploratory, which the report will say, or into another folder",
        )
