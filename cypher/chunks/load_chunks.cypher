// load_chunks: stores chunks as they are, position, archive and all, and tombstones
// mode: write, locked, kept plan
// workspace: string          session: string
// chunks: list<map>, ids and positions distinct          tombstones: list<map>
// -> session: map or null          taken: list<[id, id]>, chunks and who else is at their positions
// -> created: integer          changed: integer, chunks and tombstones
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $chunks END AS row
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, position: row.position})
    USING INDEX SEEK c:Chunk(workspace, session, position)
  OPTIONAL MATCH (a:Archived {workspace: $workspace, session: $session, position: row.position})
    USING INDEX SEEK a:Archived(workspace, session, position)
  WITH row, coalesce(c, a) AS other
  WHERE other.id <> row.id
  RETURN collect([row.id, other.id]) AS taken
}
CALL (s, taken) {
  UNWIND CASE WHEN s IS NULL OR size(taken) > 0 THEN [] ELSE $chunks END AS row
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: row.id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  OPTIONAL MATCH (a:Archived {workspace: $workspace, session: $session, id: row.id})
    USING INDEX SEEK a:Archived(workspace, session, id)
  WITH
    s, row, c, a,
    c IS NULL AND a IS NULL AS is_new,
    CASE WHEN c IS NULL THEN 0 ELSE 1 END AS was_live,
    CASE WHEN a IS NULL THEN 0 ELSE 1 END AS was_archived,
    coalesce(c.tokens, 0) AS was_tokens,
    coalesce(c, a) AS old,
    coalesce(c.text, a.text) = row.text
      AND coalesce(c.tokens, a.tokens) = row.tokens
      AND coalesce(c.pinned, a.pinned) = row.pinned
      AND coalesce(c.importance, a.importance) = row.importance
      AND coalesce(c.position, a.position) = row.position
      AND coalesce(a.archived_at = row.archived_at, a IS NULL AND row.archived_at IS NULL) AS same
  FOREACH (x IN CASE WHEN is_new THEN [s] ELSE [] END |
    CREATE (x)-[:CONTAINS]->(:Chunk {
      workspace: $workspace, session: $session, id: row.id, sort_key: row.sort_key, position: row.position
    })
  )
  WITH row, is_new, was_live, was_archived, was_tokens, old, coalesce(same, false) AS same
  OPTIONAL MATCH (made:Chunk {workspace: $workspace, session: $session, id: row.id})
    USING INDEX SEEK made:Chunk(workspace, session, id)
  WITH row, is_new, was_live, was_archived, was_tokens, same, coalesce(old, made) AS n
  SET
    n.text = row.text,
    n.tokens = row.tokens,
    n.pinned = row.pinned,
    n.importance = row.importance,
    n.position = row.position,
    n.archived_at = row.archived_at
  FOREACH (x IN CASE WHEN row.archived_at IS NULL THEN [n] ELSE [] END | REMOVE x:Archived SET x:Chunk)
  FOREACH (x IN CASE WHEN row.archived_at IS NULL THEN [] ELSE [n] END | REMOVE x:Chunk SET x:Archived)
  RETURN
    count(CASE WHEN is_new THEN 1 END) AS made,
    count(CASE WHEN NOT same THEN 1 END) AS differing,
    coalesce(sum(CASE WHEN row.archived_at IS NULL THEN 1 ELSE 0 END - was_live), 0) AS live,
    coalesce(sum(CASE WHEN row.archived_at IS NULL THEN 0 ELSE 1 END - was_archived), 0) AS stored,
    coalesce(sum(CASE WHEN row.archived_at IS NULL THEN row.tokens ELSE 0 END - was_tokens), 0) AS tokens,
    coalesce(max(CASE WHEN NOT same THEN row.position END) + 1, 0) AS after
}
CALL (s, taken) {
  UNWIND CASE WHEN s IS NULL OR size(taken) > 0 THEN [] ELSE $tombstones END AS row
  OPTIONAL MATCH (old:Tombstone {workspace: $workspace, session: $session, chunk: row.chunk})
    USING INDEX SEEK old:Tombstone(workspace, session, chunk)
  WITH
    s, row,
    old IS NULL AS is_new,
    coalesce(old.digest = row.digest AND old.reason = row.reason AND old.at = row.at, false) AS same
  MERGE (t:Tombstone {workspace: $workspace, session: $session, chunk: row.chunk})
  SET t.sort_key = row.sort_key, t.digest = row.digest, t.reason = row.reason, t.at = row.at
  MERGE (t)-[:OF]->(s)
  RETURN count(CASE WHEN is_new THEN 1 END) AS stones, count(CASE WHEN NOT same THEN 1 END) AS other
}
FOREACH (x IN CASE WHEN differing + other > 0 THEN [s] ELSE [] END |
  SET
    x.added = CASE WHEN after > x.added THEN after ELSE x.added END,
    x.chunks = x.chunks + live,
    x.archived = x.archived + stored,
    x.tokens = x.tokens + tokens,
    x.tombstones = x.tombstones + stones,
    x.revision = x.version + 1,
    x.version = x.version + 1
)
RETURN
  s {{session}} AS session,
  taken,
  made + stones AS created,
  differing + other - made - stones AS changed
