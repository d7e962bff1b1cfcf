"""Make an intent for a statement without one, from the names of the objects that it used."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from graph.catalogue import DataObject

MOST_CHARACTERS = 500


def made_intent(objects: Sequence[str], catalogue: Mapping[str, DataObject]) -> str:
    """`amount, duration of loan; A3 of district`."""
    columns: dict[str, list[str]] = defaultdict(list)
    for key in objects:
        item = catalogue[key]
        if item.table is None:
            columns[key] += []
        else:
            columns[item.table].append(_spoken(item.name))
    parts = [
        f"{', '.join(names)} of {_spoken(catalogue[table].name)}" if names else _spoken(catalogue[table].name)
        for table, names in columns.items()
    ]
    said = "; ".join(parts)
    return said if len(said) <= MOST_CHARACTERS else f"{said[: MOST_CHARACTERS - 1]}…"


def _spoken(name: str) -> str:
    return " ".join(name.replace("_", " ").split()) or name
