// delete_workspace: hides the workspace at once; its nodes are purged afterwards, in bounded batches
// mode: write, locked
// workspace: string          incarnation: string or null          seen: integer or null, the version it must be at
// -> leaving: boolean, false where it has been written to since
WITH w, $seen IS NULL OR (w.incarnation = $incarnation AND w.version = $seen) AS leaving
FOREACH (x IN CASE WHEN leaving THEN [w] ELSE [] END |
  REMOVE x:Workspace
  SET x:Leaving
)
RETURN leaving
