"""The change feed of a workspace in the embedded store."""

from graph.changes import Changes, Listing
from graph.embedded.transactions import Core


class ChangeOperations(Core):
    """See `graph.changes.ChangeFeed`."""

    def changes(self, workspace: str, *, since: int) -> Changes:
        with self._reading(workspace) as graph:
            record = graph.record
            return Changes(
                stamp=graph.stamp,
                objects=tuple(map(graph.objects.__getitem__, graph.object_log.since(since))),
                references=tuple(graph.references.all()) if record.catalogue_version > since else None,
                intents=tuple((key, graph.intents[key]) for key in graph.intent_log.since(since)),
                removed=record.removed_version > since,
            )

    def list_ids(self, workspace: str) -> Listing:
        with self._reading(workspace) as graph:
            return Listing(objects=tuple(graph.object_ids.all()), intents=tuple(sorted(graph.intents)))
