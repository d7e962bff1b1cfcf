// purge_workspace: deletes one batch of the nodes of a workspace that is being deleted
// mode: write
// workspace: string          limit: integer
// -> purged: integer, 0 when nothing of it is left
MATCH (w:Leaving {name: $workspace})
// Two purges take turns; one that starts after a new workspace of this name was created deletes nothing.
SET w.locked = true
REMOVE w.locked
WITH w WHERE w:Leaving
CALL () {
  MATCH (n:Memory {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Intent {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:DataObject {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Discovery {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Chunk {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Tombstone {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Session {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Reply {workspace: $workspace}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Trust {workspace: $workspace}) RETURN n LIMIT $limit
}
WITH w, n LIMIT $limit
DETACH DELETE n
RETURN count(n) AS purged
