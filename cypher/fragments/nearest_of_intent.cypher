// nearest_of_intent: the live objects nearest to intent `i`, out of `indexed`, which an index found, or all of few objects
CALL (i, few_objects, indexed) {
  CALL (few_objects, indexed) {
    // In the key: a WHERE before it would be tested on all that was found.
    WITH CASE WHEN few_objects THEN $workspace END AS workspace
    MATCH (o:DataObject {workspace: workspace, gone: false, embedding_model: $model})
    RETURN o
    UNION ALL
    UNWIND indexed AS o
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
