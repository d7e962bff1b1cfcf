// drop_reply: deletes the reply of a request that failed, so that its key is free
// mode: write, locked
// workspace: string          key: string
// -> dropped: integer
CALL () {
  MATCH (r:Reply {workspace: $workspace, key: $key})
  DELETE r
  RETURN count(r) AS dropped
}
RETURN dropped
