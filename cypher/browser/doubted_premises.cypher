// Premises by how far they are believed, the most doubted first, with the reasons.
//
//   :param workspace => 'default'
//   :param session => 'monday'
MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})-[p:PREMISE]->(d:Chunk {archived: false})
WHERE p.belief IS NOT NULL
RETURN c.id AS chunk, d.id AS rests_on, p.grade AS grade, p.belief AS belief, p.reasons AS reasons
ORDER BY belief, chunk, rests_on
LIMIT 100
