// add_premises: adds premises between chunks of a session; of one that is there the most trusted grade and the largest
// weight stay
// mode: write, locked, kept plan
// workspace: string          session: string
// ends: list<string>, all chunks that are named          premises: list<map>, pairs distinct, no self-loop
// fresh_from: integer or null, the position from which chunks are new in this transaction
// -> session: map or null          unknown: list<string>          added: integer          updated: integer
{{find_session}}
CALL () {
  UNWIND $ends AS id
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  OPTIONAL MATCH (a:Archived {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK a:Archived(workspace, session, id)
  WITH id, coalesce(c, a) AS found
  WHERE found IS NULL
  RETURN collect(id) AS unknown
}
CALL (s, unknown) {
  UNWIND CASE WHEN s IS NULL OR size(unknown) > 0 THEN [] ELSE $premises END AS row
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: row.chunk})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  OPTIONAL MATCH (a:Archived {workspace: $workspace, session: $session, id: row.chunk})
    USING INDEX SEEK a:Archived(workspace, session, id)
  OPTIONAL MATCH (d:Chunk {workspace: $workspace, session: $session, id: row.premise})
    USING INDEX SEEK d:Chunk(workspace, session, id)
  OPTIONAL MATCH (b:Archived {workspace: $workspace, session: $session, id: row.premise})
    USING INDEX SEEK b:Archived(workspace, session, id)
  WITH row, coalesce(c, a) AS i, coalesce(d, b) AS j
  OPTIONAL MATCH (i)-[old:PREMISE]->(j)
  WITH
    row, i, j,
    old.grade AS grade,
    old.weight AS weight,
    CASE old.grade WHEN 'declared' THEN 0 WHEN 'observed' THEN 1 WHEN 'inferred' THEN 2 ELSE -1 END AS rank,
    row.belief IS NOT NULL
      AND coalesce(old.belief <> row.belief OR old.reasons <> row.reasons, true) AS believes
  MERGE (i)-[p:PREMISE]->(j)
  SET
    p.grade = CASE WHEN grade IS NULL OR row.rank < rank THEN row.grade ELSE grade END,
    p.weight = CASE WHEN coalesce(weight > row.weight, false) THEN weight ELSE row.weight END
  FOREACH (x IN CASE WHEN believes THEN [p] ELSE [] END | SET x.belief = row.belief, x.reasons = row.reasons)
  FOREACH (x IN CASE WHEN grade IS NULL AND NOT believes THEN [p] ELSE [] END | SET x.reasons = [])
  RETURN
    count(CASE WHEN grade IS NULL THEN 1 END) AS added,
    count(CASE WHEN grade IS NULL AND coalesce(i.position >= $fresh_from, false) THEN 1 END) AS fresh,
    count(CASE WHEN row.rank < rank OR row.weight > weight OR (grade IS NOT NULL AND believes) THEN 1 END) AS updated
}
FOREACH (x IN CASE WHEN added + updated > 0 THEN [s] ELSE [] END |
  SET
    x.premises = x.premises + added,
    x.revision = CASE WHEN added + updated > fresh THEN x.version + 1 ELSE x.revision END,
    x.version = x.version + 1
)
RETURN
  s {{session}} AS session,
  unknown,
  added,
  updated
