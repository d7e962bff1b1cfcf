// save_memories: saves each memory whose revision is the stored one, with its intent and its objects; with `copy` every
// memory as given
// mode: write, locked, kept plan          also serves: load_memories
// workspace: string          version: integer or null, that of the transaction's first batch
// memories: list<map>, ids distinct          model: string or null, that of the embeddings
// copy: boolean, save whatever revision is stored
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
  WHERE $copy OR coalesce(stored.revision, 0) = row.revision
  MERGE (m:Memory {workspace: $workspace, id: row.id})
  SET m += row.properties, m.version = version
  MERGE (w)-[:HOLDS]->(m)
  WITH version, row, m
  // The intent that it may have had before.
  CALL (m, row) {
    MATCH (m)-[old:FOR]->(former:Intent)
    WHERE former.id <> row.properties.intent_id
    DELETE old
    RETURN collect(former) AS formers
  }
  MERGE (i:Intent {workspace: $workspace, id: row.properties.intent_id})
  ON CREATE SET i.sort_key = row.intent_key, i.version = 0, i.embedding_model = ''
  MERGE (m)-[:FOR]->(i)
  WITH
    version, row, m, i, formers,
    i.version AS before,
    row.embedding IS NOT NULL AND coalesce(i.embedding_digest <> row.embedding_digest, true) AS embeds
  CALL (i, row, version, embeds) {
    WITH i, row, version, embeds
    WHERE embeds OR coalesce(i.text <> row.properties.intent, true)
    SET i.text = row.properties.intent, i.version = version
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
    WHERE NOT o.id IN row.properties.objects
    DELETE old
  }
  CALL (m, row) {
    UNWIND row.properties.objects AS id
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
