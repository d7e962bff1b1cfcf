// save_memories: saves each memory whose revision is the stored one, with its intent and what it found
// mode: write, locked, kept plan
// workspace: string          version: integer or null, that of the transaction's first batch
// memories: list<map>, ids distinct          model: string or null, that of the embeddings
// -> base: integer, to be given to the next batch          saved: list<string>
// -> width: integer or null, the dimensions of what was stored under this model before
WITH w, coalesce($version, w.version + 1) AS version
CALL () {
  CALL () {
    WITH 1 AS any
    WHERE $model IS NOT NULL
    MATCH (n:Intent {workspace: $workspace, embedding_model: $model})
      USING INDEX SEEK n:Intent(workspace, embedding_model)
    RETURN n
    LIMIT 1
  }
  RETURN max(size(n.embedding)) AS width
}
CALL (w, version) {
  UNWIND $memories AS row
  OPTIONAL MATCH (stored:Memory {workspace: $workspace, id: row.id})
    USING INDEX SEEK stored:Memory(workspace, id)
  WITH w, version, row, stored
  WHERE coalesce(stored.revision, 0) = row.revision
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
    m.revision = row.revision + 1,
    m.version = version
  MERGE (w)-[:HOLDS]->(m)
  WITH version, row, m
  // The intent it may have had before.
  CALL (m, row) {
    MATCH (m)-[old:FOR]->(former:Intent)
    WHERE former.id <> row.intent_id
    DELETE old
    RETURN collect(former) AS formers
  }
  MERGE (i:Intent {workspace: $workspace, id: row.intent_id})
  ON CREATE SET i.sort_key = row.intent_key, i.version = 0, i.embedding_model = ''
  MERGE (m)-[:FOR]->(i)
  WITH
    version, row, m, i, formers,
    i.version AS before,
    row.embedding IS NOT NULL AND coalesce(i.embedding_digest <> row.embedding_digest, true) AS embeds
  CALL (i, row, version, embeds) {
    WITH i, row, version, embeds
    WHERE embeds OR coalesce(i.text <> row.intent, true)
    SET i.text = row.intent, i.version = version
  }
  CALL (i, row, embeds) {
    WITH i, row, embeds
    WHERE embeds
    SET i.embedding_model = $model, i.embedding_digest = row.embedding_digest
    WITH i, row
    CALL db.create.setNodeVectorProperty(i, 'embedding', row.embedding)
  }
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
    collect(row.id) AS saved,
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
FOREACH (x IN CASE WHEN size(saved) > 0 THEN [w] ELSE [] END |
  SET
    x.written = CASE WHEN x.version = version THEN x.written ELSE 0 END + written,
    x.intents = x.intents + created - orphans,
    x.removed_version = CASE WHEN orphans > 0 THEN version ELSE x.removed_version END,
    x.version = version
)
RETURN version AS base, saved, width
