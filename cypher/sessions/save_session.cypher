// save_session: creates a session where there is none of this id; an existing one counts as created at the earliest
// instant, and with the most chunks added, that were given
// mode: write, locked, kept plan
// workspace: string          session: string          sort_key: string          incarnation: string
// at: datetime          added: integer
// -> session: map          created: boolean
OPTIONAL MATCH (old:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK old:Session(workspace, id)
WITH w, old IS NULL AS created
MERGE (s:Session {workspace: $workspace, id: $session})
ON CREATE SET
  s.sort_key = $sort_key,
  s.incarnation = $incarnation,
  s.created_at = $at,
  s.version = 0,
  s.revision = 0,
  s.added = $added,
  s.chunks = 0,
  s.tokens = 0,
  s.archived = 0,
  s.premises = 0,
  s.tombstones = 0
FOREACH (x IN CASE WHEN created THEN [s] ELSE [] END | MERGE (w)-[:HOLDS]->(x))
FOREACH (x IN CASE WHEN $at < s.created_at THEN [s] ELSE [] END | SET x.created_at = $at)
FOREACH (x IN CASE WHEN $added > s.added THEN [s] ELSE [] END | SET x.added = $added)
RETURN
  s {{session}} AS session,
  created
