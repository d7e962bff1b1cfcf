"""Premises in the embedded store: edges of its NetworkX graph, joined with those there, and walks along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import networkx as nx

from graph import plain
from graph.embedded.kinds import Change, after_session, form_kind, key_of, parts_of
from graph.embedded.session_changes import changing, move, state_of
from graph.embedded.session_state import SessionState, chunk_node
from graph.embedded.transactions import Core, Draft
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.errors import UnknownChunks
from graph.premises import HOP_LIMIT, Live, Pair, Premise, PremisesAdded, Spread, cleaned, ends, joined, most_live_first


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
            last = {(it.chunk, it.premise): it for it in premises if it.chunk != it.premise}
            added, updated = _put_changed(state, draft, last)
            if not draft.is_empty:
                move(state, draft)
            return added, updated

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
        """The same sums in the same order as `cypher/premises/live_set.cypher`."""
        with self._reading(workspace) as graph:
            state = state_of(graph, session)
            needs = _live_graph(state)
            own = {chunk: float(relevance.get(chunk, 0.0)) for chunk in needs}
            chosen = own.keys() if roots is None else set(roots)
            start = [chunk for chunk in needs if chunk in chosen]
            if spread == "closure":
                gains = {chunk: max((0.0, *(own[it] for it in nx.descendants(needs, chunk)))) for chunk in needs}
            elif spread == "sum":
                gains = _walked(needs, own, factors)
            else:
                reached = _walked(needs, dict.fromkeys(start, 1.0), factors)
                gains = {chunk: float(gain > 0) for chunk, gain in reached.items()}
            return most_live_first(
                Live(
                    chunk=chunk,
                    position=state.chunks[chunk].position,
                    liveness=own[chunk] + weight * gains[chunk],
                    path=path,
                )
                for chunk, path in _shortest_paths(needs, start, depth=depth).items()
            )

    def save_beliefs(self, workspace: str, session: str, premises: Sequence[Premise]) -> int:
        with changing(self._writing(workspace), session) as (state, draft):
            noted = {
                (it.chunk, it.premise): replace(old, belief=it.belief, reasons=it.reasons)
                for it in premises
                if (old := state.premise(it.chunk, it.premise)) is not None
            }
            _put_changed(state, draft, noted)
            return len(noted)


def check_ends(state: SessionState, premises: Sequence[Premise], *, coming: Sequence[str] = ()) -> None:
    """Raise `UnknownChunks` for premises whose ends are neither in the session nor `coming`."""
    there = set(coming)
    if unknown := tuple(key for key in ends(premises) if key not in state.chunks and key not in there):
        raise UnknownChunks(state.id, unknown)


def join_premises(state: SessionState, draft: Draft, premises: Sequence[Premise]) -> tuple[int, int, int]:
    """Puts premises between chunks that are there into the draft; how many are new, changed, and as they were."""
    merged = {pair: joined(state.premise(*pair), it) for pair, it in cleaned(premises).items()}
    added, updated = _put_changed(state, draft, merged)
    return added, updated, len(merged) - added - updated


def _put_changed(state: SessionState, draft: Draft, premises: Mapping[Pair, Premise]) -> tuple[int, int]:
    """Put those into the draft that are not as they were; how many are new, and how many changed."""
    added = updated = 0
    for pair, new in premises.items():
        old = state.premise(*pair)
        if new != old:
            draft.put(PREMISE, key_of(state.id, *pair), new)
            added += old is None
            updated += old is not None
    return added, updated


def _live_graph(state: SessionState) -> nx.DiGraph[str]:
    """Live chunks, and the premises of each, in order of position."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    at = (state.chunks[state.at[position]] for position in state.positions())
    graph.add_nodes_from(chunk.id for chunk in at if chunk.archived_at is None)
    for chunk in list(graph):
        needed = [it.premise for it in state.premises_of(chunk) if it.premise in graph]
        needed.sort(key=lambda premise: state.chunks[premise].position)
        graph.add_edges_from((chunk, premise) for premise in needed)
    return graph


def _walked(graph: nx.DiGraph[str], start: Mapping[str, float], factors: Sequence[float]) -> dict[str, float]:
    """sum over k of factors[k - 1] times the sum over walks of k hops; each hop from the sums of the one before."""
    total = dict.fromkeys(graph, 0.0)
    wave = start
    for factor in factors:
        following: dict[str, float] = {}
        for chunk in graph:  # by position, so that sums have one order
            if chunk in wave:
                for premise in graph.adj[chunk]:
                    following[premise] = following.get(premise, 0.0) + wave[chunk]
        for chunk, value in following.items():
            total[chunk] += factor * value
        wave = following
    return total


def _shortest_paths(graph: nx.DiGraph[str], roots: Sequence[str], *, depth: int) -> dict[str, tuple[str, ...]]:
    """Breadth first from all roots, premises by position: of shortest paths the one with the least positions."""
    paths: dict[str, tuple[str, ...]] = {root: (root,) for root in roots}
    wave = list(roots)
    for _ in range(depth):
        following = []
        for chunk in wave:
            for premise in graph.adj[chunk]:
                if premise not in paths:
                    paths[premise] = (*paths[chunk], premise)
                    following.append(premise)
        wave = following
    return paths
