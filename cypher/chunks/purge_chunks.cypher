// purge_chunks: deletes chunks, live or archived, with text, vector and premises
// mode: write, locked, kept plan
// workspace: string          session: string
// ids: list<string>
// -> session: map or null          purged: list<string>
{{find_session}}
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
  s {{session}} AS session,
  purged
