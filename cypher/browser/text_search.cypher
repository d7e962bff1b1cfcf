// Objects by words, over the whole database's full-text index and then within one workspace: for people; what
// `discover` ranks by is in `cypher/discovery/`.
//
//   :param workspace => 'default'
//   :param words => 'account OR loan'
CALL db.index.fulltext.queryNodes('object_text', $words) YIELD node AS o, score
WHERE o.workspace = $workspace AND NOT o.gone
RETURN o.id AS id, o.description AS description, score
ORDER BY score DESC, o.sort_key
LIMIT 25
