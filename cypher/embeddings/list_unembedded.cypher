// list_unembedded: a page of live objects, or of intents, without an embedding of a model, by id
// mode: read
// workspace: string          of: 'objects' or 'intents'          model: string
// after: string, a sort key          limit: integer
// -> ids: list<string>
MATCH (:Workspace {name: $workspace})
CALL () {
  CALL () {
    // In the key: a WHERE before it would be tested on all that was found.
    MATCH (n:DataObject {workspace: CASE $of WHEN 'objects' THEN $workspace END})
    WHERE n.sort_key > $after AND NOT n.gone AND n.embedding_model <> $model
    RETURN n
    ORDER BY n.workspace, n.sort_key
    LIMIT $limit
    UNION ALL
    MATCH (n:Intent {workspace: CASE $of WHEN 'intents' THEN $workspace END})
    WHERE n.sort_key > $after AND n.embedding_model <> $model
    RETURN n
    ORDER BY n.workspace, n.sort_key
    LIMIT $limit
  }
  RETURN collect(n.id) AS ids
}
RETURN ids
