"""An index of a workspace, held between questions: its live objects, its keys, its lexical arrays.

Derived from the store, and caught up by the changes since the version that it was built from.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Literal, NamedTuple, Protocol

from graph.catalogue import DataObject, Reference
from graph.changes import ChangeFeed, Changes, Listing
from graph.workspaces import Stamp, Workspaces
from services.lexical.index import Index, Vocabulary
from services.lexical.weights import Bm25, Cosines
from services.words import fold, full_text, piece_grams, piece_words

Field = Literal["text", "name", "intent"]
Unit = Literal["grams", "words"]
Names = dict[str, tuple[str, ...]]

MOST_RESULTS = 200  # of one answer
NOTHING = Stamp(incarnation="", version=0, catalogue_version=0)


class JoinKey(NamedTuple):
    """A reference that joins two tables: its columns and the tables they are of."""

    column: str
    table: str
    other_column: str
    other_table: str


@dataclass(kw_only=True, eq=False)
class CatalogueIndex:
    """A workspace at `stamp`. Immutable: catching up returns another index, which shares what did not change.

    `objects` are the live ones by id; `intents` the stored intents' texts by id. The lexical parts are built at first
    use, because learning needs none of them.
    """

    stamp: Stamp = NOTHING
    objects: Mapping[str, DataObject] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    intents: Mapping[str, str] = field(default_factory=dict)
    _indexes: dict[tuple[Field, Unit], Index] = field(default_factory=dict, init=False)
    _cosines: dict[tuple[Field, Unit], Cosines] = field(default_factory=dict, init=False)
    _bm25s: dict[Field, Bm25] = field(default_factory=dict, init=False)
    _named: Names | None = field(default=None, init=False)
    _lock: RLock = field(default_factory=RLock, init=False)

    def index(self, field: Field, unit: Unit) -> Index:
        """The lexical index over full texts, names, or stored intents."""
        with self._lock:
            if (field, unit) not in self._indexes:
                empty = Index(Vocabulary(piece_grams if unit == "grams" else piece_words))
                texts = self.intents if field == "intent" else self._texts(field, self.objects)
                self._indexes[field, unit] = empty.changed(removed=(), texts=texts)
            return self._indexes[field, unit]

    def cosines(self, field: Field, unit: Unit) -> Cosines:
        """TF-IDF cosines; with n-grams a term counts 1 + ln tf, and unseen terms count in the question's length."""
        with self._lock:
            if (field, unit) not in self._cosines:
                blended = unit == "grams"
                self._cosines[field, unit] = Cosines(
                    self.index(field, unit), sublinear=blended, unseen_count=blended or field == "intent"
                )
            return self._cosines[field, unit]

    def bm25(self, field: Field) -> Bm25:
        with self._lock:
            if field not in self._bm25s:
                self._bm25s[field] = Bm25(self.index(field, "words"))
            return self._bm25s[field]

    @cached_property
    def keys(self) -> Mapping[str, tuple[JoinKey, ...]]:
        """The references that join two live tables, by each of the two."""
        return _keys_by_table(self.objects, self.references)

    def named(self, text: str) -> tuple[str, ...]:
        """The live objects whose name is this text, but for case, accents and surrounding blanks, or whose id it is; by
        id, at most MOST_RESULTS."""
        with self._lock:
            if self._named is None:
                self._named = _with_names({}, self.objects.values())
            same = self._named.get(fold(text.strip()), ())
        return tuple(sorted({*same, text} if text in self.objects else same))[:MOST_RESULTS]

    def caught_up(self, changes: Changes, listing: Listing | None) -> CatalogueIndex:
        """The index at `changes.stamp`; `listing` is needed where something was removed."""
        dropped_objects: set[str] = {item.id for item in changes.objects if item.gone}
        dropped_intents: set[str] = set()
        if listing is not None:
            dropped_objects |= self.objects.keys() - set(listing.objects)
            dropped_intents |= self.intents.keys() - set(listing.intents)
        put = {item.id: item for item in changes.objects if not item.gone}
        dropped_objects -= put.keys()
        dropped_objects &= self.objects.keys()
        new_intents = dict(changes.intents)
        moved = bool(put or dropped_objects)
        objects = self.objects
        if moved:
            objects = {**objects, **put}
            for item in dropped_objects:
                del objects[item]
        intents = self.intents
        if new_intents or dropped_intents:
            intents = {item: text for item, text in intents.items() if item not in dropped_intents} | new_intents
        references = self.references if changes.references is None else changes.references
        after = CatalogueIndex(stamp=changes.stamp, objects=objects, references=references, intents=intents)
        with self._lock:
            if self._named is not None:
                before = [self.objects[item] for item in (*dropped_objects, *put) if item in self.objects]
                after._named = _with_names(_without_names(self._named, before), put.values())
            if not moved and changes.references is None and "keys" in self.__dict__:
                after.keys = self.keys
            stale = _attributes_of_renamed(self.objects, after.objects, put) if moved else {}
            for (field, unit), index in self._indexes.items():
                texts = new_intents if field == "intent" else after._texts(field, put | stale)
                removed = dropped_intents if field == "intent" else dropped_objects
                unmoved = not texts and not removed
                after._indexes[field, unit] = index if unmoved else index.changed(removed=removed, texts=texts)
            same = after._indexes.values()
            after._cosines = {at: it for at, it in self._cosines.items() if it.index in same}
            after._bm25s = {field: it for field, it in self._bm25s.items() if it.index in same}
        return after

    def table_name(self, item: DataObject) -> str | None:
        """The name of an attribute's table; None for a table."""
        if item.table is None:
            return None
        table = self.objects.get(item.table)
        return item.table if table is None else table.name

    def _texts(self, field: Field, objects: Mapping[str, DataObject]) -> dict[str, str]:
        if field == "name":
            return {item.id: item.name for item in objects.values()}
        return {item.id: full_text(item, self.table_name(item)) for item in objects.values()}


class IndexedStore(Workspaces, ChangeFeed, Protocol):
    """The ports that indexes are derived from."""


class CatalogueIndexes:
    """A cache of the indexes of recently used workspaces. Thread-safe."""

    def __init__(self, store: IndexedStore, *, capacity: int = 16) -> None:
        self._store = store
        self._capacity = capacity
        self._held: OrderedDict[str, CatalogueIndex] = OrderedDict()
        self._catching_up: dict[str, RLock] = {}
        self._lock = RLock()

    def held(self, workspace: str) -> CatalogueIndex:
        """The index as last seen, without reading the store; the current one if none is held."""
        with self._lock:
            catalogue = self._held.get(workspace)
            if catalogue is not None:
                self._held.move_to_end(workspace)
                return catalogue
        return self.current(workspace)

    def current(self, workspace: str) -> CatalogueIndex:
        """The current index: one `show_stamp`, and `changes` only if the workspace was written to."""
        with self._turn(workspace):
            before = self._held.get(workspace, CatalogueIndex())
            stamp = self._store.show_stamp(workspace)
            return before if stamp == before.stamp else self._catch_up(workspace, before, stamp)

    def at(self, workspace: str, stamp: Stamp) -> CatalogueIndex:
        """An index at `stamp` or later; `stamp` was just read from the store."""
        with self._turn(workspace):
            before = self._held.get(workspace, CatalogueIndex())
            seen = before.stamp
            if seen.incarnation == stamp.incarnation and seen.version >= stamp.version:
                return before
            return self._catch_up(workspace, before, stamp)

    def _catch_up(self, workspace: str, before: CatalogueIndex, stamp: Stamp) -> CatalogueIndex:
        # Versions of two incarnations must not be compared: another incarnation is read from the start.
        if before.stamp.incarnation != stamp.incarnation:
            before = CatalogueIndex()
        changes = self._store.changes(workspace, since=before.stamp.version)
        if before.stamp.incarnation not in ("", changes.stamp.incarnation):
            before = CatalogueIndex()
            changes = self._store.changes(workspace, since=0)
        known = bool(before.objects or before.intents)
        listing = self._store.list_ids(workspace) if changes.removed and known else None
        after = before.caught_up(changes, listing)
        with self._lock:
            self._held[workspace] = after
            self._held.move_to_end(workspace)
            while len(self._held) > self._capacity:
                dropped, _ = self._held.popitem(last=False)
                self._catching_up.pop(dropped, None)
        return after

    def _turn(self, workspace: str) -> RLock:
        with self._lock:
            return self._catching_up.setdefault(workspace, RLock())


def _keys_by_table(
    objects: Mapping[str, DataObject], references: tuple[Reference, ...]
) -> dict[str, tuple[JoinKey, ...]]:
    keys: dict[str, list[JoinKey]] = {}
    for first, second in references:
        one, two = objects.get(first), objects.get(second)
        if one is None or two is None or one.table is None or two.table is None or one.table == two.table:
            continue
        key = JoinKey(first, one.table, second, two.table)
        keys.setdefault(one.table, []).append(key)
        keys.setdefault(two.table, []).append(key)
    return {table: tuple(found) for table, found in keys.items()}


def _with_names(named: Names, items: Iterable[DataObject]) -> Names:
    return named | {name: (*named.get(name, ()), *ids) for name, ids in _by_name(items).items()}


def _without_names(named: Names, items: Iterable[DataObject]) -> Names:
    leaving = {name: set(ids) for name, ids in _by_name(items).items()}
    return named | {name: tuple(i for i in named[name] if i not in ids) for name, ids in leaving.items()}


def _by_name(items: Iterable[DataObject]) -> dict[str, list[str]]:
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        by_name[fold(item.name)].append(item.id)
    return by_name


def _attributes_of_renamed(
    before: Mapping[str, DataObject], after: Mapping[str, DataObject], put: Mapping[str, DataObject]
) -> dict[str, DataObject]:
    """Attributes whose full text changed because their table's name did."""
    tables = [item for item in put.values() if item.kind == "table"]
    renamed = {table.id for table in tables if table.id not in before or before[table.id].name != table.name}
    return {i: item for i, item in after.items() if item.table in renamed and i not in put} if renamed else {}
