// reset_trust: deletes the trust of all rules in a workspace
// mode: write, locked
// workspace: string
// -> forgotten: integer
CALL () {
  MATCH (t:Trust {workspace: $workspace})
  DETACH DELETE t
  RETURN count(t) AS forgotten
}
RETURN forgotten
