// list_chunks: a page of live chunks, or of archived ones, by position
// mode: read
// workspace: string          session: string          archived: boolean          after: integer          limit: integer
// -> there: boolean          chunks: list<map>
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s IS NOT NULL AS there
CALL () {
  CALL () {
    // In the key: a WHERE before it would be tested on all that was found.
    MATCH (c:Chunk {workspace: CASE WHEN NOT $archived THEN $workspace END, session: $session})
    WHERE c.position > $after
    RETURN c
    ORDER BY c.position, c.id
    LIMIT $limit
    UNION ALL
    MATCH (c:Archived {workspace: CASE WHEN $archived THEN $workspace END, session: $session})
    WHERE c.position > $after
    RETURN c
    ORDER BY c.position, c.id
    LIMIT $limit
  }
  RETURN collect(c {.id, .text, .tokens, .pinned, .importance, .position, .archived_at}) AS chunks
}
RETURN there, chunks
