// list_chunks: a page of live chunks, or of archived ones, by position
// mode: read
// workspace: string          session: string          archived: boolean          after: integer          limit: integer
// -> there: boolean          chunks: list<map>
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s IS NOT NULL AS there
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session, archived: $archived})
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.position > $after
  WITH c
  ORDER BY c.position, c.id
  LIMIT $limit
  RETURN collect(c {{chunk}}) AS chunks
}
RETURN there, chunks
