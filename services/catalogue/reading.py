"""Read a catalogue from a file, a folder, a database or a text, in any of the known forms.

An unreadable form is an error; invalid items are reported with the result.
"""

import json
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Literal, get_args

from graph.errors import InvalidInput
from services.catalogue.csv_files import SUFFIXES, Head, read_csv, read_heads
from services.catalogue.databases import read_database
from services.catalogue.dbt import is_manifest, read_manifest
from services.catalogue.items import collect
from services.catalogue.values import Progress, SourceCatalogue
from services.databases import is_database_url
from services.limits import SOURCE_CHARACTERS
from services.places import place_of
from services.texts import fault_in

Format = Literal["json", "ddl", "dbt", "csv", "database"]

SQLITE = b"SQLite format 3\x00"
_SUFFIXES: dict[str, Format] = {
    ".json": "json", ".sql": "ddl", ".ddl": "ddl", ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".psv": "csv",
}  # fmt: skip
_SPOKEN: dict[str, Format] = {"sql": "ddl"}


def read_catalogue(
    origin: Path | str,
    *,
    format: str | None = None,
    source: str | None = None,
    dialect: str = "",
    encoding: str | None = None,
    schemas: Sequence[str] = (),
    progress: Progress | None = None,
) -> SourceCatalogue:
    """Read the catalogue in a file or a folder (a `Path`), behind the URL of a database, or in a text (a `str`).

    `source` names its origin, by default the place of the file or folder, or the URL without credentials. `dialect`
    is for DDL, `encoding` for CSV, `schemas` for databases. Raises `InvalidInput` if nothing can be read,
    `SourceUnavailable` if the database does not respond.
    """
    named = _SPOKEN.get(format or "", format)
    if named is not None and named not in get_args(Format):
        raise InvalidInput(
            f"a catalogue in the form {named[:40]!r}",
            found="no such form",
            hint="Forms are json, ddl (SQL), dbt, csv, and database",
        )
    if fault := fault_in(source or "", limit=SOURCE_CHARACTERS):
        raise InvalidInput("the source of a catalogue", found=fault, hint="Name it in a few words of plain text")
    if (url := _database(origin, named)) is not None:
        return read_database(url, source=source, schemas=schemas, progress=progress)
    if source is None:
        source = place_of(origin) if isinstance(origin, Path) else ""
    suffix = origin.suffix.lower() if isinstance(origin, Path) else ""
    if (named or _SUFFIXES.get(suffix)) == "csv" or (isinstance(origin, Path) and origin.is_dir()):
        return _read_csv(origin, named=named, source=source, encoding=encoding)
    text = _read(origin) if isinstance(origin, Path) else origin
    form = named or _SUFFIXES.get(suffix) or _guess(text)
    if form != "ddl":
        return _read_json(text, source=source, form=named)
    from services.catalogue.ddl import read_ddl  # sqlglot takes a while to load, and JSON does not need it

    return read_ddl(text, source=source, dialect=dialect)


def _database(origin: Path | str, named: str | None) -> str | None:
    """The URL of the database at `origin`, None if it is none; SQLite files are recognised by their first bytes."""
    if isinstance(origin, str):
        return origin if named == "database" or (named is None and is_database_url(origin)) else None
    if named not in (None, "database") or not origin.is_file():
        return None
    with origin.open("rb") as file:
        is_sqlite = file.read(len(SQLITE)) == SQLITE
    if not is_sqlite and named is not None:
        raise InvalidInput(
            f"the database {origin.name}",
            found="it is no file of SQLite",
            hint="Give the URL of a database, or a file of SQLite",
        )
    return f"sqlite:///{origin.absolute()}" if is_sqlite else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the catalogue {path.name}", found="it is not text in UTF-8", hint="Save it as UTF-8 and import it again"
        ) from error
    except OSError as error:
        raise _unread(path, error) from error


def _unread(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"the catalogue {path.name}",
        found=error.strerror or "it cannot be read",
        hint="Give a file that is there and that you may read",
    )


def _guess(text: str) -> Format:
    return "json" if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") else "ddl"


def _read_csv(origin: Path | str, *, named: str | None, source: str, encoding: str | None) -> SourceCatalogue:
    if named not in (None, "csv"):
        raise InvalidInput(
            f"a catalogue in the form {named}", found="it is a folder", hint="A folder is read for its CSV files"
        )
    if isinstance(origin, str):
        head = Head(path=PurePath(source or "table"), data=origin.encode(), whole=True)
        return read_csv([head], source=source, encoding="utf-8-sig")
    try:
        heads = read_heads(origin)
    except OSError as error:
        raise _unread(origin, error) from error
    if not heads:
        raise InvalidInput(
            f"the folder {origin.name}",
            found=f"no file in it ends in {', '.join(SUFFIXES)}",
            hint="Give another folder",
        )
    return read_csv(heads, source=source, encoding=encoding)


def _read_json(text: str, *, source: str, form: str | None) -> SourceCatalogue:
    hint = 'Give {"objects": [...], "references": [[a, b], ...]}; an object has id, kind, name, an attribute also table'
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("a catalogue in JSON", found=f"it is no JSON: {str(error)[:200]}", hint=hint) from error
    if form == "dbt" or (form is None and is_manifest(data)):
        return read_manifest(data, source=source)
    objects = data.get("objects") if isinstance(data, dict) else None
    references = data.get("references") if isinstance(data, dict) else None
    if not isinstance(objects, list):
        raise InvalidInput("a catalogue in JSON", found="there is no list `objects` in it", hint=hint)
    if references is not None and not isinstance(references, list):
        raise InvalidInput("a catalogue in JSON", found="`references` is no list", hint=hint)
    return collect(source, objects, references or [])
