// evidence_memories: the memories that an answer may use, by falling reach, with what they found, and Eq. 1's term of
// each object found; over the intents that words name and `near_intents`, which an index found, or all of few intents
CALL (few_intents, near_intents, catalogue_version) {
  WITH few_intents, near_intents, catalogue_version, $vector IS NOT NULL AND $similarity <> 'lexical' AS by_vectors
  WHERE $use_memory
  CALL (few_intents, near_intents) {
    // In the key: a WHERE before it would be tested on all that was found.
    MATCH (i:Intent {workspace: CASE WHEN few_intents THEN $workspace END})
    RETURN i, null AS cosine
    UNION ALL
    WITH few_intents, near_intents
    WHERE NOT few_intents
    CALL (near_intents) {
      UNWIND CASE $similarity WHEN 'neural' THEN [] ELSE $named END AS id
      MATCH (i:Intent {workspace: $workspace, id: id})
      RETURN i, null AS cosine
      UNION ALL
      UNWIND near_intents AS near
      RETURN near[0] AS i, near[1] AS cosine
    }
    WITH i, max(cosine) AS cosine
    WITH collect([i, cosine]) AS found, min(cosine) AS least
    UNWIND found AS one
    // To read a vector costs more than all else here: the index has given the cosines of those that it found, and the
    // cosines of the others are below. So each is taken for the best that it can be, and only the foremost are read.
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
  // Each memory's reach: from its similarity, its support by the registry, and its outcomes. What it found is walked to
  // below; a memory whose FOUND were deleted by hand takes no place.
  MATCH (i)<-[:FOR]-(m:Memory)
  WHERE m.state <> 'refuted' AND NOT m.suspended AND (size(m.objects) = 0 OR EXISTS { (m)-[:FOUND]->() })
  WITH
    i, m, similarity,
    CASE
      WHEN m.expected_at = catalogue_version AND m.expected_form = $form AND m.support < $full_support
        THEN (m.support / $full_support) ^ 2
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
      .id, .intent_id, .intent, .state,
      objects: COLLECT {
        MATCH (m)-[:FOUND]->(o:DataObject)
        RETURN o.id
      },
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
