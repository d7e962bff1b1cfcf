// load_premises: stores premises as they are, whatever is there between the same chunks
// mode: write, locked, kept plan
// workspace: string          session: string
// ends: list<string>, all chunks that are named          premises: list<map>, pairs distinct, no self-loop
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
    old IS NULL AS is_new,
    old.grade = row.grade AND old.weight = row.weight
      AND coalesce(old.belief = row.belief, old.belief IS NULL AND row.belief IS NULL)
      AND coalesce(old.reasons, []) = row.reasons AS same
  MERGE (i)-[p:PREMISE]->(j)
  SET p.grade = row.grade, p.weight = row.weight, p.belief = row.belief, p.reasons = row.reasons
  RETURN
    count(CASE WHEN is_new THEN 1 END) AS added,
    count(CASE WHEN NOT is_new AND NOT coalesce(same, false) THEN 1 END) AS updated
}
FOREACH (x IN CASE WHEN added + updated > 0 THEN [s] ELSE [] END |
  SET x.premises = x.premises + added, x.revision = x.version + 1, x.version = x.version + 1
)
RETURN
  s {{session}} AS session,
  unknown,
  added,
  updated
