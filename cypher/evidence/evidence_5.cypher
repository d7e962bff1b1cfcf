// evidence: candidate objects, cosines and matching memories for one question, from one snapshot, as one row
// mode: read          lines: 5
// workspace: string          objects: list<string>, the question's own candidates
// lexical: map of intent id to similarity 0..1          similarity: 'lexical', 'neural' or 'mean'
// vector: list<float> of unit length, or null          model: string or null          use_memory: boolean
// vector_limit: integer          nearest_only: boolean          held_vectors: list<string> or null, ids
// top_k: integer          alpha: float          memory_limit: integer          form: string
// latest: integer, how many of the memories made last          held_latest: list<string>, ids of those that are known
// today: integer or null, days since 1970          idle_half_life: float, days
// exact_limit: integer, up to so many objects all are scored          exact_intents: integer, the same of intents
// object_candidates: integer          intent_candidates: integer, what to ask the indexes for beyond that
// intents_kept: integer, how many of many intents are scored
// -> incarnation: string          version: integer          catalogue_version: integer
// -> settled: boolean, false where a write came in between
// -> cosines: list<[id, cosine]>          terms: list<[id, term]>          unembedded: integer
// -> memories: list<map>, nearest first          outside: float, how near one that is not there can be at most
// -> latest: list<map>, the last made first; of those that are held the id alone
// -> trust: list<[rule, lead, outcomes]>
MATCH (w:Workspace {name: $workspace})
WITH
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  w.objects AS size,
  w.intents AS intent_size,
  // The index knows no workspace and is asked for as many more as the others hold: at about 3/4 of what is there
  // scoring all of it costs as much.
  w.objects <= $exact_limit OR w.objects ^ 2 <= 4 * $object_candidates * COUNT { (:DataObject) } AS few_objects,
  w.intents <= $exact_intents OR w.intents ^ 2 <= 4 * $intent_candidates * COUNT { (:Intent) } AS few_intents
CALL (few_intents, intent_size) {
  WITH few_intents, intent_size
  WHERE NOT few_intents AND $use_memory AND $vector IS NOT NULL AND $similarity <> 'lexical'
  WITH 3.0 * $intent_candidates * COUNT { (:Intent) } / intent_size AS wanted
  CALL db.index.vector.queryNodes('intent_embedding', toInteger(wanted) + 1, $vector) YIELD node AS i, score
  WHERE i.workspace = $workspace AND i.embedding_model = $model
  RETURN collect([i, round(2 * score - 1, 6)]) AS near_intents
}
{{evidence_memories}}
CALL (few_objects, size) {
  WITH few_objects, size
  WHERE NOT few_objects AND $vector IS NOT NULL
  WITH 3.0 * $object_candidates * COUNT { (:DataObject) } / size AS least
  // As many at least as release 2026 asks for: asked for little, an index loses what is near.
  WITH CASE WHEN least < 80 * $object_candidates THEN 80 * $object_candidates ELSE toInteger(least) END AS wanted
  CALL db.index.vector.queryNodes('object_embedding', wanted + 1, $vector) YIELD node AS o, score
  WHERE o.workspace = $workspace AND o.embedding_model = $model AND NOT o.gone
  RETURN collect([o, round(2 * score - 1, 6)]) AS indexed
}
{{evidence_objects}}
