// record_discovery: stores the record of an answer, and deletes all but the latest records
// mode: write
// workspace: string          id: string          intent: string          retriever: string          rule: string
// results: list<string>          trials: list<string>, each a trial as JSON          judged: boolean
// at: datetime          keep: integer          keep_since: datetime
// -> dropped: integer
MATCH (w:Workspace {name: $workspace})
MERGE (d:Discovery {workspace: $workspace, id: $id})
SET d.intent = $intent, d.retriever = $retriever, d.rule = $rule, d.results = $results, d.at = $at,
    d.trials = $trials, d.judged = $judged
MERGE (d)-[:ASKED_IN]->(w)
WITH w
CALL () {
  CALL () {
    MATCH (old:Discovery {workspace: $workspace})
    WHERE old.at < $keep_since
    RETURN old
    UNION
    MATCH (old:Discovery {workspace: $workspace})
    WHERE old.at >= $keep_since
    RETURN old
    ORDER BY old.at DESC, old.id DESC
    SKIP $keep
  }
  DETACH DELETE old
  RETURN count(old) AS dropped
}
RETURN dropped
