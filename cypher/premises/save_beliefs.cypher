// save_beliefs: stores on premises how far each is believed, and why
// mode: write, locked, kept plan
// workspace: string          session: string          rows: list<map>, a chunk and [belief, reasons] by premise
// -> there: boolean          noted: integer
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $rows END AS row
  MATCH (c:Chunk {workspace: $workspace, session: $session, id: row.chunk})-[p:PREMISE]->(d)
    USING INDEX SEEK c:Chunk(workspace, session, id)
  WITH p, row.beliefs[d.id] AS belief
  WHERE belief IS NOT NULL
  SET p.belief = belief[0], p.reasons = belief[1]
  RETURN count(p) AS noted
}
RETURN s IS NOT NULL AS there, noted
