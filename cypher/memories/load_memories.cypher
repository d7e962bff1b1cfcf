// load_memories: stores memories as they are, revision and all, each with its intent and what it found
// mode: write, locked, kept plan
// workspace: string          version: integer or null, that of the transaction's first batch
// memories: list<map>, ids distinct
// -> base: integer, to be given to the next batch
WITH w, coalesce($version, w.version + 1) AS version
CALL (w, version) {
  UNWIND $memories AS row
  MERGE (m:Memory {workspace: $workspace, id: row.id})
  SET
    m.sort_key = row.sort_key,
    m.intent_id = row.intent_id,
    m.intent = row.intent,
    m.objects = row.objects,
    m.state = row.state,
    m.confidence = row.confidence,
    m.created_at = row.created_at,
    m.last_used_at = row.last_used_at,
    m.times = row.times,
    m.successes = row.successes,
    m.failures = row.failures,
    m.evidence = row.evidence,
    m.statement = row.statement,
    m.dialect = row.dialect,
    m.seal = row.seal,
    m.revision = row.revision,
    m.version = version
  MERGE (w)-[:HOLDS]->(m)
  WITH version, row, m
  CALL (m, row) {
    MATCH (m)-[old:FOR]->(former:Intent)
    WHERE former.id <> row.intent_id
    DELETE old
    RETURN collect(former) AS formers
  }
  MERGE (i:Intent {workspace: $workspace, id: row.intent_id})
  ON CREATE SET i.sort_key = row.intent_key, i.version = 0, i.embedding_model = ''
  MERGE (m)-[:FOR]->(i)
  WITH version, row, m, i, formers, i.version AS before
  FOREACH (x IN CASE WHEN coalesce(i.text <> row.intent, true) THEN [i] ELSE [] END |
    SET x.text = row.intent, x.version = version
  )
  WITH version, row, m, i, formers, before
  CALL (m, row) {
    MATCH (m)-[old:FOUND]->(o)
    WHERE NOT o.id IN row.objects
    DELETE old
  }
  CALL (m, row) {
    UNWIND row.objects AS id
    OPTIONAL MATCH (o:DataObject {workspace: $workspace, id: id})
      USING INDEX SEEK o:DataObject(workspace, id)
    FOREACH (x IN CASE WHEN o IS NULL THEN [] ELSE [o] END | MERGE (m)-[:FOUND]->(x))
    RETURN collect(CASE WHEN coalesce(o.gone, true) THEN id END) AS missing
  }
  SET m.missing = missing, m.suspended = size(missing) > 0
  RETURN
    count(DISTINCT CASE WHEN before = 0 THEN i END) AS created,
    count(DISTINCT CASE WHEN before <> version AND i.version = version THEN i END) AS written,
    collect(formers) AS former_lists
}
CALL (former_lists) {
  UNWIND former_lists AS formers
  UNWIND formers AS former
  WITH DISTINCT former
  WHERE NOT EXISTS { (former)<-[:FOR]-() }
  DETACH DELETE former
  RETURN count(former) AS orphans
}
SET
  w.written = CASE WHEN w.version = version THEN w.written ELSE 0 END + written,
  w.intents = w.intents + created - orphans,
  w.removed_version = CASE WHEN orphans > 0 THEN version ELSE w.removed_version END,
  w.version = version
RETURN version AS base
