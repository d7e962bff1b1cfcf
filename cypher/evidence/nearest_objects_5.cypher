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
    CALL (w, i, few_objects) {
      // In the key: a WHERE before it would be tested on all that was found.
      WITH CASE WHEN few_objects THEN $workspace END AS workspace
      MATCH (o:DataObject {workspace: workspace, gone: false, embedding_model: $model})
      RETURN o
      UNION ALL
      WITH w, i, few_objects
      WHERE NOT few_objects
      // The index knows no workspace: ask for as many more as the others hold.
      WITH i, 3.0 * $candidates * COUNT { (:DataObject) } / w.objects AS wanted
      CALL db.index.vector.queryNodes('object_embedding', toInteger(wanted) + 1, i.embedding) YIELD node AS o
      WHERE o.workspace = $workspace AND o.embedding_model = $model AND NOT o.gone
      RETURN o
    }
    WITH
      o,
      o.sort_key AS sort_key,
      round(2 * vector.similarity.cosine(o.embedding, i.embedding) - 1, 6) AS cosine
    WHERE cosine >= 0
    ORDER BY cosine DESC, sort_key
    LIMIT $limit
    RETURN collect([o.id, cosine]) AS best
  }
  RETURN collect([intent, best]) AS nearest
}
RETURN nearest
