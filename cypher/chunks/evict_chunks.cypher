// evict_chunks: archives live chunks, and stores the tombstones given for them
// mode: write, locked, kept plan
// workspace: string          session: string
// chunks: list<map>, an id and a tombstone or null          at: datetime
// -> session: map or null          evicted: list<string>
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $chunks END AS row
  MATCH (c:Chunk {workspace: $workspace, session: $session, id: row.id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  WHERE NOT c.archived
  SET c:Archived, c.archived = true, c.archived_at = $at
  RETURN collect(row) AS rows, coalesce(sum(c.tokens), 0) AS tokens
}
CALL (s, rows) {
  UNWIND [row IN rows WHERE row.digest IS NOT NULL] AS row
  OPTIONAL MATCH (old:Tombstone {workspace: $workspace, session: $session, chunk: row.id})
    USING INDEX SEEK old:Tombstone(workspace, session, chunk)
  WITH s, row, old IS NULL AS is_new
  MERGE (t:Tombstone {workspace: $workspace, session: $session, chunk: row.id})
  SET t.sort_key = row.sort_key, t.digest = row.digest, t.reason = row.reason, t.at = row.at
  MERGE (t)-[:OF]->(s)
  RETURN count(CASE WHEN is_new THEN 1 END) AS stones
}
FOREACH (x IN CASE WHEN size(rows) > 0 THEN [s] ELSE [] END |
  SET
    x.chunks = x.chunks - size(rows),
    x.archived = x.archived + size(rows),
    x.tokens = x.tokens - tokens,
    x.tombstones = x.tombstones + stones,
    x.revision = x.version + 1,
    x.version = x.version + 1
)
RETURN
  s {{session}} AS session,
  [row IN rows | row.id] AS evicted
