"""Recorded discoveries in Neo4j, and the trust that their outcomes earn."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter

from graph.feedback import Discovery, Trust
from graph.neo4j.connection import Connection
from graph.neo4j.mapping import DISCOVERY, distinct, trust_of


class FeedbackQueries:
    """See `graph.feedback.FeedbackStore`."""

    connection: Connection

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        kept = {"keep": keep, "keep_since": keep_since}
        self.connection.run("record_discovery", workspace=workspace, **kept, **DISCOVERY.write(discovery))

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        found: list[Discovery] = []
        for batch in self.connection.batches(distinct(ids)):
            found += self.connection.read(
                "show_discoveries",
                lambda row: [DISCOVERY.read(each) for each in row["discoveries"]],
                workspace=workspace,
                ids=batch,
            )
        return tuple(sorted(found, key=attrgetter("id")))

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        rows = [{"rule": rule, "gain": gain} for rule, gain in sorted(gains.items())]
        row = self.connection.run("earn_trust", workspace=workspace, discovery=discovery, gains=rows, bound=bound)
        return bool(row["counted"])

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        return trust_of(self.connection.run("list_trust", workspace=workspace)["trust"])

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        rows = [{"rule": each.rule, "lead": each.lead, "outcomes": each.outcomes} for each in trust]
        self.connection.run("load_trust", workspace=workspace, trust=rows)

    def reset_trust(self, workspace: str) -> int:
        return int(self.connection.run("reset_trust", workspace=workspace)["forgotten"])
