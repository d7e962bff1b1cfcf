// show_chunk_embeddings: the vectors of these chunks, or of a page of the live ones, packed
// mode: read
// workspace: string          session: string          ids: list<string> or null
// position: integer, where the page begins          limit: integer, its chunks
// -> there: boolean          embeddings: list<[id, model, bytes]>
// -> looked: integer          last: integer or null, the position of the last chunk that was looked at
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s IS NOT NULL AS there
CALL () {
  CALL () {
    MATCH (c:Chunk {workspace: CASE WHEN $ids IS NULL THEN $workspace END, session: $session, archived: false})
    WHERE c.position >= $position
    RETURN c
    ORDER BY c.position, c.id
    LIMIT $limit
    UNION ALL
    UNWIND coalesce($ids, []) AS id
    MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
      USING INDEX SEEK c:Chunk(workspace, session, id)
    WHERE c.vector IS NOT NULL
    RETURN c
  }
  RETURN
    collect(CASE WHEN c.vector IS NOT NULL THEN [c.id, c.vector_model, c.vector] END) AS embeddings,
    count(c) AS looked,
    max(c.position) AS last
}
RETURN there, embeddings, looked, last
