// show_chunk_embeddings: the vectors of these chunks, or of all live ones, packed
// mode: read
// workspace: string          session: string          ids: list<string> or null
// -> there: boolean          embeddings: list<[id, model, bytes]>
MATCH (:Workspace {name: $workspace})
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX s:Session(workspace, id)
WITH s IS NOT NULL AS there
CALL () {
  CALL () {
    MATCH (c:Chunk {workspace: CASE WHEN $ids IS NULL THEN $workspace END, session: $session})
    WHERE c.position >= 0 AND c.vector IS NOT NULL
    RETURN c
    UNION ALL
    UNWIND coalesce($ids, []) AS id
    MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
      USING INDEX c:Chunk(workspace, session, id)
    WHERE c.vector IS NOT NULL
    RETURN c
    UNION ALL
    UNWIND coalesce($ids, []) AS id
    MATCH (c:Archived {workspace: $workspace, session: $session, id: id})
      USING INDEX c:Archived(workspace, session, id)
    WHERE c.vector IS NOT NULL
    RETURN c
  }
  RETURN collect([c.id, c.vector_model, c.vector]) AS embeddings
}
RETURN there, embeddings
