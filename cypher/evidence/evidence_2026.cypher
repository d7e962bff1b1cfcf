// evidence: candidate objects, cosines and matching memories for one question, from one snapshot, as one row
// mode: read          lines: 2026
// workspace: string          objects: list<string>, the question's own candidates
// lexical: map of intent id to similarity 0..1          similarity: 'lexical', 'neural' or 'mean'
// vector: vector of unit length, or null          model: string or null          use_memory: boolean
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
CYPHER 25
MATCH (w:Workspace {name: $workspace})
WITH
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  w.objects <= $exact_limit AS few_objects,
  w.intents <= $exact_intents AS few_intents
CALL (few_intents) {
  WITH few_intents
  WHERE NOT few_intents AND $use_memory AND $vector IS NOT NULL AND $similarity <> 'lexical'
  MATCH (i:Intent)
    SEARCH i IN (
      VECTOR INDEX intent_embedding
      FOR $vector
      WHERE i.workspace = $workspace AND i.embedding_model = $model
      LIMIT $intent_candidates
    ) SCORE AS score
  RETURN collect([i, round(2 * score - 1, 6)]) AS near_intents
}
{{evidence_memories}}
CALL (few_objects) {
  WITH few_objects
  WHERE NOT few_objects AND $vector IS NOT NULL
  // Far more than are kept, because an index asked for little loses what is near: of the nearest ten of 100,000 it
  // lost .22 asked for 50, .03 asked for 1,000, .008 asked for 2,500, and .004 asked for 4,000.
  MATCH (o:DataObject)
    SEARCH o IN (
      VECTOR INDEX object_embedding
      FOR $vector
      WHERE o.workspace = $workspace AND o.embedding_model = $model AND o.gone = false
      LIMIT 80 * $object_candidates
    ) SCORE AS score
  RETURN collect([o, round(2 * score - 1, 6)]) AS indexed
}
{{evidence_objects}}
