"""Recorded discoveries in the embedded store, and the trust that their outcomes earn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph import plain
from graph.embedded.kinds import form_kind, keep
from graph.embedded.transactions import Core
from graph.embedded.workspace_graph import keep_timed
from graph.feedback import Discovery, Trust

DISCOVERY = form_kind(
    plain.DISCOVERY,
    "id",
    number=9,
    name="discovery",
    apply=lambda graph, change: keep_timed(graph.discoveries, graph.discovery_times, change),
)
TRUST = form_kind(
    plain.TRUST, "rule", number=11, name="trust", apply=lambda graph, change: keep(graph.trust, change.id, change.value)
)


class FeedbackOperations(Core):
    """See `graph.feedback.FeedbackStore`."""

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        with self._writing(workspace) as (graph, draft):
            own = (discovery.at, discovery.id)
            others = (it for it in graph.discovery_times.all() if it[1] != discovery.id)
            kept = sorted([*others, own])
            kept_from = max(len(kept) - keep, 0)
            leaving = [key for place, (at, key) in enumerate(kept) if place < kept_from or at < keep_since]
            if discovery.id not in leaving:
                draft.put(DISCOVERY, discovery.id, discovery)
            draft.drop(DISCOVERY, (key for key in leaving if key in graph.discoveries))

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.discoveries[key] for key in sorted(set(ids)) if key in graph.discoveries)

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        with self._writing(workspace) as (graph, draft):
            found = graph.discoveries.get(discovery)
            if found is None or found.judged:
                return False
            draft.put(DISCOVERY, discovery, replace(found, judged=True))
            for rule, gain in sorted(gains.items()):
                held = graph.trust.get(rule) or Trust(rule=rule, lead=0.0, outcomes=0)
                lead = max(-bound, min(bound, held.lead + gain))
                draft.put(TRUST, rule, replace(held, lead=lead, outcomes=held.outcomes + 1))
            return True

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.trust[rule] for rule in sorted(graph.trust))

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        with self._writing(workspace) as (graph, draft):
            for each in trust:
                if graph.trust.get(each.rule) != each:
                    draft.put(TRUST, each.rule, each)

    def reset_trust(self, workspace: str) -> int:
        with self._writing(workspace) as (graph, draft):
            draft.drop(TRUST, sorted(graph.trust))
            return len(graph.trust)
