// save_embeddings: stores one batch of embeddings on those of the ids that exist
// mode: write, locked, kept plan
// workspace: string          version: integer or null, that of the transaction's first batch
// of: 'objects' or 'intents'          rows: list<map>, id, embedding, digest          model: string
// -> base: integer, to be given to the next batch
// -> width: integer or null, the dimensions of what was stored under this model before
WITH w, coalesce($version, w.version + 1) AS version
CALL () {
  CALL () {
    WITH 1 AS any
    WHERE $of = 'objects'
    MATCH (n:DataObject {workspace: $workspace, embedding_model: $model})
      USING INDEX SEEK n:DataObject(workspace, gone, embedding_model)
    WHERE n.gone IN [false, true]
    RETURN n
    LIMIT 1
    UNION ALL
    WITH 1 AS any
    WHERE $of = 'intents'
    MATCH (n:Intent {workspace: $workspace, embedding_model: $model})
      USING INDEX SEEK n:Intent(workspace, embedding_model)
    RETURN n
    LIMIT 1
  }
  RETURN max(size(n.embedding)) AS width
}
CALL (version) {
  UNWIND $rows AS row
  CALL (row) {
    WITH row
    WHERE $of = 'objects'
    MATCH (n:DataObject {workspace: $workspace, id: row.id})
      USING INDEX SEEK n:DataObject(workspace, id)
    RETURN n
    UNION ALL
    WITH row
    WHERE $of = 'intents'
    MATCH (n:Intent {workspace: $workspace, id: row.id})
      USING INDEX SEEK n:Intent(workspace, id)
    RETURN n
  }
  WITH version, row, n, n.version AS before
  WHERE coalesce(n.embedding_digest <> row.embedding_digest, true)
  SET n.embedding_model = $model, n.embedding_digest = row.embedding_digest, n.version = version
  WITH version, row, n, before
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
  RETURN count(row) AS stored, count(CASE WHEN before <> version THEN 1 END) AS written
}
FOREACH (x IN CASE WHEN stored > 0 THEN [w] ELSE [] END |
  SET
    x.written = CASE WHEN x.version = version THEN x.written ELSE 0 END + written,
    x.catalogue_version = CASE $of WHEN 'objects' THEN version ELSE x.catalogue_version END,
    x.version = version
)
RETURN version AS base, width
