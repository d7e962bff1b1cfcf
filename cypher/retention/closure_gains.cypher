// closure_gains: the largest gain among the others that a live chunk rests on, over any number of premises
// mode: read
// workspace: string          session: string          gains: list<float>, by position
// -> there: boolean          best: list<[integer, float]>, by position
MATCH (:Workspace {name: $workspace})
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
WITH s IS NOT NULL AS there
CALL () {
  MATCH (i:Chunk {workspace: $workspace, session: $session, archived: false})
    USING INDEX SEEK i:Chunk(workspace, session, archived, position)
  WHERE i.position >= 0 AND EXISTS { (i)-[:PREMISE]->(:Chunk {archived: false}) }
  CALL (i) {
    MATCH (i) (()-[:PREMISE]->(:Chunk {archived: false}))+ (j)
    WITH DISTINCT i, j
    WHERE j <> i
    RETURN max(coalesce($gains[j.position], 0.0)) AS best
  }
  WITH i, best
  WHERE best > 0.0
  RETURN collect([i.position, best]) AS best
}
RETURN there, best
