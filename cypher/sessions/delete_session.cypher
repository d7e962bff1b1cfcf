// delete_session: deletes a session with its chunks, live and archived, and its tombstones
// mode: write
// workspace: string          session: string
// -> session: map or null, as it was
CYPHER replan=skip
// The plan is kept as counts change, and names its indexes (docs/decisions).
MATCH (w:Workspace {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Workspace
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
WITH
  s,
  s {
    .id, .incarnation, .created_at, .version, .added, .chunks, .tokens, .archived, .premises, .tombstones
  } AS session
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
