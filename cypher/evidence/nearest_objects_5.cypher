// nearest_objects: for each of these intents that is embedded, the live objects nearest to it by cosine
// mode: read          lines: 5
// workspace: string          intents: list<string>          model: string
// limit: integer          candidates: integer          exact_limit: integer, up to so many objects all are scored
// -> nearest: list<[intent id, list<[id, cosine]>]>, best first
MATCH (w:Workspace {name: $workspace})
CALL (w) {
  WITH w, w.objects <= $exact_limit OR w.objects ^ 2 <= 4 * $candidates * COUNT { (:DataObject) } AS few_objects
  UNWIND $intents AS intent
  MATCH (i:Intent {workspace: $workspace, id: intent})
  WHERE i.embedding_model = $model
  CALL (w, i, few_objects) {
    WITH w, i, few_objects
    WHERE NOT few_objects
    // The index knows no workspace: ask for as many more as the others hold.
    WITH i, 3.0 * $candidates * COUNT { (:DataObject) } / w.objects AS wanted
    CALL db.index.vector.queryNodes('object_embedding', toInteger(wanted) + 1, i.embedding) YIELD node AS o
    WHERE o.workspace = $workspace AND o.embedding_model = $model AND NOT o.gone
    RETURN collect(o) AS indexed
  }
  {{nearest_of_intent}}
}
RETURN nearest
