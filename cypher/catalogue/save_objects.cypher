// save_objects: one batch of a write to the catalogue: objects, then references, then ids
// that are gone, and the suspension of the memories that found them
// mode: write, locked, kept plan
// workspace: string          version: integer or null, that of the transaction's first batch
// objects: list<map>, tables first          references: list<[id, id]>          dropped: list<[id, id]>
// gone: list<string>          model: string or null, that of the embeddings
// -> base: integer, to be given to the next batch
// -> width: integer or null, the dimensions of what was stored under this model before
// -> incarnation: string          version: integer          catalogue_version: integer
// -> unknown: list<string>, ids that must be there and are not: the caller rolls back
// -> memories: list<[id, was suspended, is suspended]>
WITH w, coalesce($version, w.version + 1) AS version
CALL () {
  CALL () {
    WITH 1 AS any
    WHERE $model IS NOT NULL
    MATCH (n:DataObject {workspace: $workspace, embedding_model: $model})
      USING INDEX SEEK n:DataObject(workspace, gone, embedding_model)
    WHERE n.gone IN [false, true]
    RETURN n
    LIMIT 1
  }
  RETURN max(size(n.embedding)) AS width
}
CALL (w, version) {
  UNWIND $objects AS row
  MERGE (o:DataObject {workspace: $workspace, id: row.id})
  ON CREATE SET o.sort_key = row.sort_key, o.version = 0, o.gone = true, o.embedding_model = ''
  WITH
    w, version, row, o,
    o.gone AS returns,
    o.version AS before,
    coalesce(o.kind = row.kind AND o.source = row.source AND o.folded = row.folded, false)
      AND coalesce(o.data_type = row.data_type, o.data_type IS NULL AND row.data_type IS NULL) AS same_rest,
    coalesce(o.name = row.name AND o.description = row.description, false)
      AND coalesce(o.table = row.table, o.table IS NULL AND row.table IS NULL) AS same_text,
    row.embedding IS NOT NULL AND coalesce(o.embedding_digest <> row.embedding_digest, true) AS embeds
  WHERE returns OR embeds OR NOT (same_rest AND same_text)
  SET
    o.kind = row.kind,
    o.name = row.name,
    o.description = row.description,
    o.table = row.table,
    o.data_type = row.data_type,
    o.source = row.source,
    o.folded = row.folded,
    o.gone = false,
    o.version = version
  REMOVE o:Table:Attribute
  SET o:$(CASE row.kind WHEN 'table' THEN 'Table' ELSE 'Attribute' END)
  FOREACH (x IN CASE WHEN row.embedding IS NULL AND NOT same_text AND o.embedding_model <> '' THEN [o] ELSE [] END |
    SET x.embedding_model = ''
    REMOVE x.embedding, x.embedding_digest
  )
  WITH w, version, row, o, returns, before, embeds
  CALL (o, row, embeds) {
    WITH o, row, embeds
    WHERE embeds
    SET o.embedding_model = $model, o.embedding_digest = row.embedding_digest
    WITH o, row
    CALL db.create.setNodeVectorProperty(o, 'embedding', row.embedding)
  }
  CALL (o, row) {
    MATCH (o)<-[old:HOLDS|HAS_ATTRIBUTE]-(owner)
    WHERE type(old) = CASE row.kind WHEN 'table' THEN 'HAS_ATTRIBUTE' ELSE 'HOLDS' END
      OR (row.kind = 'attribute' AND owner.id <> row.table)
    DELETE old
  }
  CALL (w, o, row) {
    WITH w, o, row
    WHERE row.kind = 'table'
    MERGE (w)-[:HOLDS]->(o)
  }
  OPTIONAL MATCH (t:DataObject {workspace: $workspace, id: row.table})
    USING INDEX SEEK t:DataObject(workspace, id)
  WHERE row.kind = 'attribute'
  FOREACH (x IN CASE WHEN t IS NULL THEN [] ELSE [t] END | MERGE (x)-[:HAS_ATTRIBUTE]->(o))
  RETURN
    count(CASE WHEN before <> version THEN 1 END) AS written,
    count(CASE WHEN before = 0 THEN 1 END) AS created,
    collect(CASE WHEN returns THEN row.id END) AS came,
    collect(CASE WHEN row.kind = 'attribute' AND t IS NULL THEN row.table END) AS no_tables
}
CALL () {
  UNWIND $references AS pair
  OPTIONAL MATCH (a:DataObject {workspace: $workspace, id: pair[0]})
    USING INDEX SEEK a:DataObject(workspace, id)
  OPTIONAL MATCH (b:DataObject {workspace: $workspace, id: pair[1]})
    USING INDEX SEEK b:DataObject(workspace, id)
  WITH pair, a, b, a IS NOT NULL AND b IS NOT NULL AND NOT EXISTS { (a)-[:REFERENCES]->(b) } AS fresh
  FOREACH (x IN CASE WHEN fresh THEN [a] ELSE [] END | CREATE (x)-[:REFERENCES]->(b))
  RETURN
    count(CASE WHEN fresh THEN 1 END) AS added,
    collect(CASE WHEN a IS NULL THEN pair[0] END) + collect(CASE WHEN b IS NULL THEN pair[1] END) AS no_ends
}
CALL () {
  UNWIND $dropped AS pair
  MATCH (a:DataObject {workspace: $workspace, id: pair[0]})
    -[r:REFERENCES]->(:DataObject {workspace: $workspace, id: pair[1]})
    USING INDEX SEEK a:DataObject(workspace, id)
  DELETE r
  RETURN count(r) AS dropped
}
CALL (version) {
  UNWIND $gone AS id
  OPTIONAL MATCH (o:DataObject {workspace: $workspace, id: id})
    USING INDEX SEEK o:DataObject(workspace, id)
  WITH version, id, o, o.gone AS already, o.version AS before
  FOREACH (x IN CASE WHEN already = false THEN [o] ELSE [] END | SET x.gone = true, x.version = version)
  RETURN
    count(CASE WHEN already = false AND before <> version THEN 1 END) AS gone_written,
    collect(CASE WHEN already = false THEN id END) AS went,
    collect(CASE WHEN o IS NULL THEN id END) AS no_gone
}
CALL (version, came, went) {
  CALL (came, went) {
    UNWIND went AS id
    MATCH (o:DataObject {workspace: $workspace, id: id})<-[:FOUND]-(m:Memory)
      USING INDEX SEEK o:DataObject(workspace, id)
    RETURN m
    UNION
    WITH came
    WHERE size(came) > 0
    MATCH (m:Memory {workspace: $workspace, suspended: true})
      USING INDEX SEEK m:Memory(workspace, suspended)
    WHERE any(id IN m.missing WHERE id IN came)
    RETURN m
  }
  WITH
    version, came, m, m.suspended AS was,
    [id IN m.objects WHERE id IN went OR (id IN m.missing AND NOT id IN came)] AS missing
  SET m.missing = missing, m.suspended = size(missing) > 0, m.version = version
  WITH came, m, was
  // An object that had been removed is a new node now.
  CALL (m, came) {
    UNWIND [id IN m.objects WHERE id IN came] AS id
    MATCH (o:DataObject {workspace: $workspace, id: id})
      USING INDEX SEEK o:DataObject(workspace, id)
    MERGE (m)-[:FOUND]->(o)
  }
  RETURN collect([m.id, was, m.suspended]) AS memories
}
WITH
  w, version, width, memories, created,
  no_tables + no_ends + no_gone AS unknown,
  written + gone_written AS written,
  written + gone_written + added + dropped + size(went) + size(came) > 0 AS changed
FOREACH (x IN CASE WHEN changed THEN [w] ELSE [] END |
  SET
    x.written = CASE WHEN x.version = version THEN x.written ELSE 0 END + written,
    x.objects = x.objects + created,
    x.version = version,
    x.catalogue_version = version
)
RETURN
  version AS base,
  width,
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  unknown,
  memories
