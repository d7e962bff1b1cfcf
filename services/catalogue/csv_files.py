"""Read CSV files as tables: names from the header, types guessed from the first rows; delimiter and encoding detected.

No value is kept, and only the beginning of a file is read. A guess is the narrowest type that all values fit; blanks,
and the usual words for null, are ignored.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath

from graph.errors import InvalidInput
from services.catalogue.items import collect, column_item, table_item
from services.catalogue.values import Rejected, SourceCatalogue, Unusable

HEAD_BYTES = 1_000_000
ROWS_LOOKED_AT = 1_000
SUFFIXES = (".csv", ".tsv", ".tab", ".psv")
DELIMITERS = (",", ";", "\t", "|")
FALLBACK = "windows-1252"  # what is no UTF-8 is most often this; --encoding names another

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MOST_CHARACTERS = HEAD_BYTES + 1  # of one field

_NOTHING = frozenset({"", "null", "none", "na", "n/a", "nan", "nil", "\\n", "-", "?"})
_TYPES = (
    ("BOOLEAN", re.compile(r"true|false|yes|no|t|f|y|n", re.IGNORECASE)),
    ("INTEGER", re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)),  # 007 is a code, and 20 digits are no number
    ("DECIMAL", re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d*)\.?\d+([eE][+-]?\d+)?|[+-]?\d+(,\d+)?", re.ASCII)),
    ("DATE", re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}", re.ASCII)),
    ("TIME", re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(\s?[AaPp][Mm])?", re.ASCII)),
    (
        "TIMESTAMP",
        re.compile(
            r"(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4})[T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?"
            r"(\s?(Z|[AaPp][Mm]|UTC|[+-]\d{2}:?\d{2}))?",
            re.ASCII,
        ),
    ),
)
_CODE = re.compile(r"[+-]?0\d+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file; `path` is relative to the file or folder given, `whole` if it is the whole file."""

    path: PurePath
    data: bytes
    whole: bool


def read_csv(heads: Sequence[Head], *, source: str, encoding: str | None = None) -> SourceCatalogue:
    """Read each file as a table named after it; its folders are its schema. Raises `InvalidInput` for an unknown
    encoding; files that are no tables, and columns without a unique name, are rejected."""
    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except LookupError as error:
            hint = "Name it as Python does: utf-8, windows-1250, latin-1, shift_jis, ..."
            raise InvalidInput(f"the encoding {encoding[:40]!r}", found="no such encoding", hint=hint) from error
    objects: list[dict[str, object]] = []
    rejected: list[Rejected] = []
    taken: dict[tuple[str, ...], PurePath] = {}
    for head in heads:
        path = (*head.path.parts[:-1], head.path.stem)
        if path in taken:
            rejected.append(Rejected(item=str(head.path), reason=f"{taken[path]} is a table of this name already"))
            continue
        try:
            rows = _rows(_text(head, encoding))
            columns = list(_columns(rows, head.path, rejected))
        except Unusable as error:
            rejected.append(Rejected(item=str(head.path), reason=str(error)))
            continue
        taken[path] = head.path
        objects.append(table_item(path))
        objects += (column_item(path, name, data_type=data_type) for name, data_type in columns)
    return collect(source, objects, (), rejected=rejected)


def read_heads(place: Path) -> tuple[Head, ...]:
    """Read the beginning of a file, or of each CSV file below a folder, by path. Raises `OSError`."""
    if not place.is_dir():
        return (_head(place, PurePath(place.name)),)
    files = sorted(
        path
        for path in place.rglob("*")
        if path.suffix.lower() in SUFFIXES
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(place).parts)
    )
    return tuple(_head(path, path.relative_to(place)) for path in files)


def _head(path: Path, name: PurePath) -> Head:
    with path.open("rb") as file:
        data = file.read(HEAD_BYTES + 1)
    return Head(path=name, data=data[:HEAD_BYTES], whole=len(data) <= HEAD_BYTES)


def _text(head: Head, encoding: str | None) -> str:
    """The beginning as text; a character that the cut splits is left out."""
    marked = next((name for mark, name in _MARKS if head.data.startswith(mark)), None)
    for name in (encoding,) if encoding else (marked,) if marked else ("utf-8", FALLBACK):
        try:
            text = codecs.getincrementaldecoder(name)().decode(head.data, final=head.whole)
        except UnicodeDecodeError:
            continue
        if "\x00" in text:
            raise Unusable("it holds NUL characters: it is no text, or in UTF-16 without a byte order mark")
        return text if head.whole else text[: text.rfind("\n") + 1] or text  # not half a row
    raise Unusable(f"it is no text in {encoding or marked or FALLBACK}; --encoding names another")


def _rows(text: str) -> list[list[str]]:
    """The header and the first rows, by the delimiter under which most rows have as many fields as the header."""
    said = text.partition("\n")[0].strip().lower()
    if said.startswith("sep=") and len(said) == 5:  # what Excel writes for itself
        text = text.partition("\n")[2]
    best: list[list[str]] = []
    most = (-1, -1)
    for delimiter in DELIMITERS:
        rows = list(_parse(text, delimiter))
        if not rows:
            continue
        width = len(rows[0])
        agreeing = sum(len(row) == width for row in rows)
        score = (agreeing * 10 // len(rows) if width > 1 else 0, width)
        if score > most:
            best, most = rows, score
    if not best:
        raise Unusable("it is empty")
    return best


def _parse(text: str, delimiter: str) -> Iterator[list[str]]:
    before = csv.field_size_limit(_MOST_CHARACTERS)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        yield from islice((row for row in rows if any(field.strip() for field in row)), ROWS_LOOKED_AT + 1)
    except csv.Error:
        return
    finally:
        csv.field_size_limit(before)


def _columns(rows: list[list[str]], path: PurePath, rejected: list[Rejected]) -> Iterator[tuple[str, str | None]]:
    header = [" ".join(name.split()) for name in rows[0]]
    named = [name for name in header if name]
    if all(map(_is_value, named)):
        raise Unusable("its first line holds values, not names of columns")
    seen: set[str] = set()
    for position, name in enumerate(header):
        values = [row[position] for row in rows[1:] if position < len(row)]
        if not name and not any(values):
            continue  # a delimiter at the end of each line
        if not name or name.casefold() in seen:
            reason = f"its name {name!r} comes twice; the first is taken" if name else "it has no name in the header"
            rejected.append(Rejected(item=f"{path} column {position + 1}", reason=reason))
            continue
        seen.add(name.casefold())
        yield name, guess_type(values)


def guess_type(values: Iterable[str]) -> str | None:
    """Guess a type: None if no value counts; TEXT if no narrower type fits them all."""
    fitting = [name for name, _ in _TYPES]
    seen = False
    for value in values:
        said = value.strip()
        if said.lower() in _NOTHING:
            continue
        seen = True
        fitting = [name for name, form in _TYPES if name in fitting and form.fullmatch(said) and not _CODE.match(said)]
        if not fitting:
            return "TEXT"
    return fitting[0] if seen else None


def _is_value(text: str) -> bool:
    """True if the text is a number, a date or a time, and so no name of a column."""
    said = text.strip()
    return any(form.fullmatch(said) for name, form in _TYPES if name != "BOOLEAN")
