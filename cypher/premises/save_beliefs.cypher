// save_beliefs: notes on premises how far each is believed, and why
// mode: write
// workspace: string          session: string          rows: list<map>, a chunk and [belief, reasons] by premise
// -> there: boolean          noted: integer
CYPHER replan=skip
// The plan is kept as counts change, and names its indexes (docs/decisions).
MATCH (w:Workspace {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Workspace
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $rows END AS row
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: row.chunk})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  OPTIONAL MATCH (a:Archived {workspace: $workspace, session: $session, id: row.chunk})
    USING INDEX SEEK a:Archived(workspace, session, id)
  WITH row, coalesce(c, a) AS n
  MATCH (n)-[p:PREMISE]->(d)
  WITH p, row.beliefs[d.id] AS belief
  WHERE belief IS NOT NULL
  SET p.belief = belief[0], p.reasons = belief[1]
  RETURN count(p) AS noted
}
RETURN s IS NOT NULL AS there, noted
