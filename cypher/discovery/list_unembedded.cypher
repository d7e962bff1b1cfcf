// list_unembedded: a page of live objects, or of intents, without an embedding of a model, by id
// mode: read
// workspace: string          of: 'objects' or 'intents'          model: string
// after: string, a sort key          limit: integer
// -> ids: list<string>
MATCH (:Workspace {name: $workspace})
CALL () {
  CALL () {
    WITH 1 AS any
    WHERE $of = 'objects'
    MATCH (n:DataObject {workspace: $workspace})
    WHERE n.sort_key > $after AND NOT n.gone AND n.embedding_model <> $model
    RETURN n
    ORDER BY n.sort_key
    LIMIT $limit
    UNION ALL
    WITH 1 AS any
    WHERE $of = 'intents'
    MATCH (n:Intent {workspace: $workspace})
    WHERE n.sort_key > $after AND n.embedding_model <> $model
    RETURN n
    ORDER BY n.sort_key
    LIMIT $limit
  }
  RETURN collect(n.id) AS ids
}
RETURN ids
