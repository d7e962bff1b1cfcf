// end_workspace: deletes all other nodes with the name of a workspace that is being deleted, and last its own
// mode: write
// workspace: string          limit: integer
// -> purged: integer, 0 when nothing of it is left
MATCH (w:Leaving {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Leaving
CALL (w) {
  // Reads every node of the database once: they may carry labels that no index covers.
  MATCH (n)
  WHERE n.workspace = $workspace AND n <> w
  WITH n
  LIMIT $limit
  DETACH DELETE n
  RETURN count(n) AS purged
}
FOREACH (x IN CASE WHEN purged = 0 THEN [w] ELSE [] END | DETACH DELETE x)
RETURN purged
