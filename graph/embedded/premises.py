"""Premises in the embedded store: edges of its NetworkX graph, joined with those that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graph.embedded.chunks import ChunkOperations, join_premises
from graph.embedded.records import Kind, key_of
from graph.embedded.sessions import move, state_of
from graph.errors import UnknownChunks
from graph.premises import ends
from graph.values import Premise, PremisesAdded


class PremiseOperations(ChunkOperations):
    """See `graph.ports.Premises`."""

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        with self._changing(workspace, session) as (state, draft):
            unknown = [key for key in ends(premises) if key not in state.chunks]
            if unknown:
                raise UnknownChunks(session, tuple(unknown))
            added, updated, unchanged = join_premises(state, draft, premises)
            if not draft.is_empty:
                move(state, draft)
        with self._reading(workspace) as graph:
            summary = state_of(graph, session).summary()
            return PremisesAdded(session=summary, added=added, updated=updated, unchanged=unchanged)

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        with self._reading(workspace) as graph:
            state = state_of(graph, session)
            found = (it for chunk in set(chunks) for it in state.premises_of(chunk))
            return tuple(sorted(found, key=lambda it: (it.chunk, it.premise)))

    def save_beliefs(self, workspace: str, session: str, premises: Sequence[Premise]) -> int:
        noted = 0
        with self._changing(workspace, session) as (state, draft):
            for it in {(each.chunk, each.premise): each for each in premises}.values():
                old = state.premise(it.chunk, it.premise)
                if old is None:
                    continue
                noted += 1
                new = replace(old, belief=it.belief, reasons=it.reasons)
                if new != old:
                    draft.put(Kind.PREMISE, key_of(session, it.chunk, it.premise), new)
        return noted
