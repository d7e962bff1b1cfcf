// end_workspace: deletes whatever else carries the name of a workspace that is leaving, and at last its own node
// mode: write
// workspace: string          limit: integer
// -> purged: integer, 0 when nothing of it is left
MATCH (w:Leaving {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Leaving
CALL (w) {
  // Reads every node of the database once: what must be gone may carry labels that no index knows.
  MATCH (n)
  WHERE n.workspace = $workspace AND n <> w
  WITH n
  LIMIT $limit
  DETACH DELETE n
  RETURN count(n) AS purged
}
FOREACH (x IN CASE WHEN purged = 0 THEN [w] ELSE [] END | DETACH DELETE x)
RETURN purged
