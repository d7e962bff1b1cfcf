// reset_trust: forgets what all rules have earned in a workspace
// mode: write, locked
// workspace: string
// -> forgotten: integer
CALL () {
  MATCH (t:Trust {workspace: $workspace})
  DETACH DELETE t
  RETURN count(t) AS forgotten
}
RETURN forgotten
