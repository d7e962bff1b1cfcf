// evidence_objects: the cosines of the nearest objects, out of `indexed`, which an index found, or all of few objects,
// and of those that were named; then all columns of the evidence
CALL (few_objects, indexed) {
  CALL (few_objects, indexed) {
    WITH CASE WHEN few_objects AND $vector IS NOT NULL THEN $workspace END AS workspace
    MATCH (o:DataObject {workspace: workspace, gone: false, embedding_model: $model})
    RETURN o, round(2 * vector.similarity.cosine(o.embedding, $vector) - 1, 6) AS cosine
    UNION ALL
    // They come by falling score. Cut, ties kept, before a property of any is read.
    WITH indexed, coalesce(indexed[$vector_limit - 1][1], -1.0) AS least
    UNWIND [one IN indexed WHERE one[1] >= least] AS one
    RETURN one[0] AS o, one[1] AS cosine
  }
  WITH o, cosine, o.sort_key AS sort_key
  ORDER BY cosine DESC, sort_key
  LIMIT $vector_limit
  RETURN collect([o.id, cosine]) AS nearest
}
CALL (memories, nearest) {
  WITH [pair IN nearest | pair[0]] AS there
  UNWIND CASE WHEN $nearest_only THEN [] ELSE $objects + reduce(all = [], m IN memories | all + m.objects) END AS id
  WITH DISTINCT id, there
  WHERE $vector IS NOT NULL AND NOT id IN there
  MATCH (o:DataObject {workspace: $workspace, id: id})
  WHERE NOT o.gone AND o.embedding_model = $model
  RETURN collect([id, round(2 * vector.similarity.cosine(o.embedding, $vector) - 1, 6)]) AS named
}
MATCH (now:Workspace {name: $workspace})
RETURN
  incarnation,
  version,
  catalogue_version,
  now.version = version AND now.incarnation = incarnation AS settled,
  nearest + named AS cosines,
  terms,
  CASE
    WHEN $vector IS NULL THEN 0
    ELSE COUNT {
        MATCH (o:DataObject {workspace: $workspace, gone: false})
        WHERE o.embedding_model < $model
      } + COUNT {
        MATCH (o:DataObject {workspace: $workspace, gone: false})
        WHERE o.embedding_model > $model
      }
  END AS unembedded,
  memories,
  outside,
  latest,
  COLLECT {
    MATCH (t:Trust {workspace: $workspace})
    RETURN [t.rule, t.lead, t.outcomes]
  } AS trust
