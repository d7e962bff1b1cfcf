// delete_session: deletes a session with its chunks, live and archived, and its tombstones
// mode: write, locked, kept plan
// workspace: string          session: string
// -> session: map or null, as it was
{{find_session}}
WITH
  s,
  s {{session}} AS session
CALL (s) {
  MATCH (s)-[:CONTAINS]->(c)
  DETACH DELETE c
}
CALL (s) {
  MATCH (s)<-[:OF]-(t:Tombstone)
  DETACH DELETE t
}
CALL (s) {
  WITH s
  WHERE s IS NOT NULL
  DETACH DELETE s
}
RETURN session
