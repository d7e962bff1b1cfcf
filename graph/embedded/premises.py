"""Premises in the embedded store: edges of its NetworkX graph, joined with those that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph import plain
from graph.embedded.kinds import Change, after_session, form_kind, key_of, parts_of
from graph.embedded.liveness import live_set
from graph.embedded.session_changes import changing, move, state_of
from graph.embedded.session_state import SessionState, chunk_node
from graph.embedded.transactions import Core, Draft
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.errors import UnknownChunks
from graph.premises import HOP_LIMIT, Live, Premise, PremisesAdded, Spread, cleaned, ends, joined


def _apply_premise(graph: WorkspaceGraph, change: Change) -> None:
    session, chunk, premise = parts_of(change.id)
    state = graph.sessions.get(session)
    if state is None:
        return
    start, end = chunk_node(session, chunk), chunk_node(session, premise)
    known = state.premise(chunk, premise) is not None
    if change.value is not None:
        state.premises += not known
        graph.edges.add_edge(start, end, key="PREMISE", premise=change.value)
    elif known:  # else it went with a chunk
        state.premises -= 1
        graph.edges.remove_edge(start, end, key="PREMISE")
    state.touch()


PREMISE = form_kind(
    plain.PREMISE, "chunk", "premise", number=23, name="premise", apply=_apply_premise, ids=after_session
)


class PremiseOperations(Core):
    """See `graph.premises.Premises`."""

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        with changing(self._writing(workspace), session) as (state, draft):
            check_ends(state, premises)
            added, updated, unchanged = join_premises(state, draft, premises)
            if not draft.is_empty:
                move(state, draft)
        with self._reading(workspace) as graph:
            summary = state_of(graph, session).summary()
            return PremisesAdded(session=summary, added=added, updated=updated, unchanged=unchanged)

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        with changing(self._writing(workspace), session) as (state, draft):
            check_ends(state, premises)
            old = {(it.chunk, it.premise): state.premise(it.chunk, it.premise) for it in premises}
            given = {(it.chunk, it.premise): it for it in premises if it.chunk != it.premise}
            differing = {pair: it for pair, it in given.items() if it != old[pair]}
            for pair, it in differing.items():
                draft.put(PREMISE, key_of(session, *pair), it)
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
        with changing(self._writing(workspace), session) as (state, draft):
            for it in {(each.chunk, each.premise): each for each in premises}.values():
                old = state.premise(it.chunk, it.premise)
                if old is None:
                    continue
                noted += 1
                new = replace(old, belief=it.belief, reasons=it.reasons)
                if new != old:
                    draft.put(PREMISE, key_of(session, it.chunk, it.premise), new)
        return noted


def check_ends(state: SessionState, premises: Sequence[Premise], *, coming: Sequence[str] = ()) -> None:
    """Raise `UnknownChunks` for premises whose ends are neither in the session nor `coming`."""
    there = set(coming)
    if unknown := tuple(key for key in ends(premises) if key not in state.chunks and key not in there):
        raise UnknownChunks(state.id, unknown)


def join_premises(state: SessionState, draft: Draft, premises: Sequence[Premise]) -> tuple[int, int, int]:
    """Puts premises between chunks that are there into the draft; how many are new, changed, and as they were."""
    given = cleaned(premises)
    added = updated = 0
    for pair, it in given.items():
        old = state.premise(*pair)
        new = joined(old, it)
        if new != old:
            draft.put(PREMISE, key_of(state.id, *pair), new)
            added += old is None
            updated += old is not None
    return added, updated, len(given) - added - updated
