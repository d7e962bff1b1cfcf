// nearest_objects: for each of these intents that is embedded, the live objects nearest to it by cosine
// mode: read          lines: 2026
// workspace: string          intents: list<string>          model: string
// limit: integer          candidates: integer          exact_limit: integer, up to so many objects all are scored
// -> nearest: list<[intent id, list<[id, cosine]>]>, best first
CYPHER 25
MATCH (w:Workspace {name: $workspace})
CALL (w) {
  WITH w.objects <= $exact_limit AS few_objects
  UNWIND $intents AS intent
  MATCH (i:Intent {workspace: $workspace, id: intent})
  WHERE i.embedding_model = $model
  CALL (i, few_objects) {
    WITH i, few_objects
    WHERE NOT few_objects
    MATCH (o:DataObject)
      SEARCH o IN (
        VECTOR INDEX object_embedding
        FOR i.embedding
        WHERE o.workspace = $workspace AND o.embedding_model = $model AND o.gone = false
        LIMIT 2 * $candidates
      )
    RETURN collect(o) AS indexed
  }
  {{nearest_of_intent}}
}
RETURN nearest
