// check_memories: of a page of memories, by id, the relationships beside the properties that say the same
// mode: read
// workspace: string          after: string, a sort key          limit: integer
// -> memories: list<[id, sort key, FOUND that lack, FOUND too many, text of the expectation or null, EXPECTED]>
MATCH (w:Workspace {name: $workspace})
CALL (w) {
  CALL () {
    MATCH (m:Memory {workspace: $workspace})
      USING INDEX SEEK m:Memory(workspace, sort_key)
    WHERE m.sort_key > $after
    RETURN m
    ORDER BY m.workspace, m.sort_key
    LIMIT $limit
  }
  WITH
    w, m,
    COLLECT {
      MATCH (m)-[:FOUND]->(o:DataObject)
      RETURN o.id
    } AS found
  // An object that was removed has no node to lead to, and is missing; one that is gone has.
  WITH
    w, m, found,
    [
      id IN m.objects
      WHERE NOT id IN found
        AND (NOT id IN m.missing OR EXISTS { (:DataObject {workspace: $workspace, id: id}) })
    ] AS lacking
  RETURN collect([
    m.id,
    m.sort_key,
    lacking,
    [id IN found WHERE NOT id IN m.objects],
    CASE WHEN m.expected_at = w.catalogue_version THEN m.expected END,
    COLLECT {
      MATCH (m)-[e:EXPECTED]->(o:DataObject)
      RETURN [e.rank, o.id, e.score]
    }
  ]) AS memories
}
RETURN memories
