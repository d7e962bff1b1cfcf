// one_hop: what each live chunk gets from those that need it, summed in order of ingestion
// mode: read
// workspace: string          session: string          relevance: list<float>, by position
// -> there: boolean          heard: list<[integer, float]>, by position
MATCH (:Workspace {name: $workspace})
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
WITH s IS NOT NULL AS there
CALL () {
  MATCH (i:Chunk {workspace: $workspace, session: $session, archived: false})-[:PREMISE]->(j:Chunk {archived: false})
    USING INDEX SEEK i:Chunk(workspace, session, archived, position)
  WHERE i.position >= 0 AND coalesce($relevance[i.position], 0.0) <> 0.0
  WITH i, j
  ORDER BY i.position, i.id
  WITH j, collect($relevance[i.position]) AS parts
  RETURN collect([j.position, reduce(total = 0.0, part IN parts | total + part)]) AS heard
}
RETURN there, heard
