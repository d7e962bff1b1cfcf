"""Check the raw items of a catalogue: each becomes an object or a reference, or is rejected with the reason.

Items are checked one by one; whether an attribute's table exists is checked by the import.
"""

from collections.abc import Iterable, Sequence

from graph.catalogue import DataObject, Reference
from services.catalogue.ids import make_id
from services.catalogue.values import Rejected, SourceCatalogue, Unusable
from services.limits import ID_CHARACTERS
from services.texts import fault_in, says_something

NAME_LIMIT = 1_000
DESCRIPTION_LIMIT = 20_000
TYPE_LIMIT = 20_000  # a struct's type is long


def table_item(path: Sequence[str], *, description: object = "") -> dict[str, object]:
    """The raw item of a table; the last part of its path is its name."""
    return {"id": make_id(path), "kind": "table", "name": path[-1], "description": description}


def column_item(path: Sequence[str], name: object, *, data_type: object, description: object = "") -> dict[str, object]:
    """The raw item of a column; `path` is that of its table."""
    return {
        "id": make_id((*path, str(name))),
        "kind": "attribute",
        "table": make_id(path),
        "name": name,
        "description": description,
        "data_type": data_type,
    }


def collect(
    source: str, objects: Iterable[object], references: Iterable[object], *, rejected: Iterable[Rejected] = ()
) -> SourceCatalogue:
    """Check raw items and collect them; invalid and repeated ones are rejected, after those `rejected` before."""
    kept: dict[str, DataObject] = {}
    pairs: dict[Reference, None] = {}
    left_out = list(rejected)
    for position, raw in enumerate(objects):
        try:
            item = _object(raw, source=source)
            if item.id in kept:
                raise Unusable("the id comes twice; the first is taken")
            kept[item.id] = item
        except Unusable as error:
            left_out.append(Rejected(item=_label(raw, f"objects[{position}]"), reason=str(error)))
    for position, raw in enumerate(references):
        try:
            pairs[_reference(raw)] = None
        except Unusable as error:
            left_out.append(Rejected(item=f"references[{position}]", reason=str(error)))
    return SourceCatalogue(
        source=source, objects=tuple(kept.values()), references=tuple(pairs), rejected=tuple(left_out)
    )


def _object(raw: object, *, source: str) -> DataObject:
    if not isinstance(raw, dict):
        raise Unusable("it is no object with `id`, `kind` and `name`")
    kind = raw.get("kind")
    if kind not in ("table", "attribute"):
        raise Unusable(f"`kind` is {str(kind)[:40]!r}, neither table nor attribute")
    table = raw.get("table")
    if kind == "table" and table is not None:
        raise Unusable("it is a table, and has a `table` itself")
    item = DataObject(
        id=_text(raw, "id", limit=ID_CHARACTERS, needed=True),
        kind=kind,
        name=_text(raw, "name", limit=NAME_LIMIT, needed=True),
        description=_text(raw, "description", limit=DESCRIPTION_LIMIT, layout=True),
        table=_text(raw, "table", limit=ID_CHARACTERS, needed=True) if kind == "attribute" else None,
        data_type=_text(raw, "data_type", limit=TYPE_LIMIT, layout=True) or None,
        source=source,
    )
    if item.table == item.id:
        raise Unusable("its `table` is itself")
    return item


def _reference(raw: object) -> Reference:
    if not isinstance(raw, list | tuple) or len(raw) != 2:
        raise Unusable("it is no pair of attribute ids")
    first, second = raw
    for end in (first, second):
        if fault := fault_in(end, limit=ID_CHARACTERS):
            raise Unusable(f"an end of it is no id: {fault}")
    if first == second:
        raise Unusable("it refers to itself")
    return first, second


def _text(raw: dict[str, object], name: str, *, limit: int, needed: bool = False, layout: bool = False) -> str:
    value = raw.get(name)
    if value is None and not needed:
        return ""
    if value is None:
        raise Unusable(f"`{name}` is missing")
    if fault := fault_in(value, limit=limit, layout=layout):
        raise Unusable(f"`{name}`: {fault}")
    text = str(value)
    if needed and not says_something(text):
        raise Unusable(f"`{name}` is empty")
    return text


def _label(raw: object, place: str) -> str:
    """The item's id where it has a printable one, else its place."""
    found = raw.get("id") if isinstance(raw, dict) else None
    usable = isinstance(found, str) and says_something(found) and fault_in(found, limit=ID_CHARACTERS) is None
    return str(found) if usable else place
