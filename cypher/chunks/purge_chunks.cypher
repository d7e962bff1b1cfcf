// purge_chunks: deletes chunks, live or archived, with their premises
// mode: write, locked, kept plan
// workspace: string          session: string
// ids: list<string>
// -> session: map or null          purged: list<string>
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $ids END AS id
  MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  RETURN
    collect(id) AS purged,
    collect(c) AS nodes,
    count(CASE WHEN c.archived THEN 1 END) AS stored,
    coalesce(sum(CASE WHEN NOT c.archived THEN c.tokens END), 0) AS tokens
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
