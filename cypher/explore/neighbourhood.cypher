// neighbourhood: the nodes within some relationships of the object, memory or intent of this id, with what joins them
// mode: read
// workspace: string          around: string          depth: integer, 0..4          limit: integer
// -> there: boolean          nodes: list<map>          relationships: list<map>          truncated: boolean
MATCH (:Workspace {name: $workspace})
CALL () {
  OPTIONAL MATCH (o:DataObject {workspace: $workspace, id: $around})
  OPTIONAL MATCH (m:Memory {workspace: $workspace, id: $around})
  OPTIONAL MATCH (i:Intent {workspace: $workspace, id: $around})
  RETURN coalesce(o, m, i) AS start
}
WITH
  start IS NOT NULL AS there,
  CASE WHEN start IS NULL THEN [] ELSE [start] END AS shown,
  CASE WHEN start IS NULL THEN [] ELSE [start] END AS frontier,
  false AS truncated
// One step outwards, four times: the nearest come first, and a step that the limit cuts is the last one.
CALL (shown, frontier) {
  UNWIND CASE WHEN $depth >= 1 THEN frontier ELSE [] END AS n
  MATCH (n)-[:HAS_ATTRIBUTE|REFERENCES|FOR|FOUND|EXPECTED]-(other)
  WHERE NOT other IN shown
  WITH DISTINCT
    other,
    CASE WHEN other:DataObject THEN 1 WHEN other:Intent THEN 2 ELSE 3 END AS label,
    other.sort_key AS sort_key
  ORDER BY label, sort_key
  LIMIT $limit + 1
  RETURN collect(other) AS step
}
WITH
  there,
  shown + step[0..$limit - size(shown)] AS shown,
  CASE WHEN size(shown) + size(step) > $limit THEN [] ELSE step END AS frontier,
  truncated OR size(shown) + size(step) > $limit AS truncated
CALL (shown, frontier) {
  UNWIND CASE WHEN $depth >= 2 THEN frontier ELSE [] END AS n
  MATCH (n)-[:HAS_ATTRIBUTE|REFERENCES|FOR|FOUND|EXPECTED]-(other)
  WHERE NOT other IN shown
  WITH DISTINCT
    other,
    CASE WHEN other:DataObject THEN 1 WHEN other:Intent THEN 2 ELSE 3 END AS label,
    other.sort_key AS sort_key
  ORDER BY label, sort_key
  LIMIT $limit + 1
  RETURN collect(other) AS step
}
WITH
  there,
  shown + step[0..$limit - size(shown)] AS shown,
  CASE WHEN size(shown) + size(step) > $limit THEN [] ELSE step END AS frontier,
  truncated OR size(shown) + size(step) > $limit AS truncated
CALL (shown, frontier) {
  UNWIND CASE WHEN $depth >= 3 THEN frontier ELSE [] END AS n
  MATCH (n)-[:HAS_ATTRIBUTE|REFERENCES|FOR|FOUND|EXPECTED]-(other)
  WHERE NOT other IN shown
  WITH DISTINCT
    other,
    CASE WHEN other:DataObject THEN 1 WHEN other:Intent THEN 2 ELSE 3 END AS label,
    other.sort_key AS sort_key
  ORDER BY label, sort_key
  LIMIT $limit + 1
  RETURN collect(other) AS step
}
WITH
  there,
  shown + step[0..$limit - size(shown)] AS shown,
  CASE WHEN size(shown) + size(step) > $limit THEN [] ELSE step END AS frontier,
  truncated OR size(shown) + size(step) > $limit AS truncated
CALL (shown, frontier) {
  UNWIND CASE WHEN $depth >= 4 THEN frontier ELSE [] END AS n
  MATCH (n)-[:HAS_ATTRIBUTE|REFERENCES|FOR|FOUND|EXPECTED]-(other)
  WHERE NOT other IN shown
  WITH DISTINCT
    other,
    CASE WHEN other:DataObject THEN 1 WHEN other:Intent THEN 2 ELSE 3 END AS label,
    other.sort_key AS sort_key
  ORDER BY label, sort_key
  LIMIT $limit + 1
  RETURN collect(other) AS step
}
WITH
  there,
  shown + step[0..$limit - size(shown)] AS shown,
  CASE WHEN size(shown) + size(step) > $limit THEN [] ELSE step END AS frontier,
  truncated OR size(shown) + size(step) > $limit AS truncated
CALL (shown) {
  UNWIND shown AS a
  MATCH (a)-[r:HAS_ATTRIBUTE|REFERENCES|FOR|FOUND|EXPECTED]->(b)
  WHERE b IN shown
  RETURN collect({
    type: type(r),
    start: CASE WHEN a:DataObject THEN 'DataObject' WHEN a:Intent THEN 'Intent' ELSE 'Memory' END,
    start_id: a.id,
    end: CASE WHEN b:DataObject THEN 'DataObject' WHEN b:Intent THEN 'Intent' ELSE 'Memory' END,
    end_id: b.id,
    score: r.score
  }) AS relationships
}
RETURN
  there,
  [n IN shown | n {
    .id, .workspace, .kind, .name, .description, .table, .data_type, .source, .gone,
    .intent, .state, .created_at, .last_used_at, .times, .successes, .failures, .suspended, .text,
    label: CASE WHEN n:DataObject THEN 'DataObject' WHEN n:Intent THEN 'Intent' ELSE 'Memory' END
  }] AS nodes,
  relationships,
  truncated
