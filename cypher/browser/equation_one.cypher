// Eq. 1 with embeddings, wholly in the database: what `retinue discover --retriever neural --rule eq1` answers.
//
//   score(q, o) = cosine(q, o) + alpha * the similarities of those among the top_k nearest confirmed memories
//                                        that found o
//
// In Neo4j Browser, say first what to ask, then paste the rest:
//
//   :param workspace => 'default'
//   :param intent => 'How many accounts are overdue?'     the text of a stored intent; or null, and then:
//   :param vector => null                                 the question's embedding, of unit length
//   :param model => null                                  the name of the model that made it
//   :param alpha => 0.5
//   :param top_k => 5
//   :param limit => 10
CALL () {
  OPTIONAL MATCH (i:Intent {workspace: $workspace, text: $intent})
  RETURN coalesce($vector, i.embedding) AS question, coalesce($model, i.embedding_model) AS model
}
// The memories whose own questions are nearest.
CALL (question, model) {
  MATCH (i:Intent {workspace: $workspace, embedding_model: model})
  WITH i, round(2 * vector.similarity.cosine(i.embedding, question) - 1, 6) AS cosine
  WHERE cosine > 0
  MATCH (i)<-[:FOR]-(m:Memory {state: 'confirmed', suspended: false})
  WHERE EXISTS { (m)-[:FOUND]->() }
  WITH i, m, CASE WHEN cosine < 1 THEN cosine ELSE 1.0 END AS similarity
  ORDER BY similarity DESC, m.sort_key
  LIMIT $top_k
  RETURN collect([m, i, similarity]) AS nearest
}
// What the objects' own descriptions say, and what those memories add.
CALL (question, model, nearest) {
  WITH question, model
  MATCH (o:DataObject {workspace: $workspace, gone: false, embedding_model: model})
  WITH o, round(2 * vector.similarity.cosine(o.embedding, question) - 1, 6) AS cosine
  RETURN o, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS part, null AS memory
  UNION ALL
  WITH nearest
  UNWIND nearest AS near
  WITH near[0] AS m, near[1] AS i, near[2] AS similarity
  MATCH (m)-[:FOUND]->(o:DataObject)
  RETURN o, $alpha * similarity AS part, i.text AS memory
}
WITH
  o,
  sum(CASE WHEN memory IS NULL THEN part ELSE 0.0 END) AS registry,
  sum(CASE WHEN memory IS NULL THEN 0.0 ELSE part END) AS memory,
  collect(CASE WHEN memory IS NOT NULL THEN memory + ' +' + toString(round(part, 3)) END) AS because
WHERE round(registry + memory, 9) > 0
RETURN o.id AS id, round(registry + memory, 9) AS score, registry, memory, because
ORDER BY score DESC, o.sort_key
LIMIT $limit
