// save_beliefs: notes on premises how far each is believed, and why
// mode: write, locked, kept plan
// workspace: string          session: string          rows: list<map>, a chunk and [belief, reasons] by premise
// -> there: boolean          noted: integer
{{find_session}}
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
