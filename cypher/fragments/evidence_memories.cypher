// evidence_memories: the memories nearest to a question, nearest first, with what they found, and Eq. 1's term of each
// object found; over the intents that words name and `near_intents`, which an index found, or all of few intents. And
// the memories made last.
CALL (few_intents, near_intents) {
  CALL (few_intents, near_intents) {
    // In the key: a WHERE before it would be tested on all that was found.
    MATCH (i:Intent {workspace: CASE WHEN few_intents AND $use_memory THEN $workspace END})
    RETURN i, null AS cosine, null AS hope, null AS sort_key
    UNION ALL
    WITH near_intents, near_intents[-1][1] AS least
    WHERE NOT few_intents AND $use_memory
    CALL (near_intents) {
      UNWIND CASE $similarity WHEN 'neural' THEN [] ELSE keys($lexical) END AS id
      MATCH (i:Intent {workspace: $workspace, id: id})
      RETURN i, null AS cosine
      UNION ALL
      UNWIND near_intents AS near
      RETURN near[0] AS i, near[1] AS cosine
    }
    WITH i, least, max(cosine) AS cosine
    WHERE EXISTS {
      MATCH (i)<-[:FOR]-(m:Memory)
      WHERE m.state <> 'refuted' AND NOT m.suspended
    }
    // To read a vector costs more than all else here: the index has given the cosines of those that it found, and the
    // cosines of the others are below. So each is taken for the best that it can be, and only the foremost are read.
    RETURN
      i, cosine,
      CASE
        WHEN $similarity = 'neural' THEN cosine
        WHEN $similarity = 'mean' AND least IS NOT NULL AND i.embedding_model = $model
          THEN (coalesce($lexical[i.id], 0.0) + coalesce(cosine, least)) / 2
        ELSE coalesce($lexical[i.id], 0.0)
      END AS hope,
      i.sort_key AS sort_key
  }
  WITH i, cosine, hope, sort_key
  ORDER BY hope DESC, sort_key
  WITH collect([i, cosine, hope]) AS hopeful
  WITH
    hopeful,
    coalesce(hopeful[$intents_kept][2], 0.0) AS next,
    CASE $similarity
      WHEN 'lexical' THEN 0.0
      ELSE coalesce(near_intents[-1][1], 1.0) / CASE $similarity WHEN 'mean' THEN 2 ELSE 1 END
    END AS unseen
  // How near one that was not looked at can be at most.
  RETURN
    CASE WHEN few_intents THEN hopeful ELSE hopeful[..$intents_kept] END AS looked_at,
    CASE WHEN few_intents OR NOT $use_memory THEN 0.0 WHEN next > unseen THEN next ELSE unseen END AS outside
}
CALL (looked_at) {
  UNWIND looked_at AS one
  WITH one[0] AS i, one[1] AS cosine
  WITH
    i,
    coalesce($lexical[i.id], 0.0) AS lexical,
    CASE
      WHEN cosine IS NOT NULL THEN cosine
      WHEN $vector IS NOT NULL AND $similarity <> 'lexical' AND i.embedding_model = $model
        THEN round(2 * vector.similarity.cosine(i.embedding, $vector) - 1, 6)
    END AS cosine
  WITH
    i,
    CASE
      WHEN $similarity = 'lexical' OR ($similarity = 'mean' AND cosine IS NULL) THEN lexical
      ELSE (CASE WHEN cosine > 0 THEN CASE WHEN cosine < 1 THEN cosine ELSE 1.0 END ELSE 0.0 END
        + CASE $similarity WHEN 'mean' THEN lexical ELSE 0.0 END)
        / CASE $similarity WHEN 'mean' THEN 2 ELSE 1 END
    END AS similarity
  WHERE similarity > 0
  // What it found is walked to below; a memory whose FOUND were deleted by hand takes no place.
  MATCH (i)<-[:FOR]-(m:Memory)
  WHERE m.state <> 'refuted' AND NOT m.suspended AND (size(m.objects) = 0 OR EXISTS { (m)-[:FOUND]->() })
  WITH i, m, similarity, m.sort_key AS sort_key
  ORDER BY similarity DESC, sort_key
  WITH collect([m, similarity, i, m.state = 'confirmed']) AS near
  WITH near[..$memory_limit] AS first, near[$memory_limit..] AS rest, [one IN near WHERE one[3]][..$top_k] AS leading
  RETURN first + [one IN rest WHERE one IN leading] AS near
}
CALL (near, catalogue_version) {
  UNWIND range(0, size(near) - 1) AS place
  WITH
    near[place][0] AS m, near[place][1] AS similarity, near[place][2] AS i,
    CASE WHEN near[place][3] AND size([one IN near[..place] WHERE one[3]]) < $top_k THEN $alpha ELSE 0.0 END AS alpha
  WITH
    m, similarity, i, alpha,
    CASE
      WHEN $today > m.last_used_at.epochSeconds / 86400
        THEN m.confidence * 2.0 ^ ((m.last_used_at.epochSeconds / 86400 - $today) / $idle_half_life)
      ELSE m.confidence
    END AS confidence,
    m.expected_at = catalogue_version AND m.expected_form = $form AND m.expected IS NOT NULL AS current
  RETURN
    collect(m {
      .id, .intent_id, .intent, .state, .successes, .failures,
      objects: COLLECT {
        MATCH (m)-[:FOUND]->(o:DataObject)
        RETURN o.id
      },
      confidence: confidence,
      similarity: similarity,
      share: alpha * similarity,
      vector: CASE WHEN NOT i.id IN $held_vectors AND i.embedding_model = $model THEN i.embedding END,
      support: CASE WHEN current THEN m.support END,
      expected: CASE WHEN current THEN m.expected END
    }) AS memories
}
CALL (catalogue_version) {
  MATCH (m:Memory)
    USING INDEX SEEK m:Memory(workspace, created_at)
  WHERE m.workspace = $workspace AND m.created_at IS NOT NULL AND m.state <> 'refuted' AND NOT m.suspended
  WITH m
  ORDER BY m.workspace DESC, m.created_at DESC, m.sort_key  // as the index has them: it is read no further than wanted
  LIMIT CASE WHEN $use_memory THEN $latest ELSE 0 END
  WITH
    m, m.id IN $held_latest AS held,
    m.expected_at = catalogue_version AND m.expected_form = $form AND m.expected IS NOT NULL AS current
  RETURN
    collect(m {
      .id,
      intent_id: CASE WHEN NOT held THEN m.intent_id END,
      intent: CASE WHEN NOT held THEN m.intent END,
      objects: CASE WHEN NOT held THEN m.objects END,
      support: CASE WHEN current AND NOT held THEN m.support END,
      expected: CASE WHEN current AND NOT held THEN m.expected END
    }) AS latest
}
CALL (memories) {
  UNWIND memories AS m
  WITH m
  WHERE m.share <> 0
  UNWIND m.objects AS id
  WITH id, sum(m.share) AS term
  RETURN collect([id, term]) AS terms
}
