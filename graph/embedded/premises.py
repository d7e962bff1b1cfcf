"""Premises in the embedded store: edges of its NetworkX graph, joined with those that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph.embedded.changes import Kind, key_of
from graph.embedded.chunks import ChunkOperations, check_ends, join_premises
from graph.embedded.liveness import live_set
from graph.embedded.sessions import move, state_of
from graph.premises import HOP_LIMIT, Live, Premise, PremisesAdded, Spread


class PremiseOperations(ChunkOperations):
    """See `graph.premises.Premises`."""

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        with self._changing(workspace, session) as (state, draft):
            check_ends(state, premises)
            added, updated, unchanged = join_premises(state, draft, premises)
            if not draft.is_empty:
                move(state, draft)
        with self._reading(workspace) as graph:
            summary = state_of(graph, session).summary()
            return PremisesAdded(session=summary, added=added, updated=updated, unchanged=unchanged)

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        with self._changing(workspace, session) as (state, draft):
            check_ends(state, premises)
            old = {(it.chunk, it.premise): state.premise(it.chunk, it.premise) for it in premises}
            given = {(it.chunk, it.premise): it for it in premises if it.chunk != it.premise}
            differing = {pair: it for pair, it in given.items() if it != old[pair]}
            for pair, it in differing.items():
                draft.put(Kind.PREMISE, key_of(session, *pair), it)
            if differing:
                move(state, draft)
            made = sum(old[pair] is None for pair in differing)
            return made, len(differing) - made

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        with self._reading(workspace) as graph:
            state = state_of(graph, session)
            found = (it for chunk in set(chunks) for it in state.premises_of(chunk))
            return tuple(sorted(found, key=lambda it: (it.chunk, it.premise)))

    def live_set(
        self,
        workspace: str,
        session: str,
        *,
        relevance: Mapping[str, float],
        roots: Sequence[str] | None,
        spread: Spread,
        factors: Sequence[float] = (),
        weight: float = 1.0,
        depth: int = HOP_LIMIT,
    ) -> tuple[Live, ...]:
        with self._reading(workspace) as graph:
            return live_set(
                state_of(graph, session),
                relevance=relevance,
                roots=roots,
                spread=spread,
                factors=factors,
                weight=weight,
                depth=depth,
            )

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
