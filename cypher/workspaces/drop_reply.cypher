// drop_reply: frees a key whose request failed
// mode: write, locked
// workspace: string          key: string
// -> dropped: integer
CALL () {
  MATCH (r:Reply {workspace: $workspace, key: $key})
  DELETE r
  RETURN count(r) AS dropped
}
RETURN dropped
