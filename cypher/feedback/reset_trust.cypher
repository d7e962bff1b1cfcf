// reset_trust: forgets what all rules have earned in a workspace
// mode: write
// workspace: string
// -> forgotten: integer
MATCH (w:Workspace {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Workspace
CALL () {
  MATCH (t:Trust {workspace: $workspace})
  DETACH DELETE t
  RETURN count(t) AS forgotten
}
RETURN forgotten
