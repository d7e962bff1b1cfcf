"""Learning: a statement executed for an intent becomes a memory of the objects that it used, one by one or by lines.

Combines the parsing and resolving of SQL with the memory service; failures are reported by line.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeVar

from graph.catalogue import DataObject
from graph.errors import InvalidInput
from graph.memories import MemoryState
from services.catalogue_index import CatalogueIndexes
from services.identity import normal_intent
from services.learning.lines import Line, Logged
from services.learning.masking import mask
from services.learning.names import Schema
from services.learning.parsing import UnreadableSql, parse_sql
from services.learning.resolve import Resolution, resolve
from services.memories import Entry, Feedback, MemoryService, Remembered
from services.memories.service import checked

COMMIT_LINES = 200
SCHEMAS_HELD = 16
NOTHING_KNOWN = "it uses nothing that the catalogue knows"
KEPT_CHARACTERS = 20_000  # a longer statement is learned from, but not kept
INTENT_CHARACTERS = 500  # of an intent that is made of names


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """The result of a statement. `memory` and `state` are None if it used no object of the catalogue, or if it failed
    and had no memory."""

    memory: str | None = None
    objects: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    state: MemoryState | None = None

    def useful(self) -> Learnt:
        """Return the same. Raises `InvalidInput` if the statement used no object of the catalogue."""
        if self.objects:
            return self
        names = ", ".join(self.unresolved[:10])
        raise InvalidInput(
            "to learn from a statement",
            found=NOTHING_KNOWN + (f" ({names})" if names else ""),
            hint="Import the catalogue that holds its tables, or name the workspace that does",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReport(Learnt):
    """The result of a line (counted from 1); `error` if it was not learned from."""

    line: int
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnReport:
    """The results of all lines but blank ones."""

    lines: tuple[LineReport, ...]

    @property
    def learned(self) -> int:
        """Count lines with a memory; a failure without one is neither learned nor rejected."""
        return sum(line.error is None and line.memory is not None for line in self.lines)

    @property
    def rejected(self) -> int:
        return sum(line.error is not None for line in self.lines)


L = TypeVar("L", bound=Learnt)


class LearningService:
    """Learn statements. Thread-safe."""

    def __init__(self, memories: MemoryService, indexes: CatalogueIndexes) -> None:
        self._memories = memories
        self._indexes = indexes
        self._schemas: OrderedDict[tuple[str, str, int], Schema] = OrderedDict()
        self._lock = Lock()

    def learn(
        self,
        workspace: str,
        intent: str,
        sql: str,
        *,
        dialect: str = "",
        succeeded: bool = True,
        discovery: str | None = None,
        request: str | None = None,
        keep_sql: bool = False,
    ) -> Learnt:
        """Learn one statement. Raises `InvalidInput` if it cannot be read; unresolved names are returned."""
        checked(Feedback(kind="executed_sql", discovery=discovery))  # even if nothing will be stored
        line = Line(
            intent=normal_intent(intent),
            sql=sql,
            dialect=dialect,
            succeeded=succeeded,
            discovery=discovery,
            request=request,
        )
        try:
            entry, resolution = _understood(line, self._schema(workspace), keep_sql=keep_sql)
        except UnreadableSql as error:
            raise _unreadable("to learn from a statement", error) from error
        result = self._memories.remember_all(workspace, [entry])[0] if entry else Remembered()
        if result.conflict is not None:
            raise result.conflict
        return _remembered(Learnt(objects=resolution.objects, unresolved=resolution.unresolved), result)

    def masked(self, workspace: str, sql: str, *, dialect: str = "") -> str:
        """Mask the literals of a statement, as memories keep it. Raises `InvalidInput` if it cannot be read."""
        try:
            script = parse_sql(sql, dialect=dialect)
            return mask(script, strings=resolve(script, self._schema(workspace)).strings)
        except UnreadableSql as error:
            raise _unreadable("to keep a statement", error) from error

    def learn_log(
        self,
        workspace: str,
        log: Iterable[Logged],
        *,
        on_commit: Callable[[int], None] | None = None,
        keep_sql: bool = False,
    ) -> LearnReport:
        """Learn the statements of a log in batches; invalid lines are reported and do not affect others. A statement
        without an intent gets one made of the names of its objects, and no evidence: its memory stays proposed.
        `on_commit(n)`: lines 1 to n are committed."""
        report: list[LineReport] = []
        batch: list[tuple[LineReport, Entry | None]] = []
        number = 0
        schema = self._schema(workspace)
        for logged in log:
            number = logged.number
            if logged.found is None:
                continue
            batch.append(_read(number, logged.found, schema, keep_sql=keep_sql))
            if len(batch) >= COMMIT_LINES:
                report += self._commit(workspace, batch, number, on_commit)
                batch = []
                schema = self._schema(workspace)
        if number:
            report += self._commit(workspace, batch, number, on_commit)
        return LearnReport(lines=tuple(report))

    def _commit(
        self,
        workspace: str,
        batch: list[tuple[LineReport, Entry | None]],
        number: int,
        on_commit: Callable[[int], None] | None,
    ) -> list[LineReport]:
        entries = [entry for _, entry in batch if entry is not None]
        results = iter(self._memories.remember_all(workspace, entries) if entries else ())
        reports = [report if entry is None else _line_remembered(report, next(results)) for report, entry in batch]
        if on_commit is not None:
            on_commit(number)
        return reports

    def _schema(self, workspace: str) -> Schema:
        """The current catalogue; read again only after a change of it, which memories are not."""
        stamp = self._memories.show_stamp(workspace)
        key = (workspace, stamp.incarnation, stamp.catalogue_version)
        schema = self._schemas.get(key)
        if schema is None:
            catalogue = self._indexes.current(workspace)
            schema = Schema(catalogue.objects.values())
            key = (workspace, catalogue.stamp.incarnation, catalogue.stamp.catalogue_version)
            with self._lock:
                self._schemas[key] = schema
                while len(self._schemas) > SCHEMAS_HELD:
                    self._schemas.popitem(last=False)
        return schema


def _unreadable(asked: str, error: UnreadableSql) -> InvalidInput:
    hint = "Give the SQL as it ran, and its dialect (sqlite, postgres, mysql, snowflake, tsql, ...)"
    return InvalidInput(asked, found=str(error), hint=hint)


def _read(number: int, found: Line | str, schema: Schema, *, keep_sql: bool) -> tuple[LineReport, Entry | None]:
    if isinstance(found, str):
        return LineReport(line=number, error=found), None
    try:
        entry, resolution = _understood(found, schema, keep_sql=keep_sql)
    except UnreadableSql as error:
        return LineReport(line=number, error=str(error)), None
    report = LineReport(line=number, objects=resolution.objects, unresolved=resolution.unresolved)
    if entry is None:
        report = replace(report, error=NOTHING_KNOWN)
    return report, entry


def _understood(line: Line, schema: Schema, *, keep_sql: bool) -> tuple[Entry | None, Resolution]:
    """The entry to remember for a line, None if nothing resolved; and the objects of its statement."""
    script = parse_sql(line.sql, dialect=line.dialect)
    resolution = resolve(script, schema)
    if not resolution.objects:
        return None, resolution
    statement = line.sql if keep_sql else mask(script, strings=resolution.strings)
    feedback = Feedback(
        kind="executed_sql",
        outcome="success" if line.succeeded else "failure",
        discovery=line.discovery,
        request=line.request,
    )
    entry = Entry(
        intent=line.intent or normal_intent(_made_intent(resolution.objects, schema.objects)),
        objects=resolution.objects,
        feedback=feedback if line.intent else None,  # a made-up intent is no evidence
        statement=statement if len(statement) <= KEPT_CHARACTERS else None,
        dialect=script.dialect or None,
    )
    return entry, resolution


def _made_intent(objects: Sequence[str], catalogue: Mapping[str, DataObject]) -> str:
    """An intent for a statement without one, from its objects: `amount, duration of loan; A3 of district`."""
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
    return said if len(said) <= INTENT_CHARACTERS else f"{said[: INTENT_CHARACTERS - 1]}…"


def _spoken(name: str) -> str:
    return " ".join(name.replace("_", " ").split()) or name


def _remembered(learnt: L, result: Remembered) -> L:
    memory = result.memory
    return learnt if memory is None else replace(learnt, memory=memory.id, state=memory.state)


def _line_remembered(report: LineReport, result: Remembered) -> LineReport:
    return replace(report, error=str(result.conflict)) if result.conflict else _remembered(report, result)
