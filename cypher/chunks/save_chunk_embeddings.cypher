// save_chunk_embeddings: stores vectors on those of the chunks that exist, as bytes: no index is made of them
// mode: write, locked, kept plan
// workspace: string          session: string          model: string          rows: list<[id, bytes]>
// -> there: boolean          width: integer or null, the bytes of one stored under this model before
{{find_session}}
// In order of ingestion, as vectors are made: the first chunk read has one, however many have none yet.
CALL (s) {
  CALL (s) {
    MATCH (c:Chunk {workspace: $workspace, session: CASE WHEN s IS NOT NULL THEN $session END})
      USING INDEX SEEK c:Chunk(workspace, session, archived, position)
    WHERE c.archived IN [false, true] AND c.position >= 0 AND c.vector_model = $model
    RETURN c
    LIMIT 1
  }
  RETURN max(size(c.vector)) AS width
}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $rows END AS row
  MATCH (c:Chunk {workspace: $workspace, session: $session, id: row[0]})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  SET c.vector = row[1], c.vector_model = $model
}
RETURN s IS NOT NULL AS there, width
