// load_chunks: stores chunks as given, with position and archived state, and tombstones
// mode: write, locked, kept plan
// workspace: string          session: string
// chunks: list<map>, ids and positions distinct          tombstones: list<map>
// -> session: map or null          taken: list<[id, id]>, chunks and the other chunks at their positions
// -> created: integer          changed: integer, chunks and tombstones
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $chunks END AS row
  MATCH (c:Chunk {workspace: $workspace, session: $session, position: row.position})
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.archived IN [false, true] AND c.id <> row.id
  RETURN collect([row.id, c.id]) AS taken
}
CALL (s, taken) {
  UNWIND CASE WHEN s IS NULL OR size(taken) > 0 THEN [] ELSE $chunks END AS row
  OPTIONAL MATCH (old:Chunk {workspace: $workspace, session: $session, id: row.id})
    USING INDEX SEEK old:Chunk(workspace, session, id)
  WITH
    s, row,
    old IS NULL AS is_new,
    CASE WHEN NOT old.archived THEN 1 ELSE 0 END AS was_live,
    CASE WHEN old.archived THEN 1 ELSE 0 END AS was_archived,
    CASE WHEN NOT old.archived THEN old.tokens ELSE 0 END AS was_tokens,
    all(key IN keys(row) WHERE coalesce(old[key] = row[key], old[key] IS NULL AND row[key] IS NULL)) AS same
  MERGE (c:Chunk {workspace: $workspace, session: $session, id: row.id})
  FOREACH (x IN CASE WHEN is_new THEN [s] ELSE [] END | CREATE (x)-[:CONTAINS]->(c))
  SET c += row, c.archived = row.archived_at IS NOT NULL
  REMOVE c:Archived
  FOREACH (x IN CASE WHEN row.archived_at IS NULL THEN [] ELSE [c] END | SET x:Archived)
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
