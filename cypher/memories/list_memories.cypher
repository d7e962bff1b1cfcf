// list_memories: a page of memories, by id
// mode: read
// workspace: string          after: string, a sort key          limit: integer
// state: string or null          suspended: boolean or null          intent_id: string or null
// -> memories: list<map>
MATCH (:Workspace {name: $workspace})
CALL () {
  CALL () {
    // In the key: a WHERE before it would be tested on all that was found.
    MATCH (m:Memory {workspace: CASE WHEN $intent_id IS NULL THEN $workspace END})
    WHERE m.sort_key > $after
      AND ($state IS NULL OR m.state = $state)
      AND ($suspended IS NULL OR m.suspended = $suspended)
    RETURN m
    ORDER BY m.workspace, m.sort_key
    LIMIT $limit
    UNION ALL
    MATCH (m:Memory)-[:FOR]->(:Intent {workspace: $workspace, id: $intent_id})
    WHERE m.sort_key > $after
      AND ($state IS NULL OR m.state = $state)
      AND ($suspended IS NULL OR m.suspended = $suspended)
    RETURN m
    ORDER BY m.sort_key
    LIMIT $limit
  }
  RETURN collect(m {{memory}}) AS memories
}
RETURN memories
