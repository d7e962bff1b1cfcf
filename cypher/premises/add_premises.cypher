// add_premises: adds premises between chunks of a session; a stored one keeps the most trusted grade and the largest
// weight of both, unless `copy` is set
// mode: write, locked, kept plan          also serves: load_premises
// workspace: string          session: string
// ends: list<string>, all chunks that are named          premises: list<map>, pairs distinct, no self-loop
// fresh_from: integer or null, the position from which chunks are new in this transaction
// copy: boolean, store premises as they are given
// -> session: map or null          unknown: list<string>          added: integer          updated: integer
{{find_session}}
CALL () {
  UNWIND $ends AS id
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  WITH id, c
  WHERE c IS NULL
  RETURN collect(id) AS unknown
}
CALL (s, unknown) {
  UNWIND CASE WHEN s IS NULL OR size(unknown) > 0 THEN [] ELSE $premises END AS row
  MATCH (i:Chunk {workspace: $workspace, session: $session, id: row.chunk})
    USING INDEX SEEK i:Chunk(workspace, session, id)
  MATCH (j:Chunk {workspace: $workspace, session: $session, id: row.premise})
    USING INDEX SEEK j:Chunk(workspace, session, id)
  OPTIONAL MATCH (i)-[old:PREMISE]->(j)
  WITH
    row, i, j, old,
    old IS NULL AS is_new,
    $copy OR row.belief IS NOT NULL AS believes,
    CASE old.grade WHEN 'declared' THEN 0 WHEN 'observed' THEN 1 WHEN 'inferred' THEN 2 END AS rank
  WITH
    i, j, old, is_new,
    CASE WHEN $copy OR is_new OR row.rank < rank THEN row.grade ELSE old.grade END AS grade,
    CASE WHEN $copy OR is_new OR row.weight > old.weight THEN row.weight ELSE old.weight END AS weight,
    CASE WHEN believes THEN row.belief ELSE old.belief END AS belief,
    CASE WHEN believes THEN row.reasons WHEN is_new THEN [] ELSE old.reasons END AS reasons
  WITH
    i, j, is_new, grade, weight, belief, reasons,
    coalesce(
      old.grade = grade
        AND old.weight = weight
        AND coalesce(old.belief = belief, old.belief IS NULL AND belief IS NULL)
        AND old.reasons = reasons,
      false
    ) AS same
  MERGE (i)-[p:PREMISE]->(j)
  SET p.grade = grade, p.weight = weight, p.belief = belief, p.reasons = reasons
  RETURN
    count(CASE WHEN is_new THEN 1 END) AS added,
    count(CASE WHEN is_new AND coalesce(i.position >= $fresh_from, false) THEN 1 END) AS fresh,
    count(CASE WHEN NOT is_new AND NOT same THEN 1 END) AS updated
}
FOREACH (x IN CASE WHEN added + updated > 0 THEN [s] ELSE [] END |
  SET
    x.premises = x.premises + added,
    x.revision = CASE WHEN added + updated > fresh THEN x.version + 1 ELSE x.revision END,
    x.version = x.version + 1
)
RETURN s {{session}} AS session, unknown, added, updated
