// show_embeddings: the embeddings of those of these objects, or intents, that have one
// mode: read
// workspace: string          of: 'objects' or 'intents'          ids: list<string>
// -> embeddings: list<[id, model, list<float>]>
MATCH (:Workspace {name: $workspace})
CALL () {
  CALL () {
    WITH 1 AS any
    WHERE $of = 'objects'
    UNWIND $ids AS id
    MATCH (n:DataObject {workspace: $workspace, id: id})
    RETURN n
    UNION ALL
    WITH 1 AS any
    WHERE $of = 'intents'
    UNWIND $ids AS id
    MATCH (n:Intent {workspace: $workspace, id: id})
    RETURN n
  }
  WITH n
  WHERE n.embedding_model <> ''
  RETURN collect([n.id, n.embedding_model, n.embedding]) AS embeddings
}
RETURN embeddings
