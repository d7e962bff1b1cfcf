// save_chunk_embeddings: keeps vectors with the chunks that are still there, as bytes: no index is asked for them
// mode: write, locked, kept plan
// workspace: string          session: string          model: string          rows: list<[id, bytes]>
// -> there: boolean          width: integer or null, the bytes of one that was stored under this model before
{{find_session}}
// In order of ingestion, as vectors are made: the first that is looked at has one, however many have none yet.
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
