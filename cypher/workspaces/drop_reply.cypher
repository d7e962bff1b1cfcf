// drop_reply: frees a key whose request failed
// mode: write
// workspace: string          key: string
// -> dropped: integer
MATCH (w:Workspace {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Workspace
CALL () {
  MATCH (r:Reply {workspace: $workspace, key: $key})
  DELETE r
  RETURN count(r) AS dropped
}
RETURN dropped
