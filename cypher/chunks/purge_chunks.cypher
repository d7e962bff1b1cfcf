// purge_chunks: deletes chunks, live or archived, with text, vector and premises
// mode: write
// workspace: string          session: string
// ids: list<string>
// -> session: map or null          purged: list<string>
CYPHER replan=skip
// The plan is kept as counts change, and names its indexes (docs/decisions).
MATCH (w:Workspace {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Workspace
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $ids END AS id
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  OPTIONAL MATCH (a:Archived {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK a:Archived(workspace, session, id)
  WITH id, c, a
  WHERE c IS NOT NULL OR a IS NOT NULL
  RETURN
    collect(id) AS purged,
    collect(coalesce(c, a)) AS nodes,
    count(a) AS stored,
    coalesce(sum(c.tokens), 0) AS tokens
}
CALL (nodes) {
  UNWIND nodes AS n
  OPTIONAL MATCH (n)-[p:PREMISE]-()
  RETURN count(DISTINCT p) AS premises
}
FOREACH (n IN nodes | DETACH DELETE n)
FOREACH (x IN CASE WHEN size(purged) > 0 THEN [s] ELSE [] END |
  SET
    x.chunks = x.chunks - (size(purged) - stored),
    x.archived = x.archived - stored,
    x.tokens = x.tokens - tokens,
    x.premises = x.premises - premises,
    x.revision = x.version + 1,
    x.version = x.version + 1
)
RETURN
  s {
    .id, .incarnation, .created_at, .version, .added, .chunks, .tokens, .archived, .premises, .tombstones
  } AS session,
  purged
