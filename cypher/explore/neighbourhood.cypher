// neighbourhood: the nodes within some hops of the object, memory or intent of this id, and their relationships
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
  false AS truncated,
  $depth AS steps
// One step outwards, four times: the nearest come first, and a step that the limit cuts is the last one.
{{step_outwards}}
{{step_outwards}}
{{step_outwards}}
{{step_outwards}}
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
