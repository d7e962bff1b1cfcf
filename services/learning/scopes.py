"""The scope of names in one query: its own FROM, its aliases, and the queries around it.

Look-ups only; `queries` decides what is looked up, and in which order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from services.learning.names import COMPUTED, Found, Lookup, Name, Relation, fold_name


@dataclass(slots=True, kw_only=True, eq=False)
class Scope:
    """One query's scope. `merged` are the columns that USING or NATURAL joined; `aliases` those of its results."""

    outer: Scope | None = None
    sources: list[tuple[tuple[str, ...], Relation]] = field(default_factory=list)
    merged: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)

    def outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def source(self, qualifier: tuple[str, ...]) -> Relation | None:
        """The nearest source of this (folded) name; a schema must match where both have one."""
        for scope in self.outwards():
            for path, relation in scope.sources:
                overlap = min(len(path), len(qualifier))
                if path and path[-overlap:] == qualifier[-overlap:]:
                    return relation
        return None

    def find(self, name: Name, *, dialect: str) -> Found:
        """Look up an unqualified name: the nearest query's columns first, then that query's aliases."""
        for scope in self.outwards():
            found = scope._own(name, dialect=dialect)
            if found is not None:
                return found
            if fold_name(name.text) in scope.aliases:
                return COMPUTED
        return None

    def sees(self, kind: Literal["unknown", "function"]) -> bool:
        """True if an unresolved name might be a column of such a source."""
        return any(getattr(relation, kind) for scope in self.outwards() for _, relation in scope.sources)

    def _own(self, name: Name, *, dialect: str) -> Found:
        hits = [
            hit for _, relation in self.sources if (hit := relation.find(name, dialect=dialect)) is not None
        ]  # two sources of one table give the same hit
        if not hits:
            return None
        if len(hits) > 1 and fold_name(name.text) in self.merged:
            return frozenset().union(*(hit for hit in hits if not isinstance(hit, Lookup)))
        return hits[0] if all(hit == hits[0] for hit in hits) else Lookup.AMBIGUOUS
