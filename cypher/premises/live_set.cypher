// live_set: the live chunks within reach of the roots, each with its liveness and a shortest path from a root
// mode: read
// workspace: string          session: string
// relevance: map<float>, by chunk id; a chunk that is not named has 0
// roots: list<string> or null, ids; null: every live chunk is a root
// spread: string, how liveness runs along premises: sum, reach or closure (graph/premises.py)
// factors: list<float>, one a hop          weight: float          depth: integer, how many hops paths are followed
// -> there: boolean          live: list<[position, id, liveness, path as list of ids]>, by position
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s IS NOT NULL AS there
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.position >= 0
  WITH c
  ORDER BY c.position, c.id
  RETURN collect(c) AS chunks
}
CALL (chunks) {
  // The place of each chunk, the places of its dependents, and the best relevance in its closure, one row each;
  // grouping by chunk below is the join of the three.
  CALL (chunks) {
    UNWIND range(0, size(chunks) - 1) AS place
    RETURN chunks[place] AS c, place, null AS dependent, null AS best
    UNION ALL
    UNWIND range(0, size(chunks) - 1) AS dependent
    WITH chunks[dependent] AS i, dependent
    MATCH (i)-[:PREMISE]->(c:Chunk)
    WHERE NOT c.archived
    RETURN c, null AS place, dependent, null AS best
    UNION ALL
    UNWIND CASE WHEN $spread = 'closure' THEN chunks ELSE [] END AS c
    MATCH (c) (()-[:PREMISE]->(:Chunk {archived: false}))+ (j)
    WITH DISTINCT c, j
    WHERE j <> c
    RETURN c, null AS place, null AS dependent, max(coalesce($relevance[j.id], 0.0)) AS best
  }
  WITH c, place, dependent, best
  ORDER BY dependent, c.id
  WITH c, max(place) AS place, collect(dependent) AS dependents, coalesce(max(best), 0.0) AS best
  WHERE place IS NOT NULL
  ORDER BY place, c.id
  RETURN
    collect(c.id) AS ids,
    collect(c.position) AS positions,
    collect(dependents) AS dependents,
    collect(CASE WHEN best > 0.0 THEN best ELSE 0.0 END) AS best,
    collect(coalesce($relevance[c.id], 0.0)) AS relevance,
    collect($roots IS NULL OR c.id IN $roots) AS is_root
}
// One vector over all chunks for each hop, made from the one before: walks are summed without being enumerated, so that
// cycles and diamonds cost what their premises cost. Dependents are summed by position, as the arrays sum them.
WITH
  *,
  range(0, size(ids) - 1) AS places,
  reduce(
    waves = [CASE $spread WHEN 'reach' THEN [root IN is_root | CASE WHEN root THEN 1.0 ELSE 0.0 END] ELSE relevance END],
    hop IN range(1, size($factors)) |
      waves + [[
        some IN dependents | reduce(total = 0.0, place IN some | total + waves[-1][place])
      ]]
  ) AS waves
WITH
  *,
  CASE $spread
    WHEN 'closure' THEN best
    ELSE [
      place IN places |
      reduce(total = 0.0, hop IN range(1, size($factors)) | total + $factors[hop - 1] * waves[hop][place])
    ]
  END AS gains,
  // Breadth first. All paths to the dependents of a chunk that is reached next are of one length, so that the least of
  // them by place, root first, is the least of all.
  reduce(
    paths = [place IN places | CASE WHEN is_root[place] THEN [place] END],
    hop IN range(1, $depth) |
      [
        place IN places |
        CASE
          WHEN paths[place] IS NOT NULL THEN paths[place]
          ELSE
            reduce(
              least = null,
              other IN dependents[place] |
                CASE
                  WHEN paths[other] IS NOT NULL AND (least IS NULL OR paths[other] < least) THEN paths[other]
                  ELSE least
                END
            ) + place
        END
      ]
  ) AS paths
RETURN
  there,
  [
    place IN places
    WHERE paths[place] IS NOT NULL |
    [
      positions[place],
      ids[place],
      relevance[place]
        + $weight * CASE WHEN $spread = 'reach' AND gains[place] > 0.0 THEN 1.0 ELSE gains[place] END,
      [step IN paths[place] | ids[step]]
    ]
  ] AS live
