// restore_chunks: makes archived chunks live again, in their positions, and deletes their tombstones
// mode: write, locked, kept plan
// workspace: string          session: string
// ids: list<string>
// -> session: map or null          restored: list<string>
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $ids END AS id
  MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  WHERE c.archived
  REMOVE c:Archived, c.archived_at
  SET c.archived = false
  RETURN collect(id) AS restored, coalesce(sum(c.tokens), 0) AS tokens
}
CALL (restored) {
  UNWIND restored AS id
  MATCH (t:Tombstone {workspace: $workspace, session: $session, chunk: id})
    USING INDEX SEEK t:Tombstone(workspace, session, chunk)
  DETACH DELETE t
  RETURN count(*) AS stones
}
FOREACH (x IN CASE WHEN size(restored) > 0 THEN [s] ELSE [] END |
  SET
    x.chunks = x.chunks + size(restored),
    x.archived = x.archived - size(restored),
    x.tokens = x.tokens + tokens,
    x.tombstones = x.tombstones - stones,
    x.revision = x.version + 1,
    x.version = x.version + 1
)
RETURN
  s {{session}} AS session,
  restored
