// delete_workspace: takes the workspace out of sight at once; its nodes are purged afterwards, in bounded batches
// mode: write
// workspace: string
// -> leaving: integer, 1 where it was there
MATCH (w:Workspace {name: $workspace})
REMOVE w:Workspace
SET w:Leaving
RETURN count(w) AS leaving
