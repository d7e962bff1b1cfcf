// reset_trust: forgets what all rules have earned in a workspace
// mode: write
// workspace: string
// -> forgotten: integer
MATCH (w:Workspace {name: $workspace})
CALL () {
  MATCH (t:Trust {workspace: $workspace})
  DETACH DELETE t
  RETURN count(t) AS forgotten
}
RETURN forgotten
