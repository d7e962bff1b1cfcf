// From intents to columns: what was asked, what served, and the tables that it lies in. Confirmed memories first.
//
//   :param workspace => 'default'
MATCH (m:Memory {workspace: $workspace})
WITH m
ORDER BY m.state, m.successes DESC, m.sort_key
LIMIT 25
MATCH intent = (m)-[:FOR]->(:Intent)
OPTIONAL MATCH found = (m)-[:FOUND]->(o:DataObject)
OPTIONAL MATCH holder = (o)<-[:HAS_ATTRIBUTE]-(:Table)
RETURN intent, found, holder
