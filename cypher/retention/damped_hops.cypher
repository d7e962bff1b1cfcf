// damped_hops: what each live chunk gets from those that need it over several premises, each hop by its factor; eight hops
// mode: read
// workspace: string          session: string          relevance: list<float>, by position
// factors: list<float>, one a hop, eight at most
// -> there: boolean          heard: list<[integer, float]>, by position
MATCH (:Workspace {name: $workspace})
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
WITH s IS NOT NULL AS there
CALL () {
  MATCH (i:Chunk {workspace: $workspace, session: $session, archived: false})
    USING INDEX SEEK i:Chunk(workspace, session, archived, position)
  WHERE i.position >= 0 AND coalesce($relevance[i.position], 0.0) <> 0.0
  RETURN collect({node: i, value: $relevance[i.position]}) AS wave
}
// One hop, eight times, each from the sums of the one before: no path is walked twice, so that cycles and diamonds cost
// what their premises cost.
WITH there, wave, [] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 1 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 2 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 3 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 4 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 5 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 6 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 7 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (wave) {
  UNWIND CASE WHEN size($factors) >= 8 THEN wave ELSE [] END AS each
  WITH each.node AS i, each.value AS value
  MATCH (i)-[:PREMISE]->(j:Chunk {archived: false})
  WITH i, j, value
  ORDER BY i.position, i.id
  WITH j, collect(value) AS parts
  RETURN collect({node: j, value: reduce(total = 0.0, part IN parts | total + part)}) AS step
}
WITH there, step AS wave, waves + [step] AS waves
CALL (waves) {
  UNWIND range(0, size($factors) - 1) AS hop
  UNWIND waves[hop] AS each
  WITH hop, each.node AS j, each.value AS value
  ORDER BY hop, j.id
  WITH j, collect($factors[hop] * value) AS parts
  RETURN collect([j.position, reduce(total = 0.0, part IN parts | total + part)]) AS heard
}
RETURN there, heard
