"""Live sets of sessions: the chunks within reach of some roots along premises, computed by the store.

These are the published policies as queries; `retain` ranks over arrays.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graph.errors import InvalidInput, UnknownChunks
from graph.premises import HOP_LIMIT, Live, Premises
from graph.session_contents import SessionContents
from services.retention.arms import RetentionArm, parse_arm
from services.retention.choosing import relevance_of
from services.retention.policies import Flow
from services.retention.session_arrays import RealArray
from services.sessions.cache import CachedSession

LIVE_POLICIES = ("dsgc_roots", "dsgc", "multi_hop")


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSet:
    """`live` chunks most live first, ties by position; `roots` by position."""

    session: str
    roots: tuple[str, ...]
    live: tuple[Live, ...]


def live_from_roots(
    store: Premises, workspace: str, session: str, roots: Sequence[str], *, policy: str, depth: int | None
) -> LiveSet:
    """Follow premises from chunks with relevance 1 to all others, with relevance 0.

    Raises `UnknownChunks` for roots that are not live.
    """
    arm, hops = _arm(policy, depth=depth)
    relevance = dict.fromkeys(roots, 1.0)
    flow = arm.flow(np.empty(0))
    found = _asked(store, workspace, session, flow, relevance=relevance, roots=tuple(relevance), depth=hops)
    answer = _answer(session, found)
    if unknown := sorted(relevance.keys() - set(answer.roots)):
        raise UnknownChunks(session, tuple(unknown))
    return answer


def live_from_query(
    store: Premises, workspace: str, cached: CachedSession, query: str, *, policy: str, depth: int | None
) -> LiveSet:
    """Follow premises with the policy's own relevance and roots over the whole session; a policy without roots counts
    every chunk by its relevance."""
    arm, hops = _arm(policy, depth=depth)
    flow = arm.flow(relevance_of(cached.core.case(query, arm), arm))
    contents = cached.contents
    return _answer(contents.session.id, _asked_for(store, workspace, contents, flow, depth=hops))


def stored_liveness(store: Premises, workspace: str, contents: SessionContents) -> Callable[[Flow], RealArray]:
    """Scores of published policies by the store's live set: the same numbers as those over arrays."""

    def live(flow: Flow) -> RealArray:
        found = _asked_for(store, workspace, contents, flow, depth=0 if flow.roots is None else len(flow.factors))
        liveness = {it.chunk: it.liveness for it in found}
        pairs = zip(contents.ids, flow.relevance.tolist(), strict=True)
        return np.array([liveness.get(chunk, own) for chunk, own in pairs], dtype=np.float64)

    return live


def _arm(policy: str, *, depth: int | None) -> tuple[RetentionArm, int]:
    """The arm, and over how many premises its live set is followed. Raises `InvalidInput`."""
    arm = parse_arm(policy)
    if arm.policy.name not in LIVE_POLICIES:
        raise InvalidInput(
            f"a live set by {policy!r}", found="a policy without one", hint=f"One of {', '.join(LIVE_POLICIES)}"
        )
    hops = int(arm.parameters.get("depth", HOP_LIMIT)) if depth is None else depth
    if not 1 <= hops <= HOP_LIMIT:
        raise InvalidInput(f"a live set over {hops} premises", found="out of range", hint=f"Give 1 to {HOP_LIMIT}")
    if "depth" in arm.parameters:
        arm = replace(arm, parameters={**arm.parameters, "depth": float(hops)})
    return arm, hops


def _asked_for(
    store: Premises, workspace: str, contents: SessionContents, flow: Flow, *, depth: int
) -> tuple[Live, ...]:
    """Relevance and roots of a flow, by id."""
    relevance = dict(zip(contents.ids, flow.relevance.tolist(), strict=True))
    places = None if flow.roots is None else np.flatnonzero(flow.roots).tolist()
    roots = None if places is None else tuple(contents.ids[place] for place in places)
    return _asked(store, workspace, contents.session.id, flow, relevance=relevance, roots=roots, depth=depth)


def _asked(
    store: Premises,
    workspace: str,
    session: str,
    flow: Flow,
    *,
    relevance: Mapping[str, float],
    roots: tuple[str, ...] | None,
    depth: int,
) -> tuple[Live, ...]:
    return store.live_set(
        workspace,
        session,
        relevance=relevance,
        roots=roots,
        spread=flow.spread,
        factors=flow.factors,
        weight=flow.weight,
        depth=depth,
    )


def _answer(session: str, live: tuple[Live, ...]) -> LiveSet:
    roots = sorted((it for it in live if not it.hops), key=lambda it: it.position)
    return LiveSet(session=session, roots=tuple(it.chunk for it in roots), live=live)
