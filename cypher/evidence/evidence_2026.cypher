// evidence: all that the graph knows for one question, of one state of it, scored and packed into one record
// mode: read          lines: 2026
// workspace: string          objects: list<string>, the question's own candidates
// lexical: map of intent id to similarity 0..1          similarity: 'lexical', 'neural' or 'mean'
// vector: vector of unit length, or null          model: string or null          use_memory: boolean
// vector_limit: integer          nearest_only: boolean          held_vectors: list<string> or null, ids
// top_k: integer          alpha: float
// reach_power: float          reach_floor: float          reach_limit: integer          form: string
// today: integer or null, days since 1970          idle_half_life: float, days
// exact_limit: integer, up to so many objects and intents all are scored
// object_candidates: integer          intent_candidates: integer, what to ask the indexes for beyond that
// named: list<string>, the ids foremost in `lexical`          intents_kept: integer, how many of many intents are scored
// -> incarnation: string          version: integer          catalogue_version: integer
// -> settled: boolean, false where a write came in between          approximate: boolean
// -> cosines: list<[id, cosine]>          terms: list<[id, term]>          unembedded: integer
// -> memories: list<map>, by falling reach
// -> trust: list<[rule, lead, outcomes]>
CYPHER 25
MATCH (w:Workspace {name: $workspace})
WITH
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  w.objects AS size,
  w.objects <= $exact_limit AS few_objects,
  w.intents <= $exact_limit AS few_intents
// The intents that may be near: all of a few; of many those that words name, and the nearest by their vectors.
// A condition is in the key that is looked up: one in a WHERE before it is tested on all that was found.
CALL (few_intents, catalogue_version) {
  WITH few_intents, catalogue_version, $vector IS NOT NULL AND $similarity <> 'lexical' AS by_vectors
  WHERE $use_memory
  CALL (few_intents, by_vectors) {
    MATCH (i:Intent {workspace: CASE WHEN few_intents THEN $workspace END})
    RETURN i, null AS cosine
    UNION ALL
    WITH few_intents, by_vectors
    WHERE NOT few_intents
    CALL (by_vectors) {
      UNWIND CASE $similarity WHEN 'neural' THEN [] ELSE $named END AS id
      MATCH (i:Intent {workspace: $workspace, id: id})
      RETURN i, null AS cosine
      UNION ALL
      WITH by_vectors
      WHERE by_vectors
      MATCH (i:Intent)
        SEARCH i IN (
          VECTOR INDEX intent_embedding
          FOR $vector
          WHERE i.workspace = $workspace AND i.embedding_model = $model
          LIMIT $intent_candidates
        ) SCORE AS score
      RETURN i, round(2 * score - 1, 6) AS cosine
    }
    WITH i, max(cosine) AS cosine
    WITH collect([i, cosine]) AS found, min(cosine) AS least
    UNWIND found AS one
    // To read a vector costs more than all else here: the index has told the cosines of those that it found, and of
    // the others that theirs are below. So each is taken for the best that it can be, and only the foremost are read.
    WITH one[0] AS i, one[1] AS cosine, least
    WITH
      i, cosine, i.sort_key AS sort_key,
      CASE
        WHEN $similarity = 'neural' THEN cosine
        WHEN $similarity = 'mean' AND least IS NOT NULL AND i.embedding_model = $model
          THEN (coalesce($lexical[i.id], 0.0) + coalesce(cosine, least)) / 2
        ELSE coalesce($lexical[i.id], 0.0)
      END AS hope
    ORDER BY hope DESC, sort_key
    LIMIT $intents_kept
    RETURN i, cosine
  }
  WITH
    i, catalogue_version,
    coalesce($lexical[i.id], 0.0) AS lexical,
    CASE
      WHEN cosine IS NOT NULL THEN cosine
      WHEN by_vectors AND i.embedding_model = $model
        THEN round(2 * vector.similarity.cosine(i.embedding, $vector) - 1, 6)
    END AS cosine
  WITH
    i, catalogue_version,
    CASE
      WHEN $similarity = 'lexical' OR ($similarity = 'mean' AND cosine IS NULL) THEN lexical
      ELSE (CASE WHEN cosine > 0 THEN CASE WHEN cosine < 1 THEN cosine ELSE 1.0 END ELSE 0.0 END
        + CASE $similarity WHEN 'mean' THEN lexical ELSE 0.0 END)
        / CASE $similarity WHEN 'mean' THEN 2 ELSE 1 END
    END AS similarity
  WHERE similarity > 0
  // Each memory's reach: what its likeness, the registry's own finding, and its outcomes make it weigh.
  MATCH (i)<-[:FOR]-(m:Memory)
  WHERE m.state <> 'refuted' AND NOT m.suspended
  WITH
    i, m, similarity,
    CASE
      WHEN m.expected_at = catalogue_version AND m.expected_form = $form AND m.support < 0.5
        THEN (m.support / 0.5) ^ 2
      ELSE 1.0
    END AS weight,
    CASE WHEN similarity > $reach_floor THEN (similarity - $reach_floor) / (1 - $reach_floor) ELSE 0.0 END AS nearness,
    CASE
      WHEN $today > m.last_used_at.epochSeconds / 86400
        THEN m.confidence * 2.0 ^ ((m.last_used_at.epochSeconds / 86400 - $today) / $idle_half_life)
      ELSE m.confidence
    END AS confidence
  RETURN
    collect([
      m, similarity, weight, nearness ^ $reach_power * weight * confidence, m.state = 'confirmed', m.sort_key,
      confidence, i
    ]) AS weighed
}
CALL (weighed) {
  UNWIND weighed AS one
  WITH one, one[1] AS similarity, one[5] AS sort_key
  WHERE one[4]
  ORDER BY similarity DESC, sort_key
  LIMIT $top_k
  RETURN collect(one) AS leading
}
CALL (weighed) {
  UNWIND weighed AS one
  WITH one, one[1] AS similarity, one[3] AS reach, one[5] AS sort_key
  ORDER BY reach DESC, similarity DESC, sort_key
  LIMIT $reach_limit
  RETURN collect(one) AS reaching
}
CALL (leading, reaching, catalogue_version) {
  UNWIND [one IN reaching | [one, false]] + [one IN leading | [one, true]] AS chosen
  WITH chosen[0] AS one, max(CASE WHEN chosen[1] THEN 1 ELSE 0 END) AS leads, catalogue_version
  WITH
    one[0] AS m, one[1] AS similarity, one[2] AS weight, one[3] AS reach, one[5] AS sort_key, leads,
    one[6] AS confidence, one[7] AS i,
    one[0].expected_at = catalogue_version AND one[0].expected_form = $form AND one[0].expected IS NOT NULL AS current
  ORDER BY reach DESC, similarity DESC, sort_key
  RETURN
    collect(m {
      .id, .intent_id, .intent, .state, .objects,
      confidence: confidence,
      similarity: similarity,
      weight: weight,
      reach: reach,
      share: leads * $alpha * similarity,
      vector: CASE WHEN NOT i.id IN $held_vectors AND i.embedding_model = $model THEN i.embedding END,
      support: CASE WHEN current THEN m.support END,
      expected: CASE WHEN current THEN m.expected END
    }) AS memories
}
CALL (memories) {
  UNWIND memories AS m
  WITH m
  WHERE m.share <> 0
  UNWIND m.objects AS id
  WITH id, sum(m.share) AS term
  RETURN collect([id, term]) AS terms
}
// Cosines: the nearest objects, and those that somebody has named.
CALL (few_objects, size) {
  CALL (few_objects, size) {
    WITH CASE WHEN few_objects AND $vector IS NOT NULL THEN $workspace END AS workspace
    MATCH (o:DataObject {workspace: workspace, gone: false, embedding_model: $model})
    RETURN o, round(2 * vector.similarity.cosine(o.embedding, $vector) - 1, 6) AS cosine
    UNION ALL
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
    // They come by falling score. Cut, ties kept, before a property of any is read.
    WITH collect([o, round(2 * score - 1, 6)]) AS found
    WITH found, coalesce(found[$vector_limit - 1][1], -1.0) AS least
    UNWIND [one IN found WHERE one[1] >= least] AS one
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
  $vector IS NOT NULL AND NOT few_objects AS approximate,
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
  COLLECT {
    MATCH (t:Trust {workspace: $workspace})
    RETURN [t.rule, t.lead, t.outcomes]
  } AS trust
