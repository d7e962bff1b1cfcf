"""A catalogue out of a file or a text, in whichever of the known forms it is.

A form that cannot be read at all is an error; an item that cannot be used is reported with the rest.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

from graph.errors import InvalidInput
from services.catalogue.items import collect
from services.catalogue.values import Catalogue
from services.texts import fault_in

Format = Literal["json", "ddl"]
_SUFFIXES: dict[str, Format] = {".json": "json", ".sql": "ddl", ".ddl": "ddl"}
_SPOKEN: dict[str, Format] = {"sql": "ddl"}
SOURCE_LIMIT = 1_000


def read_catalogue(
    source_file: Path | str, *, format: str | None = None, source: str | None = None, dialect: str = ""
) -> Catalogue:
    """The catalogue in a file (a `Path`) or in a text (a `str`). `source` names where it is from, and is the file's
    name where it is not given; `dialect` is that of DDL. Raises `InvalidInput` where the whole cannot be read."""
    text = _read(source_file) if isinstance(source_file, Path) else source_file
    if source is None:
        source = source_file.name if isinstance(source_file, Path) else ""
    if fault := fault_in(source, limit=SOURCE_LIMIT):
        raise InvalidInput("the source of a catalogue", found=fault, hint="Name it in a few words of plain text")
    suffix = source_file.suffix.lower() if isinstance(source_file, Path) else ""
    form = _form(text, format=format, suffix=suffix)
    if form == "json":
        return _read_json(text, source=source)
    from services.catalogue.ddl import read_ddl  # sqlglot takes a while to load, and JSON does not need it

    return read_ddl(text, source=source, dialect=dialect)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the catalogue {path.name}", found="it is not text in UTF-8", hint="Save it as UTF-8 and import it again"
        ) from error
    except OSError as error:
        raise InvalidInput(
            f"the catalogue {path.name}",
            found=error.strerror or "it cannot be read",
            hint="Give a file that is there and that you may read",
        ) from error


def _form(text: str, *, format: str | None, suffix: str) -> Format:
    named = _SPOKEN.get(format or "", format)
    if named is not None and named not in get_args(Format):
        raise InvalidInput(
            f"a catalogue in the form {named[:40]!r}", found="no such form", hint="Forms are json and ddl (SQL)"
        )
    if named is not None:
        return "json" if named == "json" else "ddl"
    return _SUFFIXES.get(suffix) or ("json" if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") else "ddl")


def _read_json(text: str, *, source: str) -> Catalogue:
    hint = 'Give {"objects": [...], "references": [[a, b], ...]}; an object has id, kind, name, an attribute also table'
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("a catalogue in JSON", found=f"it is no JSON: {str(error)[:200]}", hint=hint) from error
    objects = data.get("objects") if isinstance(data, dict) else None
    references = data.get("references") if isinstance(data, dict) else None
    if not isinstance(objects, list):
        raise InvalidInput("a catalogue in JSON", found="there is no list `objects` in it", hint=hint)
    if references is not None and not isinstance(references, list):
        raise InvalidInput("a catalogue in JSON", found="`references` is no list", hint=hint)
    return collect(source, objects, references or [])
